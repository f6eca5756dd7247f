#include "app/gl/compositor/layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/state/difference.h"

namespace convoscope {

void PrintTo(const Rectangle& r, std::ostream* out) {
  *out << "{" << r.x << ", " << r.y << ", " << r.width << " x " << r.height << "}";
}

namespace {

MATCHER_P4(IsRectangle, x, y, width, height, "") {
  return arg.x == x && arg.y == y && arg.width == width && arg.height == height;
}

Composition in_area(View view, Rectangle area) {
  Composition composition;
  composition.view = view;
  composition.area = area;
  if (view == View::split) composition.picture_aspect = area.width / area.height;  // nothing is beside it
  return composition;
}

TEST(PaneRectangle, IsTheWholeAreaUnlessInAGrid) {
  const Rectangle area{100, 50, 800, 600};
  for (const View view : {View::single, View::split, View::difference, View::blink})
    EXPECT_THAT(pane_rectangle(in_area(view, area), 1, 3), IsRectangle(100, 50, 800, 600));
  EXPECT_THAT(pane_rectangle(in_area(View::grid, area), 0, 1), IsRectangle(100, 50, 800, 600));
}

TEST(PaneRectangle, GridOfTwoLiesSideBySideInAWideArea) {
  const Composition wide = in_area(View::grid, {10, 20, 1006, 300});
  EXPECT_THAT(pane_rectangle(wide, 0, 2), IsRectangle(10, 20, 500, 300));
  EXPECT_THAT(pane_rectangle(wide, 1, 2), IsRectangle(516, 20, 500, 300));
}

TEST(PaneRectangle, GridOfTwoIsStackedInATallArea) {
  const Composition tall = in_area(View::grid, {0, 0, 300, 806});
  EXPECT_THAT(pane_rectangle(tall, 0, 2), IsRectangle(0, 0, 300, 400));
  EXPECT_THAT(pane_rectangle(tall, 1, 2), IsRectangle(0, 406, 300, 400));
}

// Beside an open sheet: in one column they would be larger by a hundredth, and their cards would lie on them.
TEST(PaneRectangle, GridOfFourIsNoColumnWhereASquareIsNearlyAsLarge) {
  const Composition composition = in_area(View::grid, {0, 0, 1216, 1380});
  EXPECT_EQ(pane_rectangle(composition, 1, 4).y, 0);
  EXPECT_EQ(pane_rectangle(composition, 2, 4).x, 0);
  EXPECT_THAT(pane_rectangle(in_area(View::grid, {0, 0, 1606, 306}), 4, 5), IsRectangle(1290, 0, 316, 306));
}

// Three of 4:3 in the stage that large text leaves: one above another they would be smaller.
TEST(PaneRectangle, TheGridIsThatOfTheLargestPictures) {
  Composition composition = in_area(View::grid, {0, 0, 928, 910});
  for (const double aspect : {4.0 / 3, 1.0, 9.0 / 16}) {
    composition.picture_aspect = aspect;
    const Rectangle cell = pane_rectangle(composition, 0, 3);
    const auto height_in = [&](float columns, float rows) {
      return std::min((928 + 6) / columns - 6, static_cast<float>(((910 + 6) / rows - 6) * aspect)) / aspect;
    };
    const double shown = std::min<double>(cell.width, cell.height * aspect) / aspect;
    for (const auto& [columns, rows] : {std::pair{1.0f, 3.0f}, {2.0f, 2.0f}, {3.0f, 1.0f}})
      EXPECT_GE(shown, 0.95 * height_in(columns, rows) - 1) << aspect << ": " << columns << " columns";
  }
}

// A window of 1280 × 800 with the projector's large text: what the side panel and the transport leave is about as high
// as it is wide, and three below one another are an eighth larger than two above one. Without the panels it is the
// other way round.
TEST(PaneRectangle, ThreePanesInAProjectorsWindowLieWhereTheyAreLargest) {
  Composition composition = in_area(View::grid, {0, 0, 743, 710});
  composition.picture_aspect = 16.0 / 9;
  EXPECT_THAT(pane_rectangle(composition, 1, 3), IsRectangle(0, 239, 743, 232))
      << "pictures of 414 × 233, not 368 × 207";
  composition.area = {0, 0, 1280, 800};
  EXPECT_THAT(pane_rectangle(composition, 1, 3), IsRectangle(643, 0, 637, 397)) << "of 637 × 358, not 466 × 262";
}

TEST(PaneRectangle, CentresAnIncompleteLastRow) {
  const Composition composition = in_area(View::grid, {0, 0, 1606, 906});
  EXPECT_THAT(pane_rectangle(composition, 0, 3), IsRectangle(0, 0, 800, 450));
  EXPECT_THAT(pane_rectangle(composition, 1, 3), IsRectangle(806, 0, 800, 450));
  EXPECT_THAT(pane_rectangle(composition, 2, 3), IsRectangle(403, 456, 800, 450));
}

TEST(PaneRectangle, GridCellsNeverOverlapAndStayInside) {
  for (int count = 1; count <= 9; ++count) {
    const Composition composition = in_area(View::grid, {7, 3, 1283, 717});
    for (int i = 0; i < count; ++i) {
      const Rectangle a = pane_rectangle(composition, i, count);
      EXPECT_GT(a.width * a.height, 50000) << count << " panes, pane " << i;
      EXPECT_GE(a.x, 7);
      EXPECT_GE(a.y, 3);
      EXPECT_LE(a.x + a.width, 7 + 1283);
      EXPECT_LE(a.y + a.height, 3 + 717);
      for (int j = 0; j < i; ++j) {
        const Rectangle b = pane_rectangle(composition, j, count);
        EXPECT_TRUE(a.x >= b.x + b.width || b.x >= a.x + a.width || a.y >= b.y + b.height || b.y >= a.y + a.height);
      }
    }
  }
}

TEST(PictureRectangle, FitsAndCentres) {
  const Composition composition;
  EXPECT_THAT(picture_rectangle({0, 0, 1000, 500}, composition, 200, 200), IsRectangle(250, 0, 500, 500));
  EXPECT_THAT(picture_rectangle({10, 20, 400, 500}, composition, 200, 100), IsRectangle(10, 170, 400, 200));
}

TEST(PictureRectangle, RespectsThePixelAspect) {
  Composition composition;
  composition.pixel_aspect = 2;
  EXPECT_THAT(picture_rectangle({0, 0, 400, 400}, composition, 100, 100), IsRectangle(0, 100, 400, 200));
  composition.pixel_aspect = 0.5;
  EXPECT_THAT(picture_rectangle({0, 0, 400, 400}, composition, 100, 100), IsRectangle(100, 0, 200, 400));
}

TEST(PictureRectangle, ZoomKeepsTheCentreInTheMiddleOfThePane) {
  Composition composition;
  composition.zoom = {.scale = 4, .centre_x = 0.25, .centre_y = 0.75};
  // 4 × the fit of 400 × 200: 1600 × 800; a quarter of the width left of the pane's middle (200, 100).
  EXPECT_THAT(picture_rectangle({0, 0, 400, 200}, composition, 100, 50), IsRectangle(-200, -500, 1600, 800));
}

TEST(PictureRectangle, IsOfWholePixels) {
  Composition composition;
  composition.zoom = {.scale = 1.37, .centre_x = 0.313, .centre_y = 0.717};
  const Rectangle r = picture_rectangle({3, 5, 777, 431}, composition, 1917, 1079);
  for (const float value : {r.x, r.y, r.width, r.height}) EXPECT_EQ(value, std::round(value));
}

TEST(PictureRectangle, OfNothingIsEmpty) {
  EXPECT_THAT(picture_rectangle({0, 0, 100, 100}, {}, 0, 0), IsRectangle(0, 0, 0, 0));
}

TEST(VisibleRectangle, SplitCutsAtTheWipe) {
  Composition composition = in_area(View::split, {100, 10, 400, 300});
  composition.split.lines = {0.25};
  EXPECT_THAT(visible_rectangle(composition, 0, 2), IsRectangle(100, 10, 100, 300));
  EXPECT_THAT(visible_rectangle(composition, 1, 2), IsRectangle(200, 10, 300, 300));
}

TEST(VisibleRectangle, SplitOfManyPanesCoversTheAreaWithoutGaps) {
  for (const std::vector<double>& lines :
       {std::vector<double>{}, {0.0, 0.0, 0.0, 0.0}, {0.2, 0.31, 0.32, 0.9}, {0.5, 0.4, 0.3, 1.0}, {1, 1, 1, 1}}) {
    Composition composition = in_area(View::split, {0, 0, 901, 300});
    composition.split.lines = lines;
    float x = 0;
    for (int i = 0; i < 5; ++i) {
      const Rectangle slice = visible_rectangle(composition, i, 5);
      EXPECT_GE(slice.width, 0);
      EXPECT_TRUE(slice.width == 0 || slice.x == x);
      x += slice.width;
    }
    EXPECT_EQ(x, 901);
  }
}

TEST(VisibleRectangle, SplitTurnsWithItsAngle) {
  Composition composition = in_area(View::split, {100, 10, 400, 300});
  composition.split = {90, {0.25}};  // level, the first pane on top
  EXPECT_THAT(visible_rectangle(composition, 0, 2), IsRectangle(100, 10, 400, 75));
  composition.split = {180, {0.25}};  // the first pane on the right
  EXPECT_THAT(visible_rectangle(composition, 0, 2), IsRectangle(400, 10, 100, 300));
  composition.split = {-90, {0.25}};
  EXPECT_THAT(visible_rectangle(composition, 1, 2), IsRectangle(100, 10, 400, 225));
}

// A picture from a phone in a wide window: what is beside it is no pane's share of the picture.
TEST(VisibleRectangle, SplitPartsThePictureAndNotWhatIsBesideIt) {
  Composition composition = in_area(View::split, {100, 10, 920, 480});
  composition.picture_aspect = 0.5;  // 240 × 480, from 440 on
  EXPECT_THAT(fitted_rectangle(composition), IsRectangle(440, 10, 240, 480));
  EXPECT_THAT(visible_rectangle(composition, 0, 4), IsRectangle(100, 10, 400, 480));
  EXPECT_THAT(visible_rectangle(composition, 1, 4), IsRectangle(500, 10, 60, 480));
  EXPECT_THAT(visible_rectangle(composition, 3, 4), IsRectangle(620, 10, 400, 480));
  composition.split.angle = 90;
  composition.picture_aspect = 4;  // 920 × 230, from 135 on
  EXPECT_THAT(visible_rectangle(composition, 0, 2), IsRectangle(100, 10, 920, 240));
  composition.split.lines = {0.1};
  EXPECT_THAT(visible_rectangle(composition, 0, 2), IsRectangle(100, 10, 920, 148));
}

// At any angle every pixel belongs to exactly one pane, and lies in that pane's box.
TEST(PaneSlice, PartsTheAreaAtAnyAngle) {
  for (int angle = -180; angle <= 360; angle += 15) {
    Composition composition = in_area(View::split, {40, 30, 320, 200});
    composition.split = {static_cast<double>(angle), {0.2, 0.3, 0.7}};
    for (float y = 30.5f; y < 230; y += 7)
      for (float x = 40.5f; x < 360; x += 7) {
        int owners = 0;
        for (int i = 0; i < 4; ++i) {
          const Slice slice = pane_slice(composition, i, 4);
          const float along = slice.x * x + slice.y * y;
          if (along < slice.low || along >= slice.high) continue;
          ++owners;
          const Rectangle box = visible_rectangle(composition, i, 4);
          EXPECT_TRUE(x > box.x && x < box.x + box.width && y > box.y && y < box.y + box.height) << angle;
        }
        EXPECT_EQ(owners, 1) << angle << ": " << x << ", " << y;
      }
  }
}

TEST(PictureLook, OfAWallIsItsMapsWhoseValuesAreNoPixels) {
  const Wall wall{.maps = 6, .map_width = 96, .map_height = 54, .width = 96, .height = 54};  // 3 × 2 cells of 32 × 18
  const PictureLook look = look_of(wall);
  EXPECT_THAT(look.part, IsRectangle(0, 9 / 54.0f, 95 / 96.0f, 35 / 54.0f));
  EXPECT_FALSE(look.pixels);
  Wall alone = wall;
  alone.alone = 2;
  EXPECT_EQ(look_of(alone), PictureLook());
  alone.map_width = 48;  // of stride 2: a value has several pixels
  EXPECT_FALSE(look_of(alone).pixels);
}

TEST(PaneAt, IsOnItsSideOfASlantedLine) {
  Composition composition = in_area(View::split, {0, 0, 400, 400});
  composition.split = {45, {0.25, 0.5}};  // x + y = 200 and x + y = 400
  EXPECT_EQ(pane_at(composition, 3, 190, 5), 0);
  EXPECT_EQ(pane_at(composition, 3, 5, 190), 0);
  EXPECT_EQ(pane_at(composition, 3, 205, 5), 1);
  EXPECT_EQ(pane_at(composition, 3, 5, 390), 1);
  EXPECT_EQ(pane_at(composition, 3, 390, 15), 2);
  EXPECT_EQ(pane_at(composition, 3, 15, 390), 2);
  EXPECT_EQ(pane_at(composition, 3, 401, 5), -1);
}

TEST(VisibleRectangle, DifferenceShowsTheTwoThatAreCompared) {
  Composition composition = in_area(View::difference, {0, 0, 100, 100});
  composition.difference.first = 3;
  composition.difference.second = 1;
  for (int i = 0; i < 4; ++i) EXPECT_EQ(visible_rectangle(composition, i, 4).width, i == 1 || i == 3 ? 100 : 0);
  EXPECT_EQ(compared_panes({.first = 8, .second = 9}, 4).first, 3) << "panes that are gone: near ones";
  EXPECT_EQ(compared_panes({.first = 8, .second = 9}, 4).second, 0);
  EXPECT_EQ(compared_panes({.first = 0, .second = 0}, 2).second, 1);
}

TEST(VisibleRectangle, SplitOfThreeInTheMiddleIsEven) {
  Composition composition = in_area(View::split, {0, 0, 900, 300});
  EXPECT_THAT(visible_rectangle(composition, 1, 3), IsRectangle(300, 0, 300, 300));
}

TEST(VisibleRectangle, OnePaneShowsInSingleAndBlink) {
  Composition composition = in_area(View::single, {0, 0, 100, 100});
  composition.active = 2;
  for (int i = 0; i < 4; ++i) EXPECT_EQ(visible_rectangle(composition, i, 4).width, i == 2 ? 100 : 0);
  composition.active = 17;  // a pane that is gone: the last one
  EXPECT_EQ(visible_rectangle(composition, 3, 4).width, 100);
  composition.view = View::blink;
  composition.seconds = 1.6;
  for (int i = 0; i < 4; ++i) EXPECT_EQ(visible_rectangle(composition, i, 4).width, i == 3 ? 100 : 0);
}

TEST(BlinkingPane, ChangesAfterItsTime) {
  EXPECT_EQ(blinking_pane(0, 0.5, 2), 0);
  EXPECT_EQ(blinking_pane(0.499, 0.5, 2), 0);
  EXPECT_EQ(blinking_pane(0.5, 0.5, 2), 1);
  EXPECT_EQ(blinking_pane(1.0, 0.5, 2), 0);
  EXPECT_EQ(blinking_pane(1e6 + 0.75, 0.5, 2), 1);
  EXPECT_EQ(blinking_pane(1.25, 0.5, 3), 2);
  EXPECT_EQ(blinking_pane(1.25, 2, 3), 0);
  EXPECT_EQ(blinking_pane(5, 2, 3), 2);
  EXPECT_EQ(blinking_pane(5, 0.5, 1), 0);
  EXPECT_EQ(blinking_pane(5, 0.5, 0), 0);
  EXPECT_EQ(blinking_pane(5, 0, 3), 0);
}

}  // namespace
}  // namespace convoscope
