// The sweep's process, files and curves. A shell script stands in for the measuring program.
#include "app/measure/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/measure/sweep_curves.h"
#include "app/measure/sweep_file.h"
#include "kernels/contract/error.h"
#include "kernels/files/output_file.h"

namespace convoscope {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class SweepTest : public testing::Test {
 protected:
  SweepTest() {
    char name[] = "/tmp/convoscope-sweep-XXXXXX";
    folder_ = mkdtemp(name);
  }
  ~SweepTest() override { std::filesystem::remove_all(folder_); }
  std::string file(const std::string& name, const std::string& text) {
    const std::string path = folder_ + "/" + name;
    std::ofstream(path) << text;
    return path;
  }
  std::string script(const std::string& commands) {
    const std::string path = file("program", "#!/bin/sh\n" + commands);
    chmod(path.c_str(), 0755);
    return path;
  }
  template <class Condition>
  std::string follow(Condition reached) {
    for (int i = 0; i < 2000; ++i) {
      if (const std::string end = sweep_.poll(stats_); !end.empty()) return end;
      if (reached()) return {};
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return "nothing came";
  }
  std::string follow_to_the_end() {
    return follow([] { return false; });
  }

  std::string folder_;
  Sweep sweep_;
  SweepStats stats_;
};

const std::string device = R"({"device":{"name":"A device"},"date":"2026-01-01"})";
std::string row(const std::string& strategy, int radius, double median, double spread = 0.01, int width = 64) {
  const nlohmann::json line{{"strategy", strategy},
                            {"filter", "gaussian:radius=" + std::to_string(radius)},
                            {"rx", radius},
                            {"format", "rgba8"},
                            {"width", width},
                            {"height", 48},
                            {"verified", true},
                            {"copy_ms", 0.5},
                            {"median_ms", median},
                            {"p05_ms", median * (1 - spread)},
                            {"p95_ms", median * (1 + spread)}};
  return line.dump();
}
const std::string refused = R"({"strategy":"winograd","filter":"gaussian:radius=2","rx":2,"width":64,"height":48,)"
                            R"("verified":false,"reason":"It takes 3 × 3, \"only\"."})";

TEST_F(SweepTest, RowsArriveAsTheyComeAndPhasesAreFollowed) {
  const std::string go = folder_ + "/go";
  const auto wait = "while [ ! -e " + go + " ]; do sleep 0.01; done\nrm " + go + "\n";
  sweep_.start(
      {{"bench"}, 2}, stats_,
      script("echo '" + device + "'\necho 'box, rgba8, 64x48: measuring' >&2\n" + wait + "echo '" + row("a", 1, 2) +
             "'\necho 'box, rgba8, 64x48: checking a' >&2\n" + wait + "echo '" + refused + "'\n"));
  EXPECT_TRUE(stats_.running);
  EXPECT_EQ(follow([&] { return sweep_.measuring() && !stats_.device.empty(); }), "");
  EXPECT_EQ(stats_.device, "A device");
  EXPECT_TRUE(stats_.measuring);
  file("go", "");
  EXPECT_EQ(follow([&] { return stats_.done == 1 && !sweep_.measuring(); }), "");
  file("go", "");
  EXPECT_EQ(follow_to_the_end(), "The sweep has measured 2 of 2 points.");
  EXPECT_FALSE(stats_.running);
  ASSERT_EQ(stats_.rows.size(), 2u);
  EXPECT_EQ(stats_.rows[0].median_ms, 2);
  EXPECT_EQ(stats_.rows[0].filter, "gaussian");
  EXPECT_FALSE(stats_.rows[1].verified);
  EXPECT_THAT(stats_.rows[1].reason, HasSubstr("3 × 3"));
}

TEST_F(SweepTest, CancellingKeepsWhatCameAndAnotherCanStart) {
  sweep_.start({{"bench"}, 9}, stats_,
               script("echo '" + device + "'\necho '" + row("a", 1, 2) + "'\nexec sleep 100\n"));
  EXPECT_EQ(follow([&] { return stats_.done == 1; }), "");
  EXPECT_THROW(sweep_.start({{"bench"}, 1}, stats_), Error);
  const auto start = std::chrono::steady_clock::now();
  sweep_.cancel();
  EXPECT_EQ(follow_to_the_end(), "The sweep was cancelled after 1 of 9 points.");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  EXPECT_EQ(stats_.rows.size(), 1u);
  sweep_.start({{"bench"}, 1}, stats_, script("echo '" + device + "'\necho '" + row("b", 1, 3) + "'\n"));
  follow_to_the_end();
  ASSERT_EQ(stats_.rows.size(), 1u);
  EXPECT_EQ(stats_.rows[0].strategy, "b");
}

TEST_F(SweepTest, AProgramThatFailsSaysWhy) {
  sweep_.start({{"bench"}, 1}, stats_, script("echo 'The device has no memory left.' >&2\nexit 2\n"));
  EXPECT_EQ(follow_to_the_end(), "The sweep ended early, after 0 of 1 points: The device has no memory left.");
  sweep_.start({{"bench"}, 1}, stats_, script("kill -SEGV $$\n"));
  EXPECT_THAT(follow_to_the_end(), HasSubstr("signal 11"));
  sweep_.start({{"bench"}, 1}, stats_, script("echo garbage\necho '{}'\necho '[1,2'\n"));
  EXPECT_THAT(follow_to_the_end(), HasSubstr("0 of 1"));
  EXPECT_THROW(sweep_.start({{"bench"}, 1}, stats_, folder_ + "/none"), Error);
  EXPECT_FALSE(sweep_.running());
}

TEST_F(SweepTest, EndsWithItsOwner) {
  SweepStats stats;
  const auto start = std::chrono::steady_clock::now();
  {
    Sweep sweep;
    sweep.start({{"bench"}, 1}, stats, script("exec sleep 100\n"));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

struct Window {
  Settings settings;
  Stats stats;
};
Window window_with(const std::vector<std::string>& strategies, const std::string& filter) {
  Window window;
  window.stats.ladder = ladder();
  window.settings.panes.resize(strategies.size());
  for (std::size_t i = 0; i < strategies.size(); ++i) window.settings.panes[i].strategy = strategies[i];
  window.settings.panes[0].filter = parse_filter(filter);
  return window;
}

TEST_F(SweepTest, OrdersWhatTheUserChose) {
  auto [settings, stats] = window_with({"cpu-direct", "cpu-parallel", "source"}, "box:radius=3");
  settings.sweep.radii = {4, 1};
  EXPECT_THROW(sweep_order(settings, stats), Error) << "the source has no size yet";
  stats.source.width = 320, stats.source.height = 200;
  SweepOrder order = sweep_order(settings, stats);
  EXPECT_EQ(order.rows, 4);
  EXPECT_THAT(order.arguments, testing::IsSupersetOf({"bench", "--lines", "cpu-direct,cpu-parallel", "320x200",
                                                      "box:radius=1", "box:radius=4"}));
  settings.sweep.sizes = {{64, 48}, {128, 96}};
  settings.sweep.strategies = {"cpu-parallel", "cpu-separable", "constant"};
  settings.panes[0].filter = parse_filter("sharpen");
  order = sweep_order(settings, stats);
  EXPECT_EQ(order.rows, 8);
  EXPECT_THAT(order.arguments,
              testing::IsSupersetOf({"cpu-parallel,cpu-separable", "64x48,128x96", "gaussian:radius=1"}));
  settings.sweep.strategies = {"constant"};
  EXPECT_THROW(sweep_order(settings, stats), Error);
  EXPECT_NE(why_no_sweep(settings, stats, sweep_strategies(settings, stats)).find("None of the chosen strategies"),
            std::string::npos);
  settings.sweep.strategies.clear();
  settings.sweep.radii.clear();
  EXPECT_THROW(sweep_order(settings, stats), Error);
  settings.sweep.radii = {1};
  stats.device.backend = Backend::emulated;
  EXPECT_THROW(sweep_order(settings, stats), Error);
}

TEST_F(SweepTest, IsSavedAndLoadedAgain) {
  const std::vector<std::string> lines{row("a", 1, 2), refused};
  const std::string path = folder_ + "/sweep.json";
  write_file(path, sweep_json(device, lines));
  const SavedSweep saved = load_sweep(path);
  EXPECT_EQ(saved.device, "A device");
  ASSERT_EQ(saved.rows.size(), 1u);
  EXPECT_EQ(saved.rows[0].strategy, "a");
  EXPECT_EQ(saved.rows[0].p95_ms, 2.02);
  const std::string csv = sweep_csv(lines);
  EXPECT_THAT(csv, StartsWith("strategy,filter,rx,"));
  EXPECT_THAT(csv, HasSubstr("\n\"a\",\"gaussian:radius=1\",1,"));
  EXPECT_THAT(csv, HasSubstr("\"It takes 3 × 3, \"\"only\"\".\""));
  EXPECT_EQ(std::ranges::count(csv, '\n'), 3);
  EXPECT_THROW(write_file(folder_ + "/none/x.json", "x"), Error);
}

TEST_F(SweepTest, ATableNamesNoTimeShorterThanACopy) {
  nlohmann::json disturbed = nlohmann::json::parse(row("b", 1, 0.2));  // of a copy that took 0.5
  disturbed["times_copy"] = 0.4;
  const std::string csv = sweep_csv({row("a", 1, 2), disturbed.dump()});
  EXPECT_THAT(csv, HasSubstr(",0.5,4.0,\n\"b\""));
  EXPECT_THAT(csv, testing::EndsWith(",0.5,,\n"));
}

TEST_F(SweepTest, BrokenFilesAreExplained) {
  const auto said = [&](const std::string& path) -> std::string {
    try {
      load_sweep(path);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(said(folder_ + "/none.json"), HasSubstr("There is no file"));
  EXPECT_THAT(said(folder_), HasSubstr("There is no file"));
  EXPECT_THAT(said(file("empty.json", "")), HasSubstr("not JSON"));
  EXPECT_THAT(said(file("cut.json", R"({"rows":[{"strategy")")), HasSubstr("not JSON"));
  EXPECT_THAT(said(file("other.json", R"({"rows":3})")), HasSubstr("no list of rows"));
  EXPECT_THAT(said(file("list.json", "[]")), HasSubstr("no list of rows"));
  EXPECT_THAT(
      said(file("odd.json", R"({"device":7,"rows":[1,{"strategy":4},{"strategy":"a","width":-1,"height":1e99}]})")),
      HasSubstr("none of its rows"));
}

TEST_F(SweepTest, ComparesWithAllOthersWhereThePanesHaveOneStrategy) {
  const auto [settings, stats] = window_with({"auto"}, "gaussian:radius=2");
  const std::vector<std::string> chosen = sweep_strategies(settings, stats);
  EXPECT_THAT(chosen, testing::IsSupersetOf({"cpu-parallel", "cpu-separable"}));
  EXPECT_THAT(chosen, testing::Not(testing::Contains("cpu-direct")));
}

int times_asked = 0;

TEST_F(SweepTest, StrategiesAreFoundAnewWhenSomethingHasChangedOnly) {
  auto [settings, stats] = window_with({"auto"}, "gaussian:radius=2");
  const auto row = std::ranges::find_if(
      stats.ladder, [](const StrategyRow& each) { return each.strategy && each.strategy->id == "cpu-parallel"; });
  ASSERT_NE(row, stats.ladder.end());
  Strategy counting = *row->strategy;
  counting.id = "counting";
  counting.unsupported = [](const Problem&, const Device&, const Tuning&) {
    ++times_asked;
    return std::string();
  };
  row->strategy = &counting;
  times_asked = 0;
  SweepStrategies strategies;
  EXPECT_EQ(strategies.of(settings, stats), sweep_strategies(settings, stats));
  const int once = std::exchange(times_asked, 0);
  EXPECT_GT(once, 0);
  for (int frame = 0; frame < 3; ++frame) strategies.of(settings, stats);
  EXPECT_EQ(times_asked, 0);
  settings.active().border = Border::wrap;
  strategies.of(settings, stats);
  EXPECT_GT(times_asked, 0);
  settings.sweep.strategies = {"counting"};
  EXPECT_EQ(strategies.of(settings, stats), settings.sweep.strategies);
}

std::vector<SweepRow> rows(const std::vector<std::string>& lines) {
  std::vector<SweepRow> all;
  for (const std::string& line : lines) all.push_back(*sweep_row(line));
  return all;
}

TEST(SweepCurves, OneForEachStrategyOfASizeByRadius) {
  const auto all = rows({row("a", 4, 3), row("a", 1, 1), row("b", 1, 2), row("a", 4, 2.5), row("a", 1, 9, 0.01, 128)});
  const auto curves = sweep_curves(all, {64, 48});
  ASSERT_EQ(curves.size(), 2u);
  ASSERT_EQ(curves[0].points.size(), 2u);
  EXPECT_EQ(curves[0].points[0].radius, 1);
  EXPECT_EQ(curves[0].points[1].median_ms, 2.5) << "the faster of two tunings";
  EXPECT_EQ(sweep_sizes(all), (std::vector<PixelAddress>{{64, 48}, {128, 48}}));
}

TEST(SweepCurves, TheFastestTwoCross) {
  // a ∝ r², b ∝ r; equal at r = 4 on logarithmic axes.
  const auto curves = sweep_curves(
      rows({row("a", 2, 1), row("a", 8, 16), row("b", 2, 2), row("b", 8, 8), row("c", 2, 50), row("c", 8, 60)}),
      {64, 48});
  const auto found = crossings(curves);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].before, "a");
  EXPECT_EQ(found[0].after, "b");
  EXPECT_NEAR(found[0].radius, 4, 1e-6);
  EXPECT_NEAR(found[0].milliseconds, 4, 1e-6);
}

TEST(SweepCurves, NoCrossingWhereSpreadsOverlapOnOneSide) {
  EXPECT_TRUE(
      crossings(
          sweep_curves(rows({row("a", 2, 1, 0.5), row("a", 8, 16), row("b", 2, 1.2, 0.5), row("b", 8, 8)}), {64, 48}))
          .empty());
}

TEST(SweepCurves, AutoCrossesNothing) {
  EXPECT_TRUE(
      crossings(sweep_curves(rows({row("auto", 2, 1), row("auto", 8, 16), row("b", 2, 2), row("b", 8, 8)}), {64, 48}))
          .empty());
}

TEST(SweepCurves, NothingToCross) {
  EXPECT_TRUE(crossings({}).empty());
  EXPECT_TRUE(crossings(sweep_curves(rows({row("a", 2, 1)}), {64, 48})).empty());
  EXPECT_TRUE(crossings(sweep_curves(rows({row("a", 2, 1), row("b", 8, 2)}), {64, 48})).empty());
}

}  // namespace
}  // namespace convoscope
