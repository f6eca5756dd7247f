// implicit-gemm-tensor: what it loads at once where memory allows it, its tiles, what it refuses and what it costs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "kernels/check/verify.h"
#include "kernels/compute/compute.h"
#include "kernels/contract/theory/model.h"
#include "kernels/contract/theory/tolerance.h"
#include "kernels/kinds/layer.h"
#include "tests/kernels/layer/dense_layer.h"

namespace convoscope {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const Strategy& tensor_strategy() { return *find_strategy(Backend::emulated, "implicit-gemm-tensor", layer_kind); }

void expect_right_when_dense(const Problem& problem, const Tuning& tuning = {}) {
  convoscope::expect_right_when_dense(tensor_strategy(), problem, tuning);
}

TEST(LayerTensor, LoadsSixteenBytesAtOnceWhereChannelsAllowIt) {
  for (const char* shape : {"1,8,9,11,8,3,padding=1", "2,16,10,9,40,3,padding=1,stride=2",
                            "1,16,7,8,16,2,groups=2,dilation=2,padding=1", "1,24,6,21,16,1", "1,32,12,12,70,3"})
    for (const Precision precision : {Precision::f16, Precision::tf32})
      for (const Pass pass : all_passes) {
        Problem problem = problem_of(shape, pass, precision, Layout::nhwc);
        if (pass == Pass::forward) {
          problem.filter.biases.assign(static_cast<std::size_t>(problem.layer.maps), -0.25f);
          problem.filter.relu = true;
        }
        expect_right_when_dense(problem);
      }
}

TEST(LayerTensor, TakesDenseTensorsOfEveryLayoutAndTile) {
  for (const Layout layout : all_layouts)
    for (const Precision precision : {Precision::f16, Precision::tf32})
      for (const Pass pass : all_passes)
        for (const int maps : {0, 16, 32, 64})
          expect_right_when_dense(problem_of("1,3,13,17,19,3,padding=1", pass, precision, layout), {{"maps", maps}});
}

// Windows of float16 numbers: several slabs, the last one not whole, rectangles and maps that leave some over, filters
// whose taps are no whole number of steps.
TEST(LayerTensor, TakesWindowsOfEveryTile) {
  struct Row {
    const char* shape;
    Tuning tuning;
  };
  for (const auto& [shape, tuning] :
       {Row{"1,40,19,23,70,3,padding=1", {}}, Row{"1,40,11,13,20,3,padding=1", {{"channels", 16}}},
        Row{"2,16,13,12,12,5,padding=2,stride=2", {{"channels", 32}, {"stages", 4}}},
        Row{"1,48,9,10,40,2", {{"maps", 32}}},
        Row{"1,48,17,15,80,3,groups=2,dilation=2", {{"channels", 16}, {"stages", 3}}},
        Row{"1,72,9,10,40,3", {{"maps", 64}, {"outputs", 128}, {"channels", 64}, {"stages", 4}}},
        Row{"1,40,9,20,40,5,padding=2", {{"maps", 64}, {"outputs", 128}, {"channels", 32}, {"stages", 3}}},
        Row{"1,72,8,8,70,3", {{"maps", 64}, {"outputs", 256}, {"channels", 64}, {"stages", 3}}},
        Row{"1,72,12,8,70,3", {{"maps", 128}, {"outputs", 128}, {"channels", 64}, {"stages", 3}}},
        Row{"1,40,12,12,130,3", {{"outputs", 128}, {"channels", 32}}},
        Row{"1,72,9,9,70,3", {{"maps", 128}, {"outputs", 256}, {"channels", 64}}},
        Row{"1,40,20,13,70,3", {{"outputs", 256}, {"stages", 3}}}})
    expect_right_when_dense(problem_of(shape, Pass::forward, Precision::f16, Layout::nhwc), tuning);
}

// A window of 256 outputs needs 116,480 bytes, one of 128 needs 84,480.
TEST(LayerTensor, TakesASmallerWindowWhereSharedMemoryIsShort) {
  Device device = make_compute(Backend::emulated)->device();
  device.multiprocessors = 1;
  const Problem problem = problem_of("1,64,40,40,64,5,padding=2", Pass::forward, Precision::f16, Layout::nhwc);
  const auto note = [&](int kibibytes) {
    device.shared_bytes_per_block = static_cast<std::size_t>(kibibytes) * 1024;
    return tensor_strategy().plan(problem, device, {})->note();
  };
  EXPECT_THAT(note(227), StartsWith("40 × 6 outputs of 64 maps a block"));
  EXPECT_THAT(note(99), StartsWith("20 × 6 outputs of 64 maps a block"));
  EXPECT_THAT(note(32), StartsWith("inputs are loaded"));
}

// Up to four channels, or sixteen, which a kernel of its own takes: rows that begin at odd places or not, maps that
// fill its tiles or do not, outputs beyond its strips, strips within and at the edges.
TEST(LayerTensor, TakesFewChannels) {
  for (const char* shape : {"1,3,19,70,16,3,padding=1",
                            "1,3,9,151,16,3",
                            "2,3,11,117,40,3,padding=1",
                            "2,1,9,9,8,5",
                            "1,2,9,61,17,5,padding=1",
                            "1,4,11,60,9,5,padding=2",
                            "1,4,9,53,20,7,padding=3",
                            "1,3,17,65,20,7",
                            "1,2,9,20,70,3",
                            "1,1,8,67,3,7,padding=4",
                            "1,16,9,53,16,3,padding=1",
                            "2,16,7,35,24,3",
                            "1,3,5,9,3,3,padding=3",
                            "9,3,37,20,8,3",
                            "7,3,40,17,8,7",
                            "9,16,30,17,8,3",
                            "1,3,17,67,64,3,padding=1",
                            "2,3,19,53,64,7,padding=3",
                            "1,3,11,70,32,5",
                            "1,3,15,37,96,7"})
    for (const Pass pass : {Pass::forward, Pass::to_input})
      for (const int maps : {0, 32}) {
        if (pass == Pass::to_input && maps != 0) continue;  // the tiles have a test of their own
        Problem problem = problem_of(shape, pass, Precision::f16, Layout::nhwc);
        if (pass == Pass::forward && maps == 0) {
          problem.filter.biases.assign(static_cast<std::size_t>(problem.layer.maps), -0.25f);
          problem.filter.relu = true;
        }
        expect_right_when_dense(problem, {{"maps", maps}});
      }
  expect_right_when_dense(problem_of("1,20,15,11,3,3,padding=1", Pass::to_input, Precision::f16, Layout::nhwc));
  expect_right_when_dense(problem_of("1,24,15,40,16,3,padding=3", Pass::to_input, Precision::f16, Layout::nhwc));
}

// What a weight of zero fills an instruction up with is no output's own, whatever it is.
TEST(LayerTensor, KeepsWhatIsInfiniteToItsWindows) {
  for (const char* shape : {"1,3,9,70,16,3", "1,3,11,70,20,7,padding=3", "1,4,9,70,8,5"}) {
    const Problem problem = problem_of(shape, Pass::forward, Precision::f16, Layout::nhwc);
    const auto compute = make_compute(Backend::emulated);
    const Shape in = layer_kind.inputs(problem)[0], out = layer_kind.outputs(problem)[0];
    HostNumbers host(in, 3), result(out, 1);
    const int channels = in.channels(), y = 4, x = 35, k = problem.filter.width, padding = problem.layer.padding;
    constexpr std::uint16_t infinity = 0x7c00;
    std::memcpy(static_cast<char*>(host.tensor.data) + 2 * ((y * in.width() + x) * channels), &infinity, 2);
    const DeviceTensor from = dense_tensor(*compute, in), to = dense_tensor(*compute, out);
    compute->upload(rows_of(host.tensor), rows_of(from.tensor));
    const auto plan = tensor_strategy().plan(problem, compute->device(), {});
    plan->prepare(compute->stream());
    plan->enqueue({&from.tensor, 1}, {&to.tensor, 1}, compute->stream());
    compute->download(rows_of(to.tensor), rows_of(result.tensor));
    for (int row = 0; row < out.height(); ++row)
      for (int column = 0; column < out.width(); ++column) {
        std::uint16_t bits = 0;
        std::memcpy(&bits, static_cast<char*>(result.tensor.data) + 2 * ((row * out.width() + column) * out.channels()),
                    2);
        const bool sees =
            y + padding - row >= 0 && y + padding - row < k && x + padding - column >= 0 && x + padding - column < k;
        ASSERT_EQ((bits & 0x7c00) == 0x7c00, sees) << shape << ": " << column << ", " << row;
      }
  }
}

// A gradient to the weights whose outputs are more than one part.
TEST(LayerTensor, AddsThePartsOfAGradient) {
  for (const Precision precision : {Precision::f16, Precision::tf32})
    expect_right_when_dense(problem_of("2,2,50,61,3,3", Pass::to_weights, precision, Layout::nhwc));
}

TEST(LayerTensor, SaysHowItLoads) {
  const auto compute = make_compute(Backend::emulated);
  const auto note = [&](const char* shape, Precision precision, Layout layout) {
    return tensor_strategy().plan(problem_of(shape, Pass::forward, precision, layout), compute->device(), {})->note();
  };
  EXPECT_EQ(note("1,24,9,9,8,3", Precision::f16, Layout::nhwc),
            "7 × 7 outputs of 16 maps a block, from a window of 81 sources, 32 channels at a time");
  EXPECT_THAT(note("1,3,9,9,8,3", Precision::f16, Layout::nhwc),
              HasSubstr("; 3 taps of a row, of 3 channels each, lie"));
  EXPECT_THAT(note("1,16,9,9,8,3", Precision::f16, Layout::nhwc), HasSubstr("; 3 taps of a row, of 16 channels each"));
  EXPECT_EQ(note("1,16,9,9,8,1", Precision::f16, Layout::nhwc), "inputs are loaded 8 channels at a time");
  EXPECT_EQ(note("1,12,9,9,8,3", Precision::tf32, Layout::nhwc), "inputs are loaded 4 channels at a time");
  EXPECT_THAT(note("1,12,9,9,8,3", Precision::f16, Layout::nhwc), StartsWith("inputs are loaded one by one"));
  EXPECT_THAT(note("1,16,9,9,8,3,groups=4", Precision::f16, Layout::nhwc), HasSubstr("here are 4 in nhwc"));
  EXPECT_THAT(note("1,16,9,9,8,3", Precision::f16, Layout::nchw), HasSubstr("here are 16 in nchw"));
}

TEST(LayerTensor, RefusesWithNumbers) {
  const Device device = make_compute(Backend::emulated)->device();
  const auto refusal = [&](const Problem& problem, int capability, const Tuning& tuning = {}) {
    Device other = device;
    other.compute_capability = capability;
    return tensor_strategy().unsupported(problem, other, tuning);
  };
  const char* shape = "1,3,9,9,4,3";
  const Problem half = problem_of(shape, Pass::forward, Precision::f16, Layout::nhwc);
  const Problem tf32 = problem_of(shape, Pass::forward, Precision::tf32, Layout::nchw);
  EXPECT_EQ(refusal(half, 75), "");
  EXPECT_EQ(refusal(tf32, 80), "");
  EXPECT_EQ(refusal(half, 70), "f16 matrix instructions need compute capability 7.5; this device has 7.0");
  EXPECT_EQ(refusal(tf32, 75), "tf32 matrix instructions need compute capability 8.0; this device has 7.5");
  EXPECT_THAT(refusal(layer_problem(shape, Pass::forward), 90), HasSubstr("float32 with 24"));
  EXPECT_THAT(refusal(half, 90, {{"maps", 48}}), HasSubstr("48 maps"));
  EXPECT_THAT(refusal(problem_of("70000,1,4,4,1,3", Pass::forward, Precision::f16, Layout::nhwc), 90),
              HasSubstr("70000 blocks"));
}

TEST(LayerTensor, CountsWholeTiles) {
  const auto cost = [](const char* shape, Pass pass, Precision precision = Precision::tf32) {
    return tensor_strategy().model(problem_of(shape, pass, precision, Layout::nhwc), {});
  };
  const Cost exact = cost("1,32,34,34,64,3", Pass::forward);  // 8 tiles of 128 outputs and 64 maps, depth 9 · 32
  EXPECT_TRUE(exact.on_matrix_units);
  EXPECT_EQ(exact.flop, 2.0 * 1024 * 64 * 288);
  EXPECT_EQ(exact.global_loads_per_output, 288 / 64.0);
  EXPECT_EQ(exact.weight_loads_per_output, 288 / 128.0);
  EXPECT_EQ(cost("1,3,34,34,16,3", Pass::forward).flop, 2.0 * 1024 * 16 * 32) << "27 are filled up to 32";
  const Cost weights = cost("1,32,34,34,64,3", Pass::to_weights);
  EXPECT_EQ(weights.flop, 2.0 * (5 * 64) * 64 * 1024) << "288 weights are five tiles of 64";
  EXPECT_EQ(weights.dram_bytes, 4.0 * (32 * 34 * 34 + 64 * 1024 + 64 * 288));

  const Cost windows = cost("1,32,34,34,64,3", Pass::forward, Precision::f16);
  EXPECT_EQ(windows.flop, exact.flop);
  EXPECT_EQ(windows.global_loads_per_output, 8 * 180 * 32 / (1024.0 * 64)) << "8 windows of 10 × 18";
  EXPECT_EQ(windows.weight_loads_per_output, exact.weight_loads_per_output);
  EXPECT_EQ(windows.dram_bytes, 2.0 * (32 * 34 * 34 + 64 * 1024));
  const Cost few = cost("1,3,34,34,16,3", Pass::forward, Precision::f16);  // 1 strip of 32 columns, the others idle
  const double rows = few.flop / (2.0 * 4 * 32 * 16 * 48);
  EXPECT_GE(rows, 34) << "three instructions of 16 for 32 × 16 outputs, and rows that strips have in common";
  EXPECT_EQ(few.global_loads_per_output, rows * 4 * 32 * 4 * 6 / (1024.0 * 16)) << "three words of four lanes a pixel";
}

// Every product of an instruction and its sum may lose 2^-23, and the result is rounded to 11 bits.
TEST(LayerTensor, HasTheToleranceOfItsInstructions) {
  Problem problem = problem_of("1,2,6,6,1,2", Pass::forward, Precision::tf32, Layout::nhwc);
  std::ranges::fill(problem.filter.weights, 0.5f);
  EXPECT_NEAR(tensor_strategy().tolerance(problem), 18 * 0x1p-24 * 4, 0x1p-24 * 8) << "one instruction of depth 8";
  problem.layer.precision = Precision::f16;
  EXPECT_NEAR(tensor_strategy().tolerance(problem), 0x1p-11 * 4, 0x1p-11 * 0.1);
}

// A driver translates PTX for 7.5 to a newer device, where the kernels then lack the instructions of 8.0.
TEST(LayerTensor, RefusesTf32WhereTheProgramIsNotBuiltForIt) {
  const Strategy& strategy = *find_strategy(Backend::emulated, "implicit-gemm-tensor", layer_kind);
  const Problem problem = problem_of("1,16,20,20,16,3", Pass::forward, Precision::tf32, Layout::nchw);
  Device device = make_compute(Backend::emulated)->device();
  EXPECT_EQ(strategy.unsupported(problem, device, {}), "");
  device.compiled_for = 75;
  EXPECT_THAT(strategy.unsupported(problem, device, {}), testing::HasSubstr("this program was built for 7.5"));
}

}  // namespace
}  // namespace convoscope
