// `auto` of every kind, and of every pass of a layer: what it chooses from, what it remembers by, that it is right.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "kernels/choose/auto_candidates.h"
#include "kernels/choose/auto_memory.h"
#include "kernels/choose/ladder.h"
#include "kernels/choose/stand_in.h"
#include "kernels/contract/theory/model.h"
#include "kernels/kinds/frames.h"
#include "kernels/kinds/layer.h"
#include "kernels/kinds/signal.h"
#include "kernels/kinds/volume.h"
#include "tests/kernels/cache_home.h"

namespace convoscope {
namespace {

using testing::StartsWith;

Problem signal_problem() {
  return {3000, 2, PixelFormat::gray32f, Border::mirror, signal_kind.parse("1 4 6 4 1"), &signal_kind};
}
Problem volume_problem(const char* filter = "gaussian:radius=1,rt=1") {
  return {61, 37, PixelFormat::rgba8, Border::mirror, volume_kind.parse(filter), &volume_kind};
}
Problem image_problem() {
  return {61, 37, PixelFormat::rgba8, Border::mirror, image_kind.parse("gaussian:radius=1"), &image_kind};
}
Problem layer(Pass pass, const char* shape = "2,4,13,11,6,3,padding=1") { return layer_problem(shape, pass); }

std::vector<Problem> problems() {
  std::vector<Problem> all{image_problem(), signal_problem(), volume_problem()};
  for (const Pass pass : all_passes) all.push_back(layer(pass));
  return all;
}

std::string name_of(const Problem& problem) {
  if (problem.kind != &layer_kind) return std::string(problem.kind->id);
  const char* const names[] = {"layer_forward", "layer_to_input", "layer_to_weights"};
  return names[static_cast<std::size_t>(problem.layer.pass)];
}

// A problem's data, filtered by a plan and held against the reference.
class Work {
 public:
  Work(Compute& compute, const Problem& problem) : compute_(compute), problem_(problem) {
    for (const Shape& shape : problem.kind->inputs(problem)) {
      words_.emplace_back(shape.elements());
      for (std::size_t i = 0; i < words_.back().size(); ++i) {
        const auto noise = static_cast<std::uint32_t>((i + words_.size()) * 2654435761u);
        const float value = static_cast<float>(noise >> 8) * 0x1p-24f;
        if (shape.element == Element::rgba8)
          words_.back()[i] = noise;
        else
          std::memcpy(&words_.back()[i], &value, sizeof value);
      }
      host_.push_back(tensor_of_rows(words_.back().data(), shape, shape.row_bytes()));
      memory_.push_back(allocate_tensor(compute, shape));
      in_.push_back(memory_.back().tensor);
      compute.upload(rows_of(host_.back()), rows_of(in_.back()));
    }
    out_ = allocate_tensor(compute, problem.kind->outputs(problem)[0]);
  }

  // As the window does: one frame, then one trial.
  void frame(Plan& plan) {
    plan.prepare(compute_.stream());
    plan.enqueue(in_, {&out_.tensor, 1}, compute_.stream());
    plan.explore(in_, compute_.stream());
  }
  void settle(Plan& plan) {
    while (!plan.settled()) frame(plan);
  }

  // The largest error of what the plan makes of it with this filter.
  double error(Plan& plan, const Filter& filter) {
    Problem problem = problem_;
    problem.filter = filter;
    compute_.fill(rows_of(out_.tensor), 0xFF);
    frame(plan);
    compute_.synchronize();
    std::vector<std::uint32_t> words(out_.tensor.shape.elements());
    const Tensor result = tensor_of_rows(words.data(), out_.tensor.shape, out_.tensor.shape.row_bytes());
    compute_.download(rows_of(out_.tensor), rows_of(result));
    return problem.kind->compare(problem, problem.kind->reference(problem, host_), host_, result).max_error;
  }

 private:
  Compute& compute_;
  const Problem problem_;
  std::vector<std::vector<std::uint32_t>> words_;
  std::vector<Tensor> host_, in_;
  std::vector<DeviceTensor> memory_;
  DeviceTensor out_;
};

class AutoOfEveryKind : public testing::TestWithParam<std::tuple<Backend, std::size_t>> {
 protected:
  const Problem& problem() const { return problem_; }
  const Strategy& strategy() const { return *find_strategy(std::get<Backend>(GetParam()), "auto", *problem().kind); }

  CacheHome cache_;
  const Problem problem_ = problems()[std::get<std::size_t>(GetParam())];
  std::unique_ptr<Compute> compute_ = make_compute(std::get<Backend>(GetParam()));
};

TEST_P(AutoOfEveryKind, RunsOneOfItsKindAndIsRight) {
  ASSERT_EQ(problem().kind->invalid(problem()), "");
  EXPECT_EQ(strategy().kind, problem().kind);
  ASSERT_EQ(strategy().unsupported(problem(), compute_->device(), {}), "");
  const auto plan = strategy().plan(problem(), compute_->device(), {});
  Work work(*compute_, problem());
  EXPECT_LE(work.error(*plan, problem().filter), strategy().tolerance(problem())) << "at once: " << plan->note();
  work.settle(*plan);
  ASSERT_TRUE(plan->runs());
  EXPECT_EQ(plan->runs()->kind, problem().kind);
  EXPECT_FALSE(plan->runs()->chooses || plan->runs()->plain) << plan->note();
  EXPECT_THAT(plan->note(), StartsWith("Runs " + std::string(plan->runs()->id)));
  EXPECT_LE(work.error(*plan, problem().filter), strategy().tolerance(problem())) << plan->note();
}

TEST_P(AutoOfEveryKind, ObeysNewWeightsWhileItExploresAndAfterwards) {
  const auto plan = strategy().plan(problem(), compute_->device(), {});
  Work work(*compute_, problem());
  for (int step = 0; step < 8; ++step) {
    Problem now = problem();
    for (float& weight : now.filter.weights) weight *= static_cast<float>(1 + step % 3) / -4;
    if (!now.filter.is_bank()) now.filter.bias = static_cast<float>(step % 2) / 4;
    if (now.filter.is_bank() && now.layer.pass == Pass::forward) {  // biases come and go, and so does ReLU
      if (step % 2) now.filter.biases.assign(static_cast<std::size_t>(now.filter.maps), 0.25f);
      now.filter.relu = step % 4 > 1;
    }
    plan->set_filter(now.filter);
    EXPECT_LE(work.error(*plan, now.filter), strategy().tolerance(now)) << "step " << step << ": " << plan->note();
    if (step == 5) work.settle(*plan);
  }
}

TEST_P(AutoOfEveryKind, ChoosesAmongItsKind) {
  const Device& device = compute_->device();
  const Candidates found = find_candidates(problem(), device, assumed_limits(device));
  ASSERT_FALSE(found.likely.empty());
  for (const auto* group : {&found.likely, &found.pruned})
    for (const Candidate& each : *group) {
      EXPECT_EQ(each.strategy->kind, problem().kind) << each.strategy->id;
      EXPECT_EQ(each.strategy->unsupported(problem(), device, {}), "") << each.strategy->id;
      EXPECT_FALSE(each.strategy->chooses || each.strategy->peer || each.strategy->plain) << each.strategy->id;
      EXPECT_GT(each.predicted_ms, 0) << each.strategy->id;
    }
}

TEST_P(AutoOfEveryKind, HasStandInsThatTakeTheProblem) {
  const std::vector<const Strategy*> able = able_strategies(problem(), compute_->device());
  ASSERT_FALSE(able.empty());
  for (const Strategy* each : able) {
    EXPECT_EQ(each->kind, problem().kind) << each->id;
    EXPECT_EQ(each->unsupported(problem(), compute_->device(), {}), "") << each->id;
    EXPECT_FALSE(each->chooses || loads_library(*each) || each->plain) << each->id;
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, AutoOfEveryKind,
                         testing::Combine(testing::Values(Backend::cpu, Backend::emulated),
                                          testing::Range(std::size_t{0}, problems().size())),
                         [](const auto& parameter) {
                           return std::string(to_string(std::get<Backend>(parameter.param))) + "_" +
                                  name_of(problems()[std::get<std::size_t>(parameter.param)]);
                         });

TEST(AutoOfKinds, IsOneRowOfEveryLadder) {
  for (const Kind* kind : kinds())
    for (const auto& rows : {ladder(*kind), ladder_of(Backend::cpu, *kind), ladder_of(Backend::emulated, *kind)}) {
      int count = 0;
      for (const StrategyRow& row : rows) {
        if (row.strategy->id != "auto") continue;
        ++count;
        EXPECT_TRUE(row.available) << row.reason;
        EXPECT_TRUE(row.strategy->chooses);
      }
      EXPECT_EQ(count, 1) << kind->id;
    }
}

TEST(AutoOfKinds, OneCoresPlainLoopsSayThatTheyAre) {
  for (const Kind* kind : kinds())
    for (const Strategy* strategy : strategies(Backend::cpu, *kind))
      EXPECT_EQ(strategy->plain, strategy->id.starts_with("cpu-direct")) << kind->id << " " << strategy->id;
}

TEST(AutoOfKinds, SaysWhyOnlyPlainLoopsAreLeft) {
  Problem problem = layer(Pass::forward);
  const auto note = [&] {
    const Strategy* const chooses = find_strategy(Backend::cpu, "auto", layer_kind);
    return chooses->plan(problem, typical_device(Backend::cpu), {})->note();
  };
  EXPECT_EQ(note().find("cannot run"), std::string::npos) << note();
  problem.layer.precision = Precision::tf32;
  EXPECT_EQ(note().find("cannot run"), std::string::npos) << note();
  problem.layer.layout = Layout::nhwc;
  EXPECT_EQ(note(),
            "Runs cpu-direct, as nothing else takes this. cpu-gemm cannot run: It takes float32 numbers in planes "
            "(f32 or tf32, nchw); this layer's are tf32 nhwc.");
}

// FFTW is linked in: nothing has to be loaded to try it.
TEST(AutoOfKinds, ManyTapsAreTransformedOnTheCpu) {
  const Device& device = typical_device(Backend::cpu);
  Problem problem = signal_problem();
  problem.width = 1 << 20;
  problem.filter = random_filter(1025, 1);
  const DeviceLimits limits{.copy_bytes_per_second = 10e9, .flop_per_second = 60e9};
  EXPECT_EQ(find_candidates(problem, device, limits).likely.front().strategy->id, "cpu-fft");
  EXPECT_EQ(find_candidates(signal_problem(), device, limits).likely.front().strategy->id, "cpu-parallel");
}

// To the weights a layer has few outputs and each loads both factors of all its products; arithmetic is the same.
TEST(AutoOfKinds, PredictionsAreOfTheOutputsThatTheKindHas) {
  const Strategy& direct = *find_strategy(Backend::emulated, "direct", layer_kind);
  const DeviceLimits arithmetic_alone{.copy_bytes_per_second = 1e30, .flop_per_second = 40e12};
  const auto predicted = [&](Pass pass) {
    return predicted_ms(direct, layer(pass, "1,64,56,56,64,3"), arithmetic_alone);
  };
  EXPECT_NEAR(predicted(Pass::to_weights) / predicted(Pass::forward), (2 + 8 * 2) / (2 + 8 * 1.0), 0.01);
}

// --- what is remembered ---

TEST(AutoKeyOfKinds, IsOfTheKind) {
  const Device device{.backend = Backend::cpu, .name = "A", .multiprocessors = 2};
  std::set<std::string> keys;
  for (const Kind* kind : {&image_kind, &signal_kind, &volume_kind}) {
    Problem problem = signal_problem();
    problem.kind = kind;
    EXPECT_TRUE(keys.insert(auto_key(problem, device)).second) << kind->id;
  }
}

TEST(AutoKeyOfKinds, OfAVolumeKnowsFramesAndWhetherThreePassesDo) {
  const Device device{.backend = Backend::cpu, .name = "A", .multiprocessors = 2};
  std::set<std::string> keys;
  for (const char* filter : {"gaussian:radius=1", "gaussian:radius=1,rt=1", "gaussian:radius=1,rt=2",
                             "gaussian:radius=2,rt=1", "sharpen:rt=1"})
    EXPECT_TRUE(keys.insert(auto_key(volume_problem(filter), device)).second) << filter;
  EXPECT_FALSE(keys.insert(auto_key(volume_problem("box:radius=1,rt=1"), device)).second) << "a product as well";
  // Its first frame alone is a product, as that of the Gaussian is.
  Problem changed = volume_problem();
  changed.filter.weights.back() += 1;
  EXPECT_NE(auto_key(changed, device), auto_key(volume_problem(), device));
}

TEST(AutoKeyOfKinds, OfALayerChangesWithItsPassAndItsNumbers) {
  const Device device{.backend = Backend::cpu, .name = "A", .multiprocessors = 2};
  std::set<std::string> keys;
  for (const Pass pass : all_passes)
    for (const char* shape : {"2,4,64,64,8,3", "1,4,64,64,8,3", "2,8,64,64,8,3", "2,4,64,64,16,3", "2,4,64,64,8,5",
                              "2,4,128,64,8,3", "2,4,64,128,8,3", "2,4,64,64,8,3,stride=2", "2,4,64,64,8,3,padding=1",
                              "2,4,64,64,8,3,dilation=2", "2,4,64,64,8,3,groups=2"})
      EXPECT_TRUE(keys.insert(auto_key(layer(pass, shape), device)).second) << shape << ", " << to_string(pass);

  for (const Precision precision : all_precisions)
    for (const Layout layout : all_layouts) {
      Problem numbers = layer(Pass::forward, "2,4,64,64,8,3");
      numbers.layer.precision = precision;
      numbers.layer.layout = layout;
      const bool usual = number_format(numbers.layer).empty();
      EXPECT_EQ(keys.insert(auto_key(numbers, device)).second, !usual) << number_format(numbers.layer);
    }

  Problem other = layer(Pass::forward, "2,4,65,63,8,3");
  for (float& weight : other.filter.weights) weight *= 3;
  EXPECT_FALSE(keys.insert(auto_key(other, device)).second) << "weights, and a few rows more or less";
  other.filter.relu = true;
  const std::string finished = auto_key(other, device);
  EXPECT_TRUE(keys.insert(finished).second) << "a library may need a pass more for it";
  other.filter.biases.assign(8, 0.5f);
  EXPECT_EQ(auto_key(other, device), finished);
}

TEST(AutoMemoryOfKinds, IsForTheKindAndThePassAlone) {
  const CacheHome cache;
  const Device& device = typical_device(Backend::cpu);
  remember_choice(auto_key(layer(Pass::forward), device), {.strategy = "cpu-gemm", .median_ms = 1});
  EXPECT_TRUE(recall_choice(auto_key(layer(Pass::forward), device)));
  EXPECT_FALSE(recall_choice(auto_key(layer(Pass::to_input), device)));

  const Problem signal = signal_problem();
  const auto runs = [&] {
    const auto plan = find_strategy(Backend::cpu, "auto", signal_kind)->plan(signal, device, {});
    return std::pair{std::string(plan->runs()->id), plan->settled()};
  };
  for (const char* id : {"cpu-fft", "cpu-parallel"}) {
    remember_choice(auto_key(signal, device), {.strategy = id, .median_ms = 1});
    EXPECT_EQ(runs(), std::pair(std::string(id), true));
    EXPECT_EQ(able_strategies(signal, device).front()->id, id);
  }
  remember_choice(auto_key(signal, device), {.strategy = "cpu-direct", .median_ms = 1});
  EXPECT_NE(runs().first, "cpu-direct");
}

}  // namespace
}  // namespace convoscope
