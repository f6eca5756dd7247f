// The layer that learns beside panes that make pictures of what it has learnt, and a history that takes it back.
#include "app/steps/learn_step.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <thread>

#include "app/ui/actions/learn_actions.h"
#include "app/ui/memory/filter_history.h"
#include "tests/app/learn/learner_fixture.h"

namespace convoscope {
namespace {

using test::LearnerTest;

TEST_F(LearnerTest, OneRunIsOneStepBack) {
  LearnStep step;
  step.begin(std::make_unique<Learner>(*compute_));
  ui::LayerHistory history;
  const DeviceImage picture = frame();
  const auto go_on = [&] {
    step.observe(picture, false, {}, settings_, at_hand_, stats_);
    history.observe(settings_, !ui::is_one_go(settings_, stats_, {}));
    std::this_thread::yield();
  };
  at_hand_.learning = false;
  go_on();
  const Filter first = settings_.layer.weights;
  at_hand_.learning = true;
  while (stats_.steps < 5 || !stats_.under_way) go_on();
  at_hand_.learning = false;
  const Filter paused = settings_.layer.weights;
  while (stats_.under_way) go_on();
  ASSERT_NE(settings_.layer.weights, paused) << "the last steps come when it has paused already";
  EXPECT_EQ(history.undo_count(), 1u);
  ASSERT_TRUE(history.undo(settings_));
  EXPECT_EQ(settings_.layer.weights, first);
}

// New weights give up the picture that is under way: where one takes long, as in the emulator, none would ever be
// shown.
TEST_F(LearnerTest, TakesTurnsWithPicturesThatTakeLong) {
  LearnStep step;
  step.begin(std::make_unique<Learner>(*compute_));
  const DeviceImage picture = frame();
  LearnStep::Pictures shown{.made = 1, .seconds = 30};
  const auto until_they_change = [&] {
    const Filter before = settings_.layer.weights;
    while (settings_.layer.weights == before) step.observe(picture, false, shown, settings_, at_hand_, stats_);
  };
  until_they_change();
  const Filter put = settings_.layer.weights;
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
  while (std::chrono::steady_clock::now() < end) step.observe(picture, false, shown, settings_, at_hand_, stats_);
  EXPECT_EQ(settings_.layer.weights, put) << "their picture has not been shown";
  ++shown.made;
  until_they_change();
}

// As TakesTurnsWithPicturesThatTakeLong: after a change of the backend nobody knows yet.
TEST_F(LearnerTest, WaitsForTheFirstPicture) {
  LearnStep step;
  step.begin(std::make_unique<Learner>(*compute_));
  const DeviceImage picture = frame();
  const LearnStep::Pictures none{.made = 1, .seconds = {}};
  const Filter before = settings_.layer.weights;
  while (settings_.layer.weights == before) step.observe(picture, false, none, settings_, at_hand_, stats_);
  const Filter put = settings_.layer.weights;
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
  while (std::chrono::steady_clock::now() < end) step.observe(picture, false, none, settings_, at_hand_, stats_);
  EXPECT_EQ(settings_.layer.weights, put);
  const LearnStep::Pictures quick{.made = 2, .seconds = 0.01};
  while (settings_.layer.weights == put) step.observe(picture, false, quick, settings_, at_hand_, stats_);
}

}  // namespace
}  // namespace convoscope
