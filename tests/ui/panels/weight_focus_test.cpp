// A weight that was clicked takes digits, which else pick panes: that is said, and Esc ends it.
#include <gtest/gtest.h>

#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/key_codes.h"
#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

TEST(WeightFocus, IsSaidOnceAndEscapeGivesDigitsBackToThePanes) {
  Harness ui(panes_sample(3));
  ui.settings.open_panels = {"filter"};
  ui.settings.group().active_pane = 0;
  ui.filter() = parse_filter("box:radius=1");
  ui.frame(2);
  ui.click("weights");
  ui.frame(2);
  EXPECT_EQ(ui::ui_state().feedback.text, "Digits change this weight now. Esc gives them back to the panes.");
  ui::ui_state().feedback = {};
  ui.click("weights");
  ui.frame(2);
  EXPECT_EQ(ui::ui_state().feedback.text, "") << "it is known";
  ui.key(ui::key::escape);
  ui.frame(2);
  ui.key('3');
  ui.frame(2);
  EXPECT_EQ(ui.settings.group().active_pane, 2);
  EXPECT_TRUE(ui::same_filter(ui.settings.group().panes[0].filter, parse_filter("box:radius=1")));
}

}  // namespace
}  // namespace convoscope::test
