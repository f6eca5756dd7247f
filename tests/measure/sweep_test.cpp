// The sweep's process and files. A shell script stands in for the measuring program.
#include "app/measure/sweep/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/measure/sweep/sweep_file.h"
#include "kernels/contract/sweep.h"
#include "kernels/files/output_file.h"
#include "kernels/text/error.h"

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
std::string line_of(const std::string& strategy, int radius, double median, double spread = 0.01, int width = 64) {
  const nlohmann::json line{{"device", {{"name", "A device"}}},
                            {"date", "2026-01-01"},
                            {"strategy", strategy},
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
  sweep_.start({{"bench"}, 2}, stats_,
               script("echo 'box, rgba8, 64x48: measuring' >&2\n" + wait + "echo '" + line_of("a", 1, 2) +
                      "'\necho 'box, rgba8, 64x48: checking a' >&2\n" + wait + "echo '" + refused + "'\n"));
  EXPECT_TRUE(stats_.running);
  EXPECT_EQ(follow([&] { return sweep_.measuring(); }), "");
  EXPECT_TRUE(stats_.measuring);
  file("go", "");
  EXPECT_EQ(follow([&] { return stats_.done == 1 && !sweep_.measuring(); }), "");
  EXPECT_EQ(stats_.device, "A device");
  EXPECT_EQ(nlohmann::json::parse(sweep_.device_line()), nlohmann::json::parse(device));
  file("go", "");
  EXPECT_EQ(follow_to_the_end(), "The sweep has measured 2 of 2 points.");
  EXPECT_FALSE(stats_.running);
  ASSERT_EQ(stats_.rows.size(), 2u);
  EXPECT_EQ(stats_.rows[0].median_ms, 2);
  EXPECT_EQ(stats_.rows[0].filter, "gaussian");
  EXPECT_EQ(sweep_values(stats_.rows[0].problem), (std::vector<int>{1, 48}));
  EXPECT_FALSE(stats_.rows[1].verified);
  EXPECT_THAT(stats_.rows[1].reason, HasSubstr("3 × 3"));
}

TEST_F(SweepTest, SaysThatTheReferenceIsComputed) {
  const std::string says = "maps 4, forward: computing the reference";
  sweep_.start({{"bench"}, 1}, stats_, script("echo '" + says + "' >&2\nexec sleep 100\n"));
  EXPECT_EQ(follow([&] { return stats_.doing == says; }), "");
}

TEST_F(SweepTest, IsDoneWhereItIsCancelledAfterItsLastPoint) {
  sweep_.start({{"bench"}, 1}, stats_, script("echo '" + line_of("a", 1, 2) + "'\nexec sleep 100\n"));
  EXPECT_EQ(follow([&] { return stats_.done == 1; }), "");
  sweep_.cancel();
  EXPECT_EQ(follow_to_the_end(), "The sweep has measured 1 of 1 points.");
}

TEST_F(SweepTest, CancellingKeepsWhatCameAndAnotherCanStart) {
  sweep_.start({{"bench"}, 9}, stats_, script("echo '" + line_of("a", 1, 2) + "'\nexec sleep 100\n"));
  EXPECT_EQ(follow([&] { return stats_.done == 1; }), "");
  EXPECT_THROW(sweep_.start({{"bench"}, 1}, stats_), Error);
  const auto start = std::chrono::steady_clock::now();
  sweep_.cancel();
  EXPECT_EQ(follow_to_the_end(), "The sweep was cancelled after 1 of 9 points.");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  EXPECT_EQ(stats_.rows.size(), 1u);
  sweep_.start({{"bench"}, 1}, stats_, script("echo '" + line_of("b", 1, 3) + "'\n"));
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

TEST_F(SweepTest, IsSavedAndLoadedAgain) {
  const std::vector<std::string> lines{line_of("a", 1, 2), refused};
  const std::string path = folder_ + "/sweep.json";
  write_file(path, sweep_json(device, lines));
  const SavedSweep saved = load_sweep(path);
  EXPECT_EQ(saved.device, "A device");
  EXPECT_FALSE(nlohmann::json::parse(std::ifstream(path)).at("rows").at(0).contains("device")) << "once is enough";
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

// As bench writes them of a layer and of a volume.
const std::string of_layer =
    R"({"kind":"layer","strategy":"direct","filter":"random 3 × 3","rx":1,"ry":1,"format":"gray32f","width":64,)"
    R"("height":36,"verified":true,"shape":"1,3,36,64,16,3,padding=1","pass":"to-input","type":"f16",)"
    R"("layout":"nhwc","parameters":{"M":{"value":16,"unit":"maps"},"C":{"value":3,"unit":"channels"},)"
    R"("K":{"value":3,"unit":"pixels"},"size":{"value":36,"unit":"rows"},"pass":{"value":"to-input"},)"
    R"("type":{"value":"f16"}},"copy_ms":0.5,"median_ms":2,"p05_ms":1.9,"p95_ms":2.1})";
const std::string of_volume =
    R"({"kind":"volume","strategy":"tiled","filter":"box:rt=2","rx":2,"ry":2,"rt":2,"format":"rgba8","width":64,)"
    R"("height":36,"verified":true,"parameters":{"radius":{"value":2,"unit":"pixels"},"rt":{"value":2,)"
    R"("unit":"frames"},"size":{"value":36,"unit":"rows"}},"copy_ms":0.5,"median_ms":2,"p05_ms":1.9,"p95_ms":2.1})";

TEST_F(SweepTest, OfEveryKindIsSavedWithItsNumbersAndTheirUnits) {
  const std::string path = folder_ + "/sweep.json";
  write_file(path, sweep_json(device, {of_layer}));
  SavedSweep saved = load_sweep(path);
  ASSERT_EQ(saved.rows.size(), 1u);
  EXPECT_EQ(saved.rows[0].problem.kind->id, "layer");
  EXPECT_EQ(sweep_values(saved.rows[0].problem), (std::vector<int>{16, 3, 3, 36, 1, 2}));
  EXPECT_EQ(saved.rows[0].problem.layer.layout, Layout::nhwc);
  const nlohmann::json written = nlohmann::json::parse(std::ifstream(path));
  EXPECT_EQ(written["rows"][0]["parameters"]["M"], (nlohmann::json{{"value", 16}, {"unit", "maps"}}));
  const std::string csv = sweep_csv({of_layer});
  EXPECT_THAT(csv, HasSubstr(",border,M [maps],C [channels],K [pixels],size [rows],pass,type,shape,layout,verified,"));
  EXPECT_THAT(csv, HasSubstr(",16,3,3,36,\"to-input\",\"f16\",\"1,3,36,64,16,3,padding=1\",\"nhwc\",true,2,"));
  EXPECT_THAT(sweep_csv({line_of("a", 1, 2)}), HasSubstr(",border,verified,"));
  write_file(path, sweep_json(device, {of_volume}));
  saved = load_sweep(path);
  ASSERT_EQ(saved.rows.size(), 1u);
  EXPECT_EQ(sweep_values(saved.rows[0].problem), (std::vector<int>{2, 2, 36}));
  EXPECT_EQ(saved.rows[0].problem.kind->id, "volume");
}

// Rows that name neither their kind nor its numbers are of pictures.
TEST_F(SweepTest, FilesOfEarlierVersionsAreLoaded) {
  const SavedSweep saved = load_sweep(file("old.json", R"({"device": {"name": "old"}, "date": "2026-01-01", "rows": [
    {"strategy": "constant", "tuning": {"block_width": 32}, "filter": "gaussian:radius=2", "rx": 2, "ry": 2,
     "format": "gray32f", "border": "replicate", "width": 1920, "height": 1080, "verified": true, "copy_ms": 0.02,
     "median_ms": 0.04, "p05_ms": 0.039, "p95_ms": 0.041}], "not_measured": []})"));
  ASSERT_EQ(saved.rows.size(), 1u);
  const SweepRow& row = saved.rows[0];
  EXPECT_EQ(row.problem.kind, &image_kind);
  EXPECT_EQ(row.problem.format, PixelFormat::gray32f);
  EXPECT_EQ(row.problem.width, 1920);
  EXPECT_EQ(sweep_values(row.problem), (std::vector<int>{2, 1080}));
  EXPECT_TRUE(row.verified);
}

TEST_F(SweepTest, RowsOfWhatCannotBeAreLeftOut) {
  for (const char* const line :
       {R"({"strategy":"a","kind":"ghost","width":4,"height":4})", R"({"strategy":"a","kind":"layer","width":4})",
        R"({"strategy":"a","kind":"layer","shape":"1,3,2,2,4,3","pass":"forward"})",
        R"({"strategy":"a","kind":"layer","shape":"1,3,9,9,4,3","pass":"backward"})",
        R"({"strategy":"a","kind":"layer","shape":"1,3,9,9,4,3","pass":"forward","type":"f8"})", R"({"strategy":"a"})"})
    EXPECT_FALSE(sweep_row(line)) << line;
  EXPECT_TRUE(sweep_row(R"({"strategy":"a","kind":"layer","shape":"1,3,9,9,4,3","pass":"forward"})"));
}

TEST_F(SweepTest, ATableNamesNoTimeShorterThanACopy) {
  nlohmann::json disturbed = nlohmann::json::parse(line_of("b", 1, 0.2));  // of a copy that took 0.5
  disturbed["times_copy"] = 0.4;
  const std::string csv = sweep_csv({line_of("a", 1, 2), disturbed.dump()});
  EXPECT_THAT(csv, HasSubstr(",0.5,4.0,\n\"b\""));
  EXPECT_THAT(csv, testing::EndsWith(",0.5,,\n"));
}

TEST_F(SweepTest, AFileHasTheTimesOfCopiesThatThePlotShows) {
  std::vector<std::string> lines;
  for (const double copy : {0.4, 0.9, 0.5}) {  // of as many bytes
    nlohmann::json line = nlohmann::json::parse(line_of("a", static_cast<int>(lines.size()) + 1, 2));
    line["copy_ms"] = copy;
    lines.push_back(line.dump());
  }
  const std::string path = folder_ + "/copies.json";
  write_file(path, sweep_json(device, lines));
  const SavedSweep saved = load_sweep(path);
  ASSERT_EQ(saved.rows.size(), 3u);
  for (const SweepRow& row : saved.rows) EXPECT_EQ(row.copy_ms, 0.5);
  const std::string csv = sweep_csv(lines);
  EXPECT_EQ(csv.find("0.9"), std::string::npos) << csv;
  EXPECT_THAT(csv, HasSubstr(",0.5,4.0,"));
}

TEST_F(SweepTest, TimesThatOtherProgramsDisturbedAreDoubted) {
  const auto row = [](double median, const char* more) {
    return R"({"strategy":"auto","filter":"gaussian:radius=1","width":640,"height":360,"rx":1,"ry":1,"verified":true,)"
           R"("median_ms":)" +
           std::to_string(median) + R"(,"p05_ms":1,"p95_ms":1.5,"samples":7)" + more + "}";
  };
  const std::string busy = row(108, R"(,"median_low_ms":100,"median_high_ms":110,"cpu_ms":1.4,"cores":2,"ran":"x")");
  EXPECT_EQ(sweep_row(busy)->doubt, Doubt::processor);
  EXPECT_EQ(sweep_row(busy)->samples, 7);
  EXPECT_DOUBLE_EQ(sweep_row(busy)->cpu_ms, 1.4);
  EXPECT_EQ(sweep_row(busy)->runs, "x");
  EXPECT_EQ(sweep_row(row(2, R"(,"median_low_ms":1.5,"median_high_ms":2.5,"cpu_ms":1.9,"cores":2)"))->doubt,
            Doubt::none);
  EXPECT_EQ(sweep_row(row(2, R"(,"median_low_ms":1.5,"median_high_ms":4)"))->doubt, Doubt::spread);
  EXPECT_EQ(sweep_row(row(0.4, ""))->doubt, Doubt::spread) << "of an earlier version";
  EXPECT_EQ(sweep_row(row(1.2, R"(,"runs":"y")"))->runs, "y");

  const std::string csv = sweep_csv({busy, row(1.2, R"(,"runs":"y")")});
  EXPECT_THAT(csv, HasSubstr(",ran,verified,median_ms,p05_ms,p95_ms,min_ms,samples,cpu_ms,doubt,copy_ms,"));
  EXPECT_THAT(csv, HasSubstr(",\"x\",true,"));
  EXPECT_THAT(csv, HasSubstr(",7,1.4,"));
  EXPECT_THAT(csv, HasSubstr(",\"y\",true,"));
  EXPECT_THAT(csv, testing::Not(HasSubstr("runs")));
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

}  // namespace
}  // namespace convoscope
