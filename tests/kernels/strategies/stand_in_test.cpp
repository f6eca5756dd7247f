#include "kernels/choose/stand_in.h"

#include <gtest/gtest.h>

#include <set>

#include "kernels/choose/auto_candidates.h"
#include "kernels/choose/auto_memory.h"
#include "kernels/choose/ladder.h"
#include "kernels/filter/filter_catalogue.h"
#include "tests/kernels/cache_home.h"

namespace convoscope {
namespace {

Problem problem_with(const char* filter) {
  return {160, 90, PixelFormat::rgba8, Border::mirror, parse_filter(filter).filter};
}

TEST(LadderOf, EveryStrategyOfTheBackendCanBeChosen) {
  for (const Backend backend : {Backend::cpu, Backend::emulated}) {
    SCOPED_TRACE(to_string(backend));
    std::set<std::string_view> open, listed;
    for (const StrategyRow& row : ladder_of(backend)) {
      EXPECT_TRUE(listed.insert(row.strategy->id).second) << row.strategy->id << " is listed twice";
      EXPECT_EQ(row.available, row.reason.empty()) << row.strategy->id;
      EXPECT_TRUE(row.available || row.backend == Backend::cuda) << row.strategy->id;
      if (row.available) open.insert(row.strategy->id);
      if (row.available && find_strategy(backend, row.strategy->id)) {
        EXPECT_EQ(row.backend, backend);
        EXPECT_EQ(row.strategy, find_strategy(backend, row.strategy->id)) << "the one that runs";
      }
    }
    for (const Strategy* strategy : strategies(backend)) EXPECT_TRUE(open.contains(strategy->id)) << strategy->id;
    for (const Strategy* strategy : strategies(Backend::cpu)) EXPECT_TRUE(open.contains(strategy->id)) << strategy->id;
    for (const Strategy* strategy : strategies(Backend::emulated))
      EXPECT_TRUE(listed.contains(strategy->id)) << strategy->id;
  }
}

TEST(AbleStrategies, TakeTheProblemAndBeginWithTheRememberedWinner) {
  const CacheHome cache;
  const Device& device = typical_device(Backend::cpu);
  const Problem problem = problem_with("gaussian:radius=2");
  const auto able = able_strategies(problem, device);
  ASSERT_GE(able.size(), 2u);
  for (const Strategy* strategy : able) EXPECT_EQ(strategy->unsupported(problem, device, {}), "") << strategy->id;
  const std::string last(able.back()->id);
  remember_choice(auto_key(problem, device), {.strategy = last, .median_ms = 1});
  EXPECT_EQ(able_strategies(problem, device).front()->id, last);
  remember_choice(auto_key(problem, device), {.strategy = "cpu-direct", .median_ms = 1});
  EXPECT_EQ(able_strategies(problem, device).front(), able.front()) << "no candidate";
}

TEST(StrategyFor, PrefersTheBackendsOwn) {
  EXPECT_EQ(strategy_for(Backend::emulated, "auto")->backend, Backend::emulated);
  EXPECT_EQ(strategy_for(Backend::emulated, "cpu-direct")->backend, Backend::cpu);
  EXPECT_EQ(strategy_for(Backend::cpu, "constant"), nullptr);
  EXPECT_EQ(why_not_here(Backend::cpu, "constant"), "it needs CUDA");
  EXPECT_EQ(why_not_here(Backend::cpu, "no-such"), "there is no strategy with this name");
}

}  // namespace
}  // namespace convoscope
