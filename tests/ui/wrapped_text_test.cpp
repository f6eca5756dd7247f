#include "app/ui/parts/wrapped_text.h"

#include <gtest/gtest.h>

#include "app/ui/parts/widgets.h"
#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

TEST(FirstLines, TellThatThereIsMore) {
  EXPECT_EQ(ui::first_lines("a\nb\nc", 2), "a\nb…");
  EXPECT_EQ(ui::first_lines("a\nb\nc", 3), "a\nb\nc");
  EXPECT_EQ(ui::count_lines("a\nb\nc"), 3);
}

TEST(Wrapped, ANumberIsNotPartedFromItsPercentSign) {
  Harness ui;
  ui.frame(2);
  const std::string text = "by up to 0.022 % of the largest";
  const float as_far_as_the_number = ui::text_size(ui::Font::body, "by up to 0.022").x + 1;
  EXPECT_TRUE(ui::wrapped(ui::Font::body, text, as_far_as_the_number).starts_with("by up to\n0.022 %"));
}

}  // namespace
}  // namespace convoscope::test
