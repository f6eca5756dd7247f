#include "app/inspect/inspector.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>

#include "app/state/network_settings.h"
#include "app/state/workbench.h"
#include "kernels/filter/filter_catalogue.h"

namespace convoscope {
namespace {

class InspectorTest : public testing::Test {
 protected:
  explicit InspectorTest(Backend backend = Backend::cpu) : compute_(make_compute(backend)) {}
  void SetUp() override { open(PixelFormat::rgba8); }
  void open(PixelFormat format) {
    input_ = compute_->allocate(40, 30, format);
    for (int y = 0; y < 30; ++y)
      for (int x = 0; x < 40; ++x) {
        const unsigned char colour[4] = {static_cast<unsigned char>(x), static_cast<unsigned char>(y),
                                         static_cast<unsigned char>(x + y), 200};
        const float gray = static_cast<float>(x) / 64 + static_cast<float>(y) / 1024;
        std::memcpy(static_cast<unsigned char*>(input_.image().data) +
                        static_cast<std::size_t>(y) * input_.image().pitch + 4 * x,
                    format == PixelFormat::rgba8 ? static_cast<const void*>(colour) : &gray, 4);
      }
  }
  void add(const char* strategy, const char* filter, Border border = Border::replicate) {
    PaneSettings pane;
    pane.strategy = strategy;
    pane.filter = parse_filter(filter);
    pane.border = border;
    settings_.group().panes.push_back(pane);
  }
  void frame() {
    set_.arrange(settings_.group().panes, stats_, 60);
    set_.configure(settings_.group().panes, input_.image().width, input_.image().height, input_.image().format,
                   work_of(settings_));
    set_.filter(input_);
    set_.wait();
    set_.collect(stats_);
    inspector_.observe(set_, settings_, stats_, inspect_);
  }

  std::unique_ptr<Compute> compute_;
  DeviceImage input_;
  PaneSet set_{*compute_};
  Settings settings_{.groups = {{"image", {.panes = {}}}}};
  std::vector<PaneStats> stats_;
  Inspector inspector_{*compute_};
  InspectStats inspect_;
};

TEST_F(InspectorTest, ValuesOfAllPanesAtOnce) {
  add("source", "identity");
  add("cpu-direct", "0 0 0; 0 2 0; 0 0 0");
  settings_.inspect.values = true;
  inspect_.pixel = PixelAddress{12, 7};
  frame();
  frame();
  ASSERT_EQ(inspect_.values.size(), 2u);
  EXPECT_EQ(inspect_.values[0].channels, 4);
  EXPECT_EQ(inspect_.values[0].values[0], 12);
  EXPECT_EQ(inspect_.values[0].values[1], 7);
  EXPECT_EQ(inspect_.values[0].values[2], 19);
  EXPECT_EQ(inspect_.values[0].values[3], 200);
  EXPECT_EQ(inspect_.values[1].values[0], 24);
  EXPECT_EQ(inspect_.patches[0].area, (PixelArea{5, 0, 15, 15}));
  EXPECT_EQ(inspect_.patches[0].at(5, 0).values[0], 5);
  EXPECT_EQ(inspect_.patches[0].at(4, 0).channels, 0);

  inspect_.pixel = PixelAddress{39, 29};  // the corner
  frame();
  frame();
  EXPECT_EQ(inspect_.values[0].values[0], 39);
  EXPECT_EQ(inspect_.patches[0].area, (PixelArea{32, 22, 8, 8}));
  inspect_.pixel.reset();
  frame();
  EXPECT_TRUE(inspect_.values.empty());
}

TEST_F(InspectorTest, GrayValuesAreExact) {
  open(PixelFormat::gray32f);
  add("source", "identity");
  settings_.inspect.magnifier = true;
  inspect_.pixel = PixelAddress{3, 5};
  frame();
  frame();
  EXPECT_EQ(inspect_.values[0].channels, 1);
  EXPECT_EQ(inspect_.values[0].values[0], 3.0f / 64 + 5.0f / 1024);
}

TEST_F(InspectorTest, TheStoryHasAllInputsOfTheWindow) {
  for (const Border border : all_borders) {
    SCOPED_TRACE(std::string(to_string(border)));
    settings_.group().panes.clear();
    add("cpu-parallel", "gaussian:radius=3", border);
    settings_.inspect.explain = true;
    for (const PixelAddress at : {PixelAddress{0, 0}, PixelAddress{39, 1}, PixelAddress{20, 15}}) {
      settings_.inspect.pinned = inspect_.pixel = at;
      for (int i = 0; i < 3; ++i) frame();
      ASSERT_TRUE(inspect_.explained);
      EXPECT_EQ(inspect_.explained->pixel, at);
      EXPECT_FALSE(inspect_.explained->explanation.words.empty());
      for (int y = at.y - 3; y <= at.y + 3; ++y)
        for (int x = at.x - 3; x <= at.x + 3; ++x) {
          const int sx = border_index(x, 40, border), sy = border_index(y, 30, border);
          if (sx < 0 || sy < 0) continue;
          PixelValue found;
          for (const PixelPatch& patch : inspect_.explained->inputs)
            if (found.channels == 0) found = patch.at(sx, sy);
          ASSERT_EQ(found.channels, 4) << x << ", " << y;
          ASSERT_EQ(found.values[0], sx);
          ASSERT_EQ(found.values[1], sy);
        }
    }
  }
}

TEST_F(InspectorTest, TheStoryNamesTheStrategyAsItsCardDoes) {
  add("auto", "gaussian:radius=1");
  settings_.inspect.explain = true;
  settings_.inspect.pinned = inspect_.pixel = PixelAddress{20, 15};
  for (int i = 0; i < 3; ++i) frame();
  ASSERT_TRUE(inspect_.explained);
  EXPECT_TRUE(inspect_.explained->strategy.starts_with("auto → cpu-")) << inspect_.explained->strategy;
}

TEST_F(InspectorTest, TheStoryOfADifferenceFromTheSourceIsTheFilteredPanes) {
  add("source", "identity");
  add("cpu-direct", "gaussian:radius=1");
  settings_.inspect.explain = true;
  settings_.inspect.pinned = inspect_.pixel = PixelAddress{20, 15};
  const auto pane = [&] {
    for (int i = 0; i < 3; ++i) frame();
    return inspect_.explained ? inspect_.explained->pane : -1;
  };
  EXPECT_EQ(pane(), 0) << "what is asked for";
  settings_.group().view = View::difference;
  EXPECT_EQ(pane(), 1);
  settings_.group().active_pane = 1;
  EXPECT_EQ(pane(), 1);
  settings_.group().panes[0].strategy = settings_.group().panes[1].strategy = "source";
  EXPECT_EQ(pane(), 1) << "there is none that is filtered";
}

TEST_F(InspectorTest, TheValueOfTheMapUnderThePixel) {
  settings_ = in_workbench(settings_, "layer");
  settings_.layer.weights = find_bank_kind("edges")->make(4, 3, 3);
  settings_.inspect.values = true;
  add("cpu-gemm", "identity");
  add("source", "identity");
  inspect_.pixel = PixelAddress{5, 4};
  frame();
  frame();
  ASSERT_EQ(inspect_.map_values.size(), 2u);
  EXPECT_EQ(inspect_.map_values[1].place.map, -1);
  const auto at = [&](int map, int x, int y) {
    return row_of<float>(set_.runner(0).view()->outputs({})[0], 0, map, y)[x];
  };
  ASSERT_TRUE(stats_[0].wall);
  const Wall wall = *stats_[0].wall;  // 2 × 2 cells of 20 × 15
  for (const PixelAddress pixel : {PixelAddress{5, 4}, PixelAddress{22, 3}, PixelAddress{37, 27}}) {
    inspect_.pixel = pixel;
    frame();
    frame();
    const auto [place, value] = inspect_.map_values[0];
    EXPECT_EQ(place.map, pixel.x / wall.cell_width() + pixel.y / wall.cell_height() * 2);
    EXPECT_EQ(value, at(place.map, place.x, place.y));
  }
  settings_.wall.map = 2;
  frame();
  frame();
  EXPECT_EQ(inspect_.map_values[0].place.map, 2);
  EXPECT_EQ(inspect_.map_values[0].place.x, 37);
  EXPECT_EQ(inspect_.map_values[0].value, at(2, 37, 27));

  // While the next frame is made, what is known of the place stays; of another place nothing is known then.
  const float known = inspect_.map_values[0].value;
  set_.filter(input_);
  ASSERT_TRUE(set_.at_work());
  inspector_.observe(set_, settings_, stats_, inspect_);
  EXPECT_EQ(inspect_.map_values[0].place.map, 2);
  EXPECT_EQ(inspect_.map_values[0].value, known);
  inspect_.pixel = PixelAddress{1, 1};
  inspector_.observe(set_, settings_, stats_, inspect_);
  EXPECT_EQ(inspect_.map_values[0].place.map, -1);
  set_.wait();
  settings_ = in_workbench(settings_, "image");
  frame();
  frame();
  EXPECT_EQ(inspect_.map_values[0].place.map, -1);
}

const PixelPatch* patch_of(const PixelExplanation& explained, int plane, int x, int y) {
  for (const PixelPatch& patch : explained.inputs)
    if (patch.plane == plane && patch.area.contains(x, y)) return &patch;
  return nullptr;
}

TEST_F(InspectorTest, TheStoryOfAVolumeHasTheInputsOfEachFrame) {
  settings_ = in_workbench(settings_, "volume");
  add("cpu-direct", "gaussian:radius=1");
  settings_.group().panes[0].frames = 1;
  settings_.inspect.explain = true;
  settings_.inspect.pinned = inspect_.pixel = PixelAddress{0, 15};
  for (int i = 0; i < 4; ++i) frame();
  ASSERT_TRUE(inspect_.explained);
  const PixelExplanation& explained = *inspect_.explained;
  EXPECT_EQ(explained.not_described, "");
  EXPECT_FALSE(explained.explanation.words.empty());
  EXPECT_EQ(explained.problem->filter.depth, 3);
  for (int t = 0; t < 3; ++t)
    for (int y = 14; y <= 16; ++y)
      for (int x = 0; x <= 1; ++x) {
        const PixelPatch* const patch = patch_of(explained, t, x, y);
        ASSERT_NE(patch, nullptr) << t << ": " << x << ", " << y;
        EXPECT_EQ(patch->at(x, y).values[0], x);
        EXPECT_EQ(patch->at(x, y).values[1], y);
      }
}

TEST_F(InspectorTest, TheStoryOfALayerIsOfTheMapUnderThePixel) {
  settings_ = in_workbench(settings_, "layer");
  settings_.layer.weights = find_bank_kind("edges")->make(4, 3, 3);
  add("cpu-gemm", "identity");
  settings_.inspect.explain = true;
  for (const PixelAddress at : {PixelAddress{5, 4}, PixelAddress{37, 27}}) {
    settings_.inspect.pinned = inspect_.pixel = at;
    for (int i = 0; i < 3; ++i) frame();
    ASSERT_TRUE(inspect_.explained);
    const PixelExplanation& explained = *inspect_.explained;
    EXPECT_EQ(explained.pixel, at);
    EXPECT_EQ(explained.not_described, "");
    ASSERT_TRUE(explained.wall);
    const MapPlace place = place_on_wall(*explained.wall, at.x, at.y);
    EXPECT_EQ(explained.output.channel, place.map);
    EXPECT_EQ(explained.output.x, place.x);
    EXPECT_EQ(explained.output.y, place.y);
    ASSERT_TRUE(explained.explanation.product);
    EXPECT_EQ(explained.explanation.product->row, place.map);
    EXPECT_EQ(explained.explanation.product->column, place.y * explained.wall->map_width + place.x);
    const Tensor x = set_.runner(0).view()->inputs()[0];
    for (int c = 0; c < 3; ++c) {
      const PixelPatch* const patch = patch_of(explained, c, place.x, place.y);
      ASSERT_NE(patch, nullptr);
      EXPECT_EQ(patch->at(place.x, place.y).values[0], row_of<float>(x, 0, c, place.y)[place.x]);
    }
  }
  settings_.layer.weights = find_bank_kind("edges")->make(3, 3, 3);
  settings_.wall.frames = true;
  for (int i = 0; i < 3; ++i) frame();
  ASSERT_TRUE(inspect_.explained);
  EXPECT_NE(inspect_.explained->not_described.find("shown as a frame"), std::string::npos);
  settings_.wall.frames = false;  // the wall's fourth cell is empty
  for (int i = 0; i < 3; ++i) frame();
  ASSERT_TRUE(inspect_.explained);
  EXPECT_NE(inspect_.explained->not_described.find("no feature map"), std::string::npos);
  EXPECT_TRUE(inspect_.explained->inputs.empty());
}

TEST_F(InspectorTest, TheStoryOfAFurtherLayerIsOfMaps) {
  settings_ = in_workbench(settings_, "layer");
  load_layer_network("blur-sharpen", settings_.layer);
  add("cpu-direct", "identity");
  settings_.inspect.explain = true;
  settings_.inspect.pinned = inspect_.pixel = PixelAddress{5, 4};
  for (const int seen : {1, 0}) {
    settings_.layer.seen = seen;
    for (int i = 0; i < 3; ++i) frame();
    ASSERT_TRUE(inspect_.explained);
    EXPECT_EQ(inspect_.explained->problem->layer.channels, 3);
    EXPECT_EQ(inspect_.explained->sees_maps, seen > 0);
  }
}

TEST_F(InspectorTest, TheStoriesOfALayerShareItsWeightsUntilTheyChange) {
  settings_ = in_workbench(settings_, "layer");
  settings_.layer.weights = find_bank_kind("edges")->make(4, 3, 3);
  settings_.layer.weights.weights[0] = 1 + 0x1p-11f;
  settings_.layer.precision = Precision::f16;
  add("cpu-direct", "identity");
  settings_.inspect.explain = true;
  const auto problem_at = [&](const PixelAddress& at) {
    settings_.inspect.pinned = inspect_.pixel = at;
    for (int i = 0; i < 3; ++i) frame();
    return inspect_.explained ? inspect_.explained->problem : nullptr;
  };
  const std::shared_ptr<const Problem> first = problem_at({5, 4});
  ASSERT_TRUE(first);
  EXPECT_EQ(first->filter.weights[0], 1) << "as it is multiplied";
  EXPECT_EQ(problem_at({5, 4}), first);
  EXPECT_EQ(problem_at({6, 5}), first);
  settings_.layer.weights.weights[0] = 2;
  const std::shared_ptr<const Problem> second = problem_at({6, 5});
  EXPECT_EQ(second->filter.weights[0], 2);
  EXPECT_EQ(first->filter.weights[0], 1) << "whoever still has it keeps it";
}

class EmulatedInspectorTest : public InspectorTest {
 protected:
  EmulatedInspectorTest() : InspectorTest(Backend::emulated) {}
};

TEST_F(EmulatedInspectorTest, BlocksOfStrategiesThatAskTheDevice) {
  settings_.inspect.explain = true;
  settings_.inspect.pinned = inspect_.pixel = PixelAddress{20, 15};
  for (const char* id : {"register-stream", "separable-stream", "dp2a-stream", "separable-dp2a", "tensor-core-int8"}) {
    SCOPED_TRACE(id);
    settings_.group().panes.clear();
    add(id, "gaussian:radius=2");
    for (int i = 0; i < 3; ++i) frame();
    ASSERT_TRUE(inspect_.explained);
    EXPECT_EQ(inspect_.explained->not_described, "");
    EXPECT_EQ(inspect_.explained->strategy, id);
    ASSERT_EQ(inspect_.explained->explanation.steps.size(), 1u);
    const KernelStep& step = inspect_.explained->explanation.steps[0];
    ASSERT_EQ(step.outputs.size(), 1u);
    EXPECT_TRUE(step.outputs[0].contains(20, 15));
    EXPECT_FALSE(step.thread_outputs.empty());
    EXPECT_EQ(step.tile.empty(), !step.direct.empty());
  }
}

TEST_F(EmulatedInspectorTest, TheStrategyThatRunsForAnother) {
  add("auto", "gaussian:radius=1");
  settings_.inspect.explain = true;
  settings_.inspect.pinned = inspect_.pixel = PixelAddress{20, 15};
  for (int i = 0; i < 3; ++i) frame();
  ASSERT_TRUE(inspect_.explained);
  const Strategy* runs = set_.runner(0).runs();
  ASSERT_NE(runs, set_.runner(0).strategy());
  EXPECT_NE(inspect_.explained->strategy.find("→ " + std::string(runs->id)), std::string::npos);
  EXPECT_EQ(inspect_.explained->explanation.steps.empty(), !runs->explains);
}

TEST(BorderRuns, AreFewAndWithoutRepetition) {
  const auto text = [](int first, int count, int size, Border border) {
    std::string result;
    for (const convoscope::Run& run : border_runs(first, count, size, border))
      result += std::to_string(run.first) + "+" + std::to_string(run.count) + " ";
    return result;
  };
  EXPECT_EQ(text(5, 4, 20, Border::wrap), "5+4 ");
  EXPECT_EQ(text(-2, 5, 20, Border::wrap), "0+3 18+2 ");
  EXPECT_EQ(text(-2, 5, 20, Border::zero), "0+3 ");
  EXPECT_EQ(text(-2, 5, 20, Border::mirror), "0+3 ");
  EXPECT_EQ(text(18, 5, 20, Border::replicate), "18+2 ");
  EXPECT_EQ(text(-9, 20, 3, Border::wrap), "0+3 ");
}

}  // namespace
}  // namespace convoscope
