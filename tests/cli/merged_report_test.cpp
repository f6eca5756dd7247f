// convoscope report: files of several machines, side by side.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/cli/experiment/experiment_json.h"
#include "app/cli/experiment/merged.h"
#include "tests/cli/experiment_samples.h"
#include "tests/cli/folder.h"
#include "tests/error_of.h"

namespace convoscope {
namespace {

using nlohmann::ordered_json;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

ordered_json merged_sample_row(const std::string& strategy, int radius, double ms, double spread = 0.1) {
  return {{"kind", "image"},
          {"strategy", strategy},
          {"tuning", {{"threads", 0}}},
          {"filter", "gaussian"},
          {"rx", radius},
          {"ry", radius},
          {"format", "rgba8"},
          {"border", "replicate"},
          {"width", 640},
          {"height", 480},
          {"verified", true},
          {"median_ms", ms},
          {"copy_ms", 1},
          {"median_low_ms", ms - spread},
          {"median_high_ms", ms + spread},
          {"times_copy", ms},
          {"fraction_of_roofline", 0.5}};
}

std::string bench_file(const std::string& date, const ordered_json& driver, const std::vector<ordered_json>& rows) {
  ordered_json device{{"name", "A GPU"}, {"backend", "cuda"}};
  if (!driver.is_null()) device["driver"] = driver;
  return ordered_json{{"program", "1.0"}, {"device", device}, {"date", date}, {"rows", rows}}.dump();
}

std::vector<Machine> machines_in(const Folder& folder, const std::vector<std::string>& texts, int* left_out = nullptr) {
  std::vector<MergedRun> runs;
  for (std::size_t i = 0; i < texts.size(); ++i)
    for (MergedRun& run : read_measurements(folder.write("f" + std::to_string(i) + ".json", texts[i]), left_out))
      runs.push_back(std::move(run));
  return machines_of(std::move(runs));
}

TEST(MergedReport, SaysFromWhichRadiusOnAStrategyWins) {
  const Folder folder;
  const std::vector<Machine> machines = machines_in(
      folder, {bench_file("2026-11-30", "580.95.05",
                          {merged_sample_row("a", 8, 9), merged_sample_row("b", 8, 3), merged_sample_row("a", 1, 1),
                           merged_sample_row("b", 1, 2), merged_sample_row("a", 2, 2), merged_sample_row("b", 2, 2.1),
                           merged_sample_row("a", 4, 4), merged_sample_row("b", 4, 3)})});
  ASSERT_EQ(machines.size(), 1u);
  const std::vector<Crossings> crossings = crossings_of(machines[0].newest);
  ASSERT_EQ(crossings.size(), 1u);
  EXPECT_EQ(crossings_text(crossings[0]), "1: a; 2: a or b; from 4 on: b") << "at 2 the intervals overlap";
  EXPECT_DOUBLE_EQ(crossings[0].points.back().next->time.ms / crossings[0].points.back().fastest[0]->time.ms, 3);
}

TEST(MergedReport, SaysWhatHasChangedSinceTheLast) {
  const Folder folder;
  const std::vector<Machine> machines = machines_in(
      folder, {bench_file("2026-11-30", "580.95.05", {merged_sample_row("a", 1, 2), merged_sample_row("b", 1, 3.05)}),
               bench_file("2026-11-01", nullptr, {merged_sample_row("a", 1, 4), merged_sample_row("b", 1, 3)})});
  ASSERT_EQ(machines.size(), 1u) << "one device, twice";
  EXPECT_EQ(machines[0].newest.date, "2026-11-30");
  const std::vector<Change> changes = changes_of(machines[0]);
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_EQ(changes[0].after->strategy, "a");
  EXPECT_DOUBLE_EQ(changes[0].factor, 0.5);
  EXPECT_TRUE(changes[0].told_apart);
  EXPECT_FALSE(changes[1].told_apart);
  EXPECT_THAT(remarks_on(machines, 0), ElementsAre("f1.json does not say under which driver its rows were measured."));
  const std::string page = merged_page(machines, 0);
  EXPECT_THAT(page, HasSubstr("1 of 2 times changed by more than their intervals"));
  EXPECT_THAT(page, HasSubstr("not recorded"));
  EXPECT_EQ(merged_json(machines, 0)["machines"][0]["changes"][0]["factor"], 0.5);
}

TEST(MergedReport, TakesWhatAnExperimentHasWritten) {
  const Folder folder;
  const Experiment experiment = sample_experiment();
  ordered_json json = experiment_json(experiment, sample_results(experiment, {6, 2}, 0.5));
  int rx = 1;
  for (ordered_json& row : json["rows"])
    row.update(
        {{"strategy", row["mean_ms"] == 6 ? "a" : "b"}, {"rx", rx++ / 2}, {"statistic", "mean"}, {"backend", "cpu"}});
  const std::vector<Machine> machines = machines_in(folder, {json.dump()});
  ASSERT_EQ(machines.size(), 1u);
  EXPECT_EQ(machines[0].device, "A <CPU>");
  EXPECT_EQ(machines[0].newest.rows.size(), 4u);
  EXPECT_DOUBLE_EQ(machines[0].newest.rows[0].time.ms, 6);
  EXPECT_THAT(merged_page(machines, 0), HasSubstr("A &lt;CPU&gt; (CPU)"));
}

TEST(MergedReport, WhatIsNoMeasurementIsRefusedOrLeftOutAndCounted) {
  const Folder folder;
  const auto refusal = [&](const std::string& text) { return error_of([&] { machines_in(folder, {text}); }); };
  EXPECT_THAT(refusal("{"), HasSubstr("not valid JSON"));
  EXPECT_THAT(refusal("[]"), HasSubstr("has no list of rows"));
  EXPECT_THAT(refusal(R"({"rows": []})"), HasSubstr("No row"));
  EXPECT_THAT(refusal(R"({"rows": [1, null, {"strategy": 7}], "device": "x"})"), HasSubstr("No row"));
  EXPECT_THAT(refusal(R"({"rows": [{"strategy": "a", "median_ms": 1}], "measured_on": {"cpu": 3}})"),
              HasSubstr("No row"));
  int left_out = 0;
  const std::vector<Machine> machines = machines_in(
      folder, {R"({"rows": [{"strategy": "a", "median_ms": 1, "rx": 1e99}, {"strategy": "b"}, 3]})"}, &left_out);
  EXPECT_EQ(left_out, 2);
  EXPECT_THAT(remarks_on(machines, left_out), Contains("2 rows without a strategy or a time were left out."));
  EXPECT_THAT(remarks_on(machines, left_out), Contains("f0.json does not say on which device it was measured."));
  EXPECT_THAT(merged_page(machines, left_out), HasSubstr("</html>"));
}

}  // namespace
}  // namespace convoscope
