// A pane of a layer that has a type of its own: where it is chosen, and where it is said.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "app/ui/cards/cards.h"
#include "app/ui/parts/tooltips.h"
#include "app/ui/parts/widgets.h"
#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

using testing::HasSubstr;

std::string texts(Harness& ui) {
  ui.frame(3);
  std::string all;
  for (const ui::DrawnText& drawn : ui::drawn_texts()) all += drawn.text + "\n";
  return all;
}

// A second pane, which is the active one and computes in tf32.
Sample two_types() {
  Sample s = layer_sample();
  s.settings.group().panes.push_back(s.settings.group().panes[0]);
  s.stats.panes.push_back(s.stats.panes[0]);
  s.settings.group().panes[1].id = s.stats.panes[1].id = 2;
  s.settings.group().panes[1].precision = Precision::tf32;
  s.stats.panes[1].type = "tf32";
  s.settings.group().view = View::grid;
  s.settings.group().active_pane = 1;
  return s;
}

ui::CardLine line_of(const Harness& ui, int pane, float width = 900) {
  return ui::card_line(ui.stats, ui.settings, pane, {0, 0, width, 500}, 1e9f);
}

TEST(PaneType, IsChosenInTheLayerPanel) {
  Harness ui(two_types(), 1600, 1400);
  ui.settings.open_panels = {"layer"};
  ui.click("pane-type/f16");
  EXPECT_EQ(ui.settings.group().panes[1].precision, Precision::f16);
  EXPECT_EQ(ui.settings.group().panes[0].precision, std::nullopt) << "of the chosen pane alone";
  EXPECT_EQ(ui.settings.layer.precision, Precision::f32);
  ui.click("layer-type/tf32");
  EXPECT_EQ(ui.settings.group().panes[1].precision, Precision::f16);
  ui.click("pane-type/As the layer");
  EXPECT_EQ(ui.settings.group().panes[1].precision, std::nullopt);
}

TEST(PaneType, StandsOnTheCardWhereItIsNotTheLayers) {
  Harness ui(two_types());
  ui.frame(2);
  EXPECT_EQ(line_of(ui, 0).type, "");
  EXPECT_EQ(line_of(ui, 1).type, "tf32");
  EXPECT_FALSE(line_of(ui, 1).median.empty());
  EXPECT_TRUE(says("tf32"));
  ui.settings.group().panes[1].card.shape = CardShape::open;
  EXPECT_THAT(texts(ui), HasSubstr("Constant memory  ·  tf32\n"));
  ui.settings.layer.precision = Precision::tf32;
  EXPECT_EQ(line_of(ui, 1).type, "") << "all panes have it";
  ui.settings.group().panes[1].precision = Precision::f32;
  EXPECT_EQ(line_of(ui, 1).type, "f32");
  ui.settings.group().panes[1].strategy = "source";
  EXPECT_EQ(line_of(ui, 1).type, "");
}

TEST(PaneType, NoTimeStandsOnACardWithoutIt) {
  Harness ui(two_types());
  ui.frame(2);
  bool has_time_alone = false, has_neither = false;
  for (float width = line_of(ui, 1).width; width > 20; --width) {
    const ui::CardLine line = line_of(ui, 1, width);
    EXPECT_LE(line.width, width);
    EXPECT_TRUE(line.median.empty() || line.type == "tf32") << width;
    has_time_alone |= !line.median.empty() && line.id != "constant";
    has_neither |= !line.number.empty() && line.median.empty() && line.type.empty();
  }
  EXPECT_TRUE(has_time_alone);
  EXPECT_TRUE(has_neither);
}

TEST(PaneType, StandsBesideTheTimesThatAreCompared) {
  Harness ui(two_types(), 1600, 1400);
  ui.settings.open_panels = {"timing"};
  const std::string said = texts(ui);
  EXPECT_THAT(said, HasSubstr("1  constant\n"));
  EXPECT_THAT(said, HasSubstr("2  constant, tf32\n"));
}

TEST(PaneType, IsOfferedWhereItLetsTheChoiceRun) {
  Sample sample = two_types();
  PaneSettings& pane = sample.settings.group().panes[0];
  PaneStats& measured = sample.stats.panes[0];
  sample.settings.group().active_pane = 0;
  pane.strategy = measured.strategy = "implicit-gemm-tensor";
  measured.runs = measured.substitute = "implicit-gemm";
  measured.why_substitute =
      "implicit-gemm-tensor cannot run: Tensor cores multiply numbers of 11 significant bits, and this layer's are "
      "float32 with 24. Give it the type tf32 or f16. implicit-gemm runs instead.";
  Harness ui(sample, 1600, 1400);
  ui.frame(3);
  EXPECT_TRUE(drawn(ui, "pane/1/choose-what-runs"));
  EXPECT_FALSE(drawn(ui, "pane/1/give-type")) << "no type lets it run";
  ui.stats.panes[0].takes_type = Precision::tf32;
  ui.frame(3);
  EXPECT_TRUE(drawn(ui, "pane/1/choose-what-runs"));
  ui.move_to("pane/1/give-type");
  ui.frame(3);
  EXPECT_THAT(ui::tooltip_text(), HasSubstr("this pane alone in tf32, so that implicit-gemm-tensor runs"));
  EXPECT_TRUE(ui::layout_faults().empty());
  ui.click("pane/1/give-type");
  EXPECT_EQ(ui.settings.group().panes[0].precision, Precision::tf32);
  EXPECT_EQ(ui.settings.group().panes[0].strategy, "implicit-gemm-tensor");
  EXPECT_EQ(ui.settings.layer.precision, Precision::f32);

  ui.settings.group().panes[0].precision = Precision::f16;
  ui.stats.panes[0].takes_type = Precision::f32;
  ui.settings.open_panels = {"strategy"};
  ui.frame(3);
  ui.click("give-type");
  EXPECT_EQ(ui.settings.group().panes[0].precision, std::nullopt)
      << "as the layer, also where that gets another type later";
}

TEST(PaneType, WithoutRoomForBothButtonsTheOfferStays) {
  Sample sample = layer_sample();
  sample.settings.group().panes[0].strategy = sample.stats.panes[0].strategy = "implicit-gemm-tensor";
  sample.stats.panes[0].runs = sample.stats.panes[0].substitute = "implicit-gemm";
  sample.stats.panes[0].why_substitute =
      "implicit-gemm-tensor cannot run: It takes others. implicit-gemm runs instead.";
  sample.stats.panes[0].takes_type = Precision::tf32;
  sample.settings.show_panels = false;
  Harness ui(sample, 260, 600);
  ui.frame(3);
  EXPECT_TRUE(drawn(ui, "pane/1/give-type"));
  EXPECT_FALSE(drawn(ui, "pane/1/choose-what-runs"));
}

// The maps of both lie over one another there.
TEST(PaneType, TheDifferenceOfTwoNumbersEachMapOnce) {
  Harness ui(two_types());
  ui.settings.show_panels = false;
  ui.settings.group().view = View::difference;
  const UiLayout::Pane whole{0, 0, 1200, 800};
  ui.panes = ui.pictures = {whole, whole};
  ui.move(20, 700);
  ui.frame(3);
  const auto numbers = [] {
    return std::ranges::count_if(ui::drawn_texts(), [](const ui::DrawnText& drawn) { return drawn.text == "15"; });
  };
  EXPECT_EQ(numbers(), 1);
  ui.stats.difference.shown = false;
  ui.frame();
  EXPECT_EQ(numbers(), 0) << "there is no map";
}

TEST(PaneType, TheDifferenceOfTwoSaysWhatIsRounding) {
  Harness ui(two_types());
  ui.settings.group().view = View::difference;
  ui.settings.difference.first = 0;
  ui.settings.difference.second = 1;
  ui.stats.difference = {.first = 0, .second = 1, .frame = 3};
  ui.stats.difference.found = {.pixels = 100, .different = 7, .largest = 1, .mean = 0.01, .psnr = 60, .ssim = 0.999};
  EXPECT_THAT(texts(ui), HasSubstr("Outputs of different types round differently."));
  for (PaneStats& pane : ui.stats.panes) {
    pane.check.tolerance = 0.0001;
    pane.type_rounding = pane.type.empty() ? 0 : 0.0018;
  }
  EXPECT_THAT(texts(ui), HasSubstr("Outputs may differ by 0.002, their colours by more."))
      << "a pixel shows one of several";
  EXPECT_THAT(texts(ui), HasSubstr("largest, drawn")) << "of colours, which have another unit";
  Wall& wall = *ui.stats.panes[0].wall;
  wall.map_width = wall.map_height = 4;
  EXPECT_THAT(texts(ui), HasSubstr("Outputs may differ by 0.002, their colours by 12 of 255.")) << "255 times its root";
  ui.settings.wall.gain = 4;
  EXPECT_THAT(texts(ui), HasSubstr("their colours by 23 of 255."));
  ui.settings.wall.colours = false;
  EXPECT_THAT(texts(ui), HasSubstr("their colours by 2 of 255.")) << "half of 4 times that, rounded up";
  ui.settings.group().panes[1].precision.reset();
  EXPECT_THAT(texts(ui), testing::Not(HasSubstr("Outputs may differ")));
  EXPECT_THAT(texts(ui), testing::Not(HasSubstr("one of several outputs")));
  wall.map_width = wall.map_height = 4000;
  EXPECT_THAT(texts(ui), HasSubstr("A pixel shows one of several outputs."));
}

}  // namespace
}  // namespace convoscope::test
