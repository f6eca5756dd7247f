// Running sums. Idea: all weights of a box filter are the same number, so a sum that moves by a pixel gains what comes
// in and loses what goes out. A warp walks down its columns: each keeps the sum of the 2ry+1 pixels at hand. From row
// to row, the warp adds them up from left to right (a scan), and the difference of two of these is a whole box.
// Traffic: two loads per input row and column, the second from L1 or L2; no work depends on the radius but the halo.
// Limits: rgba8 only, as sums of code values are exact; the halo must leave room in 256 columns.
#include "kernels/model.h"
#include "kernels/reference.h"
#include "kernels/row_stream.cuh"
#include "kernels/warp.cuh"

namespace convoscope::CONVOSCOPE_TARGET {
namespace {

constexpr int warps = 4, lanes = 32;  // of a block; its warps lie side by side and share nothing
constexpr int widest_span = 8 * lanes, max_rx = 96;
constexpr int columns_for(int rx) { return rx <= 24 ? 4 : 8; }                  // of a lane
constexpr int own_columns(int rx) { return lanes * columns_for(rx) - 2 * rx; }  // that a warp makes outputs of
static_assert(own_columns(max_rx) >= widest_span / 4);

template <int Columns>
__global__ void __launch_bounds__(warps* lanes)
    filter_box(ImageView<const unsigned> in, ImageView<unsigned> out, int rx, int ry, int strip_rows, Border border,
               float weight, Epilogue epilogue) {
  constexpr int span = lanes * Columns;
  const int lane = threadIdx.x, own = span - 2 * rx;
  const int left = static_cast<int>(blockIdx.x * warps + threadIdx.y) * own;
  const int top = static_cast<int>(blockIdx.y) * strip_rows, bottom = min(top + strip_rows, out.height);
  const Shared<int> totals = shared_memory<int>(0, warps * 3 * (span + 1));  // of the columns left of each
  const int mine = static_cast<int>(threadIdx.y) * 3 * (span + 1);
  if (left >= out.width) return;

  int columns[Columns], sums[3][Columns] = {};
  CONVOSCOPE_UNROLL
  for (int i = 0; i < Columns; ++i) columns[i] = near_border_index(left - rx + lane * Columns + i, in.width, border);
  const auto row_at = [&](int row) {
    return reinterpret_cast<const unsigned*>(reinterpret_cast<const char*>(in.data) +
                                             row * static_cast<std::ptrdiff_t>(in.pitch));
  };
  const auto add_row = [&](int y, int sign) {
    const int row = near_border_index(y, in.height, border);
    if (row < 0) return;
    CONVOSCOPE_UNROLL
    for (int i = 0; i < Columns; ++i) {
      unsigned pixel = 0;
      if (columns[i] >= 0) load_vector<1>(row_at(row) + columns[i], &pixel);
      CONVOSCOPE_UNROLL
      for (int c = 0; c < 3; ++c) sums[c][i] += sign * static_cast<int>(pixel >> 8 * c & 0xFF);
    }
  };

  for (int y = top - ry; y < top + ry; ++y) add_row(y, 1);
  if (lane < 3) totals[mine + lane * (span + 1)] = 0;
  for (int y = top; y < bottom; ++y) {
    add_row(y + ry, 1);
    CONVOSCOPE_UNROLL
    for (int c = 0; c < 3; ++c) {
      int running = 0;
      CONVOSCOPE_UNROLL
      for (int i = 0; i < Columns; ++i) running += sums[c][i];
      int total = running;
      CONVOSCOPE_UNROLL
      for (int distance = 1; distance < lanes; distance *= 2) {
        const int before = shuffle_up(total, distance);
        if (lane >= distance) total += before;
      }
      total -= running;
      CONVOSCOPE_UNROLL
      for (int i = 0; i < Columns; ++i) totals[mine + c * (span + 1) + lane * Columns + i + 1] = total += sums[c][i];
    }
    __syncwarp();
    for (int j = lane; j < own && left + j < out.width; j += lanes) {
      const auto value = [&](int c) {
        const int first = mine + c * (span + 1) + j;
        return apply(epilogue, static_cast<float>(totals[first + 2 * rx + 1] - totals[first]) * weight);
      };
      unsigned source;
      load_vector<1>(row_at(y) + left + j, &source);
      const unsigned word = pack_rgba8(value(0), value(1), value(2), source >> 24);
      store_vector<1>(pixel_at(out, left + j, y), &word);
    }
    __syncwarp();
    add_row(y - ry, -1);
  }
}

constexpr int strip_heights[] = {16, 32, 64, 128, 256};
constexpr Tunable tunables[] = {
    {"strip_rows", "Strip height",
     "Rows that a warp walks down: each strip first sums up 2r rows, tall ones do so seldom, short ones make more "
     "blocks",
     strip_heights, 32},
};

class BoxPlan final : public Plan {
 public:
  BoxPlan(const Problem& problem, int strip_rows)
      : problem_(problem),
        strip_rows_(strip_rows),
        block_(lanes, warps),
        grid_(ceil_div(problem.width, warps * own_columns(problem.filter.rx())), ceil_div(problem.height, strip_rows)) {
  }
  void set_filter(const Filter& filter) override { problem_.filter = filter; }
  void prepare(Stream) override {}  // the weight travels with the launch
  void enqueue(const Image& in, const Image& out, Stream stream) override {
    with_kernel([&](auto kernel) {
      launch(kernel, grid_, block_, shared_bytes(), stream, in.view<const unsigned>(), out.view<unsigned>(),
             problem_.filter.rx(), problem_.filter.ry(), strip_rows_, problem_.border, problem_.filter.weights[0],
             make_epilogue(problem_.filter, problem_.format));
    });
  }
  std::vector<KernelInfo> kernels() const override {
    std::vector<KernelInfo> infos;
    with_kernel([&](auto kernel) { infos = {describe("filter_box", kernel, grid_, block_, shared_bytes())}; });
    return infos;
  }

 private:
  std::size_t shared_bytes() const { return warps * 3 * (lanes * columns_for(problem_.filter.rx()) + 1) * sizeof(int); }
  template <class F>
  void with_kernel(F&& f) const {
    columns_for(problem_.filter.rx()) == 4 ? f(filter_box<4>) : f(filter_box<8>);
  }

  Problem problem_;
  int strip_rows_;
  dim3 block_, grid_;
};

}  // namespace

extern const Strategy box_strategy;
const Strategy box_strategy{
    .id = "box",
    .title = "Running sums",
    .idea =
        "A box filter's weights are all the same, so that a sum that moves by a pixel gains one row and loses one. "
        "Along "
        "a row, a scan gives the sums from the left, and each output is the difference of two: the radius hardly "
        "matters.",
    .reading = "PMPP 4th ed., ch. 11 (prefix sum); Crow, Summed-Area Tables for Texture Mapping, 1984",
    .backend = target_backend,
    .tunables = tunables,
    .tolerance = [](const Problem& p) { return float32_sum_bound(p, 2); },  // the sum is exact, its product is not
    .unsupported = [](const Problem& p, const Device& device, const Tuning& t) -> std::string {
      if (p.format != PixelFormat::rgba8)
        return "running sums are exact for 8-bit pixels, rgba8; this image is " + std::string(to_string(p.format));
      if (p.filter.is_magnitude() || !all_the_same(p.filter.weights))
        return "running sums need weights that are all the same; those of this filter are not";
      if (p.filter.rx() > max_rx)
        return "a warp's " + std::to_string(widest_span) + " columns leave room for a horizontal radius of " +
               std::to_string(max_rx) + "; this filter's is " + std::to_string(p.filter.rx());
      if (tuned(box_strategy, t, "strip_rows") < 1) return "A strip needs a row";
      return shared_memory_reason(warps * 3 * (widest_span + 1) * sizeof(int), device);
    },
    .plan = [](const Problem& p, const Device&, const Tuning& t) -> std::unique_ptr<Plan> {
      return std::make_unique<BoxPlan>(p, tuned(box_strategy, t, "strip_rows"));
    },
    .model = [](const Problem& p, const Tuning& t) -> Cost {
      const double rows = tuned(box_strategy, t, "strip_rows"), own = own_columns(std::min(p.filter.rx(), max_rx));
      const double across = (own + 2.0 * p.filter.rx()) / own;
      // Of a column: in, out, twice in the scan (its five steps are shared by a lane's columns); of an output: one.
      return {.flop = channels(p.format) * outputs(p) * (across * (4 + 2.0 * p.filter.ry() / rows) + 3),
              .global_loads_per_output = across * (2 + 2.0 * p.filter.ry() / rows) + 1,
              .global_stores_per_output = 1,
              .shared_loads_per_output = 2.0 * channels(p.format),
              .dram_bytes = 2 * frame_bytes(p)};
    },
    .explain =
        [](const Problem& p, const Device&, const Tuning& t, int x, int y) {
          const int strip_rows = tuned(box_strategy, t, "strip_rows"), own = own_columns(p.filter.rx());
          KernelStep step = one_thread_per_output("filter_box", warps * own, strip_rows, x, y);
          const PixelArea block = step.outputs[0];
          const int warp = (x - block.x) / own, left = block.x + warp * own, lane = (x - left) % lanes;
          step.thread = {lane, warp, 0};
          step.block_size = {lanes, warps, 1};
          step.thread_outputs.clear();
          for (int column = lane; column < own; column += lanes)
            step.thread_outputs.push_back({left + column, block.y, 1, strip_rows});
          const int across = std::min(warps, ceil_div(p.width - block.x, own)) * own;
          const int down = std::min(strip_rows, p.height - block.y);
          step.direct = {grown(PixelArea{block.x, block.y, across, down}, p.filter.rx(), p.filter.ry())};
          step.words =
              "Each lane keeps the sums of a few columns over the filter's height: a row comes in, a row goes out. The "
              "warp "
              "adds them up from left to right in shared memory, and an output is the difference of two such totals.";
          return Explanation{
              .steps = {std::move(step)},
              .words = "No product is made for single inputs: their sum is multiplied by the one weight."};
        },
};

}  // namespace convoscope::CONVOSCOPE_TARGET
