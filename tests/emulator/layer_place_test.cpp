// Which block and thread makes an output of a layer, as is seen in the emulator.
#include "kernels/compute/compute.h"
#include "kernels/kinds/layer.h"
#include "tests/emulator/support.h"
#include "tests/explanations.h"

namespace convoscope::emulated {
namespace {

Triple triple(const uint3& index) {
  return {static_cast<int>(index.x), static_cast<int>(index.y), static_cast<int>(index.z)};
}

class WritersTrace final : public Observer {
 public:
  WritersTrace(const void* memory, std::size_t bytes, std::size_t number) : output(memory, bytes, number) {
    set_observer(this);
  }
  ~WritersTrace() override { set_observer(nullptr); }
  void paused() override { output.look({triple(blockIdx), triple(threadIdx)}); }

  Watched output;
};

// Who wrote each element of the output, by its place in memory without padding.
template <class T = float>
std::vector<std::optional<Doer>> writers(const char* id, const Problem& problem, T half = 0.5f) {
  std::vector<DeviceBuffer<T>> memory;
  std::vector<Tensor> in;
  for (const Shape& shape : layer_kind.inputs(problem)) {
    memory.push_back(on_device(std::vector<T>(shape.elements(), half)));
    in.push_back(tensor_of_rows(memory.back().data(), shape, shape.row_bytes()));
  }
  const Shape shape = layer_kind.outputs(problem)[0];
  const DeviceBuffer<T> out = on_device(std::vector<T>(shape.elements(), T(0)));
  const Tensor output = tensor_of_rows(out.data(), shape, shape.row_bytes());
  const auto plan =
      find_strategy(Backend::emulated, id, layer_kind)->plan(problem, make_compute(Backend::emulated)->device(), {});
  plan->prepare({});
  const auto trace = std::make_unique<WritersTrace>(out.data(), out.bytes(), sizeof(T));
  plan->enqueue(in, {&output, 1}, {});
  set_observer(nullptr);
  std::vector<std::optional<Doer>> doers;
  for (std::size_t i = 0; i < shape.elements(); ++i) doers.push_back(trace->output.writer(i));
  return doers;
}

// Hₒ = Wₒ = 32 are two by two tiles of 16, numbered along y of the grid: the third begins in row 16.
TEST(LayerPlaces, AreTheBooks) {
  Problem problem = layer_problem("2,1,34,34,3,3", Pass::forward);
  std::ranges::fill(problem.filter.weights, 0.25f);
  const auto doers = writers("direct", problem);
  const auto at = [&](int n, int m, int y, int x) {
    return doers.at(static_cast<std::size_t>(((n * 3 + m) * 32 + y) * 32 + x)).value();
  };
  EXPECT_EQ(at(0, 0, 16, 0), (Doer{{0, 2, 0}, {0, 0, 0}}));
  EXPECT_EQ(at(0, 0, 0, 16), (Doer{{0, 1, 0}, {0, 0, 0}}));
  EXPECT_EQ(at(1, 2, 31, 17), (Doer{{2, 3, 1}, {1, 15, 0}}));
  EXPECT_EQ(at(0, 1, 5, 7), (Doer{{1, 0, 0}, {7, 5, 0}}));
}

// Ceilings and guards: what lies beyond the last row and column belongs to nobody, and all else to somebody.
TEST(LayerPlaces, CoverMapsThatAreNoWholeTiles) {
  for (const char* id : {"direct", "constant", "tiled"})
    for (const Pass pass : {Pass::forward, Pass::to_input}) {
      Problem problem = layer_problem("1,2,19,35,3,3", pass);
      std::ranges::fill(problem.filter.weights, 0.25f);
      for (const std::optional<Doer>& doer : writers(id, problem)) {
        ASSERT_TRUE(doer) << id << ", " << to_string(pass);
        EXPECT_LT(doer->block[0], pass == Pass::forward ? 3 : 2) << id << ", " << to_string(pass);
      }
    }
}

void expect_explained(const char* id, const Problem& problem, const std::vector<std::optional<Doer>>& doers) {
  const Strategy& strategy = *find_strategy(Backend::emulated, id, layer_kind);
  const Device device = make_compute(Backend::emulated)->device();
  const Shape out = layer_kind.outputs(problem)[0];
  for (int plane = 0; plane < out.planes(); ++plane)
    for (int y = 0; y < out.height(); ++y)
      for (int x = 0; x < out.width(); ++x) {
        const OutputIndex at{x, y, plane % out.channels(), plane / out.channels()};
        const int pixel = (at.sample * out.height() + y) * out.width() + x;
        const int i = out.layout == Layout::nhwc ? pixel * out.channels() + at.channel
                                                 : (plane * out.height() + y) * out.width() + x;
        const KernelStep step = strategy.explain(problem, device, {}, at).steps.at(0);
        ASSERT_EQ(doers.at(static_cast<std::size_t>(i)).value(), (Doer{step.block, step.thread}))
            << plane << ": " << x << ", " << y;
        ASSERT_TRUE(std::ranges::count(step.thread_planes, plane) && std::ranges::count(step.output_planes, plane));
        const auto has = [&](const PixelArea& area) { return area.contains(x, y); };
        ASSERT_TRUE(std::ranges::any_of(step.thread_outputs, has) && std::ranges::any_of(step.outputs, has));
      }
}

// Lanes hold outputs of rows 8 apart and of two neighbouring maps.
TEST(LayerPlaces, OfTensorCoresAreExplained) {
  for (const char* shape : {"2,2,13,21,19,3,padding=1", "1,4,9,17,70,3,groups=2,stride=2"})
    for (const Pass pass : {Pass::forward, Pass::to_input}) {
      Problem problem = layer_problem(shape, pass);
      problem.layer.precision = Precision::tf32;
      std::ranges::fill(problem.filter.weights, 0.25f);
      expect_explained("implicit-gemm-tensor", problem, writers("implicit-gemm-tensor", problem));
    }
}

// In float16 four or eight neighbouring maps, of rectangles or strips of outputs.
TEST(LayerPlaces, OfWindowsOnTensorCoresAreExplained) {
  for (const char* shape : {"2,8,13,21,20,3,padding=1", "1,32,9,17,140,3,groups=2", "2,3,19,70,19,3", "1,3,9,150,70,5",
                            "1,3,13,40,64,7", "1,16,9,80,24,3"}) {
    Problem problem = layer_problem(shape, Pass::forward);
    problem.layer.precision = Precision::f16;
    problem.layer.layout = Layout::nhwc;
    std::ranges::fill(problem.filter.weights, 0.25f);
    expect_explained("implicit-gemm-tensor", problem, writers("implicit-gemm-tensor", problem, std::uint16_t{0x3800}));
  }
}

// Pairs of channels in strips, and an output a thread.
TEST(LayerPlaces, OfDepthwiseHalvesAreExplained) {
  for (const char* shape : {"2,6,13,37,6,3,groups=6,padding=1", "1,70,11,9,70,5,groups=70",
                            "1,6,9,7,6,3,groups=6,stride=2", "2,3,9,11,6,3,groups=3"}) {
    Problem problem = layer_problem(shape, Pass::forward);
    problem.layer.precision = Precision::f16;
    problem.layer.layout = Layout::nhwc;
    std::ranges::fill(problem.filter.weights, 0.25f);
    expect_explained("depthwise", problem, writers("depthwise", problem, std::uint16_t{0x3800}));
  }
}

// Of a block's tiles two threads' halves of the rows, two neighbours of each, and two maps.
TEST(LayerPlaces, OfWarpgroupsAreExplained) {
  for (const char* shape : {"1,8,21,9,70,3,padding=1", "2,16,19,9,5,2"}) {
    Problem problem = layer_problem(shape, Pass::forward);
    problem.layer.precision = Precision::f16;
    problem.layer.layout = Layout::nhwc;
    std::ranges::fill(problem.filter.weights, 0.25f);
    expect_explained("implicit-gemm-wgmma", problem, writers("implicit-gemm-wgmma", problem, std::uint16_t{0x3800}));
  }
}

}  // namespace
}  // namespace convoscope::emulated
