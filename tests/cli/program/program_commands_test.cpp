// The subcommands as scripts see them: JSON on stdout, sentences on stderr, exit codes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "kernels/contract/kind.h"
#include "kernels/contract/strategy.h"
#include "tests/cli/folder.h"
#include "tests/cli/program/program.h"

namespace convoscope {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

json json_of(const std::vector<std::string>& arguments, int exit_code = 0) {
  const Folder folder;
  const Outcome outcome = run_program(arguments, folder.path());
  EXPECT_EQ(outcome.exit_code, exit_code) << outcome.err;
  const json out = json::parse(outcome.out, nullptr, false);
  EXPECT_FALSE(out.is_discarded()) << outcome.out.substr(0, 500);
  return out;
}

TEST(List, StrategiesHaveEveryRowOfTheLadder) {
  const json rows = json_of({"list", "strategies", "--json", "--filter", "gaussian:radius=4", "--size", "640x480"});
  std::set<std::string> ids;
  for (const json& row : rows) {
    SCOPED_TRACE(row.dump());
    ids.insert(row.at("id"));
    for (const char* key : {"id", "title", "backend", "reason", "idea", "reading"})
      EXPECT_TRUE(row.at(key).is_string()) << key;
    EXPECT_TRUE(row.at("available").is_boolean());
    EXPECT_EQ(row["available"].get<bool>(), row["reason"].get<std::string>().empty());
    for (const char* key : {"flop", "global_loads_per_output", "global_stores_per_output", "shared_loads_per_output",
                            "dram_bytes", "intensity"})
      EXPECT_TRUE(row.at("model").at(key).is_number()) << key;
    EXPECT_TRUE(row.at("tunables").is_array());
    EXPECT_TRUE(row.at("kernels").is_array());
    EXPECT_TRUE(row.contains("tolerance"));
    if (row["id"] == "constant") {
      EXPECT_EQ(row["model"]["global_loads_per_output"], 81);  // (2·4+1)²
      EXPECT_TRUE(row.at("tile").is_null());
    }
    if (row["id"] == "tiled-halo") {
      EXPECT_EQ(row.at("tile"), json({{"width", 40}, {"height", 24}, {"bytes", 40 * 24 * 4}}));
      EXPECT_DOUBLE_EQ(row.at("load_reduction"), 81 * 32 * 16 / (40.0 * 24));
    }
  }
  for (const Strategy* strategy : strategies(Backend::cpu)) EXPECT_TRUE(ids.contains(std::string(strategy->id)));
  for (const Strategy* strategy : strategies(Backend::emulated))
    EXPECT_TRUE(ids.contains(std::string(strategy->id))) << strategy->id;
  EXPECT_EQ(ids.size(), rows.size());
}

// A minute of samples under five taps: 6 products fall on ghost cells, and each end has a warp that meets some.
TEST(List, StrategiesSayWhatTheEdgesChange) {
  const std::vector<std::string> asked{"list", "strategies", "--kind", "signal", "--border", "zero"};
  std::vector<std::string> as_json = asked;
  as_json.emplace_back("--json");
  for (const json& row : json_of(as_json)) {
    SCOPED_TRACE(row.dump());
    EXPECT_NEAR(row.at("ghost_share"), 6 / (5 * 2880000.0), 1e-12);
    if (row["id"] == "global") {
      EXPECT_NEAR(row.at("model").at("diverging_warps"), 2 / 90000.0, 1e-12);
    }
    if (row["id"] == "tiled-uniform") {
      EXPECT_NEAR(row.at("load_reduction_at_ends"), (256 * 5 - 3) / 258.0, 1e-9);
    } else if (row["id"] == "constant" || row["id"] == "tiled-cached-halo") {
      EXPECT_TRUE(row.at("load_reduction_at_ends").is_null());
    }
  }
  const Folder folder;
  EXPECT_THAT(run_program(asked, folder.path()).out,
              HasSubstr("tiled-uniform: 4.95 times fewer loads in a block at an end, 4.92 in an inner one."));
}

TEST(List, TheEmulatedBackendIsOfferedWhenAskedFor) {
  for (const json& row : json_of({"list", "strategies", "--json", "--backend", "emulated"})) {
    EXPECT_EQ(row["backend"], "emulated");
    EXPECT_TRUE(row["available"].get<bool>()) << row["reason"];
  }
}

TEST(List, FiltersHaveTheirParameters) {
  const json rows = json_of({"list", "filters", "--json"});
  std::set<std::string> ids;
  for (const json& row : rows) {
    ids.insert(row.at("id"));
    for (const char* key : {"title", "backend", "available", "reason", "idea", "parameters"})
      EXPECT_TRUE(row.contains(key)) << key;
    for (const json& parameter : row["parameters"])
      EXPECT_LE(parameter.at("minimum").get<double>(), parameter.at("maximum").get<double>());
  }
  for (const char* id : {"identity", "box", "gaussian", "sobel-x", "laplacian", "motion", "disk"})
    EXPECT_TRUE(ids.contains(id)) << id;
}

TEST(List, DevicesSayWhyTheyCannotBeUsed) {
  bool cpu = false;
  for (const json& row : json_of({"list", "devices", "--json"})) {
    EXPECT_EQ(row["available"].get<bool>(), row["reason"].get<std::string>().empty());
    cpu |= row["backend"] == "cpu" && row["available"].get<bool>();
  }
  EXPECT_TRUE(cpu);
}

TEST(List, CamerasAreAList) { EXPECT_TRUE(json_of({"list", "cameras", "--json"}).is_array()); }

TEST(List, SourcesAndWhatTheyOffer) {
  std::set<std::string> ids;
  for (const json& row : json_of({"list", "sources", "--json"})) {
    ids.insert(row.at("id"));
    for (const char* key : {"title", "input", "idea", "reason"}) EXPECT_TRUE(row.at(key).is_string()) << key;
  }
  for (const char* const id : {"file", "address", "camera", "screen", "pattern"}) EXPECT_TRUE(ids.contains(id)) << id;
  std::set<std::string> patterns;
  for (const json& row : json_of({"list", "patterns", "--json"})) {
    patterns.insert(row.at("id"));
    EXPECT_TRUE(row.at("available").get<bool>());
  }
  EXPECT_TRUE(patterns.contains("pattern"));
  EXPECT_TRUE(patterns.contains("pattern:zone-plate"));
  for (const json& row : json_of({"list", "screens", "--json"})) {
    EXPECT_EQ(row.at("id"), "screen");
    EXPECT_EQ(row["available"].get<bool>(), row["reason"].get<std::string>().empty());
  }
}

TEST(List, BanksAndWorkbenchesAreRowsLikeOthers) {
  std::set<std::string> banks, benches;
  for (const char* what : {"banks", "workbenches"})
    for (const json& row : json_of({"list", what, "--json"})) {
      (what == std::string("banks") ? banks : benches).insert(row.at("id"));
      for (const char* key : {"title", "reason", "idea"}) EXPECT_TRUE(row.at(key).is_string()) << key;
      EXPECT_TRUE(row.at("available").get<bool>());
    }
  EXPECT_TRUE(banks.contains("edges"));
  EXPECT_EQ(benches, (std::set<std::string>{"picture", "time", "layer"}));
}

TEST(List, TablesForPeople) {
  const Folder folder;
  const auto characters = [](const std::string& utf8) {
    return std::ranges::count_if(utf8, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
  };
  for (const char* what :
       {"strategies", "filters", "banks", "workbenches", "devices", "sources", "patterns", "screens", "cameras"}) {
    const Outcome outcome = run_program({"list", what}, folder.path());
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_FALSE(outcome.out.empty());
    std::istringstream lines(outcome.out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(characters(line), 100) << what << ": " << line;
  }
  EXPECT_THAT(run_program({"list", "devices"}, folder.path()).out, HasSubstr(" thread"));
  EXPECT_THAT(
      run_program({"list", "filters"}, folder.path()).out,
      AllOf(HasSubstr("rx=-1 (auto: radius; up to 63)"), HasSubstr("sigma=0 (auto: radius / 2; up to 64; or opencv)"),
            HasSubstr("neighbours=4 (4 or 8)"), HasSubstr("radius=2 (0…63)")));
  const std::string listed = run_program({"list", "strategies"}, folder.path()).out;
  EXPECT_THAT(listed, HasSubstr("cpu-direct"));
  EXPECT_THAT(listed, HasSubstr("36 × 20, 2880 B")) << "the tile of 32 × 16 outputs of a 5 × 5 filter";
}

TEST(Verify, RowsAsScriptsReadThem) {
  const json rows = json_of({"verify", "--json", "--small", "--backend", "cpu"});
  EXPECT_GT(rows.size(), 100u);
  std::set<std::string> borders, formats, ids;
  for (const json& row : rows) {
    for (const char* key : {"kind", "strategy", "filter", "border", "format"})
      EXPECT_TRUE(row.at(key).is_string()) << key;
    for (const char* key : {"max_error", "tolerance"}) EXPECT_TRUE(row.at(key).is_number()) << key;
    const bool signal = row["kind"] == "signal";
    for (const char* key : {signal ? "samples" : "width", signal ? "channels" : "height"})
      EXPECT_TRUE(row.at(key).is_number()) << key;
    EXPECT_TRUE(row.at("passed").get<bool>()) << row.dump();
    borders.insert(row["border"]);
    formats.insert(row["format"]);
    ids.insert(row["kind"].get<std::string>() + " " + row["strategy"].get<std::string>());
  }
  EXPECT_EQ(borders.size(), 4u);
  EXPECT_EQ(formats.size(), 2u);
  std::size_t strategies_of_all_kinds = 0;
  for (const Kind* kind : kinds()) strategies_of_all_kinds += strategies(Backend::cpu, *kind).size();
  EXPECT_EQ(ids.size(), strategies_of_all_kinds);
}

TEST(Verify, CanBeNarrowed) {
  const json rows = json_of({"verify", "--json", "--small", "--backend", "emulated", "--strategy", "constant",
                             "--border", "mirror", "--format", "rgba8", "--filter", "1 2 3"});
  ASSERT_FALSE(rows.empty());
  for (const json& row : rows) {
    EXPECT_EQ(row["strategy"], "constant");
    EXPECT_EQ(row["backend"], "emulated");
    EXPECT_EQ(row["border"], "mirror");
    EXPECT_EQ(row["format"], "rgba8");
    EXPECT_TRUE(row["passed"].get<bool>()) << row.dump();
  }
}

TEST(Bench, LeavesItsRowsInAFile) {
  const Folder folder;
  const Outcome outcome = run_program({"bench", "--backend", "cpu", "--strategy", "cpu-parallel", "--radius", "1",
                                       "--size", "640x480", "--format", "rgba8", "--json", "b.json"},
                                      folder.path());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("cpu-parallel"));
  EXPECT_THAT(outcome.err, HasSubstr("makes 2 measurements (strategies: 1, problems: 2)"));
  EXPECT_THAT(outcome.err, Not(HasSubstr(": measuring"))) << "between the tables of a log";
  const json out = json::parse(folder.read("b.json"));
  EXPECT_EQ(out["device"]["backend"], "cpu");
  EXPECT_FALSE(out["device"].contains("cuda")) << "no driver had a part in it";
  EXPECT_FALSE(out["date"].get<std::string>().empty());
  EXPECT_EQ("convoscope " + out["program"].get<std::string>() + "\n", run_program({"--version"}, folder.path()).out);
  ASSERT_EQ(out["rows"].size(), 2u);  // gaussian and disk
  for (const json& row : out["rows"]) {
    for (const char* key :
         {"strategy", "tuning", "filter", "rx", "ry", "format", "border", "width", "height", "copy_ms", "median_ms",
          "p05_ms", "p95_ms", "times_copy", "gb_s", "gflop_s", "fraction_of_roofline", "max_error", "verified"})
      EXPECT_TRUE(row.contains(key)) << key;
    EXPECT_GT(row["fraction_of_roofline"].get<double>(), 0);
    EXPECT_TRUE(row["times_copy"].is_null() || row["times_copy"] >= 0.95) << row["times_copy"];
    EXPECT_GT(row["cpu_ms"].get<double>(), 0);
    EXPECT_TRUE(row["verified"].get<bool>());
    EXPECT_GT(row["median_ms"].get<double>(), 0);
  }
}

TEST(Bench, TellsItsStepsToWhoReadsItsLines) {
  const Folder folder;
  const Outcome outcome = run_program({"bench", "--backend", "cpu", "--strategy", "cpu-parallel", "--filter",
                                       "box:radius=1", "--size", "64x48", "--format", "rgba8", "--lines"},
                                      folder.path());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr(": checking cpu-parallel\n"));
  EXPECT_THAT(outcome.err, HasSubstr(": measuring\n"));
  ASSERT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 1) << "rows, and nothing else: " << outcome.out;
  const json row = json::parse(outcome.out);
  EXPECT_EQ(row.at("strategy"), "cpu-parallel");
  EXPECT_FALSE(row.at("device").at("name").get<std::string>().empty());
}

// Where nobody sees the card that says so.
TEST(WhatRunsInstead, IsToldWhereNobodyWatches) {
  const Folder folder;
  const std::vector<std::string> disk{"--offscreen", "--backend", "cpu",      "--window",     "320x200",
                                      "--frames",    "2",         "--filter", "disk:radius=2"};
  for (const std::string strategy : {"cpu-separable", "constant"}) {
    std::vector<std::string> arguments{"pattern", "--strategy", strategy};
    arguments.insert(arguments.end(), disk.begin(), disk.end());
    const Outcome outcome = run_program(arguments, folder.path());
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(strategy + " cannot run: "));
    EXPECT_THAT(outcome.err, HasSubstr(" runs instead."));
    EXPECT_THAT(outcome.err, Not(HasSubstr("Another one")));
  }
  const Outcome bench = run_program({"bench", "--frame", "pattern", "--backend", "cpu", "--frames", "10", "--filter",
                                     "disk:radius=2", "--strategy", "cpu-separable"},
                                    folder.path());
  EXPECT_EQ(bench.exit_code, 0) << bench.err;
  EXPECT_THAT(bench.out, HasSubstr(" in place of cpu-separable, disk"));
}

TEST(Bench, AutoHasChosenBeforeItIsMeasured) {
  const Folder folder;
  const Outcome outcome =
      run_program({"bench", "--backend", "cpu", "--strategy", "auto,cpu-parallel", "--filter", "gaussian:radius=2",
                   "--size", "320x200", "--format", "rgba8", "--json", "b.json"},
                  folder.path());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json out = json::parse(folder.read("b.json"));
  EXPECT_GT(out.at("limits").at("flop_per_second").get<double>(), 0);
  EXPECT_TRUE(out.contains("clocks"));
  for (const json& row : out["rows"])
    if (row["strategy"] == "auto") {
      EXPECT_THAT(row["note"].get<std::string>(), HasSubstr("Tried "));
      EXPECT_THAT(outcome.out, HasSubstr(row["note"].get<std::string>()));
    }
  // Where other programs disturbed it, it says so instead.
  const bool disturbed = outcome.out.find("Not remembered") != std::string::npos;
  EXPECT_THAT(folder.read(".cache/convoscope/auto.json"), HasSubstr(disturbed ? "" : "cpu-"));
  EXPECT_THAT(folder.read(".cache/convoscope/limits.json"), HasSubstr("flop_per_second"));
}

TEST(Bench, TheWholeWayOfAFrame) {
  const Folder folder;
  const Outcome outcome =
      run_program({"bench", "--frame", "pattern", "--backend", "cpu", "--strategy", "auto", "--filter", "box:radius=1",
                   "--size", "320x200", "--frames", "80", "--json", "f.json"},
                  folder.path());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json out = json::parse(folder.read("f.json"));
  EXPECT_EQ(out["width"], 320);
  EXPECT_EQ(out["frames"], 80);
  EXPECT_EQ(out["strategy"], "auto");
  std::map<std::string, json> stages;
  for (const json& stage : out["stages"]) stages[stage.at("stage")] = stage;
  for (const char* name : {"decode", "upload", "convert", "strategy", "interop", "draw", "read_back", "frame"}) {
    ASSERT_TRUE(stages.contains(name)) << name;
    EXPECT_THAT(outcome.out, HasSubstr(name));
    EXPECT_LE(stages[name]["p05_ms"].get<double>(), stages[name]["median_ms"].get<double>());
    EXPECT_LE(stages[name]["median_ms"].get<double>(), stages[name]["p95_ms"].get<double>());
  }
  for (const char* name : {"convert", "strategy", "interop", "draw", "read_back", "frame"})
    EXPECT_GT(stages[name]["count"].get<int>(), 5) << name;
  EXPECT_GT(out["beyond_strategy_ms"].get<double>(), 0);
}

TEST(Program, HelpAndVersionGoToStdout) {
  const Folder folder;
  for (const char* option : {"--help", "--version"}) {
    const Outcome outcome = run_program({option}, folder.path());
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_THAT(outcome.out, HasSubstr("convoscope"));
    EXPECT_EQ(outcome.err, "");
  }
}

TEST(Offscreen, SaysWhatKeepsAllPanesFromRunningOnce) {
  const Folder folder;
  const Outcome outcome = run_program(
      {"pattern", "--compare", "auto,auto,auto", "--workbench", "time", "--filter", "gaussian:gain=1e38,bias=-1e38",
       "--size", "64x48", "--window", "320x240", "--offscreen", "--frames", "2", "--backend", "cpu"},
      folder.path());
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("The picture passed through 3 panes unfiltered."));
  EXPECT_EQ(outcome.err.find("Sums of"), outcome.err.rfind("Sums of")) << outcome.err;
}

TEST(Offscreen, CountsASingleFrame) {
  const Folder folder;
  const Outcome outcome = run_program({"pattern", "--size", "64x48", "--window", "320x240", "--offscreen", "--frames",
                                       "1", "--backend", "cpu", "--record", "one.mkv"},
                                      folder.path());
  EXPECT_THAT(outcome.err, HasSubstr("Recorded 1 frame to"));
}

}  // namespace
}  // namespace convoscope
