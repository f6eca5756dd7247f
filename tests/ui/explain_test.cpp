// The explanation of what is made from more than one picture: a volume's frames, a layer's channels.
#include <gtest/gtest.h>
#include <imgui_internal.h>

#include <array>
#include <bit>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "app/state/workbench.h"
#include "app/ui/explain/sum.h"
#include "app/ui/explain/window.h"
#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

PixelPatch patch(int plane, int width, int height, const std::vector<float>& values) {
  PixelPatch whole;
  whole.plane = plane;
  whole.area = {0, 0, width, height};
  whole.format = PixelFormat::gray32f;
  for (const float value : values) whole.pixels.push_back(std::bit_cast<std::uint32_t>(value));
  return whole;
}

// Ones over ones in three frames of 5 × 5.
PixelExplanation explained_volume(PixelAddress at) {
  PixelExplanation explained;
  explained.pane = 0;
  explained.pixel = at;
  explained.output = {at.x, at.y};
  explained.strategy = "A tile of every frame";
  Filter ones{.name = "ones", .width = 3, .height = 3, .depth = 3};
  ones.weights.assign(27, 1.0f);
  explained.problem =
      std::make_shared<const Problem>(Problem{5, 5, PixelFormat::gray32f, Border::zero, ones, &volume_kind});
  for (int t = 0; t < 3; ++t) explained.inputs.push_back(patch(t, 5, 5, std::vector<float>(25, 1.0f)));
  KernelStep step = one_thread_per_output("filter_volume_tiled", 4, 4, at.x, at.y);
  step.tile = {grown(step.outputs[0], 1, 1)};
  explained.explanation = in_all_frames(*explained.problem, {.steps = {step}, .words = {}});
  return explained;
}

// The worked example of the design, section 5: two maps of 2 × 2 over three channels of 3 × 3.
PixelExplanation explained_layer(int map, int y, int x) {
  PixelExplanation explained;
  explained.pane = 0;
  explained.output = {.x = x, .y = y, .channel = map};
  explained.wall = Wall{.maps = 2, .map_width = 2, .map_height = 2, .width = 80, .height = 60};
  const WallPixel pixel = pixel_on_wall(*explained.wall, map, x, y);
  explained.pixel = {pixel.x, pixel.y};
  explained.strategy = "Implicit GEMM";
  change_problem(explained, [](Problem& p) {
    p = layer_problem("1,3,3,3,2,2", Pass::forward);
    p.filter.weights = {1, 1, 2, 2, 1, 1, 1, 1, 0, 1, 1, 0, 1, 0, 0, 1, 0, 1, 1, 0, 1, 1, 1, 1};
  });
  explained.inputs = {patch(0, 3, 3, {1, 2, 3, 1, 1, 0, 2, 0, 1}), patch(1, 3, 3, {0, 2, 1, 0, 3, 1, 1, 0, 2}),
                      patch(2, 3, 3, {1, 2, 0, 0, 1, 2, 1, 1, 0})};
  KernelStep step = one_thread_per_output("layer_product", 4, 1, x, y);
  step.outputs = {{0, 0, 2, 2}};
  step.output_planes = step.thread_planes = {0, 1};
  step.tile = {{0, 0, 3, 3}};
  step.input_planes = {0, 1, 2};
  explained.explanation.steps = {step};
  explained.explanation.product =
      MatrixProduct{.rows = 2, .depth = 12, .columns = 4, .row = map, .column = 2 * y + x, .tile = {0, 0, 256, 16}};
  return explained;
}

TEST(ExplainedSum, AddsAllFramesOfAVolume) {
  EXPECT_EQ(ui::add_up(explained_volume({2, 2}), 0).sum, 27);
  EXPECT_EQ(ui::add_up(explained_volume({0, 2}), 0).sum, 18);
  EXPECT_EQ(ui::add_up(explained_volume({0, 0}), 0).sum, 12);
  PixelExplanation late = explained_volume({2, 2});
  late.inputs.pop_back();
  EXPECT_FALSE(ui::add_up(late, 0).complete);
  EXPECT_EQ(ui::plane_name(late, 0), "The frame before");
  EXPECT_EQ(ui::plane_name(late, 1), "This frame");
  EXPECT_EQ(ui::plane_name(late, 2), "The frame after");
}

TEST(ExplainedSum, AddsAllChannelsOfALayer) {
  const double expected[2][4] = {{14, 15, 12, 12}, {8, 11, 8, 7}};
  for (int map = 0; map < 2; ++map)
    for (int i = 0; i < 4; ++i) {
      const ui::ExplainedSum sum = ui::add_up(explained_layer(map, i / 2, i % 2), 0);
      EXPECT_TRUE(sum.complete);
      EXPECT_EQ(sum.terms.size(), 12u);
      EXPECT_EQ(sum.sum, expected[map][i]) << map << ", " << i;
    }
  PixelExplanation ends = explained_layer(1, 1, 1);
  change_problem(ends, [](Problem& p) { p.filter.biases = {0, -9}; });
  EXPECT_EQ(ui::add_up(ends, 0).value, -2);
  change_problem(ends, [](Problem& p) { p.filter.relu = true; });
  EXPECT_EQ(ui::add_up(ends, 0).value, 0);
  EXPECT_EQ(ui::plane_name(ends, 1), "Channel 2, green");
  ends.sees_maps = true;
  EXPECT_EQ(ui::plane_name(ends, 1), "Channel 2") << "the maps of another layer have no colours";
}

TEST(ExplainedSum, OfALayerWithStridePaddingAndGroups) {
  PixelExplanation explained = explained_layer(0, 0, 0);
  change_problem(explained, [](Problem& p) {
    p = layer_problem("1,2,3,3,2,2,stride=2,padding=1,groups=2", Pass::forward);  // 2 × 2 outputs
    p.filter.weights = {1, 2, 3, 4, 5, 6, 7, 8};
  });
  explained.output = {.x = 0, .y = 1, .channel = 1};  // rows 1 and 2, columns −1 and 0 of the second channel
  const ui::ExplainedSum sum = ui::add_up(explained, 0);
  ASSERT_EQ(sum.terms.size(), 4u);
  EXPECT_TRUE(sum.terms[0].outside);
  EXPECT_EQ(sum.terms[1].plane, 1);
  EXPECT_EQ(sum.sum, 6 * 0 + 8 * 1);
}

TEST(ExplainSheet, OfAVolumeHasAGridForEachFrame) {
  Harness ui(time_sample(), 1600, 1200);
  ui.settings.inspect.explain = true;
  ui.stats.inspect.explained = explained_volume({0, 2});
  ui.pictures = ui.panes = {{0, 0, 1000, 800}};
  EXPECT_TRUE(drawn(ui, "story"));
  EXPECT_TRUE(drawn(ui, "story-planes"));
  for (const char* plane : {"story-plane/0", "story-plane/1", "story-plane/2"}) EXPECT_TRUE(drawn(ui, plane));
  EXPECT_FALSE(drawn(ui, "story-plane/3"));
  EXPECT_FALSE(drawn(ui, "story-product"));
  EXPECT_TRUE(says("The frame before"));
  EXPECT_TRUE(says("3 × 3 × 3 = 27 inputs"));
  for (const std::string& fault : ui::layout_faults()) ADD_FAILURE() << fault;
}

// What lies in an area, relative to its corner.
std::vector<std::tuple<float, float, ImU32>> drawn_in(const ui::ItemRectangle& area) {
  std::vector<std::tuple<float, float, ImU32>> found;
  for (const ImGuiWindow* const window : ImGui::GetCurrentContext()->Windows) {
    if (!window->Active) continue;
    for (const ImDrawVert& at : window->DrawList->VtxBuffer)
      if (at.pos.x > area.from.x - 4 && at.pos.x < area.to.x + 4 && at.pos.y > area.from.y - 4 &&
          at.pos.y < area.to.y + 4)
        found.emplace_back(at.pos.x - area.from.x, at.pos.y - area.from.y, at.col);
  }
  return found;
}

TEST(ExplainSheet, EachMarkIsThatOfOneThingInThePicture) {
  Harness ui(time_sample(), 1600, 1200);
  ui.settings.inspect.explain = true;
  ui.stats.inspect.explained = explained_volume({0, 2});
  ui.pictures = ui.panes = {{0, 0, 1000, 800}};
  ui.frame(4);
  EXPECT_EQ(ui::item_rectangle("story-mark/Block"), nullptr) << "what is drawn of it is its outputs";
  const std::array names{"Thread", "Block's outputs", "Shared tile", "Ghost cells", "Window"};
  std::vector<std::vector<std::tuple<float, float, ImU32>>> marks;
  for (const std::string name : names) {
    const ui::ItemRectangle* const mark = ui::item_rectangle("story-mark/" + name);
    ASSERT_NE(mark, nullptr) << name;
    marks.push_back(drawn_in(*mark));
    EXPECT_FALSE(marks.back().empty()) << name;
  }
  for (std::size_t i = 0; i < marks.size(); ++i)
    for (std::size_t k = 0; k < i; ++k) EXPECT_NE(marks[i], marks[k]) << names[i] << " and " << names[k];
}

TEST(ExplainSheet, WhatReachesBeyondThePictureIsSaidAndDrawnWithinIt) {
  Harness ui(time_sample(), 1600, 1200);
  ui.settings.inspect.explain = true;
  ui.stats.source.width = ui.stats.source.height = 5;
  ui.stats.inspect.explained = explained_volume({4, 4});
  KernelStep& step = ui.stats.inspect.explained->explanation.steps[0];
  step.tile.clear();
  step.outputs = {{4, 0, 4, 64}};
  ui.pictures = ui.panes = {{0, 0, 500, 500}};
  ui.frame(4);
  EXPECT_TRUE(is_said("1 × 5 from (4, 0), of 4 × 64"));
  for (const ImDrawVert& at : ImGui::GetBackgroundDrawList()->VtxBuffer)
    if (at.col == ui::explain_inks().block) {
      EXPECT_LT(at.pos.x, 510);
      EXPECT_LT(at.pos.y, 510);
    }
  step.outputs = {{0, 0, 5, 1}, {0, 4, 8, 4}};
  ui.frame(4);
  EXPECT_TRUE(is_said("10 of 37 pixels in 2 parts"));
  step.outputs = {{1, 1, 4, 4}};
  ui.frame(4);
  EXPECT_TRUE(is_said("4 × 4 from (1, 1)"));
}

TEST(ExplainSheet, TheMarkOfAThreadWithOneOutputIsAsBrightAsThePixelInThePicture) {
  Harness ui(time_sample(), 1600, 1200);
  ui.settings.inspect.explain = true;
  ui.stats.inspect.explained = explained_volume({0, 2});
  ui.pictures = ui.panes = {{0, 0, 1000, 800}};
  const auto inks_of_mark = [&] {
    ui.frame(4);
    std::set<ImU32> inks;
    for (const auto& [x, y, ink] : drawn_in(*ui::item_rectangle("story-mark/Thread"))) inks.insert(ink);
    return inks;
  };
  EXPECT_TRUE(inks_of_mark().contains(ui::explain_inks().block));
  EXPECT_TRUE(inks_of_mark().contains(ui::pixel_outline));
  for (KernelStep& step : ui.stats.inspect.explained->explanation.steps) step.thread_outputs[0].width = 4;
  EXPECT_FALSE(inks_of_mark().contains(ui::explain_inks().block)) << "an area is filled thinly there too";
}

// What the cores do has no blocks, and a strip for each thread.
TEST(ExplainSheet, TheStripOfAThreadIsOutlinedInThePicture) {
  Harness ui(time_sample(), 1600, 1200);
  ui.settings.inspect.explain = true;
  ui.stats.inspect.explained = explained_volume({0, 2});
  Explanation& said = ui.stats.inspect.explained->explanation;
  said.steps.clear();
  ui.pictures = ui.panes = {{0, 0, 1000, 800}};
  const auto drawn_over_picture = [&] {
    ui.frame(4);
    return ImGui::GetBackgroundDrawList()->VtxBuffer.Size;
  };
  const int before = drawn_over_picture();
  EXPECT_EQ(ui::item_rectangle("story-mark/Strip"), nullptr);
  said.strip = PixelArea{0, 2, 5, 2};
  EXPECT_GT(drawn_over_picture(), before);
  EXPECT_NE(ui::item_rectangle("story-mark/Strip"), nullptr);
  EXPECT_TRUE(says("5 × 2 from (0, 2)"));
}

TEST(ExplainSheet, TheSumIsFlushWithTheLargestTerms) {
  PixelExplanation explained = explained_volume({4, 4});
  change_problem(explained, [](Problem& p) {
    p.width = p.height = p.filter.width = p.filter.height = 9;
    p.filter.weights.assign(3 * 81, 1.0f);
  });
  explained.inputs.clear();
  for (int t = 0; t < 3; ++t) explained.inputs.push_back(patch(t, 9, 9, std::vector<float>(81, 1.0f)));
  Harness ui(time_sample(), 1600, 1200);
  ui.settings.inspect.explain = true;
  ui.stats.inspect.explained = explained;
  ui.pictures = ui.panes = {{0, 0, 1000, 800}};
  ASSERT_TRUE(drawn(ui, "story"));
  const auto left = [](const std::string& text) {
    const auto found = std::ranges::find(ui::drawn_texts(), text, &ui::DrawnText::text);
    return found == ui::drawn_texts().end() ? -1 : found->at.from.x;
  };
  EXPECT_GT(left("243"), 0);
  EXPECT_EQ(left("231 terms: 231"), left("243"));
}

TEST(ExplainSheet, OfALayerShowsTheProductAndWhatIsReadOfEachChannel) {
  Harness ui(layer_sample(), 1600, 1200);
  ui.settings.inspect.explain = true;
  ui.stats.inspect.explained = explained_layer(1, 0, 1);
  ui.stats.panes[0].wall = ui.stats.inspect.explained->wall;
  ui.pictures = ui.panes = {{0, 0, 1000, 800}};
  EXPECT_TRUE(drawn(ui, "story-product"));
  for (const char* plane : {"story-plane/0", "story-plane/1", "story-plane/2"}) EXPECT_TRUE(drawn(ui, plane));
  EXPECT_TRUE(says("Y[n, m, y, x] = Y[0, 1, 0, 1]"));
  EXPECT_TRUE(says("3 × 2 × 2 = 12 inputs"));
  EXPECT_TRUE(says("F 2 × 12"));
  EXPECT_TRUE(says("U 12 × 4"));
  EXPECT_TRUE(says("Y 2 × 4"));
  EXPECT_TRUE(says("48 / 27 = 1.78 ×"));
  EXPECT_TRUE(says("1 of F, 1 of U"));
  EXPECT_TRUE(says("Channel 3, blue"));
  EXPECT_TRUE(says("of maps 1 and 2"));
  for (const std::string& fault : ui::layout_faults()) ADD_FAILURE() << fault;
  ui.stats.inspect.explained->explanation.product->columns = 2073600;
  ui.stats.inspect.explained->explanation.product->column = 29917;
  ui.frame(2);
  EXPECT_TRUE(says("1 of F, 29917 of U")) << "an index, as the words of the strategy have it";
  ui.stats.inspect.explained->explanation.product.reset();
  EXPECT_FALSE(drawn(ui, "story-product"));
}

TEST(ExplainSheet, OfALayerThatIsShownAsAFrameOffersItsMaps) {
  Harness ui(layer_sample(), 1600, 1200);
  ui.settings.inspect.explain = true;
  ui.settings.wall.frames = true;
  ui.stats.panes[0].wall = Wall{.maps = 3, .map_width = 40, .map_height = 30, .width = 80, .height = 60};
  EXPECT_FALSE(drawn(ui, "story-all-maps"));
  ui.stats.panes[0].wall->frames = true;
  for (const bool clicked : {false, true}) {
    if (clicked) ui.stats.inspect.explained = PixelExplanation{.pane = 0, .not_described = "The maps are hidden."};
    ui.settings.wall.frames = true;
    ASSERT_TRUE(drawn(ui, "story-all-maps"));
    EXPECT_FALSE(says("Click a place in a feature map"));
    ui.click("story-all-maps");
    EXPECT_FALSE(ui.settings.wall.frames);
    EXPECT_EQ(ui.settings.wall.map, -1);
  }
}

// Every product is 1 or −1: which of the frames it is of is told from how it comes about.
TEST(ExplainSheet, EqualTermsComeByPlaceThenByFrameInOneColumn) {
  PixelExplanation explained = explained_volume({5, 5});
  change_problem(explained, [](Problem& p) {
    Filter& wide = p.filter;
    wide.width = wide.height = 9;
    wide.weights.assign(81, -1.0f);
    wide.weights.resize(162, 1.0f);
    wide.weights.resize(243, 0.5f);
    p.width = p.height = 12;
  });
  explained.inputs.clear();
  for (int t = 0; t < 3; ++t)
    explained.inputs.push_back(patch(t, 12, 12, std::vector<float>(144, t == 2 ? 2.0f : 1.0f)));
  Harness ui(time_sample(), 1600, 1200);
  ui.settings.inspect.explain = true;
  ui.stats.inspect.explained = explained;
  ui.pictures = ui.panes = {{0, 0, 1000, 800}};
  ui.frame(4);
  std::vector<ui::DrawnText> terms;
  for (const ui::DrawnText& drawn : ui::drawn_texts())
    if (drawn.text.find(" × ") != std::string::npos && drawn.text.ends_with("1") &&
        drawn.text.find(" = ") != std::string::npos)
      terms.push_back(drawn);
  ASSERT_GE(terms.size(), 6u);
  for (std::size_t i = 0; i < terms.size(); ++i) {
    constexpr const char* of_frames[] = {"−1 × 1 = −1", "1 × 1 = 1", "0.5 × 2 = 1"};
    EXPECT_EQ(terms[i].text, of_frames[i % 3]) << i;
    EXPECT_EQ(terms[i].at.from.x, terms[0].at.from.x) << i;
  }
}

// As large as layers get, and no larger than the sheet.
TEST(ExplainSheet, TheStripHasRoomForAnyProduct) {
  for (const float width : {700.0f, 1600.0f}) {
    Harness ui(layer_sample(), width, 900);
    ui.settings.inspect.explain = true;
    ui.stats.inspect.explained = explained_layer(0, 0, 0);
    MatrixProduct& product = *ui.stats.inspect.explained->explanation.product;
    for (const auto& [rows, depth, columns] : {std::array{1, 1, 1}, {64, 4096, 2073600}, {1, 5000, 3}, {100, 9, 17}}) {
      product = {rows, depth, columns, rows - 1, columns - 1, {columns - 1, rows - 1, 256, 16}};
      ui.frame(3);
      const auto sheet = *ui::item_rectangle("story"), strip = *ui::item_rectangle("story-product");
      EXPECT_GE(strip.from.x, sheet.from.x);
      EXPECT_LE(strip.to.x, sheet.to.x) << rows << " × " << depth << " × " << columns << " at " << width;
      for (const std::string& fault : ui::layout_faults()) ADD_FAILURE() << fault;
    }
  }
}

TEST(ExplainSheet, OpensInEachWorkbenchByItsKey) {
  for (const Workbench& bench : workbenches) {
    Harness ui(typical_sample(), 1600, 900);
    show_workbench(ui.settings, bench.id);
    ui.stats.inspect.under_cursor = PixelAddress{5, 5};
    ui.frame();
    EXPECT_TRUE(ui.key('E'));
    EXPECT_TRUE(ui.settings.inspect.explain) << bench.id;
    EXPECT_EQ(ui.settings.inspect.pinned, (PixelAddress{5, 5})) << bench.id;
    EXPECT_TRUE(drawn(ui, "story")) << bench.id;
    ui.key('E');
    EXPECT_FALSE(drawn(ui, "story")) << bench.id;
  }
}

TEST(Story, TinyProductsStayWithinTheirTiles) {
  Harness ui;
  PixelExplanation explained = explained_volume({2, 2});
  change_problem(explained, [](Problem& p) { p.filter.weights.assign(27, -4.69634e-7f); });
  ui.settings.inspect.explain = true;
  ui.stats.inspect.explained = explained;
  ui::watch_items(true);
  ui.frame(3);
  int seen = 0;
  for (const ui::DrawnText& drawn : ui::drawn_texts()) {
    EXPECT_EQ(drawn.text.find("e−0"), std::string::npos) << drawn.text;
    if (!drawn.text.starts_with("−4.")) continue;
    ++seen;
    EXPECT_LE(drawn.at.to.x - drawn.at.from.x, 62) << drawn.text;
  }
  EXPECT_GT(seen, 0);
}

}  // namespace
}  // namespace convoscope::test
