#include "app/state/window_side.h"

#include <gtest/gtest.h>

namespace convoscope {
namespace {

TEST(WindowSide, OfASmallScreenIsNotRemembered) {
  WindowSide side;
  EXPECT_EQ(side.to_remember(0, 1600, 640, 640), 0) << "it was never chosen";
  EXPECT_EQ(side.to_remember(0, 1600, 640, 640), 0);
  EXPECT_EQ(WindowSide().to_remember(1920, 1920, 1280, 1280), 1920);
  WindowSide decorated;
  EXPECT_EQ(decorated.to_remember(1080, 1080, 720, 720), 1080);
  EXPECT_EQ(decorated.to_remember(1080, 1080, 690, 720), 1080) << "the window manager took room for its bar";
}

TEST(WindowSide, ThatTheUserChoseIsRemembered) {
  WindowSide large;
  EXPECT_EQ(large.to_remember(0, 1600, 1600, 2560), 0);
  EXPECT_EQ(large.to_remember(0, 1600, 1200, 2560), 1200);
  EXPECT_EQ(large.to_remember(1200, 1600, 1600, 2560), 1600) << "back to what it was opened with";
  WindowSide small;
  EXPECT_EQ(small.to_remember(1920, 1920, 1280, 1280), 1920);
  EXPECT_EQ(small.to_remember(1920, 1920, 800, 1280), 800) << "far from filling the screen";
}

TEST(WindowSide, OfAnOptionIsNotRememberedUnlessItIsChanged) {
  WindowSide side;
  EXPECT_EQ(side.to_remember(1200, 640, 640, 2560), 1200);
  EXPECT_EQ(side.to_remember(1200, 640, 700, 2560), 700);
}

}  // namespace
}  // namespace convoscope
