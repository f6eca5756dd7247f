#include "app/steps/draw_pace.h"

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

TEST(DrawPace, DrawsTimesOfAPictureThatStaysAfterAMoment) {
  DrawPace pace;
  pace.drew(0);
  EXPECT_GT(pace.pause(0.1, {.figures = true}), 0.2);
  EXPECT_EQ(pace.pause(2.1, {.figures = true}), 0);
}

// However large the window is, and however slow a software renderer.
TEST(DrawPace, WhatNobodyWaitsForTakesASmallShareOfACore) {
  for (const double cost : {0.01, 0.09, 0.4}) {
    DrawPace pace;
    double now = 0, spent = 0;
    pace.took(9);  // the first drawing compiles the shaders
    while (now < 300) {
      now += pace.pause(now, {.figures = true}) + cost;
      pace.drew(now);
      pace.took(cost);
      spent += cost;
    }
    EXPECT_LE(spent / now, 0.021) << cost;
    EXPECT_GE(spent / cost, 300 / 30.0) << "but it is drawn";
  }
}

TEST(DrawPace, DrawsWhatChangesByItselfThen) {
  DrawPace pace;
  pace.drew(10);
  EXPECT_NEAR(pace.pause(10.1, {.changes_at = 11}), 0.9, 1e-9);
  EXPECT_GT(pace.pause(10, {.changes_at = 10}), 0) << "not faster than any display";
  EXPECT_NEAR(pace.pause(10.1, {.changes_at = 99}), 4.9, 1e-9);
}

TEST(GpuRest, BeginsOnceNothingHasStirredForAWhile) {
  GpuRest rest;
  EXPECT_FALSE(rest.rests(0)) << "a window that has just opened";
  rest.stirred(10);
  EXPECT_FALSE(rest.rests(11));
  EXPECT_FALSE(rest.rests(14.9)) << "times come together";
  EXPECT_TRUE(rest.rests(15.1));
  EXPECT_TRUE(rest.rests(900));
  rest.stirred(900);
  EXPECT_FALSE(rest.rests(900));
}

TEST(GpuRest, LeavesOutTimesOfLowClocks) {
  GpuRest rest;
  EXPECT_TRUE(rest.is_warm(0)) << "a window that has not rested yet";
  rest.stirred(1);
  EXPECT_TRUE(rest.rests(20));
  rest.stirred(20);
  EXPECT_FALSE(rest.rests(20.1));
  EXPECT_FALSE(rest.is_warm(20.1));
  EXPECT_TRUE(rest.is_warm(21.1));
  EXPECT_FALSE(rest.rests(22)) << "and there is time for those that count";
}

// A window that rests draws seldom, one that a person uses at the display's rate.
TEST(GpuRest, TakesFewDrawings) {
  DrawPace pace;
  GpuRest rest;
  int drawings = 0;
  for (double now = 0; now < 65; ++drawings) {
    now += rest.rests(now) ? std::max(pace.pause(now, {.figures = true}), 1e-3) : 1 / 60.0;
    pace.drew(now);
    pace.took(0.002);
  }
  EXPECT_NEAR(drawings, 5 * 60 + 60 / 2, 10);
}

}  // namespace
}  // namespace convoscope
