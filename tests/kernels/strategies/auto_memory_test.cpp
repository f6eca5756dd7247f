// What `auto` remembers says how well it was known, and nothing is remembered that cannot be believed.
#include "kernels/choose/auto_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "kernels/measure/cache_file.h"
#include "tests/kernels/cache_home.h"

namespace convoscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* a_key = "a problem on a device";

AutoChoice well_known() {
  return {.strategy = "cpu-parallel",
          .median_ms = 2,
          .next = "cpu-direct",
          .next_ms = 3,
          .tried = 2,
          .samples = 6,
          .low_ms = 1.9,
          .high_ms = 2.25,
          .trials = 18,
          .disturbed = 1};
}

AutoChoice of_a_wide_interval() {
  AutoChoice choice = well_known();
  choice.high_ms = choice.low_ms + 2.1;
  return choice;
}

AutoChoice of_a_busy_machine() {
  AutoChoice choice = well_known();
  choice.disturbed = 10;
  return choice;
}

nlohmann::json entry_of(const AutoChoice& choice) {
  return {{"strategy", choice.strategy},  {"median_ms", choice.median_ms}, {"next", choice.next},
          {"next_ms", choice.next_ms},    {"row_ms", choice.row_ms},       {"next_row_ms", choice.next_row_ms},
          {"tried", choice.tried},        {"pruned", choice.pruned},       {"samples", choice.samples},
          {"low_ms", choice.low_ms},      {"high_ms", choice.high_ms},     {"trials", choice.trials},
          {"disturbed", choice.disturbed}};
}

TEST(AutoMemory, KeepsTheIntervalAndTheLoad) {
  const CacheHome cache;
  ASSERT_TRUE(remember_choice(a_key, well_known()));
  const auto choice = recall_choice(a_key);
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->samples, 6);
  EXPECT_EQ(choice->low_ms, 1.9);
  EXPECT_EQ(choice->high_ms, 2.25);
  EXPECT_EQ(choice->trials, 18);
  EXPECT_EQ(choice->disturbed, 1);
  EXPECT_THAT(what_it_took(*choice), AllOf(HasSubstr("it took 2 ms (1.9 to 2.25, n = 6), and cpu-direct, the next, 3"),
                                           HasSubstr("; other programs disturbed 1 of 18 trials.")));
}

TEST(AutoMemory, SaysNothingOfAnIntervalThatIsNotKnown) {
  EXPECT_EQ(what_it_took({.strategy = "cpu-direct", .median_ms = 1, .samples = 5, .trials = 9}),
            "When it was chosen, it took 1 ms.");
}

TEST(AutoMemory, KeepsNothingDoubtful) {
  const CacheHome cache;
  std::string why;
  EXPECT_FALSE(remember_choice(a_key, of_a_wide_interval(), &why));
  EXPECT_THAT(why, HasSubstr("Not remembered. Its times differ by more than their median"));
  EXPECT_FALSE(remember_choice(a_key, of_a_busy_machine(), &why));
  EXPECT_THAT(why, HasSubstr("Not remembered. Other programs took most of the processor"));
  EXPECT_FALSE(recall_choice(a_key));
  ASSERT_TRUE(remember_choice(a_key, well_known()));
  remember_choice(a_key, of_a_busy_machine());
  EXPECT_TRUE(recall_choice(a_key)) << "what is known well stays";
}

// Whoever wrote it: an earlier version, or a hand.
TEST(AutoMemory, RecallsNothingDoubtfulAndNothingOfAnOlderForm) {
  const CacheHome cache;
  for (const AutoChoice& choice : {of_a_wide_interval(), of_a_busy_machine()}) {
    ASSERT_TRUE(save_cache_entry("auto.json", a_key, entry_of(choice), nullptr));
    EXPECT_FALSE(recall_choice(a_key));
  }
  for (const char* missing : {"samples", "low_ms", "high_ms", "trials", "disturbed"}) {
    nlohmann::json entry = entry_of(well_known());
    entry.erase(missing);
    ASSERT_TRUE(save_cache_entry("auto.json", a_key, entry, nullptr));
    std::string problem;
    EXPECT_FALSE(recall_choice(a_key, &problem)) << missing;
    EXPECT_EQ(problem, "") << "nobody needs to know";
  }
  ASSERT_TRUE(save_cache_entry("auto.json", a_key, entry_of(well_known()), nullptr));
  EXPECT_TRUE(recall_choice(a_key));
}

TEST(AutoMemory, RecallsNoCountsThatCannotBe) {
  const CacheHome cache;
  for (const int disturbed : {-1, 19, std::numeric_limits<int>::max(), std::numeric_limits<int>::min()}) {
    AutoChoice choice = well_known();
    choice.disturbed = disturbed;
    ASSERT_TRUE(save_cache_entry("auto.json", a_key, entry_of(choice), nullptr));
    EXPECT_FALSE(recall_choice(a_key)) << disturbed;
  }
}

}  // namespace
}  // namespace convoscope
