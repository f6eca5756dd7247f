#include "app/draw_pace.h"

#include <gtest/gtest.h>

namespace convoscope {
namespace {

TEST(DrawPace, WhatInputAsksForIsDrawnAtOnceHoweverLongADrawingTakes) {
  DrawPace pace;
  pace.input(0);
  for (const double now : {0.0, 1.0, 2.0}) {  // a pixel is clicked, it is fetched, and what is said of it is seen
    EXPECT_EQ(pace.pause(now, {}), 0) << now;
    pace.drew(now);
  }
  EXPECT_GT(pace.pause(2.9, {}), 1) << "then it rests";
}

TEST(DrawPace, GoesAtTheDisplaysRateWhileAPersonIsAtIt) {
  DrawPace pace;
  pace.input(10);
  double now = 10;
  int drawings = 0;
  for (; pace.pause(now, {}) < 0.02; ++drawings) {
    now += pace.pause(now, {});
    pace.drew(now);
  }
  EXPECT_GT(drawings, 10);
  EXPECT_GT(now, 10.2);
  EXPECT_LT(now, 11);
}

TEST(DrawPace, RestsUntilThereIsNews) {
  DrawPace pace;
  pace.drew(0);
  EXPECT_GT(pace.pause(0.1, {}), 1);
  EXPECT_EQ(pace.pause(0.1, {.news = true}), 0);
  EXPECT_EQ(pace.pause(0.1, {.moving = true}), 0);
  EXPECT_LT(pace.pause(0.05, {.counting = true}), 0.1);
}

}  // namespace
}  // namespace convoscope
