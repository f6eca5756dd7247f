// Experiments: what a file may say and how what is wrong is told, what follows from times, and what is kept of a run.
#include "app/cli/experiment/experiment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "app/cli/experiment/experiment_json.h"
#include "app/cli/experiment/experiment_page.h"
#include "app/cli/experiment/journal.h"
#include "app/cli/experiment/measuring.h"
#include "app/cli/experiment/region_reads.h"
#include "kernels/compute/compute.h"
#include "kernels/filter/filter_catalogue.h"
#include "tests/cli/experiment_samples.h"
#include "tests/cli/folder.h"
#include "tests/error_of.h"

namespace convoscope {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string with(const std::string& from, const std::string& to) {
  std::string text = small_experiment();
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw std::logic_error("the sample has no " + from);
  return text.replace(at, from.size(), to);
}
std::string refusal_of(const std::string& text) {
  return error_of([&] { read_experiment(text, "The experiment file 'a.json'"); });
}

TEST(ExperimentFile, SaysProblemsStrategiesStepsAndSentences) {
  const Experiment experiment = sample_experiment();
  EXPECT_EQ(experiment.statistic, Statistic::mean);
  EXPECT_EQ(experiment.runs, 6);
  ASSERT_EQ(experiment.problems.size(), 2u);
  EXPECT_EQ(experiment.problems[0].problem.border, Border::zero);
  EXPECT_EQ(experiment.problems[1].problem.filter.width, 5);
  ASSERT_EQ(experiment.entries.size(), 3u);
  EXPECT_EQ(experiment.entries[2].backend, Backend::cuda);
  EXPECT_EQ(experiment.entries[1].tuning.at("threads"), 1);
  EXPECT_THAT(experiment.steps[1].factor, testing::Optional(3.34));
  EXPECT_EQ(experiment.steps[2].after, 1);
  EXPECT_THAT(experiment.claims[1].problems, ElementsAre(0));
  const std::vector<ExperimentPart> parts = parts_of(experiment);
  ASSERT_EQ(parts.size(), 4u) << "two problems on two backends";
  EXPECT_THAT(parts[0].entries, ElementsAre(0, 1));
  EXPECT_THAT(parts[1].entries, ElementsAre(2));
}

TEST(ExperimentFile, AListOfValuesMakesAnEntryOfEach) {
  const Experiment experiment = read_experiment(
      R"({"convoscope_experiment": 1, "title": "t",
  "problems": [{"filter": "box:radius=1", "size": "8x8"}],
  "strategies": [{"name": "s", "strategy": "cpu-separable", "tuning": {"threads": [1, 2], "strip_width": [32, 64]}}]})",
      "It");
  std::vector<std::string> names;
  for (const Experiment::Entry& entry : experiment.entries) names.push_back(entry.name);
  EXPECT_THAT(names, ElementsAre("s strip_width=32 threads=1", "s strip_width=32 threads=2",
                                 "s strip_width=64 threads=1", "s strip_width=64 threads=2"));
}

TEST(ExperimentFile, WhatIsWrongIsToldWithItsKeyAndLine) {
  struct Case {
    std::string text, line, told;
  };
  for (const Case& one : std::vector<Case>{
           {with("\"cpu-direct\"", "\"cpu-dirct\""), "line 11, strategies[0].strategy", "Did you mean 'cpu-direct'?"},
           {with("\"threads\": 1", "\"threads\": 3"), "line 12, strategies[1].tuning.threads", "is not possible"},
           {with("\"runs\": 6", "\"runs\": 0"), "line 5, statistic.runs", "from 1 to 10000, not 0"},
           {with("\"of\": \"mean\", \"runs\": 6", "\"of\": \"mean\""), "line 5, statistic", "fixed number"},
           {with("\"64x48\"", "\"64\""), "line 7, problems[0].size", "like 1920x1080"},
           {with("gaussian:radius=2", "gausian:radius=2"), "line 8, problems[1].filter", "Did you mean 'gaussian'?"},
           {with("gaussian:radius=2", "/etc/passwd"), "line 8, problems[1].filter", "There is no filter"},
           {with("\"says\": \"The GPU", "\"sayz\": \"The GPU"), "line 22, claims[1].sayz", "Did you mean 'says'?"},
           {with("\"on\": [\"small\"]", "\"on\": [\"smal\"]"), "line 22, claims[1].on[0]", "Did you mean 'small'?"},
           {with("\"naive\", \"published\"", "\"nave\", \"published\""), "line 18, ladder[2].strategy", "'naive'?"},
           {with("\"name\": \"larger\"", "\"name\": \"small\""), "line 6, problems", "Two problems are named 'small'"},
           {with("\"strategy\": \"cpu-separable\"", "\"strategy\": \"cpu-separable\", \"backend\": \"cuda\""),
            "line 12, strategies[1].strategy", "does not run with the cuda backend"},
           {with("experiment\": 1", "experiment\": 2"), "line 2, convoscope_experiment", "Update the program"},
           {with("\"factor\": 0.5", "\"factor\": -1"), "line 18, ladder[2].published.factor", "above 0, not -1"},
           {with("\"mean\"", "7"), "line 5, statistic.of", "text in quotes, not number"}})
    EXPECT_THAT(refusal_of(one.text),
                AllOf(StartsWith("The experiment file 'a.json', " + one.line + ": "), HasSubstr(one.told)))
        << one.text;
  EXPECT_THAT(refusal_of("{\n\"title\": \n}"), HasSubstr("line 3, column 1"));
  EXPECT_THAT(refusal_of("[]"), HasSubstr("must be an object"));
  EXPECT_THAT(refusal_of(std::string(100'000, '[')), HasSubstr("not valid JSON"));
}

TEST(ExperimentFile, ThoseOfTheProgramCanBeReadAndHaveWhatTheyPromise) {
  std::vector<std::string_view> names;
  for (const ShippedExperiment& shipped : shipped_experiments()) {
    names.push_back(shipped.name);
    EXPECT_NO_THROW(open_experiment(std::string(shipped.name))) << shipped.name;
  }
  EXPECT_THAT(names, ElementsAre("2010-ladder", "choosing"));
  const Experiment ladder = open_experiment("2010-ladder");
  EXPECT_EQ(ladder.statistic, Statistic::mean);
  EXPECT_EQ(ladder.runs, 50);
  EXPECT_EQ(ladder.problems.size(), 3u);
  // What was published multiplies up to what was published in all.
  std::map<int, double> totals;
  for (const Experiment::Step& step : ladder.steps) {
    if (!step.factor) continue;
    const double before = step.after <= 0 ? 1 : totals.at(ladder.steps[static_cast<std::size_t>(step.after)].entry);
    totals[step.entry] = before * *step.factor;
    EXPECT_NEAR(totals[step.entry], step.total.value(), 0.02 * *step.total);
  }
  EXPECT_EQ(totals.size(), 5u);
  EXPECT_GE(open_experiment("choosing").claims.size(), 12u);
  EXPECT_THAT(error_of([] { open_experiment("2010-lader"); }), HasSubstr("2010-ladder, choosing"));
}

TEST(ExperimentResults, FactorsHaveIntervalsAndSayWhetherTheyTell) {
  const Experiment experiment = sample_experiment();
  const ExperimentResults clear = sample_results(experiment, {6, 2}, 0.5);
  const Factor factor = step_result(experiment, clear, 0, 1).factor.value();
  EXPECT_DOUBLE_EQ(factor.value, 3);
  EXPECT_DOUBLE_EQ(factor.low, 5.5 / 2.5);
  EXPECT_DOUBLE_EQ(factor.high, 6.5 / 1.5);
  EXPECT_TRUE(factor.told_apart());
  EXPECT_EQ(factor_text(factor), "3.00 ×");
  EXPECT_FALSE(step_result(experiment, clear, 0, 0).factor) << "the first follows none";
  EXPECT_FALSE(step_result(experiment, clear, 0, 2).factor) << "nothing was measured there";
  const ExperimentResults near = sample_results(experiment, {2.2, 2}, 0.5, true);
  const std::optional<Factor> open = step_result(experiment, near, 0, 1).factor;
  EXPECT_FALSE(open->told_apart());
  EXPECT_EQ(factor_text(open), "? 1.10 × (≈)");
  EXPECT_EQ(published_text(0.5102), "1 / 1.96");
}

TEST(ExperimentResults, WhatOverlapsIsNotRanked) {
  const auto cell = [](double ms, double spread) {
    return MeasuredCell{.measured = true, .time = {ms, spread > 0 ? ms - spread : 0, spread > 0 ? ms + spread : 0}};
  };
  EXPECT_THAT(places_of({cell(3, 0.1), cell(1, 0.6), cell(2, 0.6), cell(9, 0), MeasuredCell()}),
              ElementsAre(std::optional(3), std::optional(1), std::optional(1), std::nullopt, std::nullopt));
}

TEST(ExperimentResults, ASentenceAgreesDisagreesOrIsUndecided) {
  const Experiment experiment = sample_experiment();
  const auto verdict = [&](const ExperimentResults& results, std::size_t claim = 0) {
    return judged(experiment, experiment.claims[claim], results).verdict;
  };
  EXPECT_EQ(verdict(sample_results(experiment, {6, 2}, 0.5)), Verdict::agrees);
  EXPECT_EQ(verdict(sample_results(experiment, {2, 6}, 0.5)), Verdict::disagrees);
  EXPECT_EQ(verdict(sample_results(experiment, {2.2, 2}, 0.5)), Verdict::undecided);
  EXPECT_EQ(verdict(sample_results(experiment, {6, 2}, 0.5, true)), Verdict::undecided) << "doubtful times";
  const ExperimentResults results = sample_results(experiment, {6, 2}, 0.5);
  EXPECT_EQ(verdict(results, 1), Verdict::undecided);
  EXPECT_THAT(judged(experiment, experiment.claims[1], results).cases[0].why,
              HasSubstr("nothing was measured with the cuda backend"));
}

TEST(ExperimentReport, JsonAndCsvHaveEveryTimeAndEveryReason) {
  const Experiment experiment = sample_experiment();
  const ExperimentResults results = sample_results(experiment, {6, 2}, 0.5);
  const nlohmann::ordered_json json = experiment_json(experiment, results);
  EXPECT_EQ(json["rows"].size(), 4u);
  EXPECT_EQ(json["rows"][1]["place"], 1);
  EXPECT_EQ(json["not_measured"].size(), 2u);
  EXPECT_EQ(json["measured_on"]["cuda"]["missing"], "There is no GPU.");
  EXPECT_EQ(json["ladder"][2]["region_reads_counted"], 9)
      << "16 × 16 outputs under 3 × 3: the block and its neighbours";
  EXPECT_EQ(json["claims"][0]["verdict"], "agree");
  const std::string csv = experiment_csv(experiment, results);
  EXPECT_EQ(std::ranges::count(csv, '\n'), 7);
  EXPECT_THAT(csv, HasSubstr("\"small\",\"passes\",cpu,"));
  EXPECT_THAT(csv, HasSubstr("\"There is no GPU.\""));
}

// Tags that are opened are closed, in order; and nothing has an address outside of the page.
std::string fault_in(const std::string& html) {
  static const std::regex tag("<(/?)([a-zA-Z0-9]+)((?:[^>\"]|\"[^\"]*\")*)>");
  static const std::set<std::string> alone{"meta", "link", "img"};
  std::vector<std::string> open;
  for (std::sregex_iterator at(html.begin(), html.end(), tag), end; at != end; ++at) {
    const std::string name = (*at)[2], rest = (*at)[3];
    if (alone.contains(name) || rest.ends_with("/")) continue;
    if ((*at)[1].length() == 0)
      open.push_back(name);
    else if (open.empty() || open.back() != name)
      return "</" + name + "> closes nothing";
    else
      open.pop_back();
  }
  if (!open.empty()) return "<" + open.back() + "> stays open";
  static const std::regex outside(
      "(src|href|action|data|poster)=\"(?!data:)|url\\(|@import|<script|<iframe|http-equiv=\"refresh");
  return std::regex_search(html, outside) ? "it asks for something outside" : "";
}

TEST(ExperimentReport, PageIsWholeAndAsksForNothing) {
  const Experiment experiment = sample_experiment();
  for (const bool doubtful : {false, true}) {
    const std::string html = experiment_page(experiment, sample_results(experiment, {6, 2}, 0.5, doubtful));
    EXPECT_EQ(fault_in(html), "");
    EXPECT_THAT(html, HasSubstr("Passes are faster &lt;b&gt;."));
    EXPECT_THAT(html, HasSubstr("A &lt;CPU&gt;"));
    EXPECT_THAT(html, HasSubstr("<svg"));
    EXPECT_THAT(html, HasSubstr("Nothing was measured with the cuda backend: There is no GPU."));
    EXPECT_EQ(html.find("cannot be believed, marked with ?") != std::string::npos, doubtful);
    EXPECT_THAT(html, HasSubstr("1 / 2.00")) << "what is published as half as fast";
  }
  EXPECT_EQ(fault_in("<p><b></p>"), "</p> closes nothing");
  EXPECT_EQ(fault_in("<img src=\"http://x\">"), "it asks for something outside");
}

TEST(ExperimentReport, NothingMeasuredIsAPageToo) {
  const Experiment experiment = sample_experiment();
  EXPECT_EQ(fault_in(experiment_page(experiment, no_results(experiment))), "");
}

TEST(RegionReads, AreCountedFromBlocksAndTiles) {
  const Problem problem{.width = 256,
                        .height = 256,
                        .format = PixelFormat::gray32f,
                        .border = Border::zero,
                        .filter = parse_filter("gaussian:radius=8").filter};
  const Device device = list_devices(Backend::emulated).at(0);
  const auto reads = [&](const char* id, const Tuning& tuning) {
    return region_reads(*find_strategy(Backend::emulated, id), problem, device, tuning);
  };
  EXPECT_EQ(reads("global", {{"block_width", 16}, {"block_height", 16}}), 9);
  EXPECT_EQ(reads("tiled-halo", {{"tile_width", 16}, {"tile_height", 16}}), 9);
  EXPECT_EQ(reads("separable", {{"block_width", 16}, {"block_height", 16}}), 6) << "three along rows, three down";
  EXPECT_EQ(reads("tiled-input-block", {{"tile_width", 4}, {"tile_height", 4}, {"output_tile", 1}}), 25)
      << "a radius of two blocks: five by five of them";
  EXPECT_EQ(region_reads(*find_strategy(Backend::cpu, "cpu-direct"), problem, list_devices(Backend::cpu).at(0), {}),
            std::nullopt);
}

nlohmann::ordered_json done_part() { return sample_part({6, 2}, 0.5); }

TEST(ExperimentJournal, GoesOnWhereItWas) {
  const Folder folder;
  const Experiment experiment = sample_experiment();
  const std::vector<ExperimentPart> parts = parts_of(experiment);
  const std::string path = folder / "run.jsonl";
  {
    Journal journal(path, experiment);
    EXPECT_FALSE(journal.done(parts[0], "here"));
    journal.add(parts[0], "here", done_part());
  }
  Journal again(path, experiment);
  EXPECT_EQ(again.done(parts[0], "here"), done_part());
  EXPECT_FALSE(again.done(parts[0], "elsewhere")) << "another device's times are not this one's";
  EXPECT_FALSE(again.done(parts[2], "here"));
}

TEST(ExperimentJournal, AnywhereItWasCutOffWholeLinesCount) {
  const Folder folder;
  const Experiment experiment = sample_experiment();
  const std::vector<ExperimentPart> parts = parts_of(experiment);
  const std::string path = folder / "run.jsonl";
  {
    Journal journal(path, experiment);
    for (const std::size_t i : {0, 2}) journal.add(parts[i], "here", done_part());
  }
  const std::string whole = folder.read("run.jsonl");
  for (std::size_t length = 0; length <= whole.size(); length += 7) {
    folder.write("run.jsonl", whole.substr(0, length));
    Journal cut(path, experiment);
    EXPECT_EQ(cut.parts(), std::max<std::size_t>(std::ranges::count(whole.substr(0, length), '\n'), 1) - 1) << length;
    for (const std::size_t i : {0, 2})
      if (!cut.done(parts[i], "here")) cut.add(parts[i], "here", done_part());
    EXPECT_EQ(folder.read("run.jsonl"), whole) << "cut at " << length;
  }
}

TEST(ExperimentJournal, OfSomethingElseIsLeftAlone) {
  const Folder folder;
  const Experiment experiment = sample_experiment();
  const auto refusal = [&](const std::string& text) {
    const std::string path = folder.write("x", text);
    const std::string error = error_of([&] { Journal journal(path, experiment); });
    EXPECT_EQ(folder.read("x"), text) << "and as it was";
    return error;
  };
  EXPECT_THAT(refusal("dear diary"), HasSubstr("not of an experiment"));
  EXPECT_THAT(refusal("dear\ndiary"), HasSubstr("not of an experiment"));
  EXPECT_THAT(refusal(R"({"convoscope_experiment_journal":1,"experiment":"0","title":"Other","program":"1"})"
                      "\n"),
              HasSubstr("of another experiment"));
  EXPECT_THAT(error_of([&] { Journal journal(folder.path().string(), experiment); }), HasSubstr("Is a directory"));
}

TEST(Experiment, MeasuresAPartInTheSameRounds) {
  const Experiment experiment = sample_experiment();
  const auto compute = make_compute(Backend::cpu);
  const nlohmann::ordered_json measured =
      measure_part(*compute, experiment, parts_of(experiment)[0], DeviceLimits(), [](const std::string&) {});
  ASSERT_EQ(measured["rows"].size(), 2u);
  for (const auto& row : measured["rows"]) {
    EXPECT_TRUE(row["verified"]) << row;
    EXPECT_EQ(row["samples"], 6);
    EXPECT_LE(row["mean_low_ms"].get<double>(), row["mean_ms"].get<double>());
    EXPECT_GE(row["mean_high_ms"].get<double>(), row["mean_ms"].get<double>());
    EXPECT_EQ(row["problem"], "small");
  }
  EXPECT_EQ(measured["rows"][1]["tuning"]["threads"], 1);
}

}  // namespace
}  // namespace convoscope
