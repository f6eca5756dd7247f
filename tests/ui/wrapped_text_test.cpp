#include "app/ui/parts/wrapped_text.h"

#include <gtest/gtest.h>

namespace convoscope::test {
namespace {

TEST(FirstLines, TellThatThereIsMore) {
  EXPECT_EQ(ui::first_lines("a\nb\nc", 2), "a\nb…");
  EXPECT_EQ(ui::first_lines("a\nb\nc", 3), "a\nb\nc");
  EXPECT_EQ(ui::count_lines("a\nb\nc"), 3);
}

}  // namespace
}  // namespace convoscope::test
