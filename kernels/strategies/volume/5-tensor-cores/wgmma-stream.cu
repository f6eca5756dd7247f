// Any filter over several frames in float32's accuracy by Hopper's matrix instructions. Idea: the picture's
// wgmma-stream, with the same row of all frames one after the other into the same sums.
// Traffic: 2 (1 + 2r/H)·M_t loads per output for strips of H rows, half of them in L1; DRAM sees every frame once.
// Limits: compute capability 9.0 alone; gray32f; built for 3, 5 and 7 taps and frames; fp16 ends at 65504.
#include "kernels/kinds/volume.h"
#include "kernels/strategies/shared/run_warpgroup_plan.cuh"

namespace convoscope::CONVOSCOPE_TARGET::volume::wgmma_stream {
namespace {

template <int Radius, int Count>
__global__ void __launch_bounds__(group_threads, (GroupShape{Radius, Count}.resident_blocks()))
    filter_run_warpgroups([[maybe_unused]] FewFrames<Count> in, [[maybe_unused]] ImageView<float> out,
                          [[maybe_unused]] const ByteColumn* matrices, [[maybe_unused]] GroupStrips strips,
                          [[maybe_unused]] Border border, [[maybe_unused]] Epilogue epilogue,
                          [[maybe_unused]] int in_aligned, [[maybe_unused]] int out_aligned) {
#if defined(CONVOSCOPE_WGMMA)
  constexpr GroupShape shape{Radius, Count};
  constexpr int at_once = shape.rows_at_once(), chunks = shape.chunks(), slots = shape.slots();
  using Stream = RunStream<float, Radius, GroupQuads<chunks>, Count, true>;
  const int lane = lane_index(), warp = warp_in_block();
  const auto [up, has_outputs, left, top] = group_place(strips, static_cast<int>(blockIdx.x), warp);
  const int outputs = min(strips.rows, out.height - top), direction = up ? -1 : 1;
  const int start = up ? top + outputs - 1 : top;
  const auto weights = shared_memory<ByteColumn>(0, shape.all_chunks());

  let_next_kernel_begin();
  Stream stream(in, left - shape.reach() + run_outputs * (lane / 4) + 4 * (lane % 4), left, group_columns,
                start - direction * Radius, outputs + 2 * Radius, direction, border, in_aligned);
  stream.take(load_group_weights(weights, matrices + (up ? shape.all_chunks() : 0), shape.all_chunks(), lane, warp,
                                 stream.way(), out_aligned));
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
      GroupWindows windows[at_once][Count][chunks];
      CONVOSCOPE_UNROLL
      for (int k = 0; k < at_once; ++k) {
        settle(coming[k]);
        CONVOSCOPE_UNROLL
        for (int t = 0; t < Count; ++t) CONVOSCOPE_UNROLL
        for (int c = 0; c < chunks; ++c) windows[k][t][c].take(coming[k][t][2 * c], coming[k][t][2 * c + 1]);
        load(coming[k]);
      }
      keep_sums(sums);
      begin_products();
      CONVOSCOPE_UNROLL
      for (int k = 0; k < at_once; ++k) CONVOSCOPE_UNROLL
      for (int t = 0; t < Count; ++t) CONVOSCOPE_UNROLL
      for (int c = 0; c < chunks; ++c) {
        const int high = 2 * (t * chunks + c) * shape.matrix_chunks() + 2 * run_outputs * (at_once - 1 - k);
        const int low = high + shape.matrix_chunks();
        multiply_runs<slots>(sums, windows[k][t][c].low, weights, high);
        multiply_runs<slots>(sums, windows[k][t][c].high, weights, low);
        multiply_runs<slots>(sums, windows[k][t][c].high, weights, high);
      }
      commit_products();
      wait_products<0>();
      keep_sums(sums);
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
      CONVOSCOPE_UNROLL
      for (int i = 0; i < 4 * slots; ++i)
        sums[i] = i + 4 * at_once < 4 * slots ? sums[(i + 4 * at_once) % (4 * slots)] : 0;
    }
  });
#endif
}

constexpr int max_radius = 3, max_frames = 7;

int radius_of(const Problem& p) { return std::max({p.filter.rx(), p.filter.ry(), 1}); }

// f.template operator()<Radius, Count>()
template <class F>
auto with_sizes(const Problem& p, F&& f) {
  return with_number<1, 2, 3>(radius_of(p), [&]<int Radius>() {
    return with_number<3, 5, 7>(p.filter.depth, [&]<int Count>() { return f.template operator()<Radius, Count>(); });
  });
}
GroupShape shape_of(const Problem& p) { return {radius_of(p), p.filter.depth}; }

GroupStrips strips(const Problem& p, const Device& device, const Tuned& t) {
  return with_sizes(p, [&]<int Radius, int Count>() {
    return lay_out_groups(p, device, filter_run_warpgroups<Radius, Count>, shape_of(p), t["strip_rows"]);
  });
}

}  // namespace

extern const Strategy strategy{
    .id = "wgmma-stream",
    .title = "Tensor cores, split fp16, warpgroups",
    .idea =
        "All rows of the filter are banded (Toeplitz) matrices that lie side by side in shared memory. One of Hopper's "
        "instructions multiplies a row of pixels, in the registers of the four warps that loaded it, with all "
        "of them. It adds them to the sums of all output rows that they touch; the other frames' rows follow. Pixels "
        "and weights are two fp16 numbers each.",
    .reading =
        "PMPP 4th ed., ch. 16.4 and 8.5; PTX ISA, wgmma.mma_async; Ootomo & Yokota, Recovering Single Precision "
        "Accuracy from Tensor Cores, 2022; Fasi et al., Numerical Behavior of NVIDIA Tensor Cores, 2021",
    .backend = target_backend,
    .tunables = group_tunables,
    .tolerance = [](const Problem& p) { return group_bound(p, shape_of(p)); },
    .refuses = [](const Problem& p, const Device& device, const Tuned& t) -> std::string {
      if (radius_of(p) > max_radius || p.filter.depth > max_frames || p.filter.depth < 3)
        return "It is built for filters up to 7 × 7 over 3, 5 or 7 frames; this one is " +
               std::to_string(p.filter.width) + " × " + std::to_string(p.filter.height) + " over " +
               std::to_string(p.filter.depth);
      return group_reason(p, device, t["strip_rows"]);
    },
    .plans = [](const Problem& p, const Device& device, const Tuned& t) -> std::unique_ptr<Plan> {
      return with_sizes(p, [&]<int Radius, int Count>() -> std::unique_ptr<Plan> {
        return std::make_unique<GroupPlan<Count>>(p, filter_run_warpgroups<Radius, Count>, shape_of(p),
                                                  strips(p, device, t));
      });
    },
    .costs = [](const Problem& p, const Tuned& t) { return group_cost(p, shape_of(p), t["strip_rows"]); },
    .explains =
        [](const Problem& p, const Device& device, const Tuned& t, const OutputIndex& at) {
          return in_all_frames(p, explain_groups(p, shape_of(p), strips(p, device, t), at));
        },
    .kind = &volume_kind,
};

}  // namespace convoscope::CONVOSCOPE_TARGET::volume::wgmma_stream
