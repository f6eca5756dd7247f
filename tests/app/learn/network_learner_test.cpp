// Several layers that learn together, as the window has them: what they reach from the test pattern, and what they do
// when anything changes on the way.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "app/learn/learnt_banks.h"
#include "app/steps/learn_step.h"
#include "app/ui/actions/learn_actions.h"
#include "app/ui/keys/key_table.h"
#include "app/ui/memory/filter_history.h"
#include "tests/app/learn/learner_fixture.h"

namespace convoscope {
namespace {

using testing::Each;
using testing::HasSubstr;

class NetworkLearnerTest : public test::LearnerTest {
 protected:
  NetworkLearnerTest() {
    settings_.layer.depthwise = false;
    settings_.layer.weights = find_bank_kind("random")->make(4, 3, 3);
    for (float& weight : settings_.layer.weights.weights) weight *= 0.3f;
    settings_.layer.weights.biases.resize(4);
    settings_.layer.weights.relu = true;
    settings_.learn.task = LearnTask::denoise;
    settings_.learn.layers = 2;
  }
  std::vector<Filter> further() { return banks_behind(settings_.layer); }
};

TEST_F(NetworkLearnerTest, LayersLearnTogether) {
  show_some(2);
  ASSERT_EQ(further().size(), 1u);
  const Filter first = settings_.layer.weights, last = further()[0];
  EXPECT_EQ(last.channels, 4);
  EXPECT_EQ(last.maps, 3) << "red, green and blue";
  EXPECT_FALSE(last.relu);
  show_some(3);
  EXPECT_EQ(stats_.problem, "");
  EXPECT_GT(stats_.steps, 0);
  for (int i = 0; i < 40 && !stats_.decibels; ++i) {
    EXPECT_LT(stats_.steps, 20) << "before, it says more about the steps than about the layers";
    show_some(1);
  }
  EXPECT_TRUE(stats_.decibels.has_value());
  EXPECT_FALSE(stats_.largest_difference.has_value()) << "nobody knows the true weights";
  EXPECT_NE(settings_.layer.weights.weights, first.weights);
  EXPECT_NE(settings_.layer.weights.biases, first.biases);
  EXPECT_TRUE(settings_.layer.weights.relu);
  EXPECT_NE(further()[0].weights, last.weights);
  EXPECT_NE(further()[0].biases, last.biases);
}

TEST_F(NetworkLearnerTest, AnotherNumberOfLayersIsAnotherLesson) {
  show_some(8);
  const std::int64_t before = stats_.steps;
  settings_.learn.layers = 3;
  show_some(2);
  EXPECT_LT(stats_.steps, before);
  ASSERT_EQ(further().size(), 2u);
  EXPECT_TRUE(further()[0].relu);
  EXPECT_EQ(further()[1].maps, 3);
  show(frame(PixelFormat::gray32f));
  show(frame(PixelFormat::gray32f));
  EXPECT_EQ(further()[1].maps, 1);
  EXPECT_EQ(settings_.layer.weights.channels, 3) << "as the layer has them for colours";
  EXPECT_TRUE(at_hand_.learning) << stats_.problem;
}

TEST_F(NetworkLearnerTest, AnotherSizeOfPictureChangesNothing) {
  show_some(3);
  const std::int64_t steps = stats_.steps;
  show(frame(PixelFormat::rgba8, 200, 150));
  show(frame(PixelFormat::rgba8, 64, 64));
  show(frame(PixelFormat::rgba8, 64, 64));
  EXPECT_GT(stats_.steps, steps);
  EXPECT_TRUE(at_hand_.learning);
  const std::vector<Filter> learnt = further();
  show(frame(PixelFormat::rgba8, 2, 2));
  show(frame(PixelFormat::rgba8, 2, 2));
  EXPECT_TRUE(at_hand_.learning) << stats_.problem;
  settings_.layer.padded = false;
  show(frame(PixelFormat::rgba8, 2, 2));
  EXPECT_FALSE(at_hand_.learning);
  EXPECT_THAT(stats_.problem, HasSubstr("spans 3 rows"));
  EXPECT_EQ(further().size(), learnt.size()) << "nothing is lost";
}

TEST_F(NetworkLearnerTest, ChecksTheGradientsOfAllLayers) {
  at_hand_.learning = false;
  const DeviceImage picture = frame();
  show(picture, {.check_gradients = true});
  show(picture);
  ASSERT_TRUE(stats_.gradients) << stats_.problem;
  EXPECT_EQ(stats_.gradients->weights, 24);
  EXPECT_LE(stats_.gradients->error, stats_.gradients->tolerance);
  EXPECT_LT(stats_.gradients->tolerance, 5e-3);
}

TEST_F(NetworkLearnerTest, AResetMakesAllLayersAlsoWhileNothingIsLearnt) {
  at_hand_.learning = false;
  for (const int layers : {2, 3})
    for (const PixelFormat format : {PixelFormat::rgba8, PixelFormat::gray32f}) {
      settings_.learn.layers = layers;
      show(frame(format), {.reset = true});
      ASSERT_EQ(further().size(), static_cast<std::size_t>(layers - 1));
      EXPECT_EQ(further().back().maps, channels(format));
      EXPECT_TRUE(settings_.layer.residual);
    }
  show({}, {.reset = true});
  EXPECT_EQ(further().back().maps, 3) << "before there is a picture, too";
  const std::vector<Filter> made = further();
  show(frame(), {.check_gradients = true});
  EXPECT_TRUE(all_have_the_same_values(further(), made)) << "nothing is put in their place";
}

// As the window does it: one undo leads from what was learnt to the network that was set up, the next to before that.
TEST_F(NetworkLearnerTest, AnUndoLeadsBackToAWholeNetwork) {
  settings_.layer = default_settings().layer;
  at_hand_.learning = false;
  LearnStep step;
  step.begin(std::make_unique<Learner>(*compute_, true));
  ui::LayerHistory history;
  Requests requests;
  const DeviceImage picture = frame();
  const auto show_one = [&] {
    history.observe(settings_, !ui::is_one_go(settings_, stats_, requests));
    step.obey(std::exchange(requests, {}));
    step.observe(picture, false, {}, settings_, at_hand_, stats_);
  };
  show_one();
  ui::set_up_to_learn(settings_, requests);
  for (int i = 0; i < 3; ++i) show_one();
  const std::vector<Filter> set_up = further();
  const Filter first = settings_.layer.weights;
  ASSERT_EQ(set_up.size(), 1u);
  at_hand_.learning = true;
  for (int i = 0; i < 3; ++i) show_one();
  at_hand_.learning = false;
  for (int i = 0; i < 3; ++i) show_one();
  ASSERT_FALSE(all_have_the_same_values(further(), set_up));
  ASSERT_TRUE(history.undo(settings_));
  EXPECT_TRUE(all_have_the_same_values(further(), set_up));
  EXPECT_EQ(settings_.layer.weights.weights, first.weights);
  ASSERT_TRUE(history.undo(settings_));
  EXPECT_TRUE(further().empty());
  EXPECT_EQ(settings_.layer.weights.maps, default_settings().layer.weights.maps);
}

TEST_F(NetworkLearnerTest, KnowsForHowLongReLUHasCutOffAllMaps) {
  show_some(3);
  EXPECT_EQ(stats_.cut_off.layer, 1);
  EXPECT_GT(stats_.cut_off.left, 0.05);
  EXPECT_EQ(stats_.cut_off.steps, 0);
  settings_.layer.weights.biases.assign(4, -100.0f);
  show_some(2);  // what was under way
  const std::int64_t before = stats_.steps;
  show_some(4);
  EXPECT_EQ(stats_.cut_off.left, 0);
  EXPECT_GE(stats_.cut_off.steps, stats_.steps - before);
  show(frame(), {.reset = true});
  show_some(2);
  EXPECT_EQ(stats_.cut_off.steps, 0);
}

TEST_F(NetworkLearnerTest, GoesOnFromWhatItIsGiven) {
  show_some(8);
  at_hand_.learning = false;
  show_some(2);
  const std::vector<Filter> learnt = further();
  settings_.layer.further.change(0).bank.weights[0] = std::numeric_limits<float>::quiet_NaN();
  at_hand_.learning = true;
  show_some(2);
  EXPECT_TRUE(at_hand_.learning);
  const std::vector<Filter> anew = further();
  for (const float weight : anew[0].weights) ASSERT_TRUE(std::isfinite(weight));
  show(frame(), {.reset = true});
  EXPECT_LE(stats_.steps, 1);
  ASSERT_EQ(further().size(), 1u);
  EXPECT_NE(further()[0].weights, learnt[0].weights);
}

}  // namespace
}  // namespace convoscope
