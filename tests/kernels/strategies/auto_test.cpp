// How `auto` chooses, what it remembers, and what it says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "kernels/check/verify.h"
#include "kernels/choose/auto_candidates.h"
#include "kernels/choose/auto_memory.h"
#include "kernels/choose/ladder.h"
#include "kernels/choose/trial_load.h"
#include "kernels/contract/image_plan.h"
#include "kernels/filter/filter_catalogue.h"
#include "kernels/kinds/reference.h"
#include "kernels/measure/cache_file.h"
#include "kernels/text/error.h"
#include "tests/kernels/cache_home.h"

namespace convoscope {
namespace {

using testing::AnyOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

Problem problem_of(const char* filter, int width = 160, int height = 90) {
  return {width, height, PixelFormat::rgba8, Border::mirror, parse_filter(filter).filter};
}

std::set<std::string> ids(const std::vector<Candidate>& candidates) {
  std::set<std::string> out;
  for (const Candidate& candidate : candidates) out.emplace(candidate.strategy->id);
  return out;
}

TEST(AutoCandidates, TakeTheProblemWithoutALibrary) {
  const Device& device = typical_device(Backend::emulated);
  const DeviceLimits limits{.copy_bytes_per_second = 2e12, .flop_per_second = 40e12};
  const Candidates round = find_candidates(problem_of("disk:radius=2"), device, limits);
  std::set<std::string> all = ids(round.likely);
  all.merge(ids(round.pruned));
  EXPECT_TRUE(all.contains("constant"));
  EXPECT_TRUE(all.contains("low-rank"));
  for (const char* absent :
       {"auto", "separable", "separable-fused", "winograd", "cudnn", "npp", "cv-cuda", "fft", "im2col-gemm"})
    EXPECT_FALSE(all.contains(absent)) << absent;
  EXPECT_TRUE(ids(find_candidates(problem_of("gaussian:radius=2"), device, limits).likely).contains("separable-fused"));
  for (std::size_t i = 1; i < round.likely.size(); ++i)
    EXPECT_LE(round.likely[i - 1].predicted_ms, round.likely[i].predicted_ms);
  EXPECT_TRUE(why_no_candidate(problem_of("disk:radius=2"), device).empty());
}

TEST(AutoCandidates, TheHopelessAreNotTried) {
  const Device& device = typical_device(Backend::emulated);
  const DeviceLimits limits{.copy_bytes_per_second = 2e12, .flop_per_second = 40e12};
  // Large enough that a trial of the plain kernel would take longer than a frame.
  const Candidates found = find_candidates(problem_of("gaussian:radius=30", 7680, 4320), device, limits);
  EXPECT_TRUE(ids(found.pruned).contains("global"));
  EXPECT_TRUE(ids(found.likely).contains("separable-fused"));
  for (const Candidate& candidate : found.pruned) EXPECT_GT(candidate.predicted_ms, 3 * found.likely[0].predicted_ms);
  // A small problem is over before it matters.
  EXPECT_THAT(find_candidates(problem_of("gaussian:radius=2"), device, limits).pruned, IsEmpty());
}

TEST(AutoCandidates, OneCoreIsNotTriedOnTheCpu) {
  const Device& device = typical_device(Backend::cpu);
  const Candidates found = find_candidates(problem_of("gaussian:radius=2"), device, assumed_limits(device));
  std::set<std::string> all = ids(found.likely);
  all.merge(ids(found.pruned));
  EXPECT_FALSE(all.contains("cpu-direct"));
  EXPECT_TRUE(all.contains("cpu-parallel"));
}

// Fixed point is the default of the CPU wherever it is right, and no problem brings one core's plain loops in.
TEST(AutoCandidates, TheCpuStartsWithFixedPointWhereThatIsRight) {
  const Device& device = typical_device(Backend::cpu);
  const auto first = [&](Problem problem) {
    return std::string(find_candidates(problem, device, assumed_limits(device)).likely.front().strategy->id);
  };
  EXPECT_EQ(first(problem_of("gaussian:radius=4")), "cpu-separable-int16");
  EXPECT_EQ(first(problem_of("disk:radius=4")), "cpu-parallel");
  Problem grey = problem_of("gaussian:radius=4");
  grey.format = PixelFormat::gray32f;
  EXPECT_EQ(first(grey), "cpu-separable");
  for (const char* large : {"gaussian:radius=63", "disk:radius=63"})
    for (const Candidate& each : find_candidates(problem_of(large), device, assumed_limits(device)).likely)
      EXPECT_NE(each.strategy->id, "cpu-direct");
}

// They are the fastest on a GPU and take seconds a frame in the emulator, where the model alone chooses.
TEST(AutoCandidates, TheEmulatorDoesNotChooseMatrixInstructions) {
  const Device& device = typical_device(Backend::emulated);
  for (const FilterKind& kind : filter_kinds())
    for (const PixelFormat format : {PixelFormat::rgba8, PixelFormat::gray32f}) {
      Problem problem = problem_of(std::string(kind.id).c_str(), 320, 180);
      problem.format = format;
      const Candidates found = find_candidates(problem, device, assumed_limits(device));
      ASSERT_FALSE(found.likely.empty()) << kind.id;
      const Strategy& first = *found.likely.front().strategy;
      EXPECT_FALSE(first.model(problem, {}).on_matrix_units) << kind.id << ": " << first.id;
    }
}

TEST(AutoKey, ChangesWithWhatMayChangeTheWinner) {
  const Device device{.backend = Backend::cpu, .name = "A", .multiprocessors = 2};
  const Problem problem = problem_of("gaussian:radius=2", 1920, 1080);
  const std::string key = auto_key(problem, device);
  std::set<std::string> keys{key};
  const auto differs = [&](const Problem& other, const char* what) {
    EXPECT_TRUE(keys.insert(auto_key(other, device)).second) << what;
  };
  Problem other = problem;
  other.format = PixelFormat::gray32f;
  differs(other, "format");
  other = problem;
  other.border = Border::zero;
  differs(other, "border");
  differs(problem_of("gaussian:radius=2", 3840, 2160), "size");
  differs(problem_of("gaussian:radius=2", 1080, 1920), "upright");
  differs(problem_of("gaussian:radius=3", 1920, 1080), "radius");
  differs(problem_of("1 4 6 4 1", 1920, 1080), "one row");
  differs(problem_of("disk:radius=2", 1920, 1080), "rank");
  differs(problem_of("box:radius=2", 1920, 1080), "box");
  other = problem_of("sobel-magnitude", 1920, 1080);
  differs(other, "magnitude");
  EXPECT_NE(auto_key(problem, {.backend = Backend::cpu, .name = "B", .multiprocessors = 2}), key);

  other = problem;
  other.filter.absolute = true;
  differs(other, "absolute");

  other = problem;
  other.filter.gain = 2;
  other.filter.bias = 0.5f;
  for (float& weight : other.filter.weights) weight *= 3;
  other.width = 1900;
  EXPECT_EQ(auto_key(other, device), key) << "weights, and a few pixels more or less, change no winner";
}

class Auto : public testing::TestWithParam<Backend> {
 protected:
  const Strategy& strategy() const { return *find_strategy(GetParam(), "auto"); }
  std::unique_ptr<Plan> plan(const Problem& problem) { return strategy().plan(problem, compute_->device(), {}); }

  // As the window does: one frame, then one trial. Returns how many frames it took.
  int settle(Plan& plan, const Problem& problem) {
    const DeviceImage in = compute_->allocate(problem.width, problem.height, problem.format);
    const DeviceImage out = compute_->allocate(problem.width, problem.height, problem.format);
    compute_->fill(in.image(), 77);
    int frames = 0;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    for (; !plan.settled() && std::chrono::steady_clock::now() < end; ++frames) {
      plan.prepare(compute_->stream());
      enqueue_image(plan, in.image(), out.image(), compute_->stream());
      explore_image(plan, in.image(), compute_->stream());
    }
    EXPECT_TRUE(plan.settled());
    return frames;
  }

  CacheHome cache_;
  std::unique_ptr<Compute> compute_ = make_compute(GetParam());
};

TEST_P(Auto, ChoosesOneOfTheCandidatesAndSaysSo) {
  for (const char* filter : {"gaussian:radius=2", "disk:radius=3", "sobel-magnitude", "box:radius=4"}) {
    const Problem problem = problem_of(filter);
    const auto chosen = plan(problem);
    settle(*chosen, problem);
    ASSERT_TRUE(chosen->runs());
    const std::string id(chosen->runs()->id);
    EXPECT_NE(id, "auto");
    EXPECT_THAT(chosen->note(), StartsWith("Runs " + id)) << filter;
    if (GetParam() == Backend::emulated) {
      EXPECT_THAT(chosen->note(), HasSubstr("nothing is timed"));
      EXPECT_EQ(strategy().title, "Likely the fastest") << "which nobody knows there";
    } else {
      EXPECT_THAT(
          chosen->note(),
          AnyOf(ContainsRegex(R"(\. When it was chosen, it took [0-9.]+ ms( \([0-9.]+ to [0-9.]+, n = [0-9]+\))?)"
                              R"((, and [a-z0-9-]+, the next, [0-9.]+ ms)?)"
                              R"((: too near to tell, so launches in a row decided, with [0-9.]+ and [0-9.]+)?)"
                              R"((; other programs disturbed [0-9]+ of [0-9]+ trials)?)"
                              R"(\. Tried [0-9]+ (of [0-9]+ )?candidate)"),
                HasSubstr("nothing else was worth a trial")));
      EXPECT_THAT(chosen->note(), Not(HasSubstr("pruned")));
    }
    EXPECT_GE(strategy().tolerance(problem), chosen->runs()->tolerance(problem));
  }
}

TEST_P(Auto, ToleratesWhatItsCandidatesDo) {
  const Problem problem = problem_of("gaussian:radius=2");
  const Candidates found = find_candidates(problem, compute_->device(), assumed_limits(compute_->device()));
  double largest = 0;
  for (const auto* group : {&found.likely, &found.pruned})
    for (const Candidate& candidate : *group) largest = std::max(largest, candidate.strategy->tolerance(problem));
  EXPECT_EQ(strategy().tolerance(problem), largest);
}

// From a filter that the winner takes to one that it does not, and back.
TEST_P(Auto, FollowsTheFilterThroughSetFilter) {
  const Problem first = problem_of("gaussian:radius=2", 61, 37), second = problem_of("disk:radius=2", 61, 37);
  ASSERT_EQ(first.filter.width, second.filter.width);
  std::vector<std::uint32_t> pixels(61 * 37), result(pixels.size());
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<std::uint32_t>(i * 2654435761u);
  const auto host = [&](std::vector<std::uint32_t>& data) {
    return Image{data.data(), 61, 37, 61 * 4, PixelFormat::rgba8};
  };
  const DeviceImage in = compute_->allocate(61, 37, PixelFormat::rgba8);
  const DeviceImage out = compute_->allocate(61, 37, PixelFormat::rgba8);
  compute_->upload(host(pixels), in.image());
  const auto chosen = plan(first);
  settle(*chosen, first);
  for (const Problem* problem : {&second, &first, &second}) {
    chosen->set_filter(problem->filter);
    for (int frame = 0; frame < 4; ++frame) {  // while it explores, and whatever it then runs
      chosen->prepare(compute_->stream());
      enqueue_image(*chosen, in.image(), out.image(), compute_->stream());
      explore_image(*chosen, in.image(), compute_->stream());
      compute_->download(out.image(), host(result));
      const Difference worst = compare(*problem, reference(*problem, host(pixels)), host(pixels), host(result));
      EXPECT_LE(worst.max_error, strategy().tolerance(*problem)) << chosen->note();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, Auto, testing::Values(Backend::cpu, Backend::emulated),
                         [](const auto& backend) { return std::string(to_string(backend.param)); });

// On a machine whose other programs leave it alone, whatever it does while the tests run.
class AutoOnTheCpu : public Auto {
 protected:
  AutoOnTheCpu() { TrialLoad::assumed = Doubt::none; }
  ~AutoOnTheCpu() override { TrialLoad::assumed.reset(); }
};
INSTANTIATE_TEST_SUITE_P(Cpu, AutoOnTheCpu, testing::Values(Backend::cpu));

TEST_P(AutoOnTheCpu, IsRememberedAndNotTriedAgain) {
  const Problem problem = problem_of("gaussian:radius=2");
  const auto first = plan(problem);
  EXPECT_FALSE(first->settled());
  EXPECT_THAT(first->note(), HasSubstr("the model's guess"));
  EXPECT_GT(settle(*first, problem), 2);

  const auto second = plan(problem);
  EXPECT_TRUE(second->settled());
  EXPECT_EQ(second->runs(), first->runs());
  EXPECT_THAT(second->note(), HasSubstr("Remembered"));
  EXPECT_FALSE(plan(problem_of("gaussian:radius=3"))->settled()) << "another kind of problem";
}

TEST_P(AutoOnTheCpu, IsTriedAgainAndNotRememberedWhereOtherProgramsRan) {
  const Problem problem = problem_of("gaussian:radius=2");
  const auto quiet = plan(problem);
  const int frames = settle(*quiet, problem);
  std::filesystem::remove(cache_.folder() + "/convoscope/auto.json");
  TrialLoad::assumed = Doubt::processor;
  const auto busy = plan(problem);
  EXPECT_GT(settle(*busy, problem), 2 * frames) << "it tries again";
  EXPECT_NE(busy->runs()->id, "auto");
  EXPECT_THAT(busy->note(), HasSubstr("Not remembered. Other programs took most of the processor"));
  EXPECT_FALSE(recall_choice(auto_key(problem, compute_->device())));
  EXPECT_FALSE(plan(problem)->settled());
}

TEST_P(AutoOnTheCpu, NewWeightsOfTheSameShapeKeepTheWinner) {
  const Problem problem = problem_of("gaussian:radius=2,sigma=1");
  const auto chosen = plan(problem);
  settle(*chosen, problem);
  const Strategy* winner = chosen->runs();
  chosen->set_filter(parse_filter("gaussian:radius=2,sigma=2").filter);
  EXPECT_TRUE(chosen->settled());
  EXPECT_EQ(chosen->runs(), winner);
  chosen->set_filter(parse_filter("disk:radius=2").filter);
  EXPECT_FALSE(chosen->settled() && chosen->runs()->id == "cpu-separable") << "which does not take it";
}

TEST_P(AutoOnTheCpu, AFilterThatChangesWhileItExploresIsNoProblem) {
  const Problem problem = problem_of("gaussian:radius=2,sigma=1");
  const DeviceImage in = compute_->allocate(problem.width, problem.height, problem.format);
  compute_->fill(in.image(), 77);
  const auto chosen = plan(problem);
  explore_image(*chosen, in.image(), {});
  chosen->set_filter(parse_filter("gaussian:radius=2,sigma=2").filter);
  explore_image(*chosen, in.image(), {});
  chosen->set_filter(parse_filter("disk:radius=2").filter);  // not all candidates take it
  explore_image(*chosen, in.image(), {});
  chosen->set_filter(parse_filter("gaussian:radius=2,sigma=3").filter);
  settle(*chosen, problem);
}

// Also by the one that has lost against others already, and runs until those are through with one another.
TEST_P(AutoOnTheCpu, NewWeightsAreObeyedWhateverTheTrialsHaveShown) {
  for (const char* filter :
       {"gaussian:radius=1", "gaussian:radius=2", "gaussian:radius=5", "sobel-x", "disk:radius=1"}) {
    for (const int width : {16, 160, 400}) {  // which of them wins depends on the size
      Problem problem = problem_of(filter, width, width / 2);
      const DeviceImage in = compute_->allocate(problem.width, problem.height, problem.format);
      const DeviceImage out = compute_->allocate(problem.width, problem.height, problem.format);
      compute_->fill(in.image(), 100);
      const auto chosen = plan(problem);
      for (int step = 0; step < 200 && !chosen->settled(); ++step) {
        problem.filter.bias = static_cast<float>(step % 2) / 4;
        chosen->set_filter(problem.filter);
        chosen->prepare({});
        enqueue_image(*chosen, in.image(), out.image(), {});
        const std::vector<double> expected = reference(problem, in.image());
        ASSERT_LE(compare(problem, expected, in.image(), out.image()).max_error, strategy().tolerance(problem))
            << filter << ", " << width << " wide, step " << step << ": " << chosen->note();
        explore_image(*chosen, in.image(), {});
      }
    }
  }
}

TEST_P(AutoOnTheCpu, ABrokenMemoryIsASentenceAndIsReplaced) {
  const Problem problem = problem_of("gaussian:radius=2");
  settle(*plan(problem), problem);
  const std::string file = cache_.folder() + "/convoscope/auto.json";
  std::ofstream(file) << "{ not JSON";
  const auto again = plan(problem);
  EXPECT_FALSE(again->settled());
  EXPECT_THAT(again->note(), HasSubstr("auto.json"));
  settle(*again, problem);
  EXPECT_TRUE(plan(problem)->settled());
}

TEST_P(AutoOnTheCpu, AMemoryThatNamesAnotherLadderIsNotUsed) {
  const Problem problem = problem_of("disk:radius=2");
  const std::string key = auto_key(problem, compute_->device());
  for (const char* id : {"cpu-separable", "cpu-direct", "constant", "auto", "nothing", ""}) {
    remember_choice(key, {.strategy = id, .median_ms = 1});
    EXPECT_NE(plan(problem)->runs()->id, id);
  }
  save_cache_entry("auto.json", key, {{"strategy", 7}}, nullptr);
  EXPECT_FALSE(recall_choice(key));
  EXPECT_NO_THROW(plan(problem));
}

TEST_P(AutoOnTheCpu, AMemoryThatCannotBeWrittenIsASentence) {
  const Folder other;
  setenv("XDG_CACHE_HOME", other.write("file", "not a folder").c_str(), 1);
  const Problem problem = problem_of("gaussian:radius=2");
  const auto chosen = plan(problem);
  settle(*chosen, problem);
  EXPECT_THAT(chosen->note(), HasSubstr("cannot be written"));
  EXPECT_FALSE(plan(problem)->settled());
}

TEST(AutoOnTheLadder, IsOneRowOnEveryMachine) {
  int rows = 0;
  for (const StrategyRow& row : ladder())
    if (row.strategy->id == "auto") {
      ++rows;
      EXPECT_TRUE(row.available) << row.reason;
    }
  EXPECT_EQ(rows, 1);
  for (const Backend backend : {Backend::cpu, Backend::emulated}) EXPECT_TRUE(find_strategy(backend, "auto"));
}

}  // namespace
}  // namespace convoscope
