// A layer's numbers: float32, tf32 and float16, in planes or channel by channel. What is stored, what is multiplied,
// what rounding may do, and what a float16 cannot hold.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "kernels/check/verify.h"
#include "kernels/compute/compute.h"
#include "kernels/contract/data/half.h"
#include "kernels/contract/data/tensor_numbers.h"
#include "kernels/contract/theory/model.h"
#include "kernels/contract/theory/overflow.h"
#include "kernels/contract/theory/tolerance.h"
#include "kernels/contract/theory/type_rounding.h"
#include "kernels/kinds/layer.h"
#include "tests/kernels/layer/dense_layer.h"

namespace convoscope {
namespace {

using testing::HasSubstr;

TEST(LayerNumbers, AreRoundedToElevenBitsWhereTheyAreMultiplied) {
  EXPECT_EQ(round_to_tf32(1 + 0x1p-10f), 1 + 0x1p-10f);
  EXPECT_EQ(round_to_tf32(1 + 0x1p-11f), 1 + 0x1p-10f) << "a tie, away from zero";
  EXPECT_EQ(round_to_tf32(-1 - 0x1p-11f), -1 - 0x1p-10f);
  EXPECT_EQ(round_to_tf32(1 + 0x0.fp-11f), 1.0f);
  EXPECT_EQ(round_to_tf32(0x1p-140f), 0.0f) << "less than half of the smallest";
  EXPECT_TRUE(std::isnan(round_to_tf32(NAN)));
  EXPECT_EQ(round_to_tf32(-INFINITY), -INFINITY);
  EXPECT_EQ(as_multiplied(1 + 0x1p-11f, Precision::f16), 1.0f) << "a tie, to even";
  EXPECT_EQ(as_multiplied(1 + 0x1p-20f, Precision::f32), 1 + 0x1p-20f);
}

TEST(LayerNumbers, LieAsTheLayoutSays) {
  const Shape planes{{2, 3, 1, 4, 5}, Element::f16, Layout::nchw}, mixed{{2, 3, 1, 4, 5}, Element::f16, Layout::nhwc};
  EXPECT_EQ(planes.rows(), 2u * 3 * 4);
  EXPECT_EQ(planes.row_bytes(), 2u * 5);
  EXPECT_EQ(mixed.rows(), 2u * 4);
  EXPECT_EQ(mixed.row_bytes(), 2u * 3 * 5);
  EXPECT_EQ(mixed.elements(), planes.elements());
  EXPECT_EQ(mixed.bytes(), 2u * 120);
  EXPECT_EQ(tensor_of_rows(nullptr, planes, 14).stride, (std::array<std::ptrdiff_t, 5>{168, 56, 56, 14, 2}));
  EXPECT_EQ(tensor_of_rows(nullptr, mixed, 34).stride, (std::array<std::ptrdiff_t, 5>{136, 2, 136, 34, 6}));
}

TEST(LayerNumbers, ComeBackAsTheyWerePut) {
  for (const Element element : {Element::f32, Element::f16})
    for (const Layout layout : all_layouts) {
      const Shape shape{{2, 3, 1, 2, 4}, element, layout};
      std::vector<std::uint32_t> memory(shape.elements() * 2, 0xffffffffu);
      const Tensor tensor = tensor_of_rows(memory.data(), shape, shape.row_bytes() + 4);
      std::vector<float> numbers(shape.elements());
      for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i) / 8;
      put_numbers(tensor, numbers);
      EXPECT_EQ(numbers_of(tensor), numbers);
      const char* const second = static_cast<const char*>(tensor.data) + tensor.stride[4];  // of the first row
      EXPECT_EQ(element == Element::f16 ? from_half(*reinterpret_cast<const std::uint16_t*>(second))
                                        : *reinterpret_cast<const float*>(second),
                1 / 8.0f);
    }
}

// Of the same numbers the layout changes nothing, and the type no more than rounding of each factor may.
TEST(LayerNumbers, TheReferenceRoundsWhatIsMultiplied) {
  for (const Pass pass : all_passes) {
    const Problem exact = layer_problem("1,2,5,6,3,3,padding=1", pass);
    const auto reference_in = [&](Precision precision, Layout layout) {
      Problem problem = exact;
      problem.layer.precision = precision;
      problem.layer.layout = layout;
      std::vector<std::vector<float>> memory;
      std::vector<Tensor> in;
      for (const Shape& shape : layer_kind.inputs(problem)) {
        std::vector<float> numbers(shape.elements());
        for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i % 37) / 37;
        memory.emplace_back(shape.elements());
        in.push_back(tensor_of_rows(memory.back().data(), shape, shape.row_bytes()));
        put_numbers(in.back(), numbers);
      }
      return layer_kind.reference(problem, in);
    };
    const std::vector<double> right = reference_in(Precision::f32, Layout::nchw);
    EXPECT_EQ(reference_in(Precision::f32, Layout::nhwc), right);
    for (const Precision precision : {Precision::tf32, Precision::f16}) {
      const std::vector<double> rounded = reference_in(precision, Layout::nchw);
      EXPECT_EQ(reference_in(precision, Layout::nhwc), rounded);
      EXPECT_NE(rounded, right) << to_string(precision);
      const double most = 2.01 * 0x1p-11 * layer_absolute_sum(exact);
      for (std::size_t i = 0; i < right.size(); ++i) EXPECT_NEAR(rounded[i], right[i], most);
    }
  }
}

// γ of the sum of rounded weights, one rounding for the bias, and one to 11 bits where the result is stored so.
TEST(LayerNumbers, HaveTheToleranceOfTheirFormats) {
  Problem problem = layer_problem("1,3,6,7,2,2", Pass::forward);
  std::ranges::fill(problem.filter.weights, 0.5f);
  const double exact = float32_sum_bound(problem, 12), sum = 6;
  problem.layer.precision = Precision::tf32;
  EXPECT_GT(rounded_factors_bound(problem, 12), exact);
  EXPECT_NEAR(rounded_factors_bound(problem, 12), exact * (1 + 0x1p-11), exact * 1e-4);
  EXPECT_NEAR(float32_sum_bound(problem, 12), 0x1p-10 * sum, 0x1p-10 * sum * 0.01) << "of factors that are whole";
  problem.layer.precision = Precision::f16;
  EXPECT_NEAR(float32_sum_bound(problem, 12), 0x1p-11 * sum, 0x1p-11 * sum * 0.01);
  problem.filter.biases = {0, -100};
  EXPECT_NEAR(float32_sum_bound(problem, 12), 0x1p-11 * (sum + 100), 0x1p-11 * (sum + 100) * 0.01);
}

TEST(LayerNumbers, AreRefusedWhereAFloat16CannotHoldTheOutputs) {
  Problem problem = problem_of("1,3,6,7,2,2", Pass::forward, Precision::f16, Layout::nhwc);
  std::ranges::fill(problem.filter.weights, 5000.0f);
  EXPECT_EQ(layer_kind.invalid(problem), "");
  problem.filter.biases = {0, -6000};
  EXPECT_EQ(layer_kind.invalid(problem),
            "Sums of these weights may reach 6.6e+04 for inputs up to 1, but a float16 holds only up to 65504");
  problem.layer.precision = Precision::tf32;
  EXPECT_EQ(layer_kind.invalid(problem), "");
  problem.layer.precision = Precision::f16;
  problem.filter.biases.clear();
  problem.filter.weights[3] = 70000;
  EXPECT_THAT(layer_kind.invalid(problem), HasSubstr("65504"));
  problem.layer.pass = Pass::to_input;
  EXPECT_THAT(layer_kind.invalid(problem), HasSubstr("65504"));

  EXPECT_THAT(layer_kind.invalid(problem_of("1,1,300,300,1,3", Pass::to_weights, Precision::f16, Layout::nchw)),
              HasSubstr("Sums over this layer's outputs may reach 8.88e+04"));
  EXPECT_EQ(layer_kind.invalid(problem_of("1,1,200,200,1,3", Pass::to_weights, Precision::f16, Layout::nchw)), "");
}

TEST(LayerNumbers, OfOtherTypesAreRefusedByWhoTakesFloatPlanes) {
  const auto compute = make_compute(Backend::emulated);
  const auto refusal = [&](const char* id, const Problem& problem) {
    return find_strategy(Backend::emulated, id, layer_kind)->unsupported(problem, compute->device(), {});
  };
  for (const char* id :
       {"direct", "constant", "tiled", "atomic", "im2col-own-gemm", "implicit-gemm", "register-tile"}) {
    EXPECT_EQ(refusal(id, problem_of("1,3,9,9,4,3", Pass::forward, Precision::f32, Layout::nchw)), "") << id;
    EXPECT_THAT(refusal(id, problem_of("1,3,9,9,4,3", Pass::forward, Precision::f16, Layout::nhwc)),
                HasSubstr("this layer's are f16 nhwc"))
        << id;
    EXPECT_THAT(refusal(id, problem_of("1,3,9,9,4,3", Pass::forward, Precision::f32, Layout::nhwc)),
                HasSubstr("this layer's are f32 nhwc"))
        << id;
  }
}

TEST(LayerNumbers, AreInTheDescriptionAndInTheBytes) {
  const Problem half = problem_of("1,3,40,40,4,3", Pass::forward, Precision::f16, Layout::nhwc);
  const Problem exact = problem_of("1,3,40,40,4,3", Pass::forward, Precision::f32, Layout::nchw);
  EXPECT_EQ(layer_kind.describe(half), "1,3,40,40,4,3 f16 nhwc forward");
  EXPECT_EQ(layer_kind.describe(exact), "1,3,40,40,4,3 f32 nchw forward");
  EXPECT_EQ(2 * direct_cost(half).dram_bytes, direct_cost(exact).dram_bytes);
  EXPECT_EQ(flop_per_loaded_byte(half, direct_cost(half)), 2 * flop_per_loaded_byte(exact, direct_cost(exact)));
}

TEST(LayerNumbers, NarrowASweep) {
  const auto compute = make_compute(Backend::cpu);
  VerifyOptions options{.kind = &layer_kind, .strategies = {"cpu-direct"}, .small = true};
  options.precisions = {Precision::f16};
  options.layouts = {Layout::nhwc};
  const std::vector<VerifyRow> rows = verify(*compute, options);
  EXPECT_GT(rows.size(), 10u);
  for (const VerifyRow& row : rows) {
    EXPECT_TRUE(row.passed) << row.shape << ": " << row.failure << row.skipped_reason;
    EXPECT_EQ(row.precision, Precision::f16);
    EXPECT_EQ(row.layout, Layout::nhwc);
  }
}

}  // namespace
}  // namespace convoscope
