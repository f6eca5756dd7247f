#pragma once
// What register-stream says and does on the host. Its file has the kernels and which of them is for a problem:
// Kernels::with(problem, ahead, f) calls f.template operator()<Pixel>(kernel, columns of a thread, its rows; 0: any).
#include "kernels/contract/image_plan.h"
#include "kernels/contract/theory/model.h"
#include "kernels/device/constant_weights.cuh"
#include "kernels/device/parts/lesson.h"
#include "kernels/device/parts/strip_layout.cuh"
#include "kernels/strategies/shared/image/subnormal_bytes.h"

namespace convoscope::CONVOSCOPE_TARGET::register_stream {

inline constexpr int warps = StripLayout::warps, lanes = StripLayout::lanes;

constexpr int columns_for(int radius, int channels, int sets) {
  constexpr int most_sums = 64;  // in a thread's registers
  return (2 * radius + 1) * 4 * channels * sets <= most_sums ? 4 : 2;
}

// Rows on their way while one is computed; blocks of a multiprocessor that registers are left for: measured.
constexpr int usual_ahead(int radius, int channels) { return channels == 1 && radius == 1 ? 2 : 1; }
constexpr int blocks_for(int radius, int channels, int sets, int ahead) {
  if (sets > 1) return 1;
  if (channels == 1) return radius == 1 ? 8 : ahead == 1 ? 9 : 5;
  return radius == 1 ? (ahead == 1 ? 7 : 4) : (ahead == 1 ? 4 : 1);
}

// The kernel of blocks, for wider filters: columns and rows of a thread.
inline constexpr int block_columns = 8;
// Fewer for wide filters, whose loop body would not fit in the instruction cache, and for two sets of sums.
constexpr int block_rows_for(int radius, int sets) { return (radius <= 8 ? 8 : 4) / sets; }
constexpr int align4(int n) { return (n + 3) / 4 * 4; }
constexpr int padded_width(int radius) { return align4(2 * radius + 1); }

inline constexpr int strip_heights[] = {0, 4, 8, 12, 16, 24, 32, 48, 64, 96};
inline constexpr int rows_ahead[] = {0, 1, 2};
inline constexpr Tunable tunables[] = {
    {"strip_rows", "Strip height",
     "Rows that a thread walks down, up to radius 2. 0: as many as make one to three turns of blocks", strip_heights,
     0},
    {"ahead", "Rows ahead",
     "Rows on their way while one is computed, up to radius 2. 0 takes 2 for one channel and radius 1, otherwise 1",
     rows_ahead, 0},
};

inline constexpr int block_radii[] = {4, 8, 12, 16, 32};

inline bool streams(int radius) { return radius <= 2; }

// The radius that the filter is padded to with zeros; 0: none is large enough.
inline int built_radius(const Filter& filter) {
  if (const int reach = std::max(filter.rx(), filter.ry()); streams(reach)) return std::max(reach, 1);
  for (const int radius : block_radii)
    if (filter.rx() <= radius) return radius;
  return 0;
}

// The table of columns, and for the kernel of blocks the filter.
inline std::size_t shared_bytes(const Filter& filter, int radius, int columns) {
  const int table = align4(lanes * columns + 2 * align4(radius));
  const int rows = streams(radius) ? 0 : filter.height * (filter.is_magnitude() ? 2 : 1);
  return (static_cast<std::size_t>(table) + static_cast<std::size_t>(rows) * padded_width(radius)) * sizeof(float);
}

inline bool takes_subnormals(PixelFormat format, int radius) { return streams(radius) && format == PixelFormat::rgba8; }

// Both weight sets as the kernel for `radius` reads them.
inline std::vector<float> kernel_weights(const Filter& filter, PixelFormat format, int radius) {
  const int width = streams(radius) ? 2 * radius + 1 : padded_width(radius);
  const int height = streams(radius) ? width : filter.height;
  std::vector<float> padded;
  for (const std::vector<float>* set : {&filter.weights, &filter.weights_y}) {
    if (set->empty()) continue;
    const std::size_t first = padded.size();
    padded.resize(first + static_cast<std::size_t>(width) * height);
    for (int y = 0; y < filter.height; ++y)
      for (int x = 0; x < filter.width; ++x)
        padded[first + static_cast<std::size_t>(y + height / 2 - filter.ry()) * width + x + radius - filter.rx()] =
            (*set)[static_cast<std::size_t>(y) * filter.width + x];
  }
  return takes_subnormals(format, radius) ? scaled_for_bytes(padded, exponent_for_bytes(padded)) : padded;
}

template <class Kernels>
StripLayout strips(const Problem& p, const Device& device, const Tuned& tuning) {
  StripLayout layout;
  Kernels::with(p, tuning["ahead"], [&]<class Pixel>(auto kernel, int columns, int rows) {
    const int chosen = rows ? rows : tuning["strip_rows"];
    const std::size_t shared = shared_bytes(p.filter, built_radius(p.filter), columns);
    layout = lay_out_strips(p, device, kernel, shared, columns, chosen, built_radius(p.filter));
    if (rows) layout.grid.z = static_cast<unsigned>(channels(p.format));
  });
  return layout;
}

template <class Kernels>
class RegisterStreamPlan final : public ImagePlan {
 public:
  RegisterStreamPlan(const Problem& problem, const StripLayout& strips, int ahead)
      : problem_(problem), radius_(built_radius(problem.filter)), ahead_(ahead), strips_(strips) {
    each([&]<class Pixel>(auto kernel, int columns, int) {
      allow_shared(kernel, shared_bytes(problem.filter, radius_, columns));
      early_ = starts_early(kernel);
    });
    RegisterStreamPlan::set_filter(problem.filter);
  }
  void set_filter(const Filter& filter) override {
    problem_.filter = filter;
    weights_.set(kernel_weights(filter, problem_.format, radius_));
    epilogue_ = make_epilogue(filter, problem_.format);
    if (takes_subnormals(problem_.format, radius_))
      epilogue_.gain = scaled(epilogue_.gain, exponent_of_gain(exponent_for_bytes(both_sets(filter))));
  }
  void prepare(Stream stream) override { Kernels::upload(weights_, stream); }
  void enqueue_frame(const Image& in, const Image& out, Stream stream) override {
    weights_.expect_in_place();
    each([&]<class Pixel>(auto kernel, int columns, int) {
      const int words = std::min(columns, 4);
      launch(early_, kernel, strips_.grid, strip_block(), shared_bytes(problem_.filter, radius_, columns), stream,
             in.view<const Pixel>(), out.view<Pixel>(), problem_.filter.ry(), strips_.rows, problem_.border, epilogue_,
             rows_aligned(in, words), rows_aligned(out, words));
    });
  }
  std::vector<KernelInfo> kernels() const override {
    std::vector<KernelInfo> infos;
    each([&]<class Pixel>(auto kernel, int columns, int) {
      infos = {describe(streams(radius_) ? "filter_register_stream" : "filter_register_blocks", kernel, strips_.grid,
                        strip_block(), shared_bytes(problem_.filter, radius_, columns))};
    });
    return weights_.described(std::move(infos));
  }
  std::string note() const override {
    return "built for radius " + std::to_string(radius_) + ", strips of " + std::to_string(strips_.rows) + " rows";
  }

 private:
  template <class F>
  void each(F&& f) const {
    Kernels::with(problem_, ahead_, f);
  }

  Problem problem_;
  int radius_, ahead_;
  StripLayout strips_;
  bool early_ = false;
  Epilogue epilogue_;
  ConstantWeights weights_;
};

inline std::string why_not(const Problem& p, const Device& device, const Tuned& t) {
  const int radius = built_radius(p.filter), widest = block_radii[std::size(block_radii) - 1];
  if (radius == 0)
    return "Its loops are unrolled for filters up to " + std::to_string(2 * widest + 1) + " taps wide; this one has " +
           std::to_string(p.filter.width);
  const std::size_t count =
      static_cast<std::size_t>(padded_width(radius)) * p.filter.height * (p.filter.is_magnitude() ? 2 : 1);
  if (!streams(radius) && count > static_cast<std::size_t>(max_filter_weights))
    return "Padded with zeros to a width of " + std::to_string(padded_width(radius)) + ", the filter has " +
           std::to_string(count) + " weights; constant memory holds " + std::to_string(max_filter_weights);
  if (t["strip_rows"] < 0) return "A strip cannot have fewer than 0 rows";
  if (const int ahead = t["ahead"]; ahead < 0 || ahead > 2)
    return std::to_string(ahead) + " rows ahead are not built: choose 1 or 2, or 0 for either";
  return shared_memory_reason(shared_bytes(p.filter, radius, block_columns), device);
}

inline Cost cost_of(const Problem& p, const Tuned& t) {
  const int radius = std::max(built_radius(p.filter), 1), sets = p.filter.is_magnitude() ? 2 : 1;
  const int columns = streams(radius) ? columns_for(radius, channels(p.format), sets) : block_columns;
  const int chosen = t["strip_rows"];
  const double rows = !streams(radius) ? block_rows_for(radius, sets) : chosen ? chosen : 16;
  const int halo = streams(radius) ? 2 * radius : p.filter.height - 1;
  Cost cost = direct_cost(p);
  cost.flop *= (2.0 * radius + 1) / p.filter.width;  // products with the zeros of the padding are made as well
  if (streams(radius)) cost.flop *= (2.0 * radius + 1) / p.filter.height;
  cost.global_loads_per_output = (columns + 2.0 * radius) / columns * (rows + halo) / rows;
  return cost;
}

// Of the strips that the launch has.
inline Explanation explanation_of(const Lesson& lesson, const StripLayout& layout, const Problem& p,
                                  const OutputIndex& at) {
  const int radius = built_radius(p.filter), above = streams(radius) ? radius : p.filter.ry();
  const ThreadStrip strip{layout.columns, layout.rows, window_margin(radius, layout.columns), above};
  KernelStep step = one_strip_per_thread(streams(radius) ? "filter_register_stream" : "filter_register_blocks", lanes,
                                         warps, strip, p.width, p.height, at.x, at.y);
  const std::string size = std::to_string(2 * radius + 1);
  const bool wider = p.filter.width < 2 * radius + 1, higher = p.filter.height < 2 * radius + 1;
  if (streams(radius)) {
    step.words = words_of(lesson, size);
    number_edges_first(step, layout.grid);
    std::string words = "The filter is padded with zeros to " + size + " × " + size + " weights.";
    return Explanation{.steps = {std::move(step)}, .words = wider || higher ? std::move(words) : ""};
  }
  // A thread goes through the rows of all its outputs, also of those below the image.
  const int threads_down = ceil_div(p.height - step.outputs[0].y, strip.rows);
  step.direct[0].height = std::min(threads_down, warps) * strip.rows + 2 * above;
  step.block_per_channel = channels(p.format) > 1;
  step.words =
      "Each thread keeps the sums of all its outputs in registers and walks once down the rows that "
      "they need.";
  if (step.block_per_channel) step.words += " It makes one channel of them; blocks that differ in z make the others.";
  return Explanation{.steps = {std::move(step)},
                     .words = wider ? "The filter is padded with zeros to a width of " + size + "." : ""};
}

template <const Lesson& lesson, class Kernels>
constexpr Strategy register_streams() {
  return strategy_of(
      lesson, tunables, why_not,
      [](const Problem& p, const Device& device, const Tuned& t) -> std::unique_ptr<Plan> {
        return std::make_unique<RegisterStreamPlan<Kernels>>(p, strips<Kernels>(p, device, t), t["ahead"]);
      },
      cost_of,
      [](const Problem& p, const Device& device, const Tuned& t, const OutputIndex& at) {
        return explanation_of(lesson, strips<Kernels>(p, device, t), p, at);
      });
}

}  // namespace convoscope::CONVOSCOPE_TARGET::register_stream
