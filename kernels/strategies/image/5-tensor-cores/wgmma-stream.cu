// Any filter in float32's accuracy by Hopper's matrix instructions, while streaming along: nothing but the weights
// passes through shared memory, and the warps split the next rows while these are multiplied.
// Traffic: 2, 4 or 6 (1 + 2r/H) loads per output for windows of 16, 32 or 48 columns and strips of H rows, of which L1
// has all but a little more than one; DRAM sees the image once.
// Limits: compute capability 9.0 alone; gray32f; radius 16; one weight set. fp16 ends at 65504.
#include "kernels/contract/image_plan.h"
#include "kernels/strategies/shared/run_warpgroup_plan.cuh"

namespace convoscope::CONVOSCOPE_TARGET::wgmma_stream {
namespace {

template <int Radius>
__global__ void __launch_bounds__(group_threads, (GroupShape{Radius, 1}.resident_blocks()))
    filter_run_warpgroups([[maybe_unused]] FewFrames<1> in, [[maybe_unused]] ImageView<float> out,
                          [[maybe_unused]] const ByteColumn* matrices, [[maybe_unused]] GroupStrips strips,
                          [[maybe_unused]] Border border, [[maybe_unused]] Epilogue epilogue,
                          [[maybe_unused]] int in_aligned, [[maybe_unused]] int out_aligned) {
#if defined(CONVOSCOPE_WGMMA)
  constexpr GroupShape shape{Radius, 1};
  constexpr int at_once = shape.rows_at_once(), chunks = shape.chunks(), slots = shape.slots();
  using Stream = RunStream<float, Radius, GroupQuads<chunks>, 1, true>;
  const int lane = lane_index(), warp = warp_in_block();
  // Neighbours walk towards and away from each other, so that the rows that both need are in L2 for the second.
  const auto [up, has_outputs, left, top] = group_place(strips, static_cast<int>(blockIdx.x), warp);
  const int outputs = min(strips.rows, out.height - top), direction = up ? -1 : 1;
  const int start = up ? top + outputs - 1 : top;
  const auto weights = shared_memory<ByteColumn>(0, shape.all_chunks());

  let_next_kernel_begin();
  Stream stream(in, left - shape.reach() + run_outputs * (lane / 4) + 4 * (lane % 4), left, group_columns,
                start - direction * Radius, outputs + 2 * Radius, direction, border, in_aligned);
  // matrices: for warps that walk downwards, then for those that walk upwards. Only these pass through shared memory.
  stream.take(load_group_weights(weights, matrices + (up ? shape.all_chunks() : 0), shape.all_chunks(), lane, warp,
                                 stream.way(), out_aligned));
  // A warp without outputs does as the others of its block, whose instructions need it, and stores nothing.
  const int stored = has_outputs ? outputs : 0;
  const unsigned magnitude = epilogue.absolute ? 0x7fffffffu : 0xffffffffu;
  wait_until_kernel_before_is_done();

  stream.with_rows([&](auto load, auto settle, auto inside) {
    const int x = left + run_outputs * (lane / 4) + lane % 4 * 2;
    char* const from = reinterpret_cast<char*>(pixel_address(out, x, start));
    const std::ptrdiff_t below = direction * static_cast<std::ptrdiff_t>(out.pitch);
    const bool in_pairs = out_aligned && left + group_columns <= out.width;
    typename Stream::Row coming[at_once] = {};
    CONVOSCOPE_UNROLL
    for (int k = 0; k < at_once; ++k) load(coming[k]);
    float sums[4 * slots] = {};
    CONVOSCOPE_KEEP_LOOP
    for (int first = -2 * Radius; first < strips.rows; first += at_once) {  // as often in every warp
      // As they were loaded, pixels are split in two fp16 numbers each: the windows are A, and stay in registers.
      GroupWindows windows[at_once][chunks];
      CONVOSCOPE_UNROLL
      for (int k = 0; k < at_once; ++k) {
        settle(coming[k]);
        CONVOSCOPE_UNROLL
        for (int c = 0; c < chunks; ++c) windows[k][c].take(coming[k][0][2 * c], coming[k][0][2 * c + 1]);
        load(coming[k]);  // the next rows are under way while these are multiplied
      }
      keep_sums(sums);
      begin_products();
      // The filter's matrices of a chunk lie side by side: one product goes into the sums of all rows of outputs. The
      // small products come first, since what the tensor cores cut off is a part of the largest number at hand.
      CONVOSCOPE_UNROLL
      for (int k = 0; k < at_once; ++k) CONVOSCOPE_UNROLL
      for (int c = 0; c < chunks; ++c) {
        const int high = 2 * c * shape.matrix_chunks() + 2 * run_outputs * (at_once - 1 - k);
        const int low = high + shape.matrix_chunks();
        multiply_runs<slots>(sums, windows[k][c].low, weights, high);
        multiply_runs<slots>(sums, windows[k][c].high, weights, low);
        multiply_runs<slots>(sums, windows[k][c].high, weights, high);
      }
      commit_products();
      wait_products<0>();
      keep_sums(sums);
      // Slots 0 … at_once − 1 are complete: no row that is still to come touches them.
      CONVOSCOPE_UNROLL
      for (int k = 0; k < at_once; ++k) {
        unsigned words[4];
        CONVOSCOPE_UNROLL
        for (int i = 0; i < 4; ++i)
          words[i] = __float_as_uint(fmaf(epilogue.gain, sums[4 * k + i], epilogue.bias)) & magnitude;
        const bool complete = static_cast<unsigned>(first + k) < static_cast<unsigned>(stored);
        auto* const to = reinterpret_cast<float*>(from + (first + k) * below);
        store_group_row(to, words, complete, inside || in_pairs, x, out.width);
      }
      // The others move up, and those of new rows begin with nothing.
      CONVOSCOPE_UNROLL
      for (int i = 0; i < 4 * slots; ++i)
        sums[i] = i + 4 * at_once < 4 * slots ? sums[(i + 4 * at_once) % (4 * slots)] : 0;
    }
  });
#endif
}

constexpr int max_radius = 16;

int radius_of(const Problem& p) { return std::max(p.filter.rx(), p.filter.ry()); }

// f.template operator()<Radius>(), for the radius that it is built for.
template <class F>
auto with_radius(const Problem& p, F&& f) {
  const int radius = radius_of(p);
  const int built = radius <= 4 ? 4 : radius <= 6 ? 6 : radius <= 8 ? 8 : radius <= 12 ? 12 : 16;
  return with_number<4, 6, 8, 12, 16>(built, f);
}
GroupShape shape_of(const Problem& p) {
  return with_radius(p, []<int Radius>() { return GroupShape{Radius, 1}; });
}

GroupStrips strips(const Problem& p, const Device& device, const Tuned& t) {
  return with_radius(p, [&]<int Radius>() {
    return lay_out_groups(p, device, filter_run_warpgroups<Radius>, shape_of(p), t["strip_rows"]);
  });
}

}  // namespace

extern const Strategy strategy{
    .id = "wgmma-stream",
    .title = "Tensor cores, split fp16, warpgroups",
    .idea =
        "tensor-core-half with Hopper's instructions: all rows of the filter are banded matrices that lie side by side "
        "in shared memory. One instruction of four warps multiplies a row of pixels, in the registers of those who "
        "loaded it, with all of them. It adds them to the sums of all output rows that they touch, while the warps "
        "split the next pixels in two fp16 numbers each.",
    .reading =
        "PMPP 4th ed., ch. 16.4 and 8.5; PTX ISA, wgmma.mma_async; Ootomo & Yokota, Recovering Single Precision "
        "Accuracy from Tensor Cores, 2022; Fasi et al., Numerical Behavior of NVIDIA Tensor Cores, 2021",
    .backend = target_backend,
    .tunables = group_tunables,
    .tolerance = [](const Problem& p) { return group_bound(p, shape_of(p)); },
    .refuses = [](const Problem& p, const Device& device, const Tuned& t) -> std::string {
      if (const int radius = radius_of(p); radius > max_radius)
        return "a lane keeps the sums of 2r + 2 rows in registers, which allows a radius of " +
               std::to_string(max_radius) + "; this filter's is " + std::to_string(radius);
      return group_reason(p, device, t["strip_rows"]);
    },
    .plans = [](const Problem& p, const Device& device, const Tuned& t) -> std::unique_ptr<Plan> {
      return with_radius(p, [&]<int Radius>() -> std::unique_ptr<Plan> {
        return std::make_unique<GroupPlan<1>>(p, filter_run_warpgroups<Radius>, shape_of(p), strips(p, device, t));
      });
    },
    .costs = [](const Problem& p, const Tuned& t) { return group_cost(p, shape_of(p), t["strip_rows"]); },
    .explains = [](const Problem& p, const Device& device, const Tuned& t,
                   const OutputIndex& at) { return explain_groups(p, shape_of(p), strips(p, device, t), at); },
};

}  // namespace convoscope::CONVOSCOPE_TARGET::wgmma_stream
