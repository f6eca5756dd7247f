#include "tests/gl/compositor_test.h"

#include <cmath>
#include <numbers>

namespace convoscope {
namespace {

TEST_F(CompositorTest, WithoutPanesThereIsOnlyBackground) {
  for (const View view : {View::single, View::grid, View::split, View::difference, View::blink}) {
    composition_.view = view;
    const Shot shot = draw({});
    for (const auto& [x, y] : {std::pair{0, 0}, {319, 199}, {160, 100}}) EXPECT_EQ(shot.at(x, y), background);
  }
}

TEST_F(CompositorTest, ShowsEveryPixelExactlyAtOneToOne) {
  const Picture picture(64, 48, noise);
  composition_.area = {10, 20, 64, 48};
  const Shot shot = draw({picture.pane});
  for (int y = 0; y < 200; ++y)
    for (int x = 0; x < 320; ++x) {
      const bool inside = x >= 10 && x < 74 && y >= 20 && y < 68;
      ASSERT_EQ(shot.at(x, y), inside ? noise(x - 10, y - 20) : background) << x << ", " << y;
    }
}

TEST_F(CompositorTest, SingleShowsTheActivePane) {
  const Picture a(32, 20, red), b(32, 20, green);
  EXPECT_EQ(draw({a.pane, b.pane}).at(160, 100), red);
  composition_.active = 1;
  EXPECT_EQ(draw({a.pane, b.pane}).at(160, 100), green);
}

TEST_F(CompositorTest, KeepsTheAspectOfPictureAndPixels) {
  const Picture picture(100, 100, red);
  Shot shot = draw({picture.pane});  // 200 × 200 in the middle
  EXPECT_EQ(shot.at(60, 100), red);
  EXPECT_EQ(shot.at(59, 100), background);
  EXPECT_EQ(shot.at(259, 0), red);
  EXPECT_EQ(shot.at(260, 0), background);
  composition_.pixel_aspect = 2;  // 320 × 160
  shot = draw({picture.pane});
  EXPECT_EQ(shot.at(0, 20), red);
  EXPECT_EQ(shot.at(319, 179), red);
  EXPECT_EQ(shot.at(160, 19), background);
  EXPECT_EQ(shot.at(160, 180), background);
}

TEST_F(CompositorTest, MagnifiesIntoExactSquares) {
  const Picture picture(40, 25, noise);  // 8 × 8 screen pixels each
  const Shot shot = draw({picture.pane});
  for (int y = 0; y < 200; ++y)
    for (int x = 0; x < 320; ++x) ASSERT_EQ(shot.at(x, y), noise(x / 8, y / 8)) << x << ", " << y;
}

TEST_F(CompositorTest, ShowsPicturesWithAlphaOverAChequeredPlane) {
  composition_.has_alpha = true;
  const Pixel dark{41, 41, 41}, light{61, 61, 61};
  const auto half = [](const Pixel& colour, const Pixel& behind, int alpha) {
    Pixel mixed;
    for (std::size_t i = 0; i < 3; ++i) mixed[i] = (colour[i] * alpha + behind[i] * (255 - alpha) + 127) / 255;
    return mixed;
  };
  // Magnified, pixel for pixel, and reduced: three ways to the screen.
  for (const auto& [wide, high] : {std::pair{40, 25}, {320, 200}, {640, 400}})
    for (const int alpha : {0, 51, 255}) {
      const Picture picture(
          wide, high, [](int, int) { return red; }, alpha);
      const Shot shot = draw({picture.pane});
      EXPECT_THAT(shot.at(20, 100),
                  testing::AnyOf(IsNear(half(red, dark, alpha), 1), IsNear(half(red, light, alpha), 1)));
      if (alpha == 255) EXPECT_EQ(shot.at(20, 100), red);
      if (alpha == 0) EXPECT_NE(shot.at(20, 100), shot.at(28, 100));
    }
}

TEST_F(CompositorTest, ZoomsAndPansAboutTheCentre) {
  const Picture picture(40, 25, noise);
  composition_.zoom = {.scale = 2, .centre_x = 0.5, .centre_y = 0.2};  // 16 × 16 screen pixels each: 640 × 400
  const Shot shot = draw({picture.pane});                              // left: 160 − 320; top: 100 − 80
  for (int y = 0; y < 200; ++y)
    for (int x = 0; x < 320; ++x)
      ASSERT_EQ(shot.at(x, y), y < 20 ? background : noise((x + 160) / 16, (y - 20) / 16)) << x << ", " << y;
}

TEST_F(CompositorTest, PartsPixelsByAGridWhenStronglyMagnified) {
  const Picture picture(16, 10, [](int x, int) { return x % 2 ? Pixel{0, 0, 0} : Pixel{255, 255, 255}; });
  const Shot shot = draw({picture.pane});  // 20 × 20 screen pixels each
  for (int y = 0; y < 200; ++y)
    for (int x = 0; x < 320; ++x) {
      const int plain = x / 20 % 2 ? 0 : 255;
      const int shown = shot.at(x, y)[0];
      if (x % 20 == 0 || y % 20 == 0) {
        ASSERT_GT(std::abs(shown - plain), 20) << x << ", " << y;  // to be seen
        ASSERT_LT(std::abs(shown - plain), 80) << x << ", " << y;  // but faint
      } else {
        ASSERT_EQ(shown, plain) << x << ", " << y;
      }
    }
}

TEST_F(CompositorTest, ShowsNothingAroundAWallAndNoGridOnIt) {
  const Picture picture(16, 10, [](int, int y) { return y < 2 || y >= 8 ? Pixel{0, 0, 0} : Pixel{255, 255, 255}; });
  composition_.looks[0] = {{0, 0.2f, 0.5f, 0.6f}, false};  // 20 × 20 screen pixels each
  const Shot shot = draw({picture.pane});
  for (int y = 0; y < 200; ++y)
    for (int x = 0; x < 320; ++x)
      ASSERT_EQ(shot.at(x, y), (y >= 40 && y < 160 && x < 160 ? Pixel{255, 255, 255} : background)) << x << ", " << y;
}

// What is drawn and what the mouse finds are the same pane.
TEST_F(CompositorTest, SlantedLinesPartSeveralPanesWhereTheMouseFindsThem) {
  const Picture a(32, 20, red), b(32, 20, green), c(32, 20, blue);
  const Pixel colours[] = {red, green, blue};
  composition_.view = View::split;
  for (const int angle : {20, 45, -60, 110}) {
    composition_.split = {static_cast<double>(angle), {0.3, 0.6}};
    const Shot shot = draw({a.pane, b.pane, c.pane});
    std::array<int, 3> seen{};
    for (int y = 0; y < 200; ++y)
      for (int x = 0; x < 320; ++x) {
        const float middle_x = static_cast<float>(x) + 0.5f, middle_y = static_cast<float>(y) + 0.5f;
        const int pane = pane_at(composition_, 3, middle_x, middle_y);
        ASSERT_GE(pane, 0);
        const Slice slice = pane_slice(composition_, pane, 3);
        const float along = slice.x * middle_x + slice.y * middle_y;
        if (along - slice.low < 4 || slice.high - along < 4) continue;  // the line itself
        ++seen[static_cast<std::size_t>(pane)];
        ASSERT_EQ(shot.at(x, y), colours[pane]) << angle << ": " << x << ", " << y;
      }
    for (const int pixels : seen) EXPECT_GT(pixels, 5000) << angle;
  }
}

TEST_F(CompositorTest, ReducesFinestDetailToGray) {
  const Picture checkerboard(1280, 800, [](int x, int y) { return (x + y) % 2 ? Pixel{255, 255, 255} : Pixel{}; });
  const Shot shot = draw({checkerboard.pane});
  for (int y = 2; y < 198; ++y)
    for (int x = 2; x < 318; ++x) ASSERT_THAT(shot.at(x, y), IsNear(Pixel{128, 128, 128}, 4)) << x << ", " << y;
}

// A zone plate whose frequency rises to the source's limit: where it is finer than the screen, nothing may show but
// gray.
TEST_F(CompositorTest, ReducesAZonePlateWithoutMoire) {
  constexpr int size = 1000;  // to 200: 5 source pixels on one of the screen
  const auto wave = [](int x, int y) {
    const double dx = x - size / 2, dy = y - size / 2;
    const int value =
        static_cast<int>(std::lround(127.5 + 127.5 * std::cos(std::numbers::pi * (dx * dx + dy * dy) / size)));
    return Pixel{value, value, value};
  };
  const Picture zone_plate(size, size, wave);
  const Shot shot = draw({zone_plate.pane});
  // Half a period is size / (2d) source pixels at distance d from the middle; beyond d = 200 a period is shorter than
  // one screen pixel.
  double worst = 0;
  for (int y = 0; y < 200; ++y)
    for (int x = 60; x < 260; ++x) {
      const double d = 5 * std::hypot(x - 160 + 0.5, y - 100 + 0.5);
      if (d > 230) worst = std::max(worst, std::abs(shot.at(x, y)[0] - 127.5));
    }
  EXPECT_LT(worst, 24);
  EXPECT_GT(shot.at(160, 100)[0], 230);  // its slow middle stays
}

TEST_F(CompositorTest, ReducingKeepsFlatColoursExactly) {
  const Picture picture(1913, 1201, red);
  EXPECT_EQ(draw({picture.pane}).at(160, 100), red);
}

TEST_F(CompositorTest, GridShowsAllPanesAndFramesTheActiveOne) {
  const Picture a(157, 97, red), b(157, 97, green), c(157, 97, blue), d(157, 97, red);
  composition_.view = View::grid;
  composition_.active = 2;
  const Pixel accent{255, 128, 0};
  for (std::size_t i = 0; i < 3; ++i) composition_.accent[i] = static_cast<float>(accent[i]) / 255;
  const Shot shot = draw({a.pane, b.pane, c.pane, d.pane});
  const Pixel colours[] = {red, green, blue, red};
  for (int i = 0; i < 4; ++i) {
    const Rectangle cell = pane_rectangle(composition_, i, 4);
    EXPECT_EQ(cell.width, 157);
    EXPECT_EQ(cell.height, 97);
    const int left = static_cast<int>(cell.x), top = static_cast<int>(cell.y);
    EXPECT_EQ(shot.at(left + 78, top + 48), colours[i]) << i;
    const Pixel edge = i == 2 ? accent : colours[i];
    for (const auto& [x, y] : {std::pair{0, 0}, {1, 48}, {156, 96}, {78, 1}, {78, 96}, {155, 48}})
      EXPECT_EQ(shot.at(left + x, top + y), edge) << i << ": " << x << ", " << y;
    EXPECT_EQ(shot.at(left + 2, top + 2), colours[i]);
  }
  EXPECT_EQ(shot.at(160, 50), background);  // the gap
  EXPECT_EQ(shot.at(50, 100), background);
}

// A recording of the panes alone has no frame round the one that the window's keys are for.
TEST_F(CompositorTest, APictureWithoutTheWindowFramesNoPane) {
  const Picture a(157, 97, red), b(157, 97, red), c(157, 97, red), d(157, 97, red);
  composition_.view = View::grid;
  composition_.frames_active = false;
  const Shot shot = draw({a.pane, b.pane, c.pane, d.pane});
  const Rectangle cell = pane_rectangle(composition_, 0, 4);
  EXPECT_EQ(shot.at(static_cast<int>(cell.x), static_cast<int>(cell.y)), red);
}

TEST_F(CompositorTest, GridOfNineShowsEachOnce) {
  std::vector<Picture> pictures;
  std::vector<PaneTexture> panes;
  for (int i = 0; i < 9; ++i) pictures.emplace_back(32, 20, Pixel{20 * i, 255 - 20 * i, 7 * i});
  for (const Picture& picture : pictures) panes.push_back(picture.pane);
  composition_.view = View::grid;
  const Shot shot = draw(panes);
  for (int i = 0; i < 9; ++i) {
    const Rectangle cell = pane_rectangle(composition_, i, 9);
    EXPECT_EQ(shot.at(static_cast<int>(cell.x + cell.width / 2), static_cast<int>(cell.y + cell.height / 2)),
              (Pixel{20 * i, 255 - 20 * i, 7 * i}));
  }
}

TEST_F(CompositorTest, APaneOfAGridNeverReachesIntoItsNeighbour) {
  const Picture a(32, 20, red), b(32, 20, green);
  composition_.view = View::grid;
  composition_.active = 1;
  composition_.zoom.scale = 10;
  const Shot shot = draw({a.pane, b.pane});
  const Rectangle left = pane_rectangle(composition_, 0, 2), right = pane_rectangle(composition_, 1, 2);
  const int gap = static_cast<int>(left.width == width ? left.y + left.height : left.x + left.width) + 2;
  EXPECT_EQ(left.width == width ? shot.at(160, gap) : shot.at(gap, 100), background);
  EXPECT_THAT(shot.at(static_cast<int>(right.x) + 5, static_cast<int>(right.y) + 50), IsNear(green, 60));
}

TEST_F(CompositorTest, SplitWipesBetweenTwoPanes) {
  const Picture a(320, 200, noise), b(320, 200, [](int x, int y) { return noise(y, x); });
  composition_.view = View::split;
  composition_.split.lines = {0.75};  // column 240
  const Shot shot = draw({a.pane, b.pane});
  for (int y = 0; y < 200; ++y)
    for (int x = 0; x < 320; ++x) {
      if (x >= 238 && x < 242) continue;
      ASSERT_EQ(shot.at(x, y), x < 240 ? noise(x, y) : noise(y, x)) << x << ", " << y;
    }
  for (const int x : {239, 240}) EXPECT_THAT(shot.at(x, 77), IsNear(Pixel{242, 242, 242}, 2));
  for (const int x : {238, 241}) EXPECT_THAT(shot.at(x, 77), IsNear(Pixel{13, 13, 13}, 2));
}

TEST_F(CompositorTest, LinesGrowWithTheDisplaysScale) {
  const Picture a(320, 200, red);
  composition_.view = View::split;
  composition_.line_scale = 2;
  const Shot shot = draw({a.pane, a.pane});
  for (const int x : {158, 161}) EXPECT_THAT(shot.at(x, 77), IsNear(Pixel{242, 242, 242}, 2));
  for (const int x : {156, 163}) EXPECT_THAT(shot.at(x, 77), IsNear(Pixel{13, 13, 13}, 2));
  for (const int x : {155, 164}) EXPECT_EQ(shot.at(x, 77), red);
}

TEST_F(CompositorTest, SplitOfThreeStaysInItsArea) {
  const Picture a(32, 20, red), b(32, 20, green), c(32, 20, blue);
  composition_.view = View::split;
  composition_.area = {10, 0, 300, 200};
  const Shot shot = draw({a.pane, b.pane, c.pane});
  EXPECT_EQ(shot.at(60, 100), red);
  EXPECT_EQ(shot.at(160, 100), green);
  EXPECT_EQ(shot.at(260, 100), blue);
  EXPECT_EQ(shot.at(9, 100), background);
  EXPECT_EQ(shot.at(310, 100), background);
}

TEST_F(CompositorTest, SplitAtTheEndsShowsOnePane) {
  const Picture a(320, 200, red), b(320, 200, green);
  composition_.view = View::split;
  composition_.split.lines = {0};
  EXPECT_EQ(draw({a.pane, b.pane}).at(5, 100), green);
  composition_.split.lines = {1};
  EXPECT_EQ(draw({a.pane, b.pane}).at(314, 100), red);
}

TEST_F(CompositorTest, SplitAtAnAngleShowsEachPaneOnItsSide) {
  const Picture a(320, 200, noise), b(320, 200, [](int x, int y) { return noise(y, x); });
  composition_.view = View::split;
  for (const int angle : {30, 90, 135, 200, -45}) {
    composition_.split = {static_cast<double>(angle), {0.4}};
    const Shot shot = draw({a.pane, b.pane});
    const Slice first = pane_slice(composition_, 0, 2);
    int near = 0;
    for (int y = 0; y < 200; ++y)
      for (int x = 0; x < 320; ++x) {
        const float past =
            first.x * (static_cast<float>(x) + 0.5f) + first.y * (static_cast<float>(y) + 0.5f) - first.high;
        if (std::abs(past) < 3) {
          ++near;
          continue;
        }
        ASSERT_EQ(shot.at(x, y), past < 0 ? noise(x, y) : noise(y, x)) << angle << ": " << x << ", " << y;
      }
    EXPECT_GT(near, 500);
    // On the line itself, halfway between where it meets the area.
    float best = 1e9f;
    std::pair<int, int> on{};
    for (int y = 60; y < 140; ++y)
      for (int x = 60; x < 260; ++x) {
        const float past =
            std::abs(first.x * (static_cast<float>(x) + 0.5f) + first.y * (static_cast<float>(y) + 0.5f) - first.high);
        if (past < best) best = past, on = {x, y};
      }
    if (best < 0.5f) {
      EXPECT_GT(shot.at(on.first, on.second)[0], 225) << angle;
    }
  }
}

// Magnified less than 1:1 by compute: the slices share one texture.
TEST_F(CompositorTest, SplitAtAnAngleOfReducedPictures) {
  const Picture a(1913, 1201, red), b(1913, 1201, green), c(1913, 1201, blue);
  composition_.view = View::split;
  composition_.split = {60, {0.3, 0.6}};
  const Shot shot = draw({a.pane, b.pane, c.pane});
  for (int i = 0; i < 3; ++i) {
    const Slice slice = pane_slice(composition_, i, 3);
    for (int y = 2; y < 198; y += 5)
      for (int x = 4; x < 316; x += 5) {
        const float along = slice.x * static_cast<float>(x) + slice.y * static_cast<float>(y);
        if (along > slice.low + 4 && along < slice.high - 4) {
          ASSERT_EQ(shot.at(x, y), (std::array{red, green, blue})[static_cast<std::size_t>(i)]) << x << ", " << y;
        }
      }
  }
}

TEST_F(CompositorTest, BlinkShowsOnePaneAfterTheOther) {
  const Picture a(32, 20, red), b(32, 20, green);
  composition_.view = View::blink;
  for (const auto& [seconds, colour] : {std::pair{0.2, red}, {0.7, green}, {1.1, red}, {100.6, green}}) {
    composition_.seconds = seconds;
    EXPECT_EQ(draw({a.pane, b.pane}).at(160, 100), colour) << seconds;
  }
}

TEST_F(CompositorTest, LeavesNoScissorAndNoSamplerBehind) {
  const Picture a(32, 20, red);
  draw({a.pane});
  EXPECT_FALSE(glIsEnabled(GL_SCISSOR_TEST));
  GLint sampler = -1;
  glGetIntegerv(GL_SAMPLER_BINDING, &sampler);
  EXPECT_EQ(sampler, 0);
}

TEST_F(CompositorTest, TellsItsTimeWithoutWaiting) {
  const Picture a(320, 200, red);
  draw({a.pane});
  glFinish();
  const std::optional<double> milliseconds = compositor_->poll_ms();
  ASSERT_TRUE(milliseconds);
  EXPECT_GE(*milliseconds, 0);
  EXPECT_LT(*milliseconds, 10000);
  EXPECT_FALSE(compositor_->poll_ms());  // each once
}

TEST_F(CompositorTest, FollowsTheSizeOfTheFramebuffer) {
  const Picture picture(100, 50, noise);
  context_->set_size(400, 300);
  context_->begin_ui_frame();
  composition_.area = {300, 250, 100, 50};
  const Shot shot = draw({picture.pane});
  EXPECT_EQ(shot.at(399, 299), noise(99, 49));
  EXPECT_EQ(shot.at(300, 250), noise(0, 0));
  EXPECT_EQ(shot.at(299, 250), background);
}

}  // namespace
}  // namespace convoscope
