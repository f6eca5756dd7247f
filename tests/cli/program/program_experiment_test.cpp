// convoscope experiment and report, as a user runs them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/experiment_samples.h"
#include "tests/cli/folder.h"
#include "tests/cli/program/program.h"

namespace convoscope {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

TEST(ExperimentProgram, RunsAndIsReadAgainByReport) {
  const Folder folder;
  const std::string file = folder.write("small.json", small_experiment());
  const Outcome run = run_program({"experiment", file, "--backend", "cpu", "--json", folder / "out.json", "--html",
                                   folder / "out.html", "--csv", folder / "out.csv", "--resume", folder / "run.jsonl"},
                                  folder.path());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("Small & quick"), HasSubstr("passes"), HasSubstr("3.34 ×")));
  EXPECT_THAT(run.err, HasSubstr("1 of 4: small, cpu: 2 strategies in"));
  EXPECT_THAT(run.err, HasSubstr("2 of 4: small, cuda: skipped. It was left out by --backend cpu."));
  const json out = json::parse(folder.read("out.json"));
  EXPECT_EQ(out["rows"].size(), 4u);
  EXPECT_EQ(out["measured_on"]["cpu"]["device"]["backend"], "cpu");
  EXPECT_THAT(folder.read("out.html"), HasSubstr("</html>"));

  // A second run finds everything done, and the same numbers.
  const Outcome again = run_program(
      {"experiment", file, "--backend", "cpu", "--json", folder / "again.json", "--resume", folder / "run.jsonl"},
      folder.path());
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_THAT(again.err, HasSubstr("1 of 4: small, cpu: done before."));
  EXPECT_EQ(json::parse(folder.read("again.json"))["rows"], out["rows"]);

  const Outcome report = run_program({"report", folder / "out.json", folder / "again.json", "--html",
                                      folder / "report.html", "--json", folder / "report.json"},
                                     folder.path());
  EXPECT_EQ(report.exit_code, 0) << report.err;
  EXPECT_THAT(report.out, HasSubstr("0 of 4 times changed by more than their intervals since"));
  EXPECT_THAT(folder.read("report.html"), HasSubstr("Changes since the last time"));
  EXPECT_EQ(json::parse(folder.read("report.json"))["machines"].size(), 1u);
}

TEST(ExperimentProgram, GoesOnAfterItWasKilled) {
  const Folder folder;
  folder.write("small.json", small_experiment());
  const std::string line = "\"$CONVOSCOPE\" experiment small.json --backend cpu --resume run.jsonl";
  // As soon as the first part is kept, in the middle of what comes.
  EXPECT_NE(bash(folder.path(),
                 line + " 2>/dev/null >/dev/null & pid=$!; "
                        "for i in $(seq 3000); do grep -q measured run.jsonl 2>/dev/null && break; sleep 0.01; done; "
                        "kill -KILL $pid; wait $pid"),
            0);
  const std::string kept = folder.read("run.jsonl");
  const Outcome run = run_program(
      {"experiment", "small.json", "--backend", "cpu", "--resume", "run.jsonl", "--json", "out.json"}, folder.path());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("1 of 4: small, cpu: done before."));
  EXPECT_EQ(json::parse(folder.read("out.json"))["rows"].size(), 4u);
  EXPECT_EQ(folder.read("run.jsonl").substr(0, kept.size()), kept) << "nothing that was kept is written again";
}

TEST(ExperimentProgram, ListsItsOwnAndPrintsThem) {
  const Outcome list = run_program({"experiment", "list"}, Folder().path());
  EXPECT_EQ(list.exit_code, 0);
  EXPECT_THAT(list.out, AllOf(HasSubstr("2010-ladder"), HasSubstr("choosing")));
  const Outcome print = run_program({"experiment", "choosing", "--print"}, Folder().path());
  EXPECT_TRUE(json::parse(print.out).contains("claims"));
  EXPECT_EQ(run_program({"experiment", "no-such"}, Folder().path()).exit_code, 2);
  EXPECT_EQ(run_program({"report", "no-such.json"}, Folder().path()).exit_code, 2);
  EXPECT_THAT(run_program({"experiment"}, Folder().path()).err, HasSubstr("Say which experiment"));
}

}  // namespace
}  // namespace convoscope
