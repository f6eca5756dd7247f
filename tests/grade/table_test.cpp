// The table of launches as text: what it says, and what is said of mistakes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/own/kernel_file.h"

namespace convoscope::own {
namespace {

using testing::HasSubstr;

std::string file_with(const std::string& table) {
  return "#include \"convoscope_kernel.h\"\nCONVOSCOPE_TABLE(" + table + ")\n";
}
const std::string launch = "launch k<Pixel>(in, out) grid (1) block (32);";

std::string error_of(const std::string& text) {
  try {
    const KernelFile file("own.cu", text);
    return "";
  } catch (const SourceError& error) {
    return std::to_string(error.place.line) + ":" + std::to_string(error.place.column) + ": " + error.what();
  }
}

long long value_of(const std::string& expression) {
  const KernelFile file("own.cu", file_with("let wanted = " + expression + "; " + launch));
  const Problem problem{.width = 37, .height = 23, .filter = {.width = 5, .height = 3}};
  return *file.names(problem, {})("wanted");
}

TEST(TableOfLaunches, KnowsArithmetic) {
  EXPECT_EQ(value_of("2 + 3 * 4"), 14);
  EXPECT_EQ(value_of("(2 + 3) * 4 - -1"), 21);
  EXPECT_EQ(value_of("ceil_div(width, 16)"), 3);
  EXPECT_EQ(value_of("width % 10 + height / 10"), 9);
  EXPECT_EQ(value_of("rx > ry && width != height ? max(rx, 7) : min(ry, 7)"), 7);
  EXPECT_EQ(value_of("ry == 0 ? 1 / (ry - 1) : 5"), 5);
  EXPECT_EQ(value_of("!(width <= 36) || 0"), 1);
}

TEST(TableOfLaunches, TellsWhereANumberIsWrong) {
  EXPECT_THAT(error_of(file_with("let a = widht; " + launch)), HasSubstr("2:26: nothing is called 'widht' here"));
  EXPECT_THAT(error_of(file_with("let a = 1 / (rx - 1); " + launch)), HasSubstr("divides by zero"));
  EXPECT_THAT(error_of(file_with("let a = 99999999 * 99999999 * 99999999; " + launch)), HasSubstr("too large"));
  EXPECT_THAT(error_of(file_with("let a = (2 + 3; " + launch)), HasSubstr("is missing here"));
  EXPECT_THAT(error_of(file_with("let a = " + std::string(500, '(') + "1; " + launch)), HasSubstr("nested too deeply"));
  EXPECT_THAT(error_of(file_with("let a = " + std::string(500, '-') + "1; " + launch)), HasSubstr("nested too deeply"));
  EXPECT_THAT(error_of(file_with("let a = " + std::string(500, '!') + "1; " + launch)), HasSubstr("nested too deeply"));
}

TEST(TableOfLaunches, TellsWhatAStatementLacks) {
  EXPECT_THAT(error_of("int x;"), HasSubstr("has to begin with #include"));
  EXPECT_THAT(error_of("#include \"convoscope_kernel.h\"\n"), HasSubstr("the table of launches is missing"));
  EXPECT_THAT(error_of(file_with("")), HasSubstr("the table has no launch"));
  EXPECT_THAT(error_of(file_with("lunch k(in);")), HasSubstr("is 'launch' meant?"));
  EXPECT_THAT(error_of(file_with("kind layer; " + launch)), HasSubstr("cannot be graded yet"));
  EXPECT_THAT(error_of(file_with("kind imag; " + launch)), HasSubstr("is 'image' meant?"));
  EXPECT_THAT(error_of(file_with("launch k(in, out) grid (1) block (32);")), HasSubstr("say the format"));
  EXPECT_THAT(error_of(file_with("tunable t = 3 of 1, 2; " + launch)), HasSubstr("one of its choices"));
  EXPECT_THAT(error_of(file_with("tunable width = 1 of 1, 2; " + launch)), HasSubstr("has a meaning already"));
  EXPECT_THAT(error_of(file_with("launch k<Pixl>(in, out) grid (1) block (32);")), HasSubstr("no template argument"));
  EXPECT_THAT(error_of(file_with(launch) + "/* "), HasSubstr("this comment has no end"));
  EXPECT_THAT(error_of("#include \"convoscope_kernel.h\"\nCONVOSCOPE_TABLE(" + launch), HasSubstr("has no end"));
}

// Whatever is cut off or put in anywhere is refused, or read; never more.
TEST(TableOfLaunches, SurvivesEveryCut) {
  const std::string whole = file_with(
      "kind image; tunable t = 2 of 1, 2 \"x\"; let a = t ? rx : (ry + 1); "
      "needs a < 9 \"small\"; fill w with taps; memory m = Wide<Pixel>[width * sets]; " +
      launch);
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    error_of(whole.substr(0, cut));
    for (const char* in : {")", "(", ";", "\"", "<", "/*", "?", "0x", "\xff"}) {
      std::string changed = whole;
      error_of(changed.insert(cut, in));
    }
  }
  EXPECT_EQ(error_of(whole), "");
}

TEST(TableOfLaunches, NamesWhatTheEmulatorCannotRun) {
  const KernelFile file("own.cu", file_with(launch) + "#include <mma.h>\nvoid f() { asm(\"x\"); }\n");
  const std::vector<SourceError> found = not_emulated(file);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].place.line, 3);
  EXPECT_THAT(found[0].what(), HasSubstr("only \"convoscope_kernel.h\" can be included"));
  EXPECT_EQ(found[1].place.line, 4);
  EXPECT_THAT(found[1].what(), HasSubstr("PTX"));
}

}  // namespace
}  // namespace convoscope::own
