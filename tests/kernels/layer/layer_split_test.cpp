// implicit-gemm-split: its tiles, rows of any pitch, numbers that float16 alone could not hold, what it refuses and
// says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/check/verify.h"
#include "kernels/choose/auto_candidates.h"
#include "kernels/contract/theory/tolerance.h"
#include "kernels/measure/device_limits.h"
#include "tests/kernels/layer/dense_layer.h"

namespace convoscope {
namespace {

using testing::HasSubstr;

const Strategy& split_strategy() { return *find_strategy(Backend::emulated, "implicit-gemm-split", layer_kind); }

// Maps, channels, rows and columns that leave some of a tile over, more tiles than blocks, several slabs of channels,
// even and odd filters, rows that cannot be stored in pairs, negative padding of a gradient.
TEST(LayerSplit, IsRightInEveryTile) {
  struct Row {
    const char* shape;
    int outputs;
  };
  for (const auto& [shape, outputs] :
       {Row{"1,8,17,9,5,3,padding=1", 64}, Row{"2,72,13,20,66,3,padding=1", 64}, Row{"1,64,35,10,64,2", 128},
        Row{"1,3,9,19,66,5,padding=2", 96}, Row{"1,24,50,12,7,3,dilation=2", 96}, Row{"1,130,9,8,3,1", 0}})
    for (const Pass pass : {Pass::forward, Pass::to_input}) {
      Problem problem = floats_of(shape, pass);
      if (pass == Pass::forward) {
        problem.filter.biases.assign(static_cast<std::size_t>(problem.layer.maps), -0.25f);
        problem.filter.relu = true;
      }
      expect_right_when_dense(split_strategy(), problem, {{"outputs", outputs}});
    }
}

// To the weights: maps and channels that leave some of a tile over, several tiles, samples, padding that reaches into
// the rows beside it, dilation, rows longer and shorter than a step of positions, and several parts.
TEST(LayerSplit, IsRightToTheWeights) {
  for (const char* shape : {"1,3,9,13,5,3", "2,8,7,9,6,3,padding=1", "1,66,5,6,3,3,padding=2", "1,2,9,70,65,3",
                            "3,5,11,12,4,3,dilation=2,padding=3", "1,1,4,4,1,3,padding=4"})
    expect_right_when_dense(split_strategy(), floats_of(shape, Pass::to_weights));
  const auto compute = make_compute(Backend::emulated);
  for (const unsigned seed : {1u, 2u, 3u}) {
    const VerifyRow row =
        verify_one(*compute, split_strategy(), floats_of("2,5,9,20,7,3,padding=1", Pass::to_weights), {}, seed);
    EXPECT_TRUE(row.passed) << row.failure << row.skipped_reason;
  }
}

TEST(LayerSplit, IsRightBetweenGaps) {
  const auto compute = make_compute(Backend::emulated);
  for (const char* shape : {"2,8,19,11,6,3,padding=1", "1,67,9,20,70,3"})
    for (const Pass pass : {Pass::forward, Pass::to_input})
      for (const unsigned seed : {1u, 2u}) {
        const VerifyRow row = verify_one(*compute, split_strategy(), floats_of(shape, pass), {}, seed);
        EXPECT_TRUE(row.passed) << row.failure << row.skipped_reason;
      }
}

// Outputs of a layer whose maps are of very different sizes, for inputs of one size: each is as exact as a float32 is,
// for its own weights and inputs.
TEST(LayerSplit, KeepsWhatFloat16WouldLose) {
  const auto compute = make_compute(Backend::emulated);
  Problem problem = floats_of("1,16,6,11,3,3,padding=1");
  constexpr float sizes[] = {1e-12f, 1, 1e9f};
  const std::size_t of_map = problem.filter.weights.size() / 3;
  for (std::size_t i = 0; i < problem.filter.weights.size(); ++i) problem.filter.weights[i] *= sizes[i / of_map];
  for (const float size : {1e-3f, 1.0f, 6e4f}) {
    SCOPED_TRACE(size);
    HostNumbers host(layer_kind.inputs(problem)[0], 5);
    const int rows = static_cast<int>(host.tensor.shape.rows());
    const Image image = rows_of(host.tensor);
    for (int i = 0; i < rows * image.width; ++i) static_cast<float*>(host.tensor.data)[i] *= size;
    const DeviceTensor in = dense_tensor(*compute, host.tensor.shape),
                       out = dense_tensor(*compute, layer_kind.outputs(problem)[0]);
    compute->upload(rows_of(host.tensor), rows_of(in.tensor));
    const auto plan = split_strategy().plan(problem, compute->device(), {});
    plan->prepare(compute->stream());
    plan->enqueue({&in.tensor, 1}, {&out.tensor, 1}, compute->stream());
    HostNumbers result(out.tensor.shape, 1);
    compute->download(rows_of(out.tensor), rows_of(result.tensor));
    const auto expected = layer_kind.reference(problem, {&host.tensor, 1});
    const auto* seen = static_cast<const float*>(result.tensor.data);
    const std::size_t plane = expected.size() / 3;
    for (std::size_t map = 0; map < 3; ++map) {
      double sum = 0, worst = 0;
      for (std::size_t i = 0; i < of_map; ++i)
        sum += std::abs(static_cast<double>(problem.filter.weights[map * of_map + i]));
      for (std::size_t i = map * plane; i < (map + 1) * plane; ++i)
        worst = std::max(worst, std::abs(expected[i] - static_cast<double>(seen[i])));
      EXPECT_LE(worst, 0x1p-21 * sum * static_cast<double>(size)) << "map " << map;
    }
  }
}

// The bound in the comment: sums that leave the tensor cores after each tap are held to less than a plain float32 sum.
TEST(LayerSplit, IsHeldToLessThanAPlainSum) {
  const Problem gradient = floats_of("1,64,540,960,64,3", Pass::to_weights);
  EXPECT_LT(split_strategy().tolerance(gradient), float32_sum_bound(gradient, layer_roundings(gradient)) / 3);
  for (const char* shape : {"1,64,8,8,64,3", "1,128,8,8,16,3", "1,256,8,8,8,3", "1,64,8,8,64,7"})
    for (const Pass pass : {Pass::forward, Pass::to_input}) {
      const Problem problem = floats_of(shape, pass);
      if (layer_terms(problem) < 200) continue;
      EXPECT_LT(split_strategy().tolerance(problem), float32_sum_bound(problem, layer_roundings(problem))) << shape;
    }
}

TEST(LayerSplit, RefusesWithANumber) {
  Device device = make_compute(Backend::emulated)->device();
  const auto why_not = [&](const Problem& problem) { return split_strategy().unsupported(problem, device, {}); };
  EXPECT_EQ(why_not(floats_of("1,64,20,20,64,3")), "");
  EXPECT_EQ(why_not(floats_of("1,64,20,20,64,7")), "") << "a smaller tile where a larger one's windows do not fit";
  EXPECT_THAT(why_not(problem_of("1,64,20,20,64,3", Pass::forward, Precision::f16, Layout::nhwc)),
              HasSubstr("f16 nhwc"));
  EXPECT_EQ(why_not(floats_of("1,64,20,20,64,3", Pass::to_weights)), "");
  EXPECT_THAT(why_not(floats_of("1,64,20,20,64,5", Pass::to_weights)), HasSubstr("here K is 5"));
  EXPECT_THAT(why_not(floats_of("1,64,20,20,64,3,stride=2", Pass::to_weights)), HasSubstr("stride is 2"));
  EXPECT_THAT(why_not(floats_of("1,64,20,20,64,3,groups=2")), HasSubstr("2 groups"));
  EXPECT_THAT(why_not(floats_of("1,64,20,20,64,3,stride=2")), HasSubstr("stride is 2"));
  EXPECT_THAT(why_not(floats_of("1,64,80,80,64,3,dilation=20")), HasSubstr("bytes of shared memory"));
  device.memory_bytes = 1 << 20;
  EXPECT_THAT(why_not(floats_of("1,64,80,80,64,3")), HasSubstr("would take 1 MiB"));
  device.compute_capability = 80;
  EXPECT_THAT(why_not(floats_of("1,64,20,20,64,3")), HasSubstr("this device has 8.0"));
}

TEST(LayerSplit, SaysWhatIsSafe) {
  Device device = make_compute(Backend::emulated)->device();
  device.multiprocessors = 132;
  const auto note = split_strategy().plan(floats_of("1,64,100,100,64,3,padding=1"), device, {})->note();
  EXPECT_THAT(note, HasSubstr("inputs up to 65504 do not overflow"));
  EXPECT_THAT(note, HasSubstr("in 2 MiB"));
}

// On a device with its instructions the model has it first in deep layers, so that auto tries it; to the weights, where
// it writes X three times, next to the first: what auto leaves out is predicted to take three times as long.
TEST(LayerSplit, IsTriedInDeepLayers) {
  Device device = make_compute(Backend::emulated)->device();
  const DeviceLimits limits{.copy_bytes_per_second = 3.5e12, .flop_per_second = 60e12};
  const auto ms = [&](const char* id, const Problem& problem) {
    Strategy strategy = *find_strategy(Backend::emulated, id, layer_kind);
    strategy.backend = Backend::cuda;  // whose matrix units are fast
    return predicted_ms(strategy, problem, limits);
  };
  for (const char* shape : {"1,64,540,960,64,3", "1,128,270,480,128,3", "1,256,135,240,256,3", "32,64,56,56,64,3"})
    for (const Pass pass : all_passes) {
      const Problem problem = floats_of(shape, pass);
      for (const char* other : {"register-block", "winograd", "implicit-gemm"}) {
        if (pass == Pass::to_weights && other != std::string_view("implicit-gemm")) continue;
        const double near = pass == Pass::to_weights ? 1.2 : 1.0;
        EXPECT_LT(ms("implicit-gemm-split", problem), near * ms(other, problem))
            << shape << " " << to_string(pass) << " and " << other;
      }
    }
}

}  // namespace
}  // namespace convoscope
