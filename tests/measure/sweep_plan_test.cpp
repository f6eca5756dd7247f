// What a sweep would measure, in each workbench.
#include "app/measure/sweep/sweep_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "app/cli/commands/problems.h"
#include "app/state/workbench.h"
#include "kernels/choose/ladder.h"
#include "kernels/contract/sweep.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSupersetOf;

struct Window {
  Settings settings = default_settings();
  Stats stats;
};
Window window_with(const std::vector<std::string>& strategies, const std::string& filter,
                   const std::string& workbench = "image") {
  Window window;
  show_workbench(window.settings, workbench);
  window.stats.ladder = ladder(*workbench_of(workbench).kind);
  window.stats.device.backend = Backend::cpu;
  window.stats.source.width = 320, window.stats.source.height = 200;
  window.settings.group().panes.resize(strategies.size());
  for (std::size_t i = 0; i < strategies.size(); ++i) window.settings.group().panes[i].strategy = strategies[i];
  window.settings.group().panes[0].filter = parse_filter(filter);
  return window;
}

// The problems that bench makes of an order.
std::vector<Problem> measured(const SweepOrder& order) {
  std::vector<const char*> argv{"convoscope"};
  for (const std::string& argument : order.arguments) argv.push_back(argument.c_str());
  std::vector<Problem> all;
  for (NamedProblem& one :
       bench_problems(parse_arguments(static_cast<int>(argv.size()), argv.data(), default_settings())))
    all.push_back(std::move(one.problem));
  return all;
}

TEST(SweepPlan, IsWhatTheUserChose) {
  auto [settings, stats] = window_with({"cpu-direct", "cpu-parallel", "source"}, "box:radius=3");
  SweepChoices& choices = sweep_choices(settings);
  choices.values["radius"] = {4, 1};
  stats.source.width = 0;
  EXPECT_THROW(sweep_order(settings, stats), Error) << "the source has no size yet";
  stats.source.width = 320;
  SweepOrder order = sweep_order(settings, stats);
  EXPECT_EQ(order.rows, 4);
  EXPECT_THAT(order.arguments, IsSupersetOf({"bench", "--lines", "image", "cpu-direct,cpu-parallel", "box:radius=3",
                                             "320x200", "size=200", "radius=1,4"}));
  choices.values["size"] = {100, 50};
  choices.strategies = {"cpu-parallel", "cpu-separable", "constant"};
  settings.group().panes[0].filter = parse_filter("sharpen");
  order = sweep_order(settings, stats);
  EXPECT_EQ(order.rows, 8);
  EXPECT_THAT(order.arguments,
              IsSupersetOf({"cpu-parallel,cpu-separable", "size=50,100", "gaussian:radius=1", "radius=1,4"}));
  choices.strategies = {"constant"};
  EXPECT_THROW(sweep_order(settings, stats), Error);
  EXPECT_THAT(sweep_plan(settings, stats).why_not, HasSubstr("None of the chosen strategies"));
  choices.strategies.clear();
  choices.values["radius"].clear();
  EXPECT_THAT(sweep_plan(settings, stats).why_not, HasSubstr("at least one value of the radius"));
  choices.values["radius"] = {1};
  stats.device.backend = Backend::emulated;
  EXPECT_THROW(sweep_order(settings, stats), Error);
}

TEST(SweepPlan, StartsFromTheWorkbenchsOwnProblem) {
  for (const Workbench& bench : workbenches) {
    SCOPED_TRACE(bench.id);
    auto [settings, stats] = window_with({"cpu-direct", "auto"}, "box:radius=3", std::string(bench.id));
    settings.active().frames = 2;
    const SweepPlan plan = sweep_plan(settings, stats);
    EXPECT_EQ(plan.why_not, "");
    EXPECT_EQ(plan.start.kind, bench.kind);
    EXPECT_GE(plan.values[0].size(), 2u) << "the first number lies along the axis";
    const std::vector<int> own = sweep_values(plan.start);
    for (std::size_t i = 1; i < own.size(); ++i) EXPECT_EQ(plan.values[i], std::vector{own[i]});
    EXPECT_TRUE(std::ranges::binary_search(plan.values[0], own[0]));
    const SweepOrder order = sweep_order(settings, stats);
    const std::vector<Problem> problems = measured(order);
    EXPECT_EQ(order.rows, static_cast<int>(problems.size() * plan.strategies.size()));
    ASSERT_EQ(problems.size(), plan.values[0].size());
    for (std::size_t i = 0; i < problems.size(); ++i) {
      std::vector<int> values = own;
      values[0] = plan.values[0][i];
      EXPECT_EQ(sweep_values(problems[i]), values);
    }
  }
}

TEST(SweepPlan, OfAVolumeGoesOverItsFrames) {
  auto [settings, stats] = window_with({"cpu-parallel"}, "gaussian:radius=2", "volume");
  settings.active().frames = 3;
  SweepChoices& choices = sweep_choices(settings);
  choices.along = "rt";
  EXPECT_THAT(sweep_plan(settings, stats).values[1], ElementsAre(1, 2, 3, 4)) << "the usual ones and the pane's own";
  choices.values["rt"] = {0, 1};
  choices.values["radius"] = {1, 2};
  std::vector<std::vector<int>> values;
  for (const Problem& problem : measured(sweep_order(settings, stats))) values.push_back(sweep_values(problem));
  EXPECT_THAT(values, ElementsAre(ElementsAre(1, 0, 200), ElementsAre(1, 1, 200), ElementsAre(2, 0, 200),
                                  ElementsAre(2, 1, 200)));
}

TEST(SweepPlan, OfALayerIsRefusedWithItsNumbers) {
  auto [settings, stats] = window_with({"cpu-gemm"}, "gaussian", "layer");
  SweepChoices& choices = sweep_choices(settings);
  choices.along = "K";
  choices.values = {{"M", {2, 4}}, {"K", {3, 5}}, {"pass", {0, 2}}};
  std::vector<std::string> shapes;
  for (const Problem& problem : measured(sweep_order(settings, stats)))
    shapes.push_back(problem.kind->describe(problem));
  EXPECT_EQ(shapes.size(), 8u);
  EXPECT_EQ(shapes[1], "1,3,200,320,2,5,padding=2 f32 nchw forward");
  EXPECT_EQ(shapes[2], "1,3,200,320,2,3,padding=1 f32 nchw to-weights");
  settings.layer.depthwise = true;
  settings.layer.weights = catalogue_bank(settings.layer, 6, 3);
  EXPECT_THAT(sweep_plan(settings, stats).why_not, HasSubstr("must be a multiple of 3; it is 2."));
  choices.values["pass"] = choices.values["type"] = {7};
  for (const std::size_t place : {4, 5})
    EXPECT_EQ(sweep_plan(settings, stats).values[place], std::vector{0}) << "there is no such pass or type";
  choices.values.erase("type");
  choices.values.erase("M");
  choices.along = "M";
  EXPECT_EQ(sweep_plan(settings, stats).why_not, "") << "of the usual ones those that can be";
  choices.values = {{"K", {3, 5}}, {"size", {}}};
  for (int i = 1; i < 200; ++i) choices.values["M"].push_back(3 * i);
  EXPECT_THAT(sweep_plan(settings, stats).why_not, HasSubstr("398 points"));
}

TEST(SweepPlan, OfALayerIsOfItsTypesAndItsLayout) {
  auto [settings, stats] = window_with({"cpu-direct"}, "gaussian", "layer");
  settings.layer.precision = Precision::f16;
  settings.layer.layout = Layout::nhwc;
  SweepChoices& choices = sweep_choices(settings);
  choices.values = {{"M", {4}}};
  std::vector<Problem> problems = measured(sweep_order(settings, stats));
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].layer.precision, Precision::f16);
  EXPECT_EQ(problems[0].layer.layout, Layout::nhwc);
  choices.values["type"] = {0, 1};
  problems = measured(sweep_order(settings, stats));
  ASSERT_EQ(problems.size(), 2u);
  EXPECT_EQ(problems[1].layer.precision, Precision::tf32);
}

TEST(SweepPlan, OfALayerIsOfTheActivePanesType) {
  auto [settings, stats] = window_with({"cpu-direct", "cpu-direct"}, "gaussian", "layer");
  sweep_choices(settings).values = {{"M", {4}}};
  SweepPlans plans;
  EXPECT_EQ(plans.of(settings, stats).start.layer.precision, Precision::f32);
  settings.group().panes[1].precision = Precision::tf32;
  EXPECT_EQ(plans.of(settings, stats).start.layer.precision, Precision::f32) << "it is another pane's";
  settings.group().active_pane = 1;
  EXPECT_EQ(plans.of(settings, stats).start.layer.precision, Precision::tf32);
  const std::vector<Problem> problems = measured(sweep_order(settings, stats));
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].layer.precision, Precision::tf32);
}

TEST(SweepPlan, ComparesWithAllOthersWhereThePanesHaveOneStrategy) {
  for (const auto& [bench, other] :
       {std::pair{"image", "cpu-separable"}, {"volume", "cpu-parallel"}, {"layer", "cpu-gemm"}}) {
    const auto [settings, stats] = window_with({"auto"}, "gaussian:radius=2", bench);
    const std::vector<std::string> chosen = sweep_plan(settings, stats).strategies;
    EXPECT_THAT(chosen, testing::Contains(other));
    EXPECT_THAT(chosen, testing::Not(testing::Contains("cpu-direct")));
  }
}

TEST(SweepPlan, AWorkbenchKeepsItsChoices) {
  auto [settings, stats] = window_with({"auto"}, "gaussian");
  sweep_choices(settings).strategies = {"cpu-separable"};
  show_workbench(settings, "layer");
  EXPECT_TRUE(sweep_choices(settings).strategies.empty());
  stats.ladder = ladder(*find_kind("layer"));
  EXPECT_EQ(sweep_plan(settings, stats).why_not, "");
  show_workbench(settings, "image");
  EXPECT_THAT(sweep_choices(settings).strategies, ElementsAre("cpu-separable"));
}

int times_asked = 0;

TEST(SweepPlan, IsMadeAnewWhenSomethingHasChangedOnly) {
  auto [settings, stats] = window_with({"auto"}, "gaussian:radius=2");
  const auto row = std::ranges::find_if(
      stats.ladder, [](const StrategyRow& each) { return each.strategy && each.strategy->id == "cpu-parallel"; });
  ASSERT_NE(row, stats.ladder.end());
  Strategy counting = *row->strategy;
  counting.id = "counting";
  counting.refuses = [](const Problem&, const Device&, const Tuned&) {
    ++times_asked;
    return std::string();
  };
  row->strategy = &counting;
  times_asked = 0;
  SweepPlans plans;
  EXPECT_EQ(plans.of(settings, stats).strategies, sweep_plan(settings, stats).strategies);
  const int once = std::exchange(times_asked, 0);
  EXPECT_GT(once, 0);
  for (int frame = 0; frame < 3; ++frame) plans.of(settings, stats);
  EXPECT_EQ(times_asked, 0);
  settings.active().border = Border::wrap;
  plans.of(settings, stats);
  EXPECT_GT(times_asked, 0);
  sweep_choices(settings).strategies = {"counting"};
  EXPECT_THAT(plans.of(settings, stats).strategies, ElementsAre("counting"));
  sweep_choices(settings).values["radius"] = {7, 3};
  EXPECT_THAT(plans.of(settings, stats).values[0], ElementsAre(3, 7));
}

}  // namespace
}  // namespace convoscope
