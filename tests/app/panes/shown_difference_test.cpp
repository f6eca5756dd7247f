// What View::difference is drawn from.
#include "app/inspect/shown_difference.h"

#include <gtest/gtest.h>

#include "kernels/compute/compute.h"

namespace convoscope {
namespace {

class ShownDifferenceTest : public testing::Test {
 protected:
  ShownDifferenceTest() {
    for (DeviceImage& input : inputs_) {
      input = compute_->allocate(320, 200, PixelFormat::rgba8);
      compute_->fill(input.image(), 77);
    }
    settings_.group().view = View::difference;
    settings_.group().panes.resize(2);
    settings_.group().panes[0].strategy = "source";
    settings_.group().panes[1].strategy = "cpu-separable";
    settings_.group().panes[1].filter = parse_filter("gaussian:radius=2");
    set_.arrange(settings_.group().panes, stats_, 60);
    set_.configure(settings_.group().panes, 320, 200, PixelFormat::rgba8);
  }
  bool takes() { return shown_.takes(set_, settings_, set_.size(), inputs_[0].image()); }
  void filter(const DeviceImage& in) {
    set_.filter(in);
    set_.wait();
  }

  const std::unique_ptr<Compute> compute_ = make_compute(Backend::cpu);
  DeviceImage inputs_[2];
  Settings settings_;
  std::vector<PaneStats> stats_;
  PaneSet set_{*compute_};
  ShownDifference shown_;
};

TEST_F(ShownDifferenceTest, ThereIsNoneWhileAPaneShowsTheSourceInstead) {
  takes();
  EXPECT_FALSE(shown_.is_there());
  filter(inputs_[0]);
  EXPECT_TRUE(takes());
  EXPECT_TRUE(shown_.is_there());
}

TEST_F(ShownDifferenceTest, PicturesOfTwoFramesDoNotTakeItsPlace) {
  filter(inputs_[0]);
  takes();
  set_.runner(0).begin(inputs_[1]);
  set_.runner(0).show(inputs_[1]);
  EXPECT_FALSE(takes());
  EXPECT_TRUE(shown_.is_there()) << "what was there is";
  filter(inputs_[1]);
  EXPECT_TRUE(takes());
}

TEST_F(ShownDifferenceTest, ThereIsNoneWhereTheViewIsTurnedToWhilePanesShowTwoFrames) {
  settings_.group().view = View::grid;
  filter(inputs_[0]);
  EXPECT_TRUE(takes());
  set_.runner(0).begin(inputs_[1]);
  set_.runner(0).show(inputs_[1]);
  EXPECT_TRUE(takes()) << "a grid shows each pane's own";
  settings_.group().view = View::difference;
  takes();
  EXPECT_FALSE(shown_.is_there());
}

TEST_F(ShownDifferenceTest, OfOtherPanesItIsAnotherOne) {
  filter(inputs_[0]);
  takes();
  set_.runner(0).begin(inputs_[1]);
  set_.runner(0).show(inputs_[1]);
  std::swap(settings_.difference.first, settings_.difference.second);
  EXPECT_TRUE(takes());
  EXPECT_FALSE(shown_.is_there());
}

}  // namespace
}  // namespace convoscope
