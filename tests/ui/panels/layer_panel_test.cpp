// The layer: its panel, its bank, and its feature maps on the picture.
#include <gtest/gtest.h>

#include <algorithm>

#include "app/state/workbench.h"
#include "app/ui/actions/layer_actions.h"
#include "app/ui/actions/workbench_actions.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/key_codes.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/places/wall_overlay.h"
#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

using namespace ui::key;

class LayerPanel : public ::testing::Test {
 protected:
  LayerPanel() {
    ui.settings.open_panels = {"layer"};
    ui.frame(3);
  }
  LayerSettings& layer() { return ui.settings.layer; }
  float weight(int map, int channel, int row, int column) {
    const Filter& bank = layer().weights;
    return bank
        .weights[static_cast<std::size_t>(((map * bank.channels + channel) * bank.height + row) * bank.width + column)];
  }
  ImVec2 cell(int column, int row) {
    const ui::ItemRectangle& grid = *ui::item_rectangle("weights");
    const float size = (grid.to.x - grid.from.x) / static_cast<float>(layer().weights.width);
    return {grid.from.x + size * (static_cast<float>(column) + 0.5f),
            grid.from.y + size * (static_cast<float>(row) + 0.5f)};
  }
  Harness ui{layer_sample(), 1600, 1400};
};

TEST(LayerPanelOfASmallWindow, TheWheelGoesOnFromTheEndOfTheBank) {
  Harness ui{layer_sample(), 640, 700};
  ui.settings.open_panels = {"layer"};
  ui.frame(3);
  const auto turn = [&](float notches) {
    for (int i = 0; i < 40; ++i) {
      ImGui::GetIO().MouseWheel = notches;
      ui.frame();
    }
  };
  const auto top_of = [&](const char* item) {
    ui.frame();
    const auto rectangle = ui::item_rectangle(item);
    return rectangle ? rectangle->from.y : -1e6f;
  };
  ui.move_to("bank/1/green");
  turn(1);  // what was opened has been scrolled into sight
  ui.move_to("bank/1/green");
  const float below = top_of("section/Timing"), grids = top_of("bank/1/green");
  turn(-1);
  EXPECT_LT(top_of("bank/1/green"), grids) << "the list scrolls first";
  EXPECT_LT(top_of("section/Timing"), below);
  turn(1);
  EXPECT_EQ(top_of("section/Timing"), below) << "and back to where the panel begins";
}

TEST_F(LayerPanel, TheMouseChoosesAFilterAndTypesAWeight) {
  const Filter before = layer().weights;
  ui.click("bank/2/green");
  EXPECT_EQ(ui::ui_state().bank_choice.map, 1);
  EXPECT_EQ(ui::ui_state().bank_choice.channel, 1);
  const ImVec2 at = cell(2, 0);
  ui.double_click_at(at.x, at.y);
  ui.frame(3);
  ASSERT_TRUE(ImGui::GetIO().WantTextInput);
  ui.type("0.625");
  ui.key(enter);
  ui.frame(3);
  EXPECT_EQ(weight(1, 1, 0, 2), 0.625f);
  EXPECT_EQ(layer().bank, "custom");
  int changed = 0;
  for (std::size_t i = 0; i < before.weights.size(); ++i) changed += before.weights[i] != layer().weights.weights[i];
  EXPECT_EQ(changed, 1) << "no other one";
  ui.key(escape);
  ui.key('Z', control);
  EXPECT_EQ(layer().bank, "edges");
  EXPECT_TRUE(layer().weights == before);
  ui.key('Z', control | shift);
  EXPECT_EQ(weight(1, 1, 0, 2), 0.625f);
}

TEST_F(LayerPanel, ArrowsAndDraggingEditAsInAFilter) {
  ui.click("bank/1/red");
  ui.drag_right(cell(0, 1));
  const float before = weight(0, 0, 1, 1);
  ui.release();
  ui.frame(2);
  EXPECT_EQ(layer().bank, "custom");
  ui.key(right);
  ui.key(page_up);
  EXPECT_GT(weight(0, 0, 1, 1), before);
  ui.key(del);
  EXPECT_EQ(weight(0, 0, 1, 1), 0);
}

TEST_F(LayerPanel, PastingGoesToTheChosenFilterWhereItFits) {
  ui.click("bank/3/blue");
  ImGui::SetClipboardText("1 2 3; 4 5 6; 7 8 9");
  ui.key('V', control);
  EXPECT_EQ(weight(2, 2, 1, 2), 6);
  ui.key('T', shift);
  EXPECT_EQ(weight(2, 2, 1, 2), 8);
  ImGui::SetClipboardText("1 2 3 4 5");
  const Filter bank = layer().weights;
  ui.key('V', control);
  EXPECT_TRUE(layer().weights == bank);
}

TEST_F(LayerPanel, ABankOfTheCatalogueIsMadeAnewAndACustomOneKeepsItsWeights) {
  ui::reshape_bank(layer(), 8, 5, false);
  EXPECT_EQ(layer().bank, "edges");
  EXPECT_TRUE(layer().weights == find_bank_kind("edges")->make(8, 3, 5));
  layer().bank = "custom";
  const Filter before = layer().weights;
  ui::reshape_bank(layer(), 10, 7, false);
  EXPECT_EQ(layer().weights.maps, 10);
  EXPECT_EQ(weight(7, 2, 3, 3), before.weights[static_cast<std::size_t>(((7 * 3 + 2) * 5 + 2) * 5 + 2)]);
  EXPECT_EQ(weight(0, 0, 0, 0), 0) << "the new border";
  EXPECT_EQ(weight(9, 2, 3, 3), 0) << "a new map";
  ui::reshape_bank(layer(), 8, 5, false);
  EXPECT_EQ(layer().weights.weights, before.weights);
}

TEST_F(LayerPanel, TheListChoosesABankOfTheSameShape) {
  ui::reshape_bank(layer(), 12, 5, false);
  layer().weights.relu = true;
  ui.click("bank");
  ui.click("bank/gabor");
  EXPECT_EQ(layer().bank, "gabor");
  EXPECT_EQ(layer().weights.weights, find_bank_kind("gabor")->make(12, 3, 5).weights);
  EXPECT_TRUE(layer().weights.relu);
}

TEST_F(LayerPanel, ItSeesTheLastFrames) {
  const int maps = layer().weights.maps;
  ui.drag("layer-frames", 400, 0);
  EXPECT_EQ(layer().weights, over_frames(find_bank_kind("edges")->make(maps, 3, 3), 16));
  EXPECT_EQ(ui::colour_of(layer().weights, 0, 46), "green");
  EXPECT_EQ(ui::colour_of(layer().weights, 0, 42), "red, 1 frame before");
  ui::reshape_bank(layer(), maps, 5, false);
  EXPECT_EQ(layer().weights.channels, 48) << "another size leaves the frames";
  layer().bank = custom_bank;
  const Filter before = layer().weights;
  ui::reshape_bank(layer(), maps, 5, false, 1);
  ASSERT_EQ(layer().weights.channels, 3);
  EXPECT_EQ(ui::plane_of(layer().weights, 1, 2), ui::plane_of(before, 1, 47)) << "the newest frame stays";
  ui::set_depthwise(layer(), true);
  EXPECT_EQ(layer().weights.channels, 1);
}

TEST_F(LayerPanel, ItsNumbersHaveATypeAndALayout) {
  ui.click("layer-type/f16");
  EXPECT_EQ(layer().precision, Precision::f16);
  ui.click("layer-layout/NHWC");
  EXPECT_EQ(layer().layout, Layout::nhwc);
  ui.click("layer-type/tf32");
  EXPECT_EQ(layer().precision, Precision::tf32);
  EXPECT_EQ(layer().bank, "edges");
}

TEST_F(LayerPanel, ADepthwiseBankHasAsManyMapsForEachColour) {
  layer().weights.relu = true;
  ui.click("depthwise");
  EXPECT_TRUE(layer().depthwise);
  EXPECT_EQ(layer().weights.maps, 18);
  EXPECT_EQ(layer().weights.channels, 1);
  EXPECT_TRUE(layer().weights.relu);
  EXPECT_EQ(ui::colour_of(layer().weights, 7, 0), "green");
  EXPECT_EQ(ui::why_invalid(ui.settings.active(), ui.stats, ui.settings), "");
  layer().bank = custom_bank;
  const Filter before = layer().weights;
  ui::reshape_bank(layer(), 21, 3, true);
  EXPECT_EQ(weight(7, 0, 1, 1), before.weights[6 * 9 + 4]) << "the first that sees green";
  EXPECT_EQ(weight(6, 0, 1, 1), 0) << "a seventh that sees red";
  ui::reshape_bank(layer(), 18, 3, true);
  EXPECT_EQ(layer().weights.weights, before.weights);
  ui::reshape_bank(layer(), most_maps, 3, true);
  EXPECT_EQ(layer().weights.maps, 63);
  ui.click("depthwise");
  EXPECT_EQ(layer().weights.channels, 3);
  EXPECT_EQ(ui::why_invalid(ui.settings.active(), ui.stats, ui.settings), "");
}

TEST_F(LayerPanel, OffAgainItHasAsManyMapsAsBefore) {
  ui.click("depthwise");
  EXPECT_EQ(layer().weights.maps, 18);
  ui.click("depthwise");
  EXPECT_EQ(layer().weights.maps, 16);
  ui.click("depthwise");
  ui::reshape_bank(layer(), 21, 3, true);  // chosen since
  ui.click("depthwise");
  EXPECT_EQ(layer().weights.maps, 21);
}

TEST_F(LayerPanel, ATouchDoesNotShrinkABankThatIsLargerThanTheSlidersReach) {
  layer().bank = custom_bank;
  layer().weights = random_bank(100, 3, 17);
  const Filter before = layer().weights;
  for (const char* const item : {"maps", "filter-size"}) {
    ui.frame(3);
    const ui::ItemRectangle at = *ui::item_rectangle(item);
    ui.move(at.to.x - 4, at.centre().y);  // the knob is at the end
    ui.frame(2);
    ui.press();
    ui.release();
    ui.frame(2);
    EXPECT_EQ(layer().weights.maps, 100) << item;
    EXPECT_EQ(layer().weights.weights, before.weights) << item;
  }
  EXPECT_TRUE(is_said("M = 100"));
  EXPECT_TRUE(is_said("K = 17"));
  ui::reshape_bank(layer(), 100, 5, false);
  EXPECT_EQ(layer().weights.maps, 100) << "another K does not take maps away";
}

TEST_F(LayerPanel, SwitchesAndSlidersShapeTheLayer) {
  ui.click("relu");
  EXPECT_TRUE(layer().weights.relu);
  ui.click("padding");
  EXPECT_FALSE(layer().padded);
  ui.drag("stride", 200, 0);
  EXPECT_GT(layer().stride, 1);
  ui.drag("dilation", 200, 0);
  EXPECT_GT(layer().dilation, 1);
  ui.drag("filter-size", 200, 0);
  EXPECT_GT(layer().weights.width, 3);
  EXPECT_EQ(layer().weights.width % 2, 1);
  ui.drag("maps", -300, 0);
  EXPECT_LT(layer().weights.maps, 16);
  EXPECT_EQ(layer().weights.weights.size(),
            static_cast<std::size_t>(layer().weights.maps * 3 * layer().weights.width * layer().weights.height));
}

TEST_F(LayerPanel, ABiasIsForAllMapsOrForOne) {
  ui::set_bias(layer(), -1, 0.5f);
  EXPECT_EQ(layer().weights.biases, std::vector<float>(16, 0.5f));
  ui::set_bias(layer(), 3, 0.25f);
  EXPECT_EQ(layer().weights.biases[3], 0.25f);
  EXPECT_EQ(layer().weights.biases[4], 0.5f);
  ui::reshape_bank(layer(), 4, 3, false);
  EXPECT_EQ(layer().weights.biases, (std::vector<float>{0.5f, 0.5f, 0.5f, 0.25f}));
  ui::set_bias(layer(), -1, 0);
  EXPECT_TRUE(layer().weights.biases.empty()) << "none";
}

TEST_F(LayerPanel, TheShapeIsSaidInWords) {
  const auto text = [&] { return ui::layer_text(ui::problem_of(ui.settings.active(), ui.stats, ui.settings)); };
  EXPECT_EQ(text(), "1 × 3 × 1080 × 1920 → 16 maps of 1080 × 1920\n3 × 3 × 3 weights each: 1.79 GFLOP");
  ui.settings.format = PixelFormat::gray32f;
  EXPECT_TRUE(text().starts_with("1 × 1 × 1080 × 1920 → 16 maps of 1080 × 1920\n1 × 3 × 3 weights each: ")) << text();
  layer().padded = false;
  ui.stats.source.height = 2;
  EXPECT_TRUE(ui::why_invalid(ui.settings.active(), ui.stats, ui.settings).ends_with("."));
  ui.frame(3);
}

TEST_F(LayerPanel, AMapThatIsGoneIsNotShownAlone) {
  ui.settings.wall.map = 15;
  ui::reshape_bank(layer(), 4, 3, false);
  ui.frame(2);
  EXPECT_EQ(ui.settings.wall.map, 3);
  EXPECT_EQ(ui::ui_state().bank_choice.map, 3) << "what is seen is what is edited, also where a session brings it";
}

class Maps : public ::testing::Test {
 protected:
  Maps() {
    ui.settings.show_panels = false;
    ui.settings.group().panes[0].card.shape = CardShape::hidden;
    ui.pictures = {{0, 0, 1600, 900}};
    ui.frame(3);
  }
  // What the panes' side makes of it.
  void follow() {
    ui.stats.panes[0].wall->alone = ui.settings.wall.map;
    ui.frame(3);
  }
  Harness ui{layer_sample(), 1600, 900};
};

TEST_F(Maps, AreNumberedWhereThereIsRoom) {
  for (const char* const number : {"1", "7", "16"}) EXPECT_TRUE(is_said(number)) << number;
  ui.pictures = {{0, 0, 160, 90}};
  ui.frame(2);
  EXPECT_FALSE(is_said("7"));
  ui.pictures = {{-6400, -3600, 8000, 4500}};  // zoomed in: the last one alone is seen
  ui.frame(2);
  EXPECT_TRUE(is_said("16"));
  EXPECT_FALSE(is_said("1"));
  ui.pictures = {{-815, -900, 3200, 1800}};  // of the last column 15 pixels are seen
  ui.frame(2);
  EXPECT_TRUE(is_said("15"));
  EXPECT_FALSE(is_said("16")) << "half a number tells another one";
}

TEST_F(Maps, ADoubleClickShowsOneAloneAndTheNextOneAll) {
  ui.double_click_at(600, 340);  // second column, second row
  EXPECT_EQ(ui.settings.wall.map, 5);
  EXPECT_FALSE(ui.settings.fullscreen);
  follow();
  EXPECT_TRUE(says("Map 6 of 16")) << "the mouse is on it";
  ui.frame(40);
  ui.double_click_at(600, 340);
  EXPECT_EQ(ui.settings.wall.map, -1);
  follow();
  ui.frame(40);
  ui.settings.fullscreen = true;
  ui.double_click_at(600, 340);
  ASSERT_EQ(ui.settings.wall.map, 5);
  ui.key(escape);
  EXPECT_EQ(ui.settings.wall.map, -1);
  EXPECT_TRUE(ui.settings.fullscreen) << "one thing at a time";
}

TEST_F(Maps, ASingleClickPinsAndADragMoves) {
  ui.settings.inspect.values = true;
  ui.stats.inspect.under_cursor = ui.stats.inspect.pixel = PixelAddress{720, 400};
  ui.stats.inspect.pane = 0;
  ui.move(600, 340);
  ui.frame(2);
  ui.press();
  ui.release();
  ui.frame(40);
  EXPECT_TRUE(ui.settings.inspect.pinned.has_value());
  EXPECT_EQ(ui.settings.wall.map, -1);
}

TEST_F(Maps, AClickChoosesTheMapWhoseWeightsAreEdited) {
  ui.move(600, 340);
  ui.frame(2);
  ui.press();
  ui.release();
  ui.frame(2);
  EXPECT_EQ(ui::ui_state().bank_choice.map, 5);
  EXPECT_EQ(ui.settings.wall.map, -1);
}

TEST_F(Maps, ThePictureOfTheSourceHasNone) {
  ui.settings.group().panes[0].strategy = "source";
  EXPECT_EQ(ui::map_at(ui.stats, ui.settings, ui.layout, 0, 600, 340), -1);
  ui.frame(2);
  EXPECT_FALSE(is_said("7"));
}

TEST_F(Maps, TheValueUnderTheCursorIsToldWithItsMap) {
  ui.settings.inspect.values = true;
  InspectStats& inspect = ui.stats.inspect;
  inspect.under_cursor = inspect.pixel = PixelAddress{720, 400};
  inspect.pane = 0;
  inspect.values.resize(1);
  inspect.patches.resize(1);
  inspect.map_values = {{{.map = 5, .x = 960, .y = 513}, -0.125f}};
  ui.frame(3);
  EXPECT_TRUE(is_said("Map 6  (960, 513)"));
  EXPECT_FALSE(is_said("960, 513")) << "once is enough";
  EXPECT_TRUE(is_said("−0.125"));
  ui.settings.group().panes.push_back(ui.settings.group().panes[0]);
  inspect.values.resize(2);
  inspect.patches.resize(2);
  inspect.map_values.push_back({{.map = 2, .x = 7, .y = 9}, 0.5f});
  ui.frame(3);
  EXPECT_TRUE(is_said("7, 9")) << "where panes differ, each says its own";
  inspect.map_values.pop_back();
  inspect.map_values[0].place.map = -1;
  ui.frame(3);
  EXPECT_TRUE(is_said("(720, 400)")) << "beside the maps";
}

TEST(LayerWall, TheControlsAreInThePanel) {
  Harness ui(layer_sample(), 1600, 1400);
  ui.settings.open_panels = {"layer"};
  ui.click("bank/4/red");
  ui.click("wall-map/One map");
  EXPECT_EQ(ui.settings.wall.map, 3);
  ui.click("bank/2/red");
  EXPECT_EQ(ui.settings.wall.map, 1) << "the one that is at hand";
  ui.click("wall-map/All maps");
  EXPECT_EQ(ui.settings.wall.map, -1);
  ui.click("wall-colours");
  EXPECT_FALSE(ui.settings.wall.colours);
  ui.drag("wall-gain", 60, 0);
  EXPECT_GT(ui.settings.wall.gain, 1);
}

}  // namespace
}  // namespace convoscope::test
