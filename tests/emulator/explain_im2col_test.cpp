// im2col-gemm multiplies with cuBLAS, so only its own kernel can be watched: which block and thread unroll which input.
#include <set>

#include "kernels/filter/filter_catalogue.h"
#include "tests/emulator/support.h"

// The kernel is private to its file, so the file itself is part of this test.
// Under a name of its own, since the library has the same file.
#define im2col_gemm im2col_gemm_of_this_test
#include "kernels/peers/image/im2col-gemm.cu"

namespace convoscope::emulated::im2col_gemm {
namespace {

struct Unrolled {
  std::array<int, 2> block{};
  int thread = 0;
  auto operator<=>(const Unrolled&) const = default;
};

class Reads final : public Observer {
 public:
  Reads() { set_observer(this); }
  ~Reads() override { set_observer(nullptr); }
  void read(const void* from, std::size_t) override {
    seen[static_cast<const float*>(from)].insert(
        {{static_cast<int>(blockIdx.x), static_cast<int>(blockIdx.y)}, static_cast<int>(threadIdx.x)});
  }
  std::map<const float*, std::set<Unrolled>> seen;
};

TEST(Im2colExplains, WhichBlockAndThreadUnroll) {
  const Problem p{53, 17, PixelFormat::gray32f, Border::zero, parse_filter("box:rx=2,ry=1").filter};
  const int taps = tap_count(p), strip = strip_pixels(p, Tuned(strategy, {}));
  const std::size_t pixels = 53 * 17;
  ASSERT_GE(strip, 53 * 17);
  const DeviceBuffer<float> in(pixels), matrix(pixels * static_cast<std::size_t>(taps));
  for (std::size_t i = 0; i < pixels; ++i) in.data()[i] = 1;
  const ImageView<const float> view{in.data(), p.width, p.height, 4u * 53};
  Reads reads;
  launch(unroll<float>, dim3(ceil_div(53 * 17, block_size), static_cast<unsigned>(taps)), dim3(block_size), 0, Stream{},
         view, matrix.data(), std::size_t{0}, 53 * 17, p.filter.width, p.filter.height, 1, p.border);
  for (int y = 0; y < p.height; ++y)
    for (int x = 0; x < p.width; ++x) {
      const Explanation said = strategy.explain(p, {}, {}, {x, y});
      ASSERT_EQ(said.steps.size(), 2u);
      const KernelStep& step = said.steps[0];
      for (int tap = 0; tap < taps; ++tap) {
        const int sx = x + tap % p.filter.width - p.filter.rx(), sy = y + tap / p.filter.width - p.filter.ry();
        if (sx < 0 || sy < 0 || sx >= p.width || sy >= p.height) continue;
        ASSERT_TRUE(reads.seen[in.data() + sy * 53 + sx].contains({{step.block[0], tap}, step.thread[0]}))
            << x << ", " << y << ", tap " << tap;
      }
      ASSERT_EQ(step.block[1], taps / 2);  // the tap of the filter's centre, whose inputs lie where the outputs do
      ASSERT_TRUE(step.direct == step.outputs);
    }
}

}  // namespace
}  // namespace convoscope::emulated::im2col_gemm
