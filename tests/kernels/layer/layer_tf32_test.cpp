// implicit-gemm-tf32: its tiles in both layouts, numbers whose exponents float16 does not have, what it refuses and
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

const Strategy& tf32_strategy() { return *find_strategy(Backend::emulated, "implicit-gemm-tf32", layer_kind); }

Problem tf32_of(const char* shape, Pass pass = Pass::forward, Layout layout = Layout::nchw) {
  return problem_of(shape, pass, Precision::tf32, layout);
}

// Maps, channels, rows and columns that leave some of a tile over, more tiles than blocks, several slabs of channels,
// even and odd filters, outputs that cannot be stored in pairs, channels that are no multiple of 8.
TEST(LayerTf32, IsRightInEveryTile) {
  struct Row {
    const char* shape;
    int outputs;
  };
  for (const auto& [shape, outputs] :
       {Row{"1,8,17,9,5,3,padding=1", 64}, Row{"2,72,13,20,66,3,padding=1", 64}, Row{"1,64,35,10,64,2", 128},
        Row{"1,3,9,19,66,5,padding=2", 192}, Row{"1,24,50,12,7,3,dilation=2", 224}, Row{"1,130,9,8,3,1", 0}})
    for (const Layout layout : all_layouts)
      for (const Pass pass : {Pass::forward, Pass::to_input}) {
        Problem problem = tf32_of(shape, pass, layout);
        if (pass == Pass::forward) {
          problem.filter.biases.assign(static_cast<std::size_t>(problem.layer.maps), -0.25f);
          problem.filter.relu = true;
        }
        expect_right_when_dense(tf32_strategy(), problem, {{"outputs", outputs}});
      }
}

// To the weights: maps and channels that leave some of a tile over, several tiles, samples, padding, dilation, outputs
// that are no multiple of 8, and several parts.
TEST(LayerTf32, IsRightToTheWeights) {
  for (const char* shape : {"1,3,9,13,5,3", "2,8,7,9,6,3,padding=1", "1,66,5,6,3,3,padding=2", "1,2,9,70,65,3",
                            "3,5,11,12,4,3,dilation=2,padding=3", "1,1,4,4,1,3,padding=4"})
    for (const Layout layout : all_layouts)
      expect_right_when_dense(tf32_strategy(), tf32_of(shape, Pass::to_weights, layout));
}

TEST(LayerTf32, IsRightBetweenGaps) {
  const auto compute = make_compute(Backend::emulated);
  for (const char* shape : {"2,8,19,11,6,3,padding=1", "1,67,9,20,70,3"})
    for (const Layout layout : all_layouts)
      for (const Pass pass : all_passes) {
        const VerifyRow row = verify_one(*compute, tf32_strategy(), tf32_of(shape, pass, layout), {}, 1);
        EXPECT_TRUE(row.passed) << row.failure << row.skipped_reason;
      }
}

// The result for inputs that are all multiplied by powers of two: twice by one plan, with the powers one after the
// other, so that nothing of the first is left.
std::vector<float> result_of(const Problem& problem, const std::vector<float>& sizes) {
  const auto compute = make_compute(Backend::emulated);
  std::vector<DeviceTensor> memory;
  std::vector<Tensor> in;
  for (const Shape& shape : layer_kind.inputs(problem)) {
    memory.push_back(dense_tensor(*compute, shape));
    in.push_back(memory.back().tensor);
  }
  const Shape shape = layer_kind.outputs(problem)[0];
  const DeviceTensor out = dense_tensor(*compute, shape);
  const auto plan = tf32_strategy().plan(problem, compute->device(), {});
  plan->prepare(compute->stream());
  for (const float size : {1.0f, 0.0f}) {
    for (std::size_t i = 0; i < in.size(); ++i) {
      HostNumbers host(in[i].shape, 7u + static_cast<unsigned>(i));
      auto* const numbers = static_cast<float*>(host.tensor.data);
      const float by = size == 0.0f ? sizes[i] : size;
      for (std::size_t k = 0; k < in[i].shape.elements(); ++k) numbers[k] *= by;
      compute->upload(rows_of(host.tensor), rows_of(in[i]));
    }
    compute->fill(rows_of(out.tensor), 0xff);
    plan->enqueue(in, {&out.tensor, 1}, compute->stream());
  }
  HostNumbers result(shape, 1);
  compute->download(rows_of(out.tensor), rows_of(result.tensor));
  const auto* seen = static_cast<const float*>(result.tensor.data);
  return {seen, seen + shape.elements()};
}

// A power of two for all inputs is one for all outputs: the numbers are the same, though float16 has no such exponents.
TEST(LayerTf32, TakesNumbersOfAnySize) {
  for (const Layout layout : all_layouts)
    for (const Pass pass : all_passes) {
      const Problem problem = tf32_of("1,9,6,11,5,3,padding=1", pass, layout);
      const std::vector<float> plain = result_of(problem, {1, 1});
      for (const std::vector<float>& sizes :
           {std::vector<float>{0x1p-100f, 0x1p100f}, {0x1p100f, 0x1p-100f}, {0x1p-12f, 0x1p17f}, {0x1p15f, 0x1p-5f}}) {
        SCOPED_TRACE(sizes[0]);
        const float size = pass == Pass::to_weights ? sizes[0] * sizes[1] : sizes[0];
        const std::vector<float> sized = result_of(problem, sizes);
        double most = 0, worst = 0;
        for (std::size_t i = 0; i < plain.size(); ++i) {
          most = std::max(most, std::abs(static_cast<double>(plain[i])));
          worst = std::max(worst, std::abs(static_cast<double>(sized[i]) / static_cast<double>(size) -
                                           static_cast<double>(plain[i])));
        }
        EXPECT_LE(worst, 0x1p-16 * most) << layer_kind.describe(problem);
      }
    }
}

// Weights of maps of very different sizes, and zeros, for which no power of two is the right one.
TEST(LayerTf32, TakesWeightsOfAnySize) {
  Problem problem = tf32_of("1,16,6,11,4,3,padding=1");
  const std::vector<float> plain = result_of(problem, {1});
  constexpr float sizes[] = {0x1p-60f, 1, 0x1p40f, 0};
  const std::size_t of_map = problem.filter.weights.size() / 4;
  for (std::size_t i = 0; i < problem.filter.weights.size(); ++i) problem.filter.weights[i] *= sizes[i / of_map];
  const std::vector<float> sized = result_of(problem, {0x1p-20f});
  const std::size_t plane = plain.size() / 4;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const float expected = plain[i] * sizes[i / plane] * 0x1p-20f;
    EXPECT_NEAR(sized[i], expected, 1e-4f * std::abs(sizes[i / plane]) * 0x1p-20f) << "map " << i / plane;
  }
  for (const float number : result_of(problem, {0})) EXPECT_EQ(number, 0);
}

// Instructions cut off no more than a plain float32 sum of the same products may round, where these are many.
TEST(LayerTf32, IsHeldToWhatItsInstructionsLose) {
  const Problem gradient = tf32_of("1,64,540,960,64,3", Pass::to_weights);
  EXPECT_LT(tf32_strategy().tolerance(gradient), 1e-3 * layer_absolute_sum(gradient));
  EXPECT_LT(tf32_strategy().tolerance(tf32_of("1,64,540,960,64,3")),
            1e-4 * layer_absolute_sum(tf32_of("1,64,540,960,64,3")));
}

TEST(LayerTf32, RefusesWithANumber) {
  Device device = make_compute(Backend::emulated)->device();
  const auto why_not = [&](const Problem& problem) { return tf32_strategy().unsupported(problem, device, {}); };
  for (const Layout layout : all_layouts)
    for (const Pass pass : all_passes) EXPECT_EQ(why_not(tf32_of("1,64,20,20,64,3", pass, layout)), "");
  EXPECT_THAT(why_not(floats_of("1,64,20,20,64,3")), HasSubstr("f32 nchw. Choose the type tf32"));
  EXPECT_THAT(why_not(problem_of("1,64,20,20,64,3", Pass::forward, Precision::f16, Layout::nhwc)),
              HasSubstr("f16 nhwc"));
  EXPECT_THAT(why_not(tf32_of("1,64,20,20,64,5", Pass::to_weights)), HasSubstr("here K is 5"));
  EXPECT_THAT(why_not(tf32_of("1,64,20,20,64,3,stride=2", Pass::to_weights)), HasSubstr("stride is 2"));
  EXPECT_THAT(why_not(tf32_of("1,64,80,80,64,3,dilation=20,padding=20", Pass::to_weights)),
              HasSubstr("bytes of shared memory"));
  EXPECT_THAT(why_not(tf32_of("1,64,20,20,64,3,groups=2")), HasSubstr("2 groups"));
  EXPECT_THAT(why_not(tf32_of("1,64,80,80,64,3,dilation=30")), HasSubstr("bytes of shared memory"));
  device.memory_bytes = 1 << 20;
  EXPECT_THAT(why_not(tf32_of("1,64,80,80,64,3")), HasSubstr("would take"));
  device.compute_capability = 80;
  EXPECT_THAT(why_not(tf32_of("1,64,20,20,64,3")), HasSubstr("this device has 8.0"));
}

TEST(LayerTf32, SaysWhatItDoesWithExponents) {
  Device device = make_compute(Backend::emulated)->device();
  device.multiprocessors = 132;
  for (const Pass pass : all_passes) {
    const auto note = tf32_strategy().plan(tf32_of("1,64,100,100,64,3,padding=1", pass), device, {})->note();
    EXPECT_THAT(note, HasSubstr("times a power of two"));
  }
}

// On a device with its instructions the model has it before what multiplies all bits, so that auto tries it.
TEST(LayerTf32, IsTriedInDeepLayers) {
  Device device = make_compute(Backend::emulated)->device();
  const DeviceLimits limits{.copy_bytes_per_second = 3.5e12, .flop_per_second = 60e12};
  const auto ms = [&](const char* id, const Problem& problem) {
    Strategy strategy = *find_strategy(Backend::emulated, id, layer_kind);
    strategy.backend = Backend::cuda;  // whose matrix units are fast
    return predicted_ms(strategy, problem, limits);
  };
  for (const char* shape : {"1,64,540,960,64,3", "1,128,270,480,128,3", "1,256,135,240,256,3", "32,64,56,56,64,3"})
    for (const Pass pass : all_passes) {
      EXPECT_LT(ms("implicit-gemm-tf32", tf32_of(shape, pass)), ms("implicit-gemm-split", tf32_of(shape, pass)))
          << shape << " " << to_string(pass);
      EXPECT_LT(ms("implicit-gemm-tf32", tf32_of(shape, pass, Layout::nhwc)),
                ms("implicit-gemm-tensor", tf32_of(shape, pass, Layout::nhwc)))
          << shape << " " << to_string(pass);
    }
}

}  // namespace
}  // namespace convoscope
