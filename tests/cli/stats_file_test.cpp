#include "app/cli/stats_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "kernels/text/error.h"
#include "tests/cli/folder.h"

namespace convoscope {
namespace {

using nlohmann::json;
using testing::HasSubstr;

Stats sample() {
  Stats stats;
  stats.source.name = "clip.mp4";
  stats.source.description = "H.264, 64 × 48";
  stats.backend = "cpu";
  stats.device.name = "A processor";
  stats.renderer = "llvmpipe";
  stats.frames_shown = 20;
  stats.frames_dropped = 1;
  for (int i = 1; i <= 20; ++i) stats.steps.decode.add(i);
  PaneStats pane;
  pane.strategy = "constant";
  pane.filter = "gaussian:radius=4";
  pane.border = Border::wrap;
  for (int i = 0; i < 5; ++i) pane.kernel.add(2.0);
  pane.cost.flop = 4e9;
  pane.cost.dram_bytes = 8e6;
  pane.kernels.push_back({.name = "filter_constant", .grid_x = 3, .block_x = 32, .registers = 40});
  stats.panes.push_back(pane);
  pane.strategy = "winograd";
  pane.problem = "takes only 3×3 filters";
  pane.kernel.clear();
  stats.panes.push_back(pane);
  return stats;
}

TEST(StatsFile, HasTheFiguresOfEveryStageAndStrategy) {
  const json out = json::parse(stats_json(sample()));
  EXPECT_EQ(out["source"], "clip.mp4");
  EXPECT_EQ(out["strategy"], "constant");
  EXPECT_EQ(out["filter"], "gaussian:radius=4");
  EXPECT_EQ(out["backend"], "cpu");
  EXPECT_EQ(out["device"]["name"], "A processor");
  EXPECT_EQ(out["renderer"], "llvmpipe");
  EXPECT_EQ(out["frames_shown"], 20);
  EXPECT_EQ(out["frames_dropped"], 1);
  for (const char* stage : {"decode", "upload", "convert", "interop", "draw", "frame"})
    for (const char* figure : {"median_ms", "p05_ms", "p95_ms", "p99_ms", "min_ms", "count"})
      EXPECT_TRUE(out["stages"][stage][figure].is_number()) << stage << " " << figure;
  EXPECT_EQ(out["stages"]["decode"]["count"], 20);
  EXPECT_EQ(out["stages"]["decode"]["min_ms"], 1);
  EXPECT_NEAR(out["stages"]["decode"]["median_ms"].get<double>(), 10.5, 0.51);

  ASSERT_EQ(out["strategies"].size(), 2u);
  const json& pane = out["strategies"][0];
  EXPECT_EQ(pane["border"], "wrap");
  EXPECT_EQ(pane["median_ms"], 2.0);
  EXPECT_DOUBLE_EQ(pane["gb_s"].get<double>(), 4.0);        // 8 MB in 2 ms
  EXPECT_DOUBLE_EQ(pane["gflop_s"].get<double>(), 2000.0);  // 4 GFLOP in 2 ms
  EXPECT_EQ(pane["model"]["flop"], 4e9);
  EXPECT_EQ(pane["kernels"][0]["registers"], 40);
  EXPECT_EQ(out["strategies"][1]["problem"], "takes only 3×3 filters");
  EXPECT_EQ(out["strategies"][1]["gb_s"], 0.0);
}

TEST(StatsFile, IntervalsAndSpeedUpsWhereThereAreSome) {
  Stats stats = sample();
  stats.panes[0].median_interval = Interval{1.9, 2.1};
  stats.panes[1].speed_up = SpeedUp{1.5, {1.4, 1.6}, true};
  stats.limits.copy_bytes_per_second = 4e12;
  stats.health.absent_because = "No library.";
  json out = json::parse(stats_json(stats));
  EXPECT_EQ(out["strategies"][0]["median_low_ms"], 1.9);
  EXPECT_EQ(out["strategies"][0]["median_high_ms"], 2.1);
  EXPECT_TRUE(out["strategies"][0]["speed_up"].is_null());
  EXPECT_TRUE(out["strategies"][1]["median_low_ms"].is_null());
  EXPECT_EQ(out["strategies"][1]["speed_up"], (json{{"factor", 1.5}, {"low", 1.4}, {"high", 1.6}, {"seen", true}}));
  EXPECT_EQ(out["limits"]["copy_bytes_per_second"], 4e12);
  EXPECT_EQ(out["health"]["present"], false);
  EXPECT_EQ(out["health"]["absent_because"], "No library.");
  stats.health.present = stats.health.clocks_moved = true;
  out = json::parse(stats_json(stats));
  EXPECT_EQ(out["health"]["clocks_moved"], true);
}

TEST(StatsFile, SoundWhereThereIsSome) {
  Stats stats = sample();
  EXPECT_FALSE(json::parse(stats_json(stats)).contains("sound"));
  stats.sound.has_sound = true;
  stats.sound.card = "default";
  stats.sound.rate = 48000;
  EXPECT_EQ(json::parse(stats_json(stats))["sound"]["card"], "default");
  EXPECT_FALSE(json::parse(stats_json(stats))["sound"].contains("filter"));
  stats.sound.filter.strategy = "cpu-fft";
  stats.sound.filter.block_ms = 21;
  stats.sound.filter.times.add(0.25);
  stats.sound.filter.trials.resize(2);
  stats.sound.filter.trials[0].strategy = "constant";
  stats.sound.filter.trials[1].reason = "No.";
  const json filter = json::parse(stats_json(stats))["sound"]["filter"];
  EXPECT_EQ(filter["strategy"], "cpu-fft");
  EXPECT_EQ(filter["median_ms"], 0.25);
  EXPECT_EQ(filter["block_ms"], 21);
  EXPECT_EQ(filter["compared"][0]["strategy"], "constant");
  EXPECT_EQ(filter["compared"][1]["reason"], "No.");
}

TEST(StatsFile, AnEmptyRunIsStillJson) {
  const json out = json::parse(stats_json(Stats{}));
  EXPECT_EQ(out["strategy"], "");
  EXPECT_TRUE(out["strategies"].empty());
}

TEST(StatsFile, NamesThatAreNotUtf8AreWrittenAnyway) {
  Stats stats = sample();
  stats.source.name = "clip\xff.mp4";
  EXPECT_THAT(json::parse(stats_json(stats))["source"].get<std::string>(), HasSubstr("clip"));
}

TEST(StatsFile, IsWrittenOrSaysWhyNot) {
  const Folder folder;
  write_stats(sample(), folder / "stats.json");
  EXPECT_EQ(json::parse(folder.read("stats.json"))["strategy"], "constant");
  try {
    write_stats(sample(), folder / "none/stats.json");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("none/stats.json"));
  }
}

TEST(TimingTable, IsAlignedAndSaysWhatDidNotRun) {
  const std::string table = timing_table(sample());
  for (const char* part : {"clip.mp4", "20 shown, 1 dropped", "decode", "constant", "2.000", "winograd: takes only"})
    EXPECT_THAT(table, HasSubstr(part));
  EXPECT_EQ(table.back(), '\n');
}

}  // namespace
}  // namespace convoscope
