// The integer tensor cores with Hopper's instructions. Idea: as in tensor-core-int8, a column of the filter is a banded
// (Toeplitz) matrix over rows of bytes; here four warps together multiply it with 128 columns of pixels, and both
// factors stay in shared memory, so that instructions and registers are left for what becomes of the sums.
// Traffic: (W + 2rx)/W · (1 + 2ry/H) loads per output for strips of W columns and a block's H rows of them, one store.
// Limits: compute capability 9.0 alone; rgba8; rx, ry ≤ 16; weights that one round of 16 bits holds.
#include <cmath>
#include <cstring>

#include "kernels/contract/image_plan.h"
#include "kernels/contract/theory/model.h"
#include "kernels/device/global_weights.cuh"
#include "kernels/strategies/shared/image/byte_ring_areas.cuh"
#include "kernels/strategies/shared/image/byte_warpgroups.cuh"
#include "kernels/strategies/shared/image/byte_weights.h"
#include "kernels/strategies/shared/warpgroups.h"
#include "kernels/text/number_text.h"

namespace convoscope::CONVOSCOPE_TARGET::tensor_core_wgmma {
namespace {

using namespace byte_warpgroups;

constexpr int max_radius = 16;
int chunks_of(const Filter& filter) { return filter.ry() <= 8 ? 3 : 4; }

// Calls f with the strip for the filter.
template <class F>
decltype(auto) with_strip(const Filter& filter, F&& f) {
  return chunks_of(filter) == 3 ? f(Strip<3>{}) : f(Strip<4>{});
}

constexpr int step_counts[] = {0, 1, 2, 4, 8, 16, 32};
constexpr Tunable tunables[] = {
    {"steps", "Tiles of a block",
     "Tiles of 32 rows that a block makes one after the other: with many, few rows are loaded twice. 0: as many as let "
     "all multiprocessors work at once",
     step_counts, 0},
};

struct Shape {
  int strip_width, threads, down, steps, steps_of_block, blocks, weight_chunks;
  std::size_t shared;
};
Shape shape(const Problem& p, int multiprocessors, int steps) {
  return with_strip(p.filter, [&]<class S>(S) {
    Shape s{.strip_width = S::width, .threads = S::threads, .down = ceil_div(p.height, slot_rows)};
    s.weight_chunks = (p.filter.width + (chunks_of(p.filter) == 3 ? 1 : 0)) * S::matrix_chunks;  // by twos
    const int chunks = s.weight_chunks + ByteRing::elements(S::width + 2 * p.filter.rx());
    s.shared = static_cast<std::size_t>(chunks) * sizeof(ByteColumn) + barrier_count * sizeof(std::uint64_t);
    constexpr std::size_t half = 113 * 1024;  // of a multiprocessor's 228 KB, of which a block takes 1 KB besides
    const int resident = s.shared <= half ? S::blocks : 1;
    s.steps = s.down * ceil_div(p.width, S::width);
    s.steps_of_block = steps > 0 ? steps : ceil_div(s.steps, std::max(multiprocessors, 1) * resident);
    s.blocks = ceil_div(s.steps, s.steps_of_block);
    return s;
  });
}

// The matrices of all filter columns: row i and depth b of band d have the weight of filter row 8 · (d − 3) + b − i.
std::vector<ByteColumn> matrices_of(const std::vector<int>& values, const Filter& filter, int total) {
  const int width = filter.width, height = filter.height;
  const int bands = with_strip(filter, []<class S>(S) { return S::bands; });
  std::vector<unsigned char> bytes(static_cast<std::size_t>(total) * sizeof(ByteColumn));
  std::size_t at = 0;
  for (int column = 0; column < width; ++column)
    for (int band = 0; band < bands; ++band)
      for (int matrix = 0; matrix < 2; ++matrix)
        for (int i = 0; i < 8; ++i)
          for (int b = 0; b < 16; ++b, ++at) {
            const int dy = 8 * (band - 3) + b - i;
            if (dy < 0 || dy >= height) continue;
            const int value = values[static_cast<std::size_t>(dy * width + column)];
            bytes[at] = static_cast<unsigned char>(matrix == 0 ? ByteWeights::high(value) : ByteWeights::low(value));
          }
  std::vector<ByteColumn> result(static_cast<std::size_t>(total));
  std::memcpy(result.data(), bytes.data(), bytes.size());
  return result;
}

class WarpgroupBytesPlan final : public ImagePlan {
 public:
  WarpgroupBytesPlan(const Problem& problem, const Shape& shape)
      : problem_(problem), shape_(shape), weights_(static_cast<std::size_t>(shape.weight_chunks)) {
    with_kernel([&](auto kernel) { allow_shared(kernel, shape_.shared), early_ = starts_early(kernel); });
    WarpgroupBytesPlan::set_filter(problem.filter);
  }
  void set_filter(const Filter& filter) override {
    problem_.filter = filter;
    filter_ = byte_filter(filter);
    weights_.set(matrices_of(filter_.fixed.values, filter, shape_.weight_chunks));
  }
  void prepare(Stream stream) override { weights_.send(stream); }
  void enqueue_frame(const Image& in, const Image& out, Stream stream) override {
    const Task task{.in = in.view<const unsigned>(),
                    .out = out.view<unsigned>(),
                    .weights = weights_.data(),
                    .weight_chunks = shape_.weight_chunks,
                    .rx = problem_.filter.rx(),
                    .ry = problem_.filter.ry(),
                    .down = shape_.down,
                    .steps = shape_.steps,
                    .steps_of_block = shape_.steps_of_block,
                    .store_pairs = (reinterpret_cast<std::uintptr_t>(out.data) | out.pitch) % sizeof(uint2) == 0,
                    .border = problem_.border,
                    .shift = filter_.fixed.shift,
                    .offset = filter_.fixed.offset};
    with_kernel([&](auto kernel) {
      launch(early_, kernel, dim3(shape_.blocks), dim3(shape_.threads), shape_.shared, stream, task);
    });
  }
  std::vector<KernelInfo> kernels() const override {
    std::vector<KernelInfo> infos;
    with_kernel([&](auto kernel) {
      infos = {describe("filter_bytes", kernel, dim3(shape_.blocks), dim3(shape_.threads), shape_.shared)};
    });
    return infos;
  }
  std::string note() const override {
    return "weights in 16 bits, which costs at most " + rounded_text(filter_.cost, 2) + " code values; " +
           std::to_string(shape_.steps_of_block) + " tiles of " + std::to_string(shape_.strip_width) + " × 32 a block";
  }

 private:
  template <class F>
  void with_kernel(F&& f) const {
    chunks_of(problem_.filter) == 3 ? f(filter_bytes<3>) : f(filter_bytes<4>);
  }

  Problem problem_;
  Shape shape_;
  ByteFilter filter_;
  GlobalValues<ByteColumn> weights_;
  bool early_ = false;
};

std::string unsupported(const Problem& p, const Device& device, const Tuned&) {
  if (p.format != PixelFormat::rgba8)
    return "the matrices take 8-bit pixels, rgba8; this image is " + std::string(to_string(p.format));
  if (const int radius = std::max(p.filter.rx(), p.filter.ry()); radius > max_radius)
    return "shared memory holds the matrices of radii up to " + std::to_string(max_radius) + "; this filter's is " +
           std::to_string(radius);
  if (!byte_filter(p.filter).plain)
    return "one round of products with weights of 16 bits has to do; tensor-core-int8 takes several, for what needs "
           "finer weights, an absolute value or a magnitude";
  if (const std::string reason = reason_without_warpgroups(device); !reason.empty()) return reason;
  return shared_memory_reason(shape(p, device.multiprocessors, 0).shared, device);
}

// An instruction makes 64 · 32 multiply-adds for each of 128 columns, of 32 rows of outputs; alpha is copied.
Cost model(const Problem& p, const Tuned& tuning) {
  constexpr int multiprocessors = 132;  // of the devices that have the instruction
  const Shape s = shape(p, multiprocessors, tuning["steps"]);
  const double products = 3.0 * (chunks_of(p.filter) == 3 ? 3 * (p.filter.rx() + 1) : 2 * p.filter.width);
  const double repeated = 1 + 2.0 * p.filter.ry() / (slot_rows * s.steps_of_block);
  constexpr double words_of_factors = (64 + columns_at_once) * 8;
  return {.flop = 2 * 64 * products * outputs(p),
          .global_loads_per_output = static_cast<double>(s.strip_width + 2 * p.filter.rx()) / s.strip_width * repeated,
          .global_stores_per_output = 1,
          .shared_loads_per_output = words_of_factors * products / (slot_rows * columns_at_once),
          .dram_bytes = 2 * frame_bytes(p),
          .on_matrix_units = true};
}

Explanation explain(const Problem& p, const Device& device, const Tuned& tuning, const OutputIndex& at) {
  const Shape s = shape(p, device.multiprocessors, tuning["steps"]);
  const int column = at.x % s.strip_width, row = at.y % slot_rows;
  const int block = (at.x / s.strip_width * s.down + at.y / slot_rows) / s.steps_of_block;
  KernelStep step;
  step.kernel = "filter_bytes";
  step.block = {block, 0, 0};
  step.block_size = {s.threads, 1, 1};
  step.thread = {column / columns_at_once * warpgroup + (3 - row / 8) * lanes + row % 8 * 4 + column % 8 / 2, 0, 0};
  step.tile_in_turns = true;
  const int end = std::min((block + 1) * s.steps_of_block, s.steps);
  for (int first = block * s.steps_of_block; first < end;) {
    const Walk walk = walk_from(first, end, s.down, s.strip_width);
    step.outputs.push_back({walk.x, walk.y, s.strip_width, walk.tiles * slot_rows});
    for (const PixelArea& area : areas_in_ring(p, walk.x, walk.y, s.strip_width, walk.tiles * slot_rows))
      step.tile.push_back(area);
    for (int tile = 0; tile < walk.tiles; ++tile)
      for (int eight = 0; eight < columns_at_once; eight += 8)
        step.thread_outputs.push_back({walk.x + column / columns_at_once * columns_at_once + eight + column % 8 / 2 * 2,
                                       walk.y + tile * slot_rows + row, 2, 1});
    first += walk.tiles;
  }
  step.words =
      "Half of the block's warps load 32 rows after the other into shared memory, one channel after the other; the "
      "others "
      "multiply: for each filter column the matrix of its weights, which lies there from the beginning, with 128 "
      "columns "
      "of pixels, that column's distance further right. The thread that is named here holds this output's sums.";
  return Explanation{.steps = {std::move(step)},
                     .words =
                         "Weights are rounded to 16 bits, each in two signed bytes; the sums of products are exact, "
                         "and scaled by a shift."};
}

}  // namespace

extern const Strategy strategy{
    .id = "tensor-core-wgmma",
    .title = "Tensor cores, integers, warpgroups",
    .idea =
        "tensor-core-int8 with Hopper's instructions: four warps multiply a filter column's banded matrix with 128 "
        "columns of pixels at a time, both straight from shared memory. As many more load the image and lay its "
        "bytes in order.",
    .reading = "PMPP 4th ed., ch. 16.4; PTX ISA, wgmma.mma_async and setmaxnreg",
    .backend = target_backend,
    .tunables = tunables,
    .tolerance = [](const Problem& p) { return byte_filter(p.filter).cost; },  // the sums are exact
    .refuses = unsupported,
    .plans = [](const Problem& p, const Device& device, const Tuned& t) -> std::unique_ptr<Plan> {
      return std::make_unique<WarpgroupBytesPlan>(p, shape(p, device.multiprocessors, t["steps"]));
    },
    .costs = model,
    .explains = explain,
};

}  // namespace convoscope::CONVOSCOPE_TARGET::tensor_core_wgmma
