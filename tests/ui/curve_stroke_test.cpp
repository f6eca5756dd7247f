#include "app/ui/results/curve_stroke.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "app/ui/results/sound_plots.h"
#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

using testing::ElementsAre;

TEST(InColumns, KeepsThePeakOfEach) {
  const std::vector<float> values{-90, -10, -90, -80, -90, -70, -60};
  EXPECT_THAT(ui::in_columns(values, 3, true), ElementsAre(-10, -80, -60));
  EXPECT_THAT(ui::in_columns(values, 3, false), ElementsAre(-90, -90, -90));
  EXPECT_EQ(ui::in_columns(values, 7, true), values);
  EXPECT_EQ(ui::in_columns(values, 700, true), values) << "a line joins them";
  EXPECT_THAT(ui::in_columns(values, 0, true), ElementsAre(-10));
}

TEST(InColumns, LeavesNoneOutAtAnyWidth) {
  for (int columns = 1; columns < 192; ++columns)
    for (std::size_t peak = 0; peak < 192; ++peak) {
      std::array<float, 192> values;
      values.fill(-96);
      values[peak] = -10;
      const std::vector<float> kept = ui::in_columns(values, columns, true);
      ASSERT_EQ(static_cast<int>(kept.size()), columns);
      ASSERT_EQ(std::ranges::count(kept, -10), 1) << columns << " " << peak;
    }
}

TEST(Inked, IsAsThickAsThePen) {
  const std::vector<ImVec2> level{{0, 50}, {100, 50}}, steep{{0, 100}, {10, 0}};
  EXPECT_NEAR(ui::inked(level, 30, 2).top, 48, 1e-4);
  EXPECT_NEAR(ui::inked(level, 30, 2).bottom, 52, 1e-4);
  const ui::Inked across = ui::inked(steep, 5, 2);  // √(1 + 10²) times as much of a vertical line
  EXPECT_NEAR(across.top, 50 - 2 * std::sqrt(101), 1e-3);
  EXPECT_NEAR(across.bottom, 50 + 2 * std::sqrt(101), 1e-3);
}

TEST(Inked, ReachesTheTipOfAPeak) {
  for (const float half : {0.1f, 0.5f, 2.0f, 20.0f}) {
    const std::vector<ImVec2> peak{{0, 90}, {50 - half, 90}, {50, 10}, {50 + half, 90}, {100, 90}};
    const ui::Inked tip = ui::inked(peak, 50, 1);
    EXPECT_NEAR(tip.top, 9, 1e-4) << half;
    if (half < 1) {
      EXPECT_NEAR(tip.bottom, 91, 0.5) << half << ": it is filled from the foot on";
    }
    EXPECT_LT(ui::inked(peak, 50.5f, 1).top, 11) << half << ": as wide as the pen";
    EXPECT_NEAR(ui::inked(peak, 20, 1).top, 89, 1e-4) << half;
  }
  const std::vector<ImVec2> wall{{0, 90}, {50, 90}, {50, 10}, {50, 90}, {100, 90}};
  EXPECT_NEAR(ui::inked(wall, 50, 1).top, 9, 1e-4);
  EXPECT_NEAR(ui::inked(wall, 50, 0).top, 10, 1e-4);
}

// Drawn as it is on the screen: the topmost of what has ink, wherever the peak lies.
TEST(SoundPlots, ShowAPeakAtItsLevelAtAnyWidth) {
  Harness ui;
  ui.frame(2);
  for (const float width : {90.0f, 150.0f, 365.0f, 730.0f})
    for (std::size_t peak = 1; peak + 1 < SoundScope::bands; ++peak) {
      std::array<float, SoundScope::bands> levels;
      levels.fill(-96);
      levels[peak] = -24;
      ImDrawList list(ImGui::GetDrawListSharedData());
      list._ResetForNewFrame();
      list.PushClipRectFullScreen();
      list.PushTextureID(ImGui::GetIO().Fonts->TexID);
      ui::draw_curve(list, {100, 100}, {100 + width, 196}, {-96, 0}, levels, true, IM_COL32_WHITE, 2, 0);
      float top = 1000, left = 1000, right = 0;
      for (const ImDrawVert& vertex : list.VtxBuffer) {
        if (vertex.col != IM_COL32_WHITE) continue;
        top = std::min(top, vertex.pos.y);
        if (vertex.pos.y > 128) continue;
        left = std::min(left, vertex.pos.x);
        right = std::max(right, vertex.pos.x);
      }
      ASSERT_NEAR(top, 124, 0.6f) << width << " " << peak;
      ASSERT_GE(right - left, 0.4f) << width << " " << peak << ": not torn";
    }
}

}  // namespace
}  // namespace convoscope::test
