// What an explanation counts: in its sheet, and drawn over the picture; and what the strategy panel says of theory.
#include <gmock/gmock.h>

#include "app/ui/explain/parts.h"
#include "app/ui/parts/key_codes.h"
#include "app/ui/parts/widgets.h"
#include "kernels/contract/theory/counts.h"
#include "kernels/contract/theory/model.h"
#include "tests/ui/harness.h"
#include "tests/ui/stage/explained_picture.h"

namespace convoscope::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class ExplainedCounts : public testing::Test {
 protected:
  ExplainedCounts() {
    harness.settings.inspect.explain = true;
    harness.settings.inspect.pinned = PixelAddress{1, 0};
    harness.stats.inspect.explained = explained("box:radius=2", Border::zero, {1, 0});
    harness.stats.source.width = 16;
    harness.stats.source.height = 12;
    harness.pictures = {{0, 0, 800, 600}};  // beside the sheet
  }
  Harness harness{typical_sample(), 1600, 1200};
};

TEST_F(ExplainedCounts, StandInTheSheet) {
  harness.frame(4);
  const Problem& p = *harness.stats.inspect.explained->problem;
  const BlockCounts block = count_block(p, harness.stats.inspect.explained->explanation);
  EXPECT_EQ(block.loads, 12 * 8);
  EXPECT_TRUE(says(std::to_string(ghost_cells(p, 1, 0)) + " of 25 inputs"));
  EXPECT_TRUE(says("96 for 32 outputs"));
  EXPECT_TRUE(says("800, 8.333 × as many"));
  EXPECT_TRUE(says("9 at a corner, 15 at an edge, 25 inside"));
}

TEST_F(ExplainedCounts, AreDrawnOverThePictureByKeyAndBySwitch) {
  InspectSettings& inspect = harness.settings.inspect;
  harness.frame(3);
  EXPECT_TRUE(harness.key('U', ui::key::shift));
  EXPECT_TRUE(inspect.uses);
  EXPECT_TRUE(harness.key('X', ui::key::shift));
  EXPECT_TRUE(inspect.tiles);
  harness.frame(3);
  // Six blocks of 8 × 4 outputs, and the corner's nine uses.
  for (const char* const number : {"0", "5", "9", "25"}) EXPECT_TRUE(is_said(number)) << number;
  EXPECT_TRUE(ui::layout_faults().empty()) << ui::layout_faults().front();
  harness.click("uses");
  harness.click("tiles");
  EXPECT_FALSE(inspect.uses);
  EXPECT_FALSE(inspect.tiles);
}

TEST_F(ExplainedCounts, OpenTheSheetWhereItIsClosed) {
  harness.settings.inspect.explain = false;
  EXPECT_TRUE(harness.key('U', ui::key::shift));
  EXPECT_TRUE(harness.settings.inspect.explain);
  EXPECT_TRUE(harness.settings.inspect.uses);
}

// The sum is 74.5: nearest-even says 74, and float32 in another order may say 75.
TEST_F(ExplainedCounts, ATieBetweenTwoCodeValuesIsSaid) {
  PixelExplanation& made = *harness.stats.inspect.explained;
  change_problem(made, [](Problem& p) {
    p.filter = parse_filter("identity").filter;
    p.filter.weights.assign(p.filter.weights.size(), 0.0f);
    p.filter.weights[p.filter.weights.size() / 2] = 0.5f;
  });
  PixelPatch one;
  one.area = {1, 0, 1, 1};
  one.pixels = {0xFF000000u | 149};
  made.inputs = {one};
  PixelPatch seen = one;
  seen.pixels = {0xFF000000u | 75};
  harness.stats.inspect.patches = {seen};
  harness.frame(4);
  EXPECT_THAT(all_said(), HasSubstr("half-way between 74 and 75"));
  seen.pixels = {0xFF000000u | 74};
  harness.stats.inspect.patches = {seen};
  harness.frame(4);
  EXPECT_THAT(all_said(), Not(HasSubstr("half-way")));
}

TEST(StrategyPanel, HasTheTableOverTileSizesAndTheAdvice) {
  Harness ui(typical_sample(), 1600, 2400);
  ui.settings.open_panels = {"strategy"};
  ui.filter() = parse_filter("gaussian:radius=2");
  PaneStats& pane = ui.stats.panes[0];
  pane.cost = tiled_cost({1920, 1080, PixelFormat::rgba8, Border::replicate, ui.filter().filter}, 16, 16);
  ui.frame(6);
  EXPECT_TRUE(drawn(ui, "tile-table"));
  for (const char* const number : {"11.11", "16", "19.75", "22.15", "25"}) EXPECT_TRUE(is_said(number)) << number;
  EXPECT_TRUE(drawn(ui, "advice"));
  EXPECT_THAT(all_said(), AllOf(HasSubstr("25 multiplications become 10: 60 % less"),
                                HasSubstr("At 5 × 5, tiles in shared memory")));
}

}  // namespace
}  // namespace convoscope::test
