#include <gtest/gtest.h>

#include "app/ui/keys/keys.h"
#include "app/ui/parts/tooltips.h"
#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

TEST(Palette, HasNoTooltipOfWhatItLiesOver) {
  Harness ui;
  ui.settings.open_panels = {"strategy"};
  ui.frame(3);
  ui.move_to("strategy/global");
  ui.frame(3);
  ASSERT_NE(ui::tooltip_text(), "");
  ui.key('P', ui::key::control);
  for (int i = 0; i < 4; ++i) {
    ui.frame();
    EXPECT_EQ(ui::tooltip_text(), "");
  }
  ui.key(ui::key::escape);
  ui.frame(4);
  EXPECT_NE(ui::tooltip_text(), "");
}

}  // namespace
}  // namespace convoscope::test
