// An option is one row: help, parsing, the manual page and completion have nothing else.
#include "app/cli/options/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "app/cli/command_tables.h"
#include "kernels/text/error.h"
#include "tests/error_of.h"

namespace convoscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Rows that note in which order they are read.
Command noting(std::vector<std::string>& read) {
  const auto note = [&read](Reading& at) { read.push_back(at.option + " " + (at.has(at.option) ? at.text() : "")); };
  return {"try", "Tries.", "",
          joined_blocks({block("Late", Turn::late, {{"--tune", "N", "What is tuned", note}}),
                         block("Usual", Turn::usual,
                               {{"--colour", "NAME", "Which colour", note}, {"--size", "N", "How large", note}}),
                         block("Options", Turn::input, {{"INPUT", "", "What is played", note}})})};
}

std::optional<std::string> collected(const Command& command, std::vector<const char*> argv, Texts& texts) {
  argv.insert(argv.begin(), "try");
  return collect(command, static_cast<int>(argv.size()), argv.data(), texts);
}

TEST(Options, AreReadFromTheirRowsTurnByTurn) {
  std::vector<std::string> read;
  const Command command = noting(read);
  Texts texts;
  ASSERT_FALSE(collected(command, {"--tune", "1", "--size=3", "a.mp4", "--size", "4"}, texts));
  Invocation invocation;
  Reading at{texts, invocation};
  read_all(command.options, at);
  EXPECT_THAT(read, ElementsAre("INPUT a.mp4", "--size 4", "--tune 1")) << "the last one counts, what is not there not";
}

TEST(Options, AreSaidByTheirRows) {
  std::vector<std::string> read;
  Texts texts;
  const std::optional<std::string> help = collected(noting(read), {"--help"}, texts);
  ASSERT_TRUE(help);
  for (const char* const said : {"Tries.", "Late:", "--tune N", "What is tuned", "INPUT", "What is played", "--help"})
    EXPECT_THAT(*help, HasSubstr(said));
  Texts others;
  EXPECT_THAT(error_of([&] {
                collected(noting(read), {"--color", "red"}, others);
              }),
              HasSubstr("Did you mean '--colour'?"));
}

TEST(Options, AreWholeInEveryCommand) {
  for (const auto command : {window_command, list_command, verify_command, bench_command, filter_command, grade_command,
                             new_kernel_command, doctor_command}) {
    const Command made = command();
    std::set<std::string> names;
    for (const Option& row : made.options) {
      EXPECT_TRUE(names.insert(row.key()).second) << made.name << " has " << row.key() << " twice";
      EXPECT_TRUE(row.read) << made.name << " " << row.key();
      EXPECT_FALSE(row.help.empty() || row.group.empty()) << made.name << " " << row.key();
      EXPECT_FALSE(row.words && row.words().empty()) << row.key();
    }
  }
}

}  // namespace
}  // namespace convoscope
