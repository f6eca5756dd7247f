#include "app/cli/commands/text_table.h"

#include <gtest/gtest.h>

namespace convoscope {
namespace {

TEST(TextTable, IsAsWideAsItsCellsWhereThereIsRoom) {
  TextTable table({"Name", "MB", "What it is"}, "lrw");
  table.add({"é", "12", "one two three"});
  EXPECT_EQ(table.text(),
            "Name  MB  What it is\n"
            "────  ──  ─────────────\n"
            "é     12  one two three\n");
  EXPECT_EQ(table.text(23), table.text());
}

TEST(TextTable, WordsGoOnInTheNextLineWhereThereIsNone) {
  TextTable table({"Name", "MB\nmost", "What it is"}, "lrw");
  table.add({"with spaces", "12", "one two three"});
  table.add({"b", "3", "four"});
  EXPECT_EQ(table.text(27),
            "Name           MB  What it\n"
            "             most  is\n"
            "───────────  ────  ────────\n"
            "with spaces    12  one two\n"
            "                   three\n"
            "b               3  four\n");
  EXPECT_EQ(table.text(1), table.text(24)) << "words are not broken, nor are other columns";
}

TEST(InLines, BreaksBetweenWordsAndKeepsTheBreaksThatAreThere) {
  EXPECT_EQ(in_lines("\none two three\n  four\n", 7), "\none two\nthree\n  four\n");
  EXPECT_EQ(in_lines("unbreakable é ü", 3), "unbreakable\né ü");
  EXPECT_EQ(in_lines("", 5), "");
}

}  // namespace
}  // namespace convoscope
