// The layer that learns: what it is set to, why it cannot, and how it goes.
#include "tests/ui/panels/learn_panel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "app/state/workbench.h"
#include "app/ui/actions/learn_actions.h"
#include "app/ui/actions/workbench_actions.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/key_codes.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/results/loss_plot.h"
#include "app/ui/windows/palette.h"

namespace convoscope::test {
namespace {

using namespace ui::key;

TEST_F(LearnPanel, IsClosedUntilItsKeyInTheLayerOnly) {
  EXPECT_FALSE(default_settings().open_panels.contains("learn"));
  ui.settings.open_panels = {};
  ui.frame(3);
  ui.key(f(3), shift);
  EXPECT_EQ(ui.settings.open_panels, std::set<std::string>{"learn"});
  EXPECT_TRUE(is_shown("learn-run"));
  ui.key(f(3), shift);
  EXPECT_TRUE(ui.settings.open_panels.empty());
  show_workbench(ui.settings, "image");
  EXPECT_FALSE(ui.key(f(3), shift));
  EXPECT_FALSE(is_shown("section/Learn"));
}

TEST_F(LearnPanel, ALayerOfOtherMapsIsSetUpByOneButton) {
  layer().weights.relu = true;
  layer().stride = layer().dilation = 2;
  EXPECT_TRUE(has_why("16 maps")) << why();
  for (const char* const button : {"learn-run", "learn-reset", "learn-check"}) ui.click(button);
  EXPECT_FALSE(ui::momentary().learning);
  EXPECT_FALSE(ui.requests.reset_learning || ui.requests.check_gradients);
  ui.click("learn-set-up");
  EXPECT_TRUE(ui.requests.reset_learning) << "small random weights";
  EXPECT_EQ(why(), "");
  EXPECT_EQ(ui::why_invalid(ui.settings.active(), ui.stats, ui.settings), "");
  EXPECT_TRUE(layer().depthwise);
  EXPECT_EQ(layer().weights.maps, 3);
  EXPECT_EQ(layer().weights.width, 3) << "Sobel's";
  EXPECT_EQ(layer().stride, 1);
  EXPECT_EQ(layer().dilation, 1);
  EXPECT_FALSE(layer().weights.relu);
  ui.click("learn-run");
  EXPECT_TRUE(ui::momentary().learning);
  ui.click("learn-run");
  EXPECT_FALSE(ui::momentary().learning);
}

TEST_F(LearnPanel, WhatStandsInTheWayIsSaid) {
  set_up();
  ASSERT_EQ(why(), "");
  const LayerSettings right = layer();
  layer().weights.relu = true;
  EXPECT_TRUE(has_why("ReLU is on")) << why();
  layer() = right;
  layer().stride = 2;
  EXPECT_TRUE(has_why("stride is 2")) << why();
  layer() = right;
  layer().dilation = 3;
  EXPECT_TRUE(has_why("dilation is 3")) << why();
  layer() = right;
  learn().target = parse_filter("sobel-magnitude");
  EXPECT_TRUE(has_why("Choose another one")) << why();
  learn().target = parse_filter("box:rx=10,ry=1");
  EXPECT_TRUE(has_why("15 × 15")) << why();
  learn().task = LearnTask::denoise;
  EXPECT_EQ(why(), "") << "no filter is to be learnt";
  ui.settings.format = PixelFormat::gray32f;
  EXPECT_TRUE(has_why("grey picture")) << why();
}

TEST_F(LearnPanel, KGrowsToTheFilter) {
  set_up();
  EXPECT_FALSE(is_shown("learn-enlarge"));
  learn().target = parse_filter("box:rx=2,ry=1");
  EXPECT_TRUE(has_why("K must be at least 5")) << why();
  ui.click("learn-enlarge");
  EXPECT_EQ(layer().weights.width, 5);
  EXPECT_EQ(layer().weights.maps, 3);
  EXPECT_EQ(layer().weights.weights.size(), 3u * 5 * 5);
  EXPECT_EQ(layer().weights.weights[12], 0.125f) << "the weights stay";
  EXPECT_EQ(why(), "");
  EXPECT_FALSE(is_shown("learn-enlarge"));
}

TEST_F(LearnPanel, AGreyPictureHasOneMap) {
  ui.settings.format = PixelFormat::gray32f;
  set_up();
  EXPECT_EQ(layer().weights.maps, 1);
  EXPECT_EQ(why(), "");
  EXPECT_EQ(ui::why_invalid(ui.settings.active(), ui.stats, ui.settings), "");
  learn().target = parse_filter("box:rx=2,ry=2");
  ui.click("learn-enlarge");
  EXPECT_EQ(layer().weights.maps, 1);
  EXPECT_EQ(layer().weights.weights.size(), 25u);
  EXPECT_EQ(why(), "");
  EXPECT_EQ(ui::why_invalid(ui.settings.active(), ui.stats, ui.settings), "");
}

TEST_F(LearnPanel, OffersTheFiltersThatALayerCanBecome) {
  const auto offers = [](std::string_view id) {
    return std::ranges::any_of(ui::learnable_kinds(), [&](const FilterKind* kind) { return kind->id == id; });
  };
  for (const char* const id : {"sobel-x", "gaussian", "box", "laplacian"}) EXPECT_TRUE(offers(id)) << id;
  for (const char* const id : {"sobel-magnitude", "scharr-magnitude", "custom"}) EXPECT_FALSE(offers(id)) << id;
  for (const FilterKind* const kind : ui::learnable_kinds()) {
    learn().target = parse_filter(std::string(kind->id));
    set_up();
    EXPECT_EQ(why(), "") << kind->id;
  }
  ui.click("learn-target");
  ui.click("learn-target/box");
  EXPECT_EQ(learn().target.kind, "box");
}

TEST_F(LearnPanel, NoiseHasItsStrengthAndALayerOfFive) {
  EXPECT_FALSE(is_shown("learn-noise"));
  ui.click("learn-task/Remove noise");
  EXPECT_EQ(learn().task, LearnTask::denoise);
  EXPECT_FALSE(is_shown("learn-target"));
  ui.frame(2);
  EXPECT_TRUE(is_said("20 of 255")) << "the unit";
  ui.drag("learn-noise", 400, 0);
  EXPECT_EQ(learn().noise, learn_noises.high);
  ui.click("learn-set-up");
  EXPECT_EQ(layer().weights.width, 5);
  EXPECT_EQ(why(), "");
  EXPECT_TRUE(ui.settings.wall.frames) << "what comes of it is to be looked at";
  EXPECT_EQ(layer().noise, learn().noise);
  ui.frame(2);
  ui.click("learn-noisy");
  EXPECT_EQ(layer().noise, 0);
  ui.click("learn-noisy");
  EXPECT_EQ(layer().noise, learn().noise);
  ui.click("learn-task/A filter");
  EXPECT_EQ(layer().noise, 0) << "nothing is left of what cannot be seen";
}

TEST_F(LearnPanel, APaneOfThePictureWorkbenchCanBeLearntFrom) {
  PaneGroup& pictures = ui.settings.groups["image"];
  pictures.panes.resize(2);
  pictures.panes[0].filter = parse_filter("gaussian:radius=3");
  pictures.panes[1].filter = parse_filter("sobel-magnitude");
  pictures.panes[1].strategy = "tiled-halo";
  ui.click("learn-task/A pane");
  EXPECT_EQ(learn().task, LearnTask::pane);
  EXPECT_FALSE(is_shown("learn-target"));
  ui.click("learn-set-up");
  EXPECT_EQ(layer().weights.width, 7) << "as the first pane's filter";
  EXPECT_EQ(why(), "");
  ui.click("learn-pane");
  ui.click("learn-pane/2");
  EXPECT_EQ(learn().pane, 1);
  EXPECT_EQ(why(), "") << "whatever it shows";
}

TEST_F(LearnPanel, SeveralLayersHaveTheirMapsAndReLU) {
  EXPECT_FALSE(is_shown("learn-maps"));
  ui.click("learn-task/Remove noise");
  ui.click("learn-layers/2");
  EXPECT_EQ(learn().layers, 2);
  EXPECT_TRUE(has_why("16 maps")) << why();
  ui.drag("learn-maps", -400, 0);
  EXPECT_EQ(learn().maps, hidden_maps.low);
  ui.drag("learn-maps", 400, 0);
  EXPECT_EQ(learn().maps, hidden_maps.high);
  layer().padded = false;
  ui.click("learn-set-up");
  EXPECT_TRUE(ui.requests.reset_learning);
  EXPECT_EQ(why(), "");
  EXPECT_EQ(ui::why_invalid(ui.settings.active(), ui.stats, ui.settings), "");
  const LayerSettings right = layer();
  EXPECT_EQ(right.weights.maps, hidden_maps.high);
  EXPECT_EQ(right.weights.channels, 3);
  EXPECT_EQ(right.weights.width, 5);
  EXPECT_EQ(right.weights.biases.size(), static_cast<std::size_t>(right.weights.maps));
  EXPECT_TRUE(right.weights.relu);
  EXPECT_TRUE(right.padded);
  layer().weights.relu = false;
  EXPECT_TRUE(has_why("ReLU is off")) << why();
  layer() = right;
  layer().padded = false;
  EXPECT_TRUE(has_why("no padding")) << why();
  layer() = right;
  layer().stride = 2;
  EXPECT_TRUE(has_why("stride is 2")) << why();
  layer() = right;
  ui.click("learn-layers/1");
  EXPECT_TRUE(has_why("it needs three")) << why();
}

TEST_F(LearnPanel, AFilterMayBeLargerThanThoseOfSeveralLayers) {
  learn().layers = 3;
  learn().target = parse_filter("box:rx=5,ry=5");
  set_up();
  layer().weights = [&] {
    Filter smaller = layer().weights;
    smaller.width = smaller.height = 3;
    smaller.weights.resize(static_cast<std::size_t>(smaller.maps) * 3 * 9);
    return smaller;
  }();
  EXPECT_EQ(why(), "");
  EXPECT_FALSE(is_shown("learn-enlarge"));
  layer().depthwise = true;
  EXPECT_TRUE(has_why("must see all colours")) << why();
}

TEST_F(LearnPanel, EachMethodBringsItsRate) {
  ui.click("learn-method/SGD");
  EXPECT_EQ(learn().method, DescentMethod::sgd);
  EXPECT_GT(learn().rate, LearnSettings().rate);
  learn().rate = 0.5;
  ui.click("learn-method/SGD");
  EXPECT_EQ(learn().rate, 0.5) << "nothing was chosen";
  ui.click("learn-method/Adam");
  EXPECT_EQ(learn().rate, LearnSettings().rate);
}

TEST_F(LearnPanel, SaysHowMuchNoiseIsGone) {
  const auto grows_by_a_line = [&] {
    const auto drawn = [&](std::optional<double> decibels) {
      learnt() = {.steps = 100, .loss = {0.5f}, .decibels = decibels};
      ui.frame(3);
      return ImGui::GetDrawData()->TotalVtxCount;
    };
    return drawn(6.25) > drawn(std::nullopt);
  };
  EXPECT_FALSE(grows_by_a_line()) << "a filter is learnt";
  learn().task = LearnTask::denoise;
  EXPECT_TRUE(grows_by_a_line());
  learnt().decibels = 6.25;
  EXPECT_EQ(ui::noise_text(learnt()), "There is 6.25 dB less noise than was added.");
  EXPECT_EQ(ui::noise_text({.decibels = -1.5}), "There is more noise than was added: by 1.5 dB.");
  EXPECT_EQ(ui::noise_text({.decibels = std::numeric_limits<double>::infinity()}), "");
  EXPECT_EQ(ui::noise_text({}), "");
}

TEST_F(LearnPanel, TheRateGoesThroughItsDecades) {
  ui.drag("learn-rate", 400, 0);
  EXPECT_EQ(learn().rate, learn_rates.high);
  ui.drag("learn-rate", -400, 0);
  EXPECT_NEAR(learn().rate, learn_rates.low, 1e-9);
  ui.drag("learn-rate", 1, 0);
  EXPECT_GT(learn().rate, 5e-4) << "the middle of a logarithmic slider";
  EXPECT_LT(learn().rate, 2e-2);
}

TEST_F(LearnPanel, AsksForResetAndForGradients) {
  set_up();
  ui.click("learn-reset");
  EXPECT_TRUE(ui.requests.reset_learning);
  EXPECT_FALSE(ui.requests.check_gradients);
  ui.take_requests();
  ui.click("learn-check");
  EXPECT_TRUE(ui.requests.check_gradients);
  EXPECT_FALSE(ui.requests.reset_learning);
}

TEST_F(LearnPanel, ANumberIsSaidInWords) {
  learnt() = learning_sample().stats.learn;
  ui.frame(3);
  for (const char* const text : {"12,345", "2.1 × 10⁻⁵", "1.37 ms", "12,345 steps"}) EXPECT_TRUE(is_said(text)) << text;
  EXPECT_EQ(ui::truth_text(learnt()),
            "The weights differ from the true ones by up to 0.4 % of the largest weight. They have the same direction "
            "(cosine 1.000, 0.36° apart).");
  learnt().largest_difference = 1e-7;
  EXPECT_TRUE(ui::truth_text(learnt()).starts_with(
      "The weights differ from the true ones by less than 0.001 % of the largest weight."));
  learnt().largest_difference = std::numeric_limits<double>::infinity();
  learnt().cosine = std::nullopt;
  EXPECT_EQ(ui::truth_text(learnt()), "The weights have become infinite. Reset them, and learn at a lower rate.");
  EXPECT_EQ(ui::truth_text({}), "");
  EXPECT_EQ(
      ui::gradient_text(*learnt().gradients),
      "The gradients are right: over 27 weights, the largest difference from finite differences is 1.2 × 10⁻⁵. Up to "
      "0.001 can be rounding.");
  learnt().gradients->error = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(ui::is_right(*learnt().gradients));
  EXPECT_TRUE(ui::gradient_text(*learnt().gradients).starts_with("The gradients are wrong: "));
}

TEST_F(LearnPanel, TheLossIsDrawnWhateverItIs) {
  const float none = std::numeric_limits<float>::quiet_NaN(), infinite = std::numeric_limits<float>::infinity();
  learnt().steps = std::numeric_limits<std::int64_t>::max() / 2;
  ui.frame(3);
  ui.move_to("loss");
  for (const std::vector<float>& loss : {std::vector<float>{},
                                         {0},
                                         {0.5f},
                                         {none, infinite, none},
                                         {0.1f, 0.1f, 0.1f},
                                         {1e30f, none, 0, 1e-45f, infinite, 1e-30f}}) {
    learnt().loss = loss;
    ui.frame(3);
    EXPECT_TRUE(ui::layout_faults().empty()) << ui::layout_faults().front();
  }
  learnt() = {.steps = 1000, .loss = {0.5f, 0.25f, 0.125f}};
  EXPECT_EQ(ui::loss_text(learnt(), 1), "Step 500\nLoss 0.25");
  EXPECT_EQ(ui::loss_text(learnt(), 2), "Step 1,000\nLoss 0.125");
}

TEST_F(LearnPanel, WhatIsLearntAtOneGoIsOneStepBack) {
  ui.click("learn-set-up");
  layer().weights.weights[0] = 0.5f;  // as whoever learns makes them
  ui.take_requests();
  ui.frame(2);
  ui::momentary().learning = true;
  for (int i = 1; i <= 5; ++i) {
    layer().weights.weights[0] = static_cast<float>(i);
    ui.frame(2);
  }
  ui::momentary().learning = false;
  ui.frame(2);
  ui.key('Z', control);
  EXPECT_EQ(layer().weights.weights[0], 0.5f);
  ui.key('Z', control);
  EXPECT_EQ(layer().bank, "edges");
  EXPECT_EQ(layer().weights.maps, 16);
}

TEST_F(LearnPanel, WhatAllLayersLearnAtOneGoIsOneStepBack) {
  learn().task = LearnTask::denoise;
  learn().layers = 3;
  ui::set_up_to_learn(ui.settings, ui.requests);
  const auto make_all = [this](float weight) {  // as whoever learns does
    Filter middle{.name = "learnt", .width = 3, .height = 3, .maps = 8, .channels = 8};
    middle.weights.assign(576, weight);
    middle.relu = true;
    Filter last{.name = "learnt", .width = 3, .height = 3, .maps = 3, .channels = 8};
    last.weights.assign(216, weight);
    layer().weights.weights[0] = weight;
    put_layers_behind(layer(), {middle, last}, true);
  };
  const auto are_all = [this](float weight) {
    return layer().further.size() == 2 && layer().weights.weights[0] == weight &&
           layer().further[0].bank.weights[0] == weight && layer().further[1].bank.weights[0] == weight;
  };
  ui.frame(2);
  make_all(0.5f);
  ui.take_requests();
  ui.frame(2);
  ui::momentary().learning = true;
  for (int i = 1; i <= 5; ++i) {
    make_all(static_cast<float>(i));
    ui.frame(2);
  }
  ASSERT_TRUE(ui::momentary().learning);
  ui::momentary().learning = false;
  ui.frame(2);
  ui.key('Z', control);
  EXPECT_TRUE(are_all(0.5f));
  ui.key('Z', control | shift);
  EXPECT_TRUE(are_all(5));
  for (int i = 0; i < 2; ++i) ui.key('Z', control);
  EXPECT_EQ(layer().bank, "edges");
  EXPECT_TRUE(layer().further.empty());
  EXPECT_FALSE(layer().residual);
}

TEST_F(LearnPanel, TheKeyAndThePaletteDoTheSame) {
  ui.key(f(3), control);
  EXPECT_FALSE(ui::momentary().learning);
  EXPECT_EQ(ui::ui_state().feedback.text, why());
  const auto run = [&](const std::string& name) {
    for (const ui::Command& command : ui::palette_commands(ui.stats, ui.settings))
      if (command.name == name) {
        EXPECT_EQ(command.why_not, "") << name;
        command.run(ui.stats, ui.settings, ui.requests);
        return true;
      }
    return false;
  };
  EXPECT_TRUE(run("Layer: Set the layer up to learn"));
  EXPECT_TRUE(ui.requests.reset_learning);
  ui.key(f(3), control);
  EXPECT_TRUE(ui::momentary().learning);
  EXPECT_EQ(ui::ui_state().feedback.text, "The layer learns");
  EXPECT_TRUE(run("Layer: Learn or pause"));
  EXPECT_FALSE(ui::momentary().learning);
  EXPECT_TRUE(run("Layer: Check the gradients"));
  EXPECT_TRUE(ui.requests.check_gradients);
  ui.take_requests();
  EXPECT_TRUE(run("Layer: Reset what was learnt"));
  EXPECT_TRUE(ui.requests.reset_learning);
}

}  // namespace
}  // namespace convoscope::test
