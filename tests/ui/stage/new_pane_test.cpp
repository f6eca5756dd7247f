// Where a new pane goes.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "app/ui/parts/key_codes.h"
#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

TEST(Panes, ANewOneComesNextAfterTheActiveOneAndIsShown) {
  Harness ui(panes_sample(3));
  ui.settings.group().view = View::difference;
  ui.settings.difference.first = 0;
  ui.settings.difference.second = 2;
  ui.settings.group().active_pane = 0;
  const std::vector<PaneSettings> before = ui.settings.group().panes;
  ui.key('D', ui::key::control);
  ASSERT_EQ(ui.settings.group().panes.size(), 4u);
  EXPECT_EQ(ui.settings.group().active_pane, 1);
  for (const auto& [old, now] : {std::pair{0, 0}, {1, 2}, {2, 3}})
    EXPECT_EQ(ui.settings.group().panes[now].id, before[old].id) << old;
  EXPECT_EQ(ui.settings.difference.first, 0);
  EXPECT_EQ(ui.settings.difference.second, 1) << "what is chosen for it next is seen";
}

}  // namespace
}  // namespace convoscope::test
