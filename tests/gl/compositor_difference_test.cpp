// What the compositor shows of the difference of two panes.
#include "app/state/difference.h"
#include "tests/gl/compositor_test.h"

namespace convoscope {
namespace {

using CompositorDifferenceTest = CompositorTest;

TEST_F(CompositorDifferenceTest, DifferenceIsAbsoluteTimesGain) {
  const Picture a(320, 200, Pixel{100, 50, 7}), b(320, 200, Pixel{90, 60, 7});
  composition_.view = View::difference;
  composition_.difference.gain = 4;
  EXPECT_EQ(draw({a.pane, b.pane}).at(160, 100), (Pixel{40, 40, 0}));
  EXPECT_EQ(draw({b.pane, a.pane}).at(160, 100), (Pixel{40, 40, 0}));
  composition_.difference.gain = 100;
  EXPECT_EQ(draw({a.pane, b.pane}).at(160, 100), (Pixel{255, 255, 0}));
  EXPECT_EQ(draw({a.pane, a.pane}).at(160, 100), (Pixel{0, 0, 0}));
}

TEST_F(CompositorDifferenceTest, SignedDifferenceIsGrayWhereThereIsNone) {
  const Picture a(320, 200, Pixel{100, 50, 7}), b(320, 200, Pixel{90, 60, 7});
  composition_.view = View::difference;
  composition_.difference = {.mode = DifferenceMode::signed_values, .gain = 4};
  EXPECT_THAT(draw({a.pane, b.pane}).at(160, 100), IsNear(Pixel{148, 108, 128}, 1));
  EXPECT_THAT(draw({b.pane, a.pane}).at(160, 100), IsNear(Pixel{108, 148, 128}, 1));
  EXPECT_THAT(draw({a.pane, a.pane}).at(160, 100), IsNear(Pixel{128, 128, 128}, 1));
}

TEST_F(CompositorDifferenceTest, SquaredDifferenceLeavesTheLargeOnes) {
  const Picture a(320, 200, Pixel{130, 50, 7}), b(320, 200, Pixel{90, 60, 7});
  composition_.view = View::difference;
  composition_.difference = {.mode = DifferenceMode::squared, .gain = 4};
  EXPECT_THAT(draw({a.pane, b.pane}).at(160, 100), IsNear(Pixel{100, 6, 0}, 1));  // 255 (4 · 40 / 255)²
}

TEST_F(CompositorDifferenceTest, ThresholdHidesSmallDifferences) {
  const Picture a(320, 200, [](int x, int) { return Pixel{100 + x / 80, 50, 7}; }), b(320, 200, Pixel{100, 50, 7});
  composition_.view = View::difference;
  composition_.difference = {.gain = 20, .threshold = 2};
  const Shot shot = draw({a.pane, b.pane});
  for (const auto& [x, value] : {std::pair{40, 0}, {120, 0}, {200, 0}, {280, 60}})
    EXPECT_EQ(shot.at(x, 100), (Pixel{value, 0, 0})) << x;
}

TEST_F(CompositorDifferenceTest, FalseColourFollowsTheStops) {
  const auto colour = [](const std::array<float, 3>& stop) {
    return Pixel{static_cast<int>(std::lround(stop[0] * 255)), static_cast<int>(std::lround(stop[1] * 255)),
                 static_cast<int>(std::lround(stop[2] * 255))};
  };
  const Picture a(320, 200, [](int x, int) { return Pixel{51 * (x / 64), 0, 0}; }), b(320, 200, Pixel{});
  composition_.view = View::difference;
  composition_.difference = {.gain = 1.25, .false_colour = true};  // 51 code values are a quarter
  Shot shot = draw({a.pane, b.pane});
  for (int i = 0; i < 5; ++i)
    EXPECT_THAT(shot.at(64 * i + 32, 100), IsNear(colour(unsigned_colours[static_cast<std::size_t>(i)]), 1)) << i;
  composition_.difference.mode = DifferenceMode::signed_values;
  shot = draw({b.pane, a.pane});
  for (int i = 0; i < 5; i += 2)
    EXPECT_THAT(shot.at(64 * i + 32, 100), IsNear(colour(signed_colours[static_cast<std::size_t>(2 - i / 2)]), 1)) << i;
}

TEST_F(CompositorDifferenceTest, DifferenceIsOfTheChosenPanes) {
  const Picture a(32, 20, Pixel{200, 0, 0}), b(32, 20, Pixel{0, 0, 0}), c(32, 20, Pixel{150, 0, 0});
  composition_.view = View::difference;
  composition_.difference = {.first = 2, .second = 0, .gain = 2};
  EXPECT_EQ(draw({a.pane, b.pane, c.pane}).at(160, 100), (Pixel{100, 0, 0}));
}

TEST_F(CompositorDifferenceTest, PicturesOfTwoFramesLeaveTheStageEmpty) {
  const Picture a(320, 200, Pixel{200, 0, 0}), b(320, 200, Pixel{0, 0, 0});
  composition_.view = View::difference;
  const Pixel drawn = draw({a.pane, b.pane}).at(160, 100);
  composition_.difference_shown = false;
  const Shot shot = draw({a.pane, b.pane});
  EXPECT_NE(shot.at(160, 100), drawn);
  EXPECT_EQ(shot.at(160, 100), draw({}).at(160, 100)) << "the background";
}

TEST_F(CompositorDifferenceTest, DifferenceOfOnePaneShowsIt) {
  const Picture a(32, 20, red);
  composition_.view = View::difference;
  composition_.active = 5;
  EXPECT_EQ(draw({a.pane}).at(160, 100), red);
}

// Differences of opposite sign side by side must not cancel in a reduced picture.
TEST_F(CompositorDifferenceTest, DifferenceSurvivesReduction) {
  const Picture a(1280, 800, [](int x, int) { return x % 2 ? Pixel{140, 140, 140} : Pixel{100, 100, 100}; });
  const Picture b(1280, 800, [](int x, int) { return x % 2 ? Pixel{100, 100, 100} : Pixel{140, 140, 140}; });
  composition_.view = View::difference;
  composition_.difference.gain = 1;
  EXPECT_GT(draw({a.pane, b.pane}).at(160, 100)[0], 8);
}

}  // namespace
}  // namespace convoscope
