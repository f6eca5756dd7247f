// Every strategy that runs without a GPU, over filters, borders, sizes and formats, against the reference.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <random>
#include <stdexcept>

#include "kernels/check/verify.h"
#include "kernels/compute/compute.h"
#include "kernels/contract/data/half.h"
#include "kernels/contract/image_plan.h"
#include "kernels/contract/kind.h"
#include "kernels/filter/filter_catalogue.h"
#include "kernels/kinds/layer.h"
#include "kernels/kinds/reference.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

std::vector<const Strategy*> strategies_without_gpu() {
  std::vector<const Strategy*> list;
  for (const Kind* kind : kinds())
    for (const Backend backend : {Backend::cpu, Backend::emulated})
      for (const Strategy* strategy : strategies(backend, *kind))
        if (why_unavailable(backend).empty()) list.push_back(strategy);
  return list;
}

std::vector<const Strategy*> image_strategies_without_gpu() {
  std::vector<const Strategy*> list = strategies_without_gpu();
  std::erase_if(list, [](const Strategy* strategy) { return strategy->kind != &image_kind; });
  return list;
}

class EveryStrategy : public testing::TestWithParam<const Strategy*> {
 protected:
  const Strategy& strategy() const { return *GetParam(); }
  std::unique_ptr<Compute> compute_ = make_compute(GetParam()->backend);
};

class EveryImageStrategy : public EveryStrategy {
 protected:
  // Filters `pixels` and returns the outputs; rgba8 carries the value in all three channels.
  std::vector<float> run(const Problem& problem, const std::vector<float>& pixels) {
    std::vector<std::uint32_t> in(pixels.size());
    for (std::size_t i = 0; i < pixels.size(); ++i) {
      const auto code = static_cast<std::uint32_t>(pixels[i]);
      if (problem.format == PixelFormat::gray32f)
        std::memcpy(&in[i], &pixels[i], 4);
      else
        in[i] = code | code << 8 | code << 16 | 0x80000000u;
    }
    const std::vector<std::uint32_t> out = run(problem, in);
    std::vector<float> values(out.size());
    for (std::size_t i = 0; i < out.size(); ++i)
      if (problem.format == PixelFormat::gray32f)
        std::memcpy(&values[i], &out[i], 4);
      else
        values[i] = static_cast<float>(out[i] >> 8 & 255);
    return values;
  }

  // The same with pixels of the format, a word each.
  std::vector<std::uint32_t> run(const Problem& problem, std::vector<std::uint32_t>& in) {
    std::vector<std::uint32_t> out(in.size());
    const DeviceImage from = compute_->allocate(problem.width, problem.height, problem.format);
    const DeviceImage to = compute_->allocate(problem.width, problem.height, problem.format);
    compute_->upload(host(problem, in), from.image());
    const auto plan = strategy().plan(problem, compute_->device(), {});
    plan->prepare(compute_->stream());
    enqueue_image(*plan, from.image(), to.image(), compute_->stream());
    compute_->download(to.image(), host(problem, out));
    return out;
  }
  static Image host(const Problem& problem, std::vector<std::uint32_t>& data) {
    return {data.data(), problem.width, problem.height, 4ull * problem.width, problem.format};
  }

  std::string unsupported(const Problem& problem) const {
    return surely_unsupported(strategy(), problem, compute_->device(), {});
  }
};

TEST_P(EveryStrategy, AgreesWithTheReference) {
  // Plain loops over large layers take the sanitizers minutes; `convoscope verify` has them.
  const bool slow = strategy().kind == &layer_kind && (strategy().plain || strategy().chooses);
  VerifyOptions options{.kind = strategy().kind,
                        .strategies = {std::string(strategy().id)},
                        .small = slow || strategy().backend == Backend::emulated};
  int passed = 0;
  std::string refused;
  verify(*compute_, options, [&](const VerifyRow& row) {
    passed += row.passed;
    if (row.skipped()) refused = row.skipped_reason;
    if (!row.failed()) return;
    std::string tuning;
    for (const auto& [id, value] : row.tuning) tuning += " " + id + "=" + std::to_string(value);
    ADD_FAILURE() << row.filter << ", " << to_string(row.border) << ", " << to_string(row.format) << ", " << row.width
                  << " × " << row.height << tuning << ": error " << row.max_error << ", tolerance " << row.tolerance
                  << "; " << row.failure;
  });
  // Strategies that call a library cannot be emulated, and say so.
  if (passed == 0 && strategy().backend == Backend::emulated && !HasFailure()) GTEST_SKIP() << refused;
  EXPECT_GT(passed, 20) << "the strategy refused nearly everything: " << refused;
}

struct Example {
  const char* name;
  int width, height;
  std::vector<float> pixels;
  const char* filter;
  std::vector<std::pair<int, float>> outputs;  // index, value
};

const std::vector<Example>& worked_examples() {
  static const std::vector<Example> examples{
      {"x = 8 2 5 4 1 7 3", 7, 1, {8, 2, 5, 4, 1, 7, 3}, "1 3 5 3 1", {{1, 53}, {2, 52}, {3, 47}}},
      {"x = 1 … 7", 7, 1, {1, 2, 3, 4, 5, 6, 7}, "3 4 5 4 3", {{1, 38}, {2, 57}, {3, 76}}},
      {"x = 1 … 7", 7, 1, {1, 2, 3, 4, 5, 6, 7}, "1 2 1", {{1, 8}, {2, 12}, {3, 16}, {4, 20}, {5, 24}}},
      {"2D",
       5,
       5,
       {1, 2, 3, 4, 5, 2, 3, 4, 5, 6, 3, 4, 5, 6, 7, 4, 5, 6, 7, 8, 5, 6, 7, 8, 5},
       "1 2 3 2 1; 2 3 4 3 2; 3 4 5 4 3; 2 3 4 3 2; 1 2 3 2 1",
       {{12, 321}}},
  };
  return examples;
}

TEST_P(EveryImageStrategy, ReproducesTheWorkedExamples) {
  for (const Example& example : worked_examples()) {
    for (const PixelFormat format : {PixelFormat::gray32f, PixelFormat::rgba8}) {
      Problem problem{example.width, example.height, format, Border::zero, parse_matrix(example.filter)};
      if (format == PixelFormat::rgba8) problem.filter.gain = 0.5f;  // 321 would not fit in a code value
      if (!unsupported(problem).empty()) continue;
      const std::vector<float> outputs = run(problem, example.pixels);
      for (const auto& [index, value] : example.outputs) {
        // Inputs go up to 8 here, where tolerance() speaks of gray32f inputs up to 1.
        const double expected = value * problem.filter.gain;
        const double allowed =
            format == PixelFormat::rgba8 ? 0.5 + strategy().tolerance(problem) : 8 * strategy().tolerance(problem);
        EXPECT_NEAR(outputs[index], expected, allowed)
            << example.name << ", filter " << example.filter << ", output " << index;
      }
    }
  }
}

// Some take a shorter way where all that a block or a warp reads lies in the picture.
TEST_P(EveryImageStrategy, TakesAPictureWiderThanItsStrips) {
  for (const PixelFormat format : {PixelFormat::gray32f, PixelFormat::rgba8})
    for (const char* filter : {"gaussian:radius=2", "box:rx=7,ry=0", "box:rx=0,ry=7"}) {
      SCOPED_TRACE(std::string(filter) + ", " + std::string(to_string(format)));
      const Problem problem{600, 37, format, Border::mirror, parse_filter(filter).filter};
      if (!unsupported(problem).empty()) continue;
      std::vector<std::uint32_t> pixels(600 * 37);
      std::mt19937 random(7);
      for (std::uint32_t& pixel : pixels) {
        const float value = static_cast<float>(random() >> 8) * 0x1p-24f;
        if (format == PixelFormat::rgba8)
          pixel = static_cast<std::uint32_t>(random());
        else
          std::memcpy(&pixel, &value, 4);
      }
      std::vector<std::uint32_t> outputs = run(problem, pixels);
      const Image in = host(problem, pixels);
      const Difference worst = compare(problem, reference(problem, in), in, host(problem, outputs));
      EXPECT_LE(worst.max_error, strategy().tolerance(problem)) << "at " << worst.x << ", " << worst.y;
    }
}

// Plans of a strategy may share constant memory. What one has put there is not to be taken for another's.
TEST_P(EveryStrategy, UsesNoOtherPlansWeights) {
  const Kind& kind = *strategy().kind;
  int tried = 0;
  std::vector<Problem> problems;
  for (Problem& problem : kind.tuning_cases({.small = true, .filters = {}}))
    for (const PixelFormat format : kind.formats) {
      problem.format = format;
      problems.push_back(problem);
    }
  for (const Problem& problem : problems) {
    if (problem.filter.weights.empty() || !kind.invalid(problem).empty() ||
        !surely_unsupported(strategy(), problem, compute_->device(), {}).empty())
      continue;
    Problem other = problem;
    for (float& weight : other.filter.weights) weight *= -2;
    std::vector<std::vector<float>> memory;
    std::vector<Tensor> in;
    std::minstd_rand random(3);
    const auto add = [&](const Shape& shape) {
      memory.emplace_back(shape.elements());  // as many words as numbers, also where two share one
      const bool halves = shape.element == Element::f16;
      for (float& value : memory.back()) {
        const auto number = [&] { return static_cast<float>(random() % 1000) / 1000; };
        value = halves ? std::bit_cast<float>(to_half(number()) | static_cast<std::uint32_t>(to_half(number())) << 16)
                       : number();
      }
      return tensor_of_rows(memory.back().data(), shape, shape.row_bytes());
    };
    for (const Shape& shape : kind.inputs(problem)) in.push_back(add(shape));
    const Tensor out = add(kind.outputs(problem)[0]);
    const std::vector<double> expected = kind.reference(problem, in);
    const auto error = [&] { return kind.compare(problem, expected, in, out).max_error; };

    const auto mine = strategy().plan(problem, compute_->device(), {}),
               theirs = strategy().plan(other, compute_->device(), {});
    const Stream stream = compute_->stream();
    mine->prepare(stream);
    theirs->prepare(stream);
    try {
      mine->enqueue(in, {&out, 1}, stream);
      compute_->synchronize();
      EXPECT_LE(error(), strategy().tolerance(problem)) << problem.filter.name;
    } catch (const Error& told) {
      EXPECT_THAT(told.what(), testing::HasSubstr("prepare()"));
    }
    mine->prepare(stream);
    mine->enqueue(in, {&out, 1}, stream);
    compute_->synchronize();
    EXPECT_LE(error(), strategy().tolerance(problem)) << problem.filter.name;
    ++tried;
  }
  if (tried == 0) GTEST_SKIP() << "cannot be emulated, or takes none of these";
}

TEST_P(EveryStrategy, DescribesItself) {
  EXPECT_FALSE(strategy().title.empty());
  EXPECT_GT(strategy().idea.size(), 40u);
  EXPECT_FALSE(strategy().reading.empty());
  EXPECT_EQ(find_strategy(strategy().backend, strategy().id, *strategy().kind), &strategy());
  const Kind& kind = *strategy().kind;
  const Filter filter = kind.parse("gaussian:radius=1");
  const Problem problem = kind.problem ? kind.problem("1,1,480,640,4,3,padding=1", Pass::forward, &filter)
                                       : Problem{640, 480, kind.formats[0], Border::mirror, filter, &kind};
  ASSERT_EQ(kind.invalid(problem), "");
  const Cost cost = strategy().model(problem, {});
  EXPECT_GT(cost.flop, 0);
  EXPECT_GT(cost.global_loads_per_output, 0);
  EXPECT_GT(cost.global_stores_per_output, 0);
  EXPECT_GE(cost.dram_bytes, 2.0 * 640 * 480 * 4);
  EXPECT_GT(strategy().tolerance(problem), 0);
  EXPECT_LT(strategy().tolerance(problem), 2) << "more than a code value beyond rounding";
  for (const Tunable& tunable : strategy().tunables) {
    EXPECT_THAT(tunable.values, testing::Contains(tunable.initial)) << tunable.id;
    EXPECT_TRUE(std::ranges::is_sorted(tunable.values)) << tunable.id;
    EXPECT_EQ(Tuned(strategy(), {})[tunable.id], tunable.initial);
    EXPECT_EQ((Tuned(strategy(), {{std::string(tunable.id), tunable.values.back()}})[tunable.id]),
              tunable.values.back());
  }
}

TEST(Tuned, HasAValueForEveryTunableAndForNothingElse) {
  static constexpr int choices[] = {1, 2, 4};
  static constexpr Tunable tunables[] = {{"rows", "Rows", "", choices, 2}, {"depth", "Depth", "", choices, 4}};
  const Strategy strategy{.id = "fake", .tunables = tunables};
  const Tuned tuned(strategy, {{"depth", 1}, {"of_another", 7}});
  EXPECT_EQ(tuned["rows"], 2);
  EXPECT_EQ(tuned["depth"], 1);
  EXPECT_THROW(tuned["of_another"], std::logic_error);
  EXPECT_THROW(Tuned()["rows"], std::logic_error);
}

std::string test_name(const testing::TestParamInfo<const Strategy*>& parameter) {
  std::string name = std::string(to_string(parameter.param->backend)) + "_" + std::string(parameter.param->id);
  if (parameter.param->kind != &image_kind) name = std::string(parameter.param->kind->id) + "_" + name;
  std::ranges::replace(name, '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Ladder, EveryStrategy, testing::ValuesIn(strategies_without_gpu()), test_name);
INSTANTIATE_TEST_SUITE_P(Ladder, EveryImageStrategy, testing::ValuesIn(image_strategies_without_gpu()), test_name);

}  // namespace
}  // namespace convoscope
