// What becomes of a check of the gradients.
#include <gtest/gtest.h>

#include "tests/app/learn/learner_fixture.h"

namespace convoscope {
namespace {

using test::LearnerTest;

TEST_F(LearnerTest, ACheckOfTheGradientsGoesWithWhatItIsAbout) {
  at_hand_.learning = false;
  const DeviceImage picture = frame();
  const auto check = [&] {
    show(picture, {.check_gradients = true});
    show(picture);
  };
  check();
  ASSERT_TRUE(stats_.gradients);
  EXPECT_EQ(stats_.gradients->step, 0);
  settings_.learn.rate *= 2;
  show(picture);
  EXPECT_TRUE(stats_.gradients) << "the gradients are the same";
  settings_.learn.target = parse_filter("laplacian");
  show(picture);
  EXPECT_FALSE(stats_.gradients) << "also while it rests";

  at_hand_.learning = true;
  show_some(2);
  const std::int64_t before = stats_.steps;
  check();
  ASSERT_TRUE(stats_.gradients);
  EXPECT_GE(stats_.gradients->step, before);
  EXPECT_LT(stats_.gradients->step, stats_.steps) << "others came after it";
}

}  // namespace
}  // namespace convoscope
