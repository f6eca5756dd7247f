// What every layer strategy says of its blocks, threads and tiles is what its kernels do, as is seen in the emulator:
// who wrote each output, and what each block read of each plane; and what it says of the worked example of the book.
#include "kernels/compute/compute.h"
#include "kernels/kinds/layer.h"
#include "tests/emulator/support.h"
#include "tests/explanations.h"

namespace convoscope::emulated {
namespace {

Triple triple(const uint3& index) {
  return {static_cast<int>(index.x), static_cast<int>(index.y), static_cast<int>(index.z)};
}

using OneThread = std::tuple<int, Triple, Triple>;  // launch, block, thread

class Trace final : public Observer {
 public:
  Trace(const Tensor& in, const Tensor& out, bool thread_by_thread) : in_(in), thread_by_thread_(thread_by_thread) {
    const Image image = rows_of(out);
    seen.output = Watched(image.data, image.pitch * static_cast<std::size_t>(image.height), sizeof(float));
    seen.pitch = image.pitch;
    set_observer(this);
  }
  ~Trace() override { set_observer(nullptr); }
  void launched() override { ++seen.launches; }
  void read(const void* from, std::size_t bytes) override {
    const auto plane = (static_cast<const std::byte*>(from) - static_cast<const std::byte*>(in_.data)) / in_.stride[1];
    if (plane < 0 || plane >= in_.shape.planes()) return;
    const auto number = static_cast<int>(plane);
    note_read_of(seen, plane_of(in_, number), triple(blockIdx), from, bytes, number);
    if (thread_by_thread_) by_thread[{seen.launches - 1, triple(blockIdx), triple(threadIdx)}].insert(from);
  }
  void copied_from(const void* from, std::size_t bytes) override { read(from, bytes); }
  void paused() override { seen.output.look({triple(blockIdx), triple(threadIdx)}); }

  Seen seen;
  std::map<OneThread, std::set<const void*>> by_thread;

 private:
  Tensor in_;
  bool thread_by_thread_;
};

// A plan at work, on inputs that leave no output as it was before.
class WatchedRun {
 public:
  WatchedRun(const Strategy& strategy, const Problem& problem, const Device& device, const Tuning& tuning,
             bool thread_by_thread = false)
      : in(make(memory_[0], problem.kind->inputs(problem)[0])),
        out(make(memory_[1], problem.kind->outputs(problem)[0])) {
    const Image inputs = rows_of(in), outputs = rows_of(out);
    for (int y = 0; y < inputs.height; ++y)
      for (int x = 0; x < inputs.width; ++x)
        row_of<float>(in, 0, 0, y)[x] = static_cast<float>(1 + (7 * x + 3 * y) % 11) / 4;
    // Sums that begin in memory begin with zeros.
    std::memset(outputs.data, strategy.id == "atomic" ? 0 : 0x7F,
                outputs.pitch * static_cast<std::size_t>(outputs.height));
    trace.emplace(in, out, thread_by_thread);
    const std::unique_ptr<Plan> plan = strategy.plan(problem, device, tuning);
    plan->prepare({});
    plan->enqueue({&in, 1}, {&out, 1}, {});
    set_observer(nullptr);
  }

 private:
  static Tensor make(DeviceBuffer<std::byte>& memory, const Shape& shape) {
    const std::size_t pitch = shape.row_bytes();  // dense, as a program's layers are: who stores what may depend on it
    memory = DeviceBuffer<std::byte>(pitch * shape.rows());
    return tensor_of_rows(memory.data(), shape, pitch);
  }
  DeviceBuffer<std::byte> memory_[2];

 public:
  Tensor in, out;
  std::optional<Trace> trace;
};

Problem positive(const char* shape, Pass pass) {
  Problem problem = layer_problem(shape, pass);
  int i = 0;
  for (float& weight : problem.filter.weights) weight = static_cast<float>(1 + i++ % 5) / 8;
  return problem;
}

// Every tap that lies in a source is in what the last step brings, or in what the step before it does.
void expect_windows_loaded(const Problem& p, const Explanation& said, const OutputIndex& at) {
  const LayerExtents e = layer_extents(p);
  const bool forward = p.layer.pass == Pass::forward;
  const auto of_input = std::ranges::find(said.steps, true, &KernelStep::of_input);
  ASSERT_NE(of_input, said.steps.end());
  const int first =
      forward ? at.sample * e.channels + e.first_channel(at.channel) : at.sample * e.maps + e.first_map(at.channel);
  EXPECT_EQ(of_input->input_planes, run_of_planes(first, forward ? e.group_channels() : e.group_maps()));
  for (int i = 0; i < e.filter; ++i)
    for (int j = 0; j < e.filter; ++j) {
      const int y = forward ? e.input_index(at.y, i) : e.output_index(at.y, i, e.out_height),
                x = forward ? e.input_index(at.x, j) : e.output_index(at.x, j, e.out_width);
      if (!forward && (x < 0 || y < 0)) continue;
      const auto has = [&](const PixelArea& area) { return area.contains(x, y); };
      ASSERT_TRUE(std::ranges::any_of(of_input->tile, has) || std::ranges::any_of(of_input->direct, has))
          << x << ", " << y;
    }
}

class ExplainsLayers : public testing::TestWithParam<const Strategy*> {};

TEST_P(ExplainsLayers, WhatTheKernelDoes) {
  const Strategy& strategy = *GetParam();
  if (!strategy.explains) GTEST_SKIP() << "not described";
  constexpr const char* shapes[] = {
      "1,3,3,3,2,2",
      "2,3,13,21,5,3,padding=1",
      "1,4,19,37,6,3,groups=2",
      "1,2,12,17,3,2,stride=2",
      "1,1,17,16,2,7,padding=3,stride=3",
      "1,2,14,13,3,3,dilation=2,padding=2",
      "2,6,11,8,6,3,groups=6,padding=1",
      "1,3,5,40,18,3",
      "1,3,6,12,35,3,padding=1",
      "1,2,9,9,2,1,stride=3",
  };
  const Device device = make_compute(Backend::emulated)->device();
  int ran = 0;
  for (const char* shape : shapes)
    for (const Pass pass : {Pass::forward, Pass::to_input})
      for (const bool epilogue : {false, true}) {
        Problem problem = positive(shape, pass);
        // Biases are nobody's reads: two shapes tell whether a kernel that adds them is as it is told.
        if (epilogue && (pass != Pass::forward || (shape != shapes[1] && shape != shapes[6]))) continue;
        if (epilogue) problem.filter.biases.assign(static_cast<std::size_t>(problem.layer.maps), 0.25f);
        std::vector<Tuning> tunings{{}};
        for (const Tunable& tunable : strategy.tunables)
          if (shape == shapes[1] || shape == shapes[7])
            for (const int value : {tunable.values.front(), tunable.values.back()})
              tunings.push_back({{std::string(tunable.id), value}});
        for (const Tuning& tuning : tunings) {
          if (!strategy.unsupported(problem, device, tuning).empty()) continue;
          if (strategy.explain(problem, device, tuning, {}).steps.empty()) continue;  // in words
          SCOPED_TRACE(
              layer_kind.describe(problem) + (epilogue ? ", biases" : "") +
              (tuning.empty() ? "" : ", " + tuning.begin()->first + " " + std::to_string(tuning.begin()->second)));
          const WatchedRun run(strategy, problem, device, tuning);
          hold_against(
              strategy, problem, device, tuning, run.trace->seen,
              [&](const OutputIndex& at, const Explanation& said) { expect_windows_loaded(problem, said, at); });
          ++ran;
          if (HasFailure()) return;
        }
      }
  if (ran == 0) GTEST_SKIP() << "told in words";
  EXPECT_GT(ran, strategy.id == "depthwise" ? 2 : 8);
}

std::vector<const Strategy*> with_kernels_of_ours() {
  std::vector<const Strategy*> found;
  for (const Strategy* strategy : strategies(Backend::emulated, layer_kind))
    if (!strategy->calls_library && !strategy->chooses) found.push_back(strategy);
  return found;
}

std::string test_name(const testing::TestParamInfo<const Strategy*>& parameter) {
  std::string name(parameter.param->id);
  std::ranges::replace(name, '-', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Ladder, ExplainsLayers, testing::ValuesIn(with_kernels_of_ours()), test_name);

Explanation said_of(const char* id, const Problem& problem, const OutputIndex& at, const Tuning& tuning = {}) {
  return find_strategy(Backend::emulated, id, layer_kind)
      ->explain(problem, make_compute(Backend::emulated)->device(), tuning, at);
}

// Design, section 5: two maps of 2 × 2 over three channels of 3 × 3.
TEST(ExplainsLayers, OfTheWorkedExampleWhoMakesAnOutput) {
  const Problem p = layer_problem("1,3,3,3,2,2", Pass::forward);
  const OutputIndex at{.x = 1, .y = 0, .channel = 1, .sample = 0};  // Y₁[0, 1] = 11
  const KernelStep direct = said_of("direct", p, at).steps.at(0);
  EXPECT_EQ(direct.block, (Triple{1, 0, 0}));
  EXPECT_EQ(direct.thread, (Triple{1, 0, 0}));
  EXPECT_EQ(direct.output_planes, (std::vector{1}));
  EXPECT_EQ(direct.input_planes, (std::vector{0, 1, 2}));
  EXPECT_EQ(direct.direct, (std::vector<PixelArea>{{0, 0, 3, 3}}));
  EXPECT_NE(direct.words.find("3 × 2 × 2 = 12 products"), std::string::npos) << direct.words;
  EXPECT_EQ(said_of("constant", p, at).steps.at(0).block, (Triple{1, 0, 0}));
  EXPECT_EQ(said_of("tiled", p, at, {{"tile", 16}}).steps.at(0).tile, (std::vector<PixelArea>{{0, 0, 17, 17}}));
  const KernelStep atomic = said_of("atomic", p, at).steps.at(0);
  EXPECT_EQ(atomic.blocks_along_y, 12) << "one for each product";
  EXPECT_EQ(atomic.block, (Triple{0, 0, 1}));
  EXPECT_EQ(atomic.thread, (Triple{1, 0, 0}));
  const KernelStep rows = said_of("register-tile", p, at).steps.at(0);
  EXPECT_EQ(rows.thread_planes, (std::vector{0, 1})) << "one thread makes both maps";
  for (const char* id : {"im2col-own-gemm", "implicit-gemm"}) {
    const Explanation said = said_of(id, p, at);
    ASSERT_TRUE(said.product) << id;
    EXPECT_EQ(said.product->rows, 2) << id;
    EXPECT_EQ(said.product->depth, 12) << id;
    EXPECT_EQ(said.product->columns, 4) << id;
    EXPECT_EQ(said.product->row, 1) << id;
    EXPECT_EQ(said.product->column, 1) << id;
    EXPECT_TRUE(said.product->tile.contains(1, 1)) << id;
    EXPECT_NE(said.steps.back().words.find("Row 1 of F and column 1 of U"), std::string::npos) << id;
  }
  EXPECT_DOUBLE_EQ(unrolled_expansion(p), 16.0 / 9);
}

// Design, section 5: of 32 × 32 outputs, block y = 2 has those from (16, 0) on.
TEST(ExplainsLayers, TheTilesOfABlock) {
  const Problem p = layer_problem("1,1,34,34,1,3", Pass::forward);
  const KernelStep step = said_of("direct", p, {.x = 0, .y = 16}).steps.at(0);
  EXPECT_EQ(step.block, (Triple{0, 2, 0}));
  EXPECT_EQ(step.thread, (Triple{0, 0, 0}));
  EXPECT_EQ(step.outputs, (std::vector<PixelArea>{{0, 16, 16, 16}}));
  EXPECT_EQ(step.direct, (std::vector<PixelArea>{{0, 16, 18, 18}}));
}

// Groups of channels, samples, a stride, and padding that is reached into.
TEST(ExplainsLayers, AnOddShape) {
  const Problem p = layer_problem("2,4,9,10,6,3,groups=2,padding=1,stride=2", Pass::forward);  // 5 × 5 outputs
  const OutputIndex at{.x = 4, .y = 2, .channel = 5, .sample = 1};
  const KernelStep direct = said_of("direct", p, at).steps.at(0);
  EXPECT_EQ(direct.block, (Triple{5, 0, 1}));
  EXPECT_EQ(direct.thread, (Triple{4, 2, 0}));
  EXPECT_EQ(direct.output_planes, (std::vector{11}));
  EXPECT_EQ(direct.input_planes, (std::vector{6, 7}));
  EXPECT_EQ(direct.direct, (std::vector<PixelArea>{{-1, -1, 11, 11}}));
  const Explanation unrolled = said_of("im2col-own-gemm", p, at), implicit = said_of("implicit-gemm", p, at);
  EXPECT_EQ(unrolled.launches_before, 2);
  EXPECT_EQ(unrolled.steps.at(0).block, (Triple{0, 2, 0}));
  EXPECT_EQ(unrolled.steps.at(0).blocks_along_y, 2);
  EXPECT_EQ(unrolled.steps.at(0).thread, (Triple{14, 0, 0}));
  EXPECT_EQ(unrolled.steps.at(1).block, (Triple{0, 0, 1}));
  EXPECT_EQ(implicit.steps.at(0).block, (Triple{0, 0, 3})) << "the second group of the second sample";
  for (const auto* said : {&unrolled, &implicit}) {
    EXPECT_EQ(said->product->row, 2);
    EXPECT_EQ(said->product->column, 14);
    EXPECT_EQ(said->product->rows, 3);
    EXPECT_EQ(said->product->depth, 18);
    EXPECT_EQ(said->product->columns, 25);
  }
  const Problem deep = layer_problem("1,6,11,8,6,3,groups=6", Pass::forward);
  EXPECT_EQ(said_of("depthwise", deep, {.x = 5, .y = 8, .channel = 3}).steps.at(0).input_planes, (std::vector{3}));
}

// Gaps that nobody reads are not told.
TEST(ExplainsLayers, NothingBetweenDilatedTaps) {
  const Problem p = layer_problem("1,1,9,9,1,2,dilation=3,stride=5", Pass::forward);  // columns 0, 3, 5 and 8
  EXPECT_EQ(said_of("direct", p, {}).steps.at(0).direct.size(), 16u);
}

TEST(ExplainsLayers, TheThreadThatUnrollsAColumn) {
  const Strategy& strategy = *find_strategy(Backend::emulated, "im2col-own-gemm", layer_kind);
  const Problem p = positive("2,3,13,31,5,3", Pass::forward);
  const LayerExtents e = layer_extents(p);
  const WatchedRun run(strategy, p, make_compute(Backend::emulated)->device(), {}, true);
  for (int sample = 0; sample < 2; ++sample)
    for (int position = 0; position < e.out_height * e.out_width; ++position) {
      const OutputIndex at{position % e.out_width, position / e.out_width, 4, sample};
      const Explanation said = strategy.explain(p, {}, {}, at);
      for (int c = 0; c < e.channels; ++c) {
        std::set<const void*> window;
        for (int i = 0; i < 3; ++i)
          for (int j = 0; j < 3; ++j) window.insert(row_of<float>(run.in, sample, c, at.y + i) + at.x + j);
        Triple block = said.steps.at(0).block;
        block[1] += c;
        ASSERT_EQ(run.trace->by_thread.at({said.launches_before, block, said.steps[0].thread}), window);
      }
    }
}

TEST(ExplainsLayers, AGradientToTheWeightsIsToldInWords) {
  const Problem p = layer_problem("1,3,9,9,2,3", Pass::to_weights);
  for (const Strategy* strategy : with_kernels_of_ours()) {
    if (!strategy->explains || !strategy->unsupported(p, {}, {}).empty()) continue;
    const Explanation said = strategy->explain(p, {}, {}, {});
    EXPECT_TRUE(said.steps.empty()) << strategy->id;
    EXPECT_FALSE(said.words.empty()) << strategy->id;
  }
}

// The CPU's strategies have no blocks; what is multiplied is the same.
TEST(ExplainsLayers, OnTheCpu) {
  const Problem p = layer_problem("1,3,3,3,2,2", Pass::forward);
  for (const char* id : {"cpu-direct", "cpu-gemm"}) {
    const Strategy& strategy = *find_strategy(Backend::cpu, id, layer_kind);
    const Explanation said = strategy.explain(p, {}, {}, {.x = 1, .y = 1, .channel = 1});
    EXPECT_TRUE(said.steps.empty());
    EXPECT_NE(said.words.find("12 products"), std::string::npos) << said.words;
    EXPECT_EQ(said.product.has_value(), strategy.id == "cpu-gemm");
    if (!said.product) continue;
    EXPECT_EQ(said.product->row, 1);
    EXPECT_EQ(said.product->column, 3);
    EXPECT_EQ(said.product->depth, 12);
  }
}

}  // namespace
}  // namespace convoscope::emulated
