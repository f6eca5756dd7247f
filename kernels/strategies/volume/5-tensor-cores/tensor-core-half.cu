// Any filter over several frames on the fp16 tensor cores, with float32's accuracy. Idea: a number is nearly the sum of
// two fp16 numbers, and three products of parts make up one of numbers, as in the picture's tensor-core-half. But the
// eight outputs of a product are a patch of 4 × 2 (5 taps) or 2 × 4 (7 taps) instead of a run of 8 × 1, so that more of
// a banded matrix is weights: 45 matrix instructions for 128 outputs of 7 × 7 × 3 or 5 × 5 × 5, where runs need 63 and
// 75. Pixels are split once, on their way from a ring that bulk copies fill to where matrices are read from.
// Traffic: (1 + 1/16)(1 + 2r/H)·M_t loads per output for strips of H rows; DRAM sees every frame once.
// Limits: gray32f; built for 5 and 7 taps and 3, 5 or 7 frames; fp16 ends at 65504.
#include "kernels/kinds/volume.h"
#include "kernels/strategies/shared/patch_stream.cuh"
#include "kernels/strategies/shared/toeplitz_plan.cuh"

namespace convoscope::CONVOSCOPE_TARGET::volume::tensor_core_half {
namespace {

constexpr int max_radius = 3, max_frames = 7;

int built_radius(const Filter& filter) { return std::max({filter.rx(), filter.ry(), 2}); }

// f.template operator()<Radius, Count>()
template <class F>
auto with_sizes(const Problem& p, F&& f) {
  return with_number<2, 3>(built_radius(p.filter), [&]<int Radius>() {
    return with_number<3, 5, 7>(p.filter.depth, [&]<int Count>() { return f.template operator()<Radius, Count>(); });
  });
}

ToeplitzBuilt built(const Problem& p) {
  return with_sizes(p, [&]<int Radius, int Count>() {
    constexpr int warps = PatchBuild<Radius, Count>::warps;
    return ToeplitzBuilt{.kernel = "filter_patch_stream",
                         .radius = Radius,
                         .depth = 2,
                         .warps = warps,
                         .strip_rows = Patch<Radius>::height,
                         .fixed_bytes = 16 * (ring_barrier_quads + warps * SplitRows<Radius, Count>::quads),
                         .step_bytes = patch_rows * Count * ring_row_bytes(4 * warps),
                         .fragments = patch_fragments};
  });
}

ToeplitzStrips strips(const Problem& p, const Device& device, const Tuned& tuning) {
  return with_sizes(p, [&]<int Radius, int Count>() {
    return toeplitz_strips(p, device, tuning, filter_patch_stream<Radius, Count>, built(p));
  });
}

// Of a patch's window: pairs of rows, each the depth of a matrix instruction in every frame.
struct Windows {
  int width, height, row_pairs, columns;  // of patches; of their windows; of the strip that a block walks along
};
Windows windows_of(const Problem& p) {
  return with_sizes(p, [&]<int Radius, int Count>() {
    using Shape = Patch<Radius>;
    return Windows{Shape::width, Shape::height, Shape::row_pairs, PatchBuild<Radius, Count>::warps * patch_columns};
  });
}

// As in the picture's, of products of a depth D that are summed in one piece D/4 blocks lose 2u twice, so D·u: here D
// is 16 in each frame. Small products are summed apart, or before the others, and are a thousandth of these: all that
// they lose is less than u. For each row pair of a window both sums are added in float32, or the one that there is.
double bound(const Problem& p) {
  return split_products_bound(p, 16 * p.filter.depth + 1 + 2 * windows_of(p).row_pairs);
}

Cost cost(const Problem& p) {
  constexpr double typical_rows = 40, lanes = 32;
  const int radius = built_radius(p.filter);
  const Windows windows = windows_of(p);
  const double read = p.filter.depth * (typical_rows + 2 * radius) / typical_rows;
  const double products = 16.0 * windows.row_pairs * p.filter.depth;  // of an output
  // A lane reads two units of four numbers for each product of 16 patches and two rows.
  const double units = 2 * 4 * lanes / (16 * windows.width * patch_rows);
  return {.flop = 2 * products * 3 * outputs(p),
          .global_loads_per_output = read * (windows.columns + 8) / windows.columns,
          .global_stores_per_output = 1,
          .shared_loads_per_output = read * (1 + units),
          .dram_bytes = (p.filter.depth + 1) * frame_bytes(p),
          .on_matrix_units = true};
}

Explanation explain(const Problem& p, const ToeplitzStrips& strips, const OutputIndex& at) {
  const Windows windows = windows_of(p);
  KernelStep step = one_thread_per_output("filter_patch_stream", windows.columns, p.height, at.x, at.y);
  const PixelArea strip = place_in_strip(step, strips.all, p.height, windows.height, at.y);
  const int radius = built_radius(p.filter), rows = strip.height;
  const bool up = step.block[1] % 2 == 1;
  // Where the output is in its patch; rows as the warp walks.
  const int column = (at.x - strip.x) % 64, row = up ? strip.y + rows - 1 - at.y : at.y - strip.y;
  const int place = row % windows.height * windows.width + column % windows.width;
  const int patch = column / windows.width % 8, warp = (at.x - strip.x) / patch_columns;
  step.thread = {32 * warp + 4 * patch + place / 2, 0, 0};
  step.block_size = {static_cast<int>(strips.block.x), 1, 1};
  const int dx = place / 2 * 2 % windows.width, dy = place / 2 * 2 / windows.width;
  step.thread_outputs.clear();
  for (int y = dy; y < rows; y += windows.height)
    for (int x = patch * windows.width + dx; x < patch_columns; x += 8 * windows.width)
      step.thread_outputs.push_back(
          {strip.x + patch_columns * warp + x, up ? strip.y + rows - 1 - y : strip.y + y, 2, 1});
  // Patches are whole, so the last rows may be more than are needed, on the side that the warp walks to.
  const int beyond = ceil_div(rows, windows.height) * windows.height - rows;
  const int right = std::min(strip.x + windows.columns, ceil_div(p.width, 4) * 4) + 4;  // whole quads
  step.tile_in_turns = true;
  step.tile = {{strip.x - 4, strip.y - radius, right - (strip.x - 4), rows + 2 * radius + beyond}};
  if (up) step.tile[0].y -= beyond;
  const std::string patches = std::to_string(windows.width) + " × " + std::to_string(windows.height);
  step.words =
      "A warp, or three side by side, walks along its strip, two rows at a time, which bulk copies bring to a ring in "
      "shared memory; there they are split. Sixteen patches of " +
      patches +
      " outputs are the rows of a matrix of pixels, from windows 8 columns wide. Of the filter, each of the " +
      std::to_string(windows.row_pairs) +
      " pairs of rows that such a window has is a banded matrix of 16 × 8 in every frame. The sums of patches that are "
      "not complete wait in registers.";
  const int size = 2 * radius + 1;
  std::string words = "Pixels and weights are split in two fp16 numbers each; three products make up one.";
  if (p.filter.width < size || p.filter.height < size)
    words += " In each frame the filter is padded with zeros to " + std::to_string(size) + " × " +
             std::to_string(size) + " weights.";
  return in_all_frames(p, Explanation{.steps = {std::move(step)}, .words = std::move(words)});
}

}  // namespace

extern const Strategy strategy{
    .id = "tensor-core-half",
    .title = "Tensor cores, split fp16",
    .idea =
        "Tensor cores multiply fp16, which has 11 bits where float32 has 24: every pixel and weight becomes the sum of "
        "two fp16 numbers, and three products of these make up one. Two rows of the filter in each frame are a banded "
        "(Toeplitz) matrix, whose columns are patches of eight outputs. Two rows of all frames go at once into the "
        "sums of all patches that they touch.",
    .reading =
        "PMPP 4th ed., ch. 16.4 and 8.4; PTX ISA, mma.m16n8k16; Ootomo & Yokota, Recovering Single Precision Accuracy "
        "from Tensor Cores, 2022; Fasi et al., Numerical Behavior of NVIDIA Tensor Cores, 2021",
    .backend = target_backend,
    .tunables = toeplitz_tunables,
    .tolerance = bound,
    .refuses = [](const Problem& p, const Device& device, const Tuned& t) -> std::string {
      if (built_radius(p.filter) > max_radius || p.filter.depth > max_frames || p.filter.depth < 3)
        return "It is built for filters up to 7 × 7 over 3, 5 or 7 frames; this one is " +
               std::to_string(p.filter.width) + " × " + std::to_string(p.filter.height) + " over " +
               std::to_string(p.filter.depth);
      return toeplitz_reason(p, device, t, built(p));
    },
    .plans = [](const Problem& p, const Device& device, const Tuned& t) -> std::unique_ptr<Plan> {
      return with_sizes(p, [&]<int Radius, int Count>() -> std::unique_ptr<Plan> {
        return std::make_unique<ToeplitzPlan<Count>>(p, filter_patch_stream<Radius, Count>, built(p),
                                                     strips(p, device, t));
      });
    },
    .costs = [](const Problem& p, const Tuned&) { return cost(p); },
    .explains = [](const Problem& p, const Device& device, const Tuned& t,
                   const OutputIndex& at) { return explain(p, strips(p, device, t), at); },
    .kind = &volume_kind,
};

}  // namespace convoscope::CONVOSCOPE_TARGET::volume::tensor_core_half
