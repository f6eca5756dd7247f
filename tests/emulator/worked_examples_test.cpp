// Examples worked out by hand that are not about outputs: what a thread reads, where an element lies, what a matrix
// holds.
#include <map>
#include <set>

#include "kernels/filter/filter_catalogue.h"
#include "kernels/kinds/layer.h"
#include "kernels/strategies/shared/layer/unroll.cuh"
#include "tests/emulator/support.h"

namespace convoscope::emulated {
namespace {

using Place = std::pair<int, int>;  // row and column, as the book writes them

// By block and thread, which read what of an image without padding.
class Reads final : public Observer {
 public:
  Reads(const std::vector<float>& image, int columns) : image_(image), width_(columns) { set_observer(this); }
  ~Reads() override { set_observer(nullptr); }
  void read(const void* from, std::size_t) override {
    const auto index = static_cast<int>(static_cast<const float*>(from) - image_.data());
    if (index < 0 || index >= static_cast<int>(image_.size())) return;
    seen[{{static_cast<int>(blockIdx.y), static_cast<int>(blockIdx.x)},
          {static_cast<int>(threadIdx.y), static_cast<int>(threadIdx.x)}}]
        .insert({index / width_, index % width_});
  }
  std::map<std::pair<Place, Place>, std::set<Place>> seen;

 private:
  const std::vector<float>& image_;
  int width_;
};

// 16 × 16 outputs in blocks of 4 × 4, r = 2. Thread (1, 1) of block (1, 1) makes P[5][5] from rows and columns 3 to 7.
TEST(WorkedExamples, AThreadReadsItsWindowButNoGhostCells) {
  const Problem problem{16, 16, PixelFormat::gray32f, Border::zero, parse_filter("box:radius=2").filter};
  for (const char* id : {"global", "constant"}) {
    std::vector<float> in(256, 1), out(256);
    const std::unique_ptr<Plan> plan =
        find_strategy(Backend::emulated, id)->plan(problem, {}, {{"block_width", 4}, {"block_height", 4}});
    plan->prepare({});
    const Tensor from = tensor_of({in.data(), 16, 16, 64, problem.format}),
                 to = tensor_of({out.data(), 16, 16, 64, problem.format});
    Reads reads(in, 16);
    plan->enqueue({&from, 1}, {&to, 1}, {});

    std::set<Place> window;
    for (int row = 3; row <= 7; ++row)
      for (int column = 3; column <= 7; ++column) window.insert({row, column});
    EXPECT_EQ((reads.seen[{{1, 1}, {1, 1}}]), window) << id;
    EXPECT_EQ((reads.seen[{{0, 0}, {0, 0}}].size()), 25u - 16) << id << ": P[0,0]";
    EXPECT_EQ((reads.seen[{{0, 0}, {1, 0}}].size()), 25u - 13) << id << ": P[1,0]";
    std::size_t all = 0;
    for (const auto& [who, places] : reads.seen) all += places.size();
    EXPECT_EQ(all, 6400u - 924) << id << ": all threads";
  }
}

// A picture of 3 × 3, padded to rows of 4.
TEST(WorkedExamples, AfterAPaddedRowComesTheFifthElement) {
  float memory[12] = {};
  const ImageView<float> image{memory, 3, 3, 4 * sizeof(float)};
  EXPECT_EQ(pixel_address(image, 0, 1) - memory, 4);
  EXPECT_EQ(pixel_address(image, 2, 2) - memory, 10);
}

// Three channels of 3 × 3 under filters of 2 × 2: 12 × 4 values for 27.
TEST(WorkedExamples, AnUnrolledLayer) {
  const Problem problem = layer_problem("1,3,3,3,2,2", Pass::forward);
  std::vector<float> x{1, 2, 3, 1, 1, 0, 2, 0, 1, 0, 2, 1, 0, 3, 1, 1, 0, 2, 1, 2, 0, 0, 1, 2, 1, 1, 0};
  const layer::UnrolledInput unrolled(problem);
  ASSERT_EQ(layer::UnrolledInput::bytes(problem), 12 * 4 * sizeof(float));
  EXPECT_DOUBLE_EQ(12 * 4 / static_cast<double>(x.size()), 16 / 9.0);
  unrolled.unroll(
      layer::planes_of<const float>(tensor_of_rows(x.data(), layer_kind.inputs(problem)[0], 3 * sizeof(float))), 0, {});
  std::vector<float> column;
  for (int row = 0; row < 12; ++row) column.push_back(unrolled.data()[4 * row]);
  EXPECT_EQ(column, (std::vector<float>{1, 2, 1, 1, 0, 2, 0, 3, 1, 2, 0, 1}));
  const float first_map[] = {1, 1, 2, 2, 1, 1, 1, 1, 0, 1, 1, 0};
  float product = 0;
  for (std::size_t i = 0; i < column.size(); ++i) product += column[i] * first_map[i];
  EXPECT_EQ(product, 14);
}

// The 5 × 5 binomial filter is a column times a row: 25 multiplies become 10.
TEST(WorkedExamples, ASeparableFilterNeedsTwoFifthsOfTheWork) {
  const Problem problem{640, 480, PixelFormat::gray32f, Border::zero,
                        parse_matrix("1 4 6 4 1; 4 16 24 16 4; 6 24 36 24 6; 4 16 24 16 4; 1 4 6 4 1")};
  const auto flop = [&](const char* id) { return find_strategy(Backend::emulated, id)->model(problem, {}).flop; };
  EXPECT_DOUBLE_EQ(flop("separable") / flop("constant"), 10 / 25.0);
}

}  // namespace
}  // namespace convoscope::emulated
