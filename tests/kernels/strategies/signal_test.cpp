// What the signal ladder says of itself: the chapter's ratios, the loads that its kernels are seen to make, refusals
// with their numbers. That the outputs are right is verify's to say.
#include "kernels/kinds/signal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "kernels/compute/compute.h"
#include "kernels/contract/theory/model.h"
#include "kernels/emulator/observer.h"
#include "kernels/kinds/frames.h"
#include "tests/kernels/load_reductions.h"

namespace convoscope {
namespace {

Problem signal(int samples, const Filter& filter) {
  return {samples, 1, PixelFormat::gray32f, Border::zero, filter, &signal_kind};
}
Problem signal(int samples, const char* filter) { return signal(samples, signal_kind.parse(filter)); }
Problem with_the_longest_filter() { return signal(1000, random_filter(max_filter_taps_1d, 1)); }

const Strategy& emulated_signal_strategy(const char* id) { return *find_strategy(Backend::emulated, id, signal_kind); }

double hundredths(double value) { return std::round(value * 100) / 100; }

// PMPP 3rd ed., ch. 7.4, which prints 10.13 and 8.14 for the ratio of all blocks.
TEST(SignalModel, TilesSaveTheLoadsOfInnerAndOfEndBlocks) {
  const struct {
    int block;
    double inner, end;
  } table[] = {{128, 10.20, 10.47}, {32, 8.38, 9.11}, {256, 10.59, 10.73}};
  for (const auto& [block, inner, end] : table) {
    EXPECT_DOUBLE_EQ(hundredths(tile_load_reduction_1d(block, 5)), inner) << block;
    EXPECT_DOUBLE_EQ(hundredths(tile_load_reduction_1d_end(block, 5)), end) << block;
  }
  EXPECT_DOUBLE_EQ(hundredths(tile_load_reduction_1d_ghost(128, 5)), 10.13);
  EXPECT_DOUBLE_EQ(hundredths(tile_load_reduction_1d_ghost(32, 5)), 8.14);
}

TEST(SignalModel, ATileLoadsAsTheRatioSays) {
  const Problem problem = signal(48000, "1 2 3 4 5 6 5 4 3 2 1");
  for (const char* id : {"tiled-regions", "tiled-uniform"}) {
    const Cost cost = emulated_signal_strategy(id).model(problem, {{"block_size", 128}});
    EXPECT_DOUBLE_EQ(load_reduction(problem, cost), tile_load_reduction_1d(128, 5)) << id;
    EXPECT_DOUBLE_EQ(hundredths(load_reduction_at_ends(problem, cost)), 10.47) << id;
  }
}

// Of 8 warps of a block the first and the last meet the tile's ends, wherever the block lies.
TEST(SignalModel, ThreadsPartAtTheEndsOfATileWithoutHalo) {
  const Problem problem = signal(48000, "1 2 3 2 1");
  const auto share = [&](int block) {
    return emulated_signal_strategy("tiled-cached-halo").model(problem, {{"block_size", block}}).diverging_warps;
  };
  EXPECT_DOUBLE_EQ(share(256), 2 / 8.0);
  EXPECT_DOUBLE_EQ(share(32), 1);
}

TEST(SignalModel, OnlyWholeTilesHaveARatioOfTheEnds) {
  Problem problem = signal(48000, "1 2 3 2 1");
  for (const char* id : {"constant", "tiled-cached-halo"})
    EXPECT_EQ(load_reduction_at_ends(problem, emulated_signal_strategy(id).model(problem, {})), 0) << id;
  problem.border = Border::wrap;
  EXPECT_EQ(load_reduction_at_ends(problem, emulated_signal_strategy("tiled-uniform").model(problem, {})), 0);
}

// PMPP 4th ed., ch. 7.2 and 7.3.
TEST(SignalModel, ConstantMemoryDoublesTheWorkForEachByte) {
  const Problem problem = signal(48000, "1 2 3 2 1");
  EXPECT_DOUBLE_EQ(flop_per_loaded_byte(problem, emulated_signal_strategy("global").model(problem, {})), 0.25);
  EXPECT_DOUBLE_EQ(flop_per_loaded_byte(problem, emulated_signal_strategy("constant").model(problem, {})), 0.5);
}

// Of the memory that it is told: how many of its elements are read, block by block.
class LoadCounter final : public emulated::Observer {
 public:
  explicit LoadCounter(std::span<const float> memory) : memory_(memory) { emulated::set_observer(this); }
  ~LoadCounter() override { emulated::set_observer(nullptr); }
  void read(const void* from, std::size_t bytes) override {
    if (from >= memory_.data() && from < memory_.data() + memory_.size()) loads += static_cast<int>(bytes / 4);
  }
  void copied_from(const void* from, std::size_t bytes) override { read(from, bytes); }
  int loads = 0;

 private:
  std::span<const float> memory_;
};

int loads_of(const char* id, const Problem& problem, const Tuning& tuning) {
  std::vector<float> in(static_cast<std::size_t>(problem.width)), out(in.size());
  std::iota(in.begin(), in.end(), 1.0f);
  const Device device = make_compute(Backend::emulated)->device();
  const std::unique_ptr<Plan> plan = emulated_signal_strategy(id).plan(problem, device, tuning);
  plan->prepare({});
  const Tensor from = tensor_of_rows(in.data(), signal_kind.inputs(problem)[0], in.size() * sizeof(float));
  const Tensor to = tensor_of_rows(out.data(), signal_kind.outputs(problem)[0], out.size() * sizeof(float));
  const LoadCounter counter(in);
  plan->enqueue({&from, 1}, {&to, 1}, {});
  return counter.loads;
}

// 16 elements, blocks of 4, n = 2: 16 · 5 products but for 6 ghost cells; tiles of 6 + 8 + 8 + 6.
TEST(SignalLoads, AreThoseOfTheExampleByHand) {
  const Problem problem = signal(16, "1 2 3 2 1");
  const Tuning four{{"block_size", 4}};
  EXPECT_EQ(loads_of("global", problem, four), 74);
  EXPECT_EQ(loads_of("constant", problem, {}), 74);
  EXPECT_EQ(loads_of("tiled-regions", problem, four), 28);
  EXPECT_EQ(loads_of("tiled-regions", problem, {{"block_size", 4}, {"left_by_first", 1}}), 28);
  EXPECT_EQ(loads_of("tiled-uniform", problem, four), 28);
  EXPECT_EQ(loads_of("register-stream", problem, {}), 16);  // one block
  // 16 for the tiles; of each block's taps, 3 on either side fall outside of it, but not outside of the signal.
  EXPECT_EQ(loads_of("tiled-cached-halo", problem, four), 16 + 2 * 3 + 2 * 3 * 2);
}

TEST(SignalRefusals, AHaloHasNoMoreSamplesThanTheBlockHasThreads) {
  const Strategy& strategy = emulated_signal_strategy("tiled-regions");
  const Device device = make_compute(Backend::emulated)->device();
  const Problem longest = with_the_longest_filter();
  const std::string reason = strategy.unsupported(longest, device, {{"block_size", 256}});
  EXPECT_NE(reason.find("512"), std::string::npos) << reason;
  EXPECT_NE(reason.find("256"), std::string::npos) << reason;
  EXPECT_EQ(strategy.unsupported(longest, device, {{"block_size", 512}}), "");
}

TEST(SignalRefusals, ATransformIsLongerThanTheTaps) {
  const Strategy& strategy = *find_strategy(Backend::cpu, "cpu-fft", signal_kind);
  const Problem longest = with_the_longest_filter();
  const std::string reason = strategy.unsupported(longest, {}, {{"transform_size", 1024}});
  EXPECT_NE(reason.find("1024"), std::string::npos) << reason;
  EXPECT_NE(reason.find("1025"), std::string::npos) << reason;
  EXPECT_EQ(strategy.unsupported(longest, {}, {{"transform_size", 2048}}), "");
}

}  // namespace
}  // namespace convoscope
