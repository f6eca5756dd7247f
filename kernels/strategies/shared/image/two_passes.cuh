#pragma once
// What strategies do alike that filter the rows by one kernel, into sums in global memory, and the columns of these by
// another. Host code.
#include <array>
#include <tuple>

#include "kernels/contract/image_plan.h"
#include "kernels/contract/theory/model.h"
#include "kernels/device/one_launch.cuh"
#include "kernels/device/parts/wide_pixel.cuh"
#include "kernels/strategies/shared/image/separable_taps.h"

namespace convoscope::CONVOSCOPE_TARGET {

struct TwoPasses {
  LaunchShape rows, columns;
};

// Own: TwoPasses, and `names`, the kernels'; with_kernels(problem, f), which calls f.template operator()<Pixel>(rows,
// columns); row_arguments(problem) and column_arguments(problem), tuples of what they are given after where they read
// from and write to.
template <class Own>
class TwoPassPlan final : public ImagePlan {
 public:
  TwoPassPlan(const Problem& problem, const Own& own, ConstantUpload upload)
      : problem_(problem),
        own_(own),
        upload_(upload),
        sums_(wide_pixel_bytes(problem.format) * problem.width * problem.height * sets_of(problem.filter)) {
    taps_.set(separable_taps(problem.filter));
    own_.with_kernels(problem_, [&]<class Pixel>(auto rows, auto columns) {
      allow_shared(rows, own_.rows.shared_bytes);
      allow_shared(columns, own_.columns.shared_bytes);
    });
  }
  void set_filter(const Filter& filter) override {
    problem_.filter = filter;
    taps_.set(separable_taps(filter));
  }
  void prepare(Stream stream) override { upload_(taps_, stream); }
  void enqueue_frame(const Image& in, const Image& out, Stream stream) override {
    taps_.expect_in_place();
    own_.with_kernels(problem_, [&]<class Pixel>(auto rows, auto columns) {
      auto* const sums = reinterpret_cast<Wide<Pixel>*>(sums_.data());
      const auto pass = [&](auto kernel, const LaunchShape& s, auto from, auto to, const auto& arguments) {
        std::apply(
            [&](const auto&... argument) {
              launch(kernel, s.grid, s.block, s.shared_bytes, stream, from, to, argument...);
            },
            arguments);
      };
      pass(rows, own_.rows, in.view<const Pixel>(), sums, own_.row_arguments(problem_));
      pass(columns, own_.columns, sums, out.view<Pixel>(), own_.column_arguments(problem_));
    });
  }
  std::vector<KernelInfo> kernels() const override {
    std::vector<KernelInfo> infos;
    const auto add = [&](const char* name, auto kernel, const LaunchShape& s) {
      infos.push_back(describe(name, kernel, s.grid, s.block, s.shared_bytes));
    };
    own_.with_kernels(problem_, [&]<class Pixel>(auto rows, auto columns) {
      add(Own::names[0], rows, own_.rows);
      add(Own::names[1], columns, own_.columns);
    });
    return taps_.described(std::move(infos));
  }

 private:
  Problem problem_;
  Own own_;
  ConstantUpload upload_;
  DeviceBuffer<unsigned char> sums_;
  ConstantWeights taps_;
};

inline std::string two_passes_reason(const TwoPasses& passes, const Problem& p, const Device& device) {
  if (std::string reason = separable_reason(p.filter); !reason.empty()) return reason;
  for (const LaunchShape& s : {passes.rows, passes.columns})
    if (std::string reason = block_size_reason(s.block.x, s.block.y, device); !reason.empty()) return reason;
  return shared_memory_reason(std::max(passes.rows.shared_bytes, passes.columns.shared_bytes), device);
}

// Of an output of each pass: what it loads from global memory.
inline Cost two_passes_cost(const Problem& p, double row_loads, double column_loads) {
  const double sums = sets_of(p.filter), taps = p.filter.width + p.filter.height;
  return {.flop = 2 * taps * sums * channels(p.format) * outputs(p),
          .global_loads_per_output = row_loads + sums * column_loads,
          .global_stores_per_output = sums + 1,
          .shared_loads_per_output = sums * taps,
          .dram_bytes = 2 * frame_bytes(p) + 2 * sums * wide_pixel_bytes(p.format) * outputs(p)};
}

inline Explanation explain_passes(KernelStep rows, KernelStep columns) {
  columns.of_input = false;
  return {.steps = {std::move(rows), std::move(columns)}, .words = factors_words};
}

}  // namespace convoscope::CONVOSCOPE_TARGET
