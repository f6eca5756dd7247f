#pragma once
// NPP's ways to filter an image, and a plan that takes one of them.
#include <algorithm>
#include <cmath>

#include "kernels/contract/image_plan.h"
#include "kernels/device/global_weights.cuh"
#include "kernels/filter/separability.h"
#include "kernels/libraries/npp.h"
#include "kernels/peers/fastest_way.cuh"
#include "kernels/peers/finish_gray.cuh"
#include "kernels/peers/planar.cuh"

namespace convoscope::CONVOSCOPE_TARGET::npp {

enum class Way {
  general,
  through_floats,
  through_bytes,
  gauss,
  box,
  own_gauss,
  laplace,
  sobel_horizontal,
  sobel_vertical
};

inline constexpr NamedWay<Way> ways[] = {
    {Way::general, "nppiFilterBorder"},
    {Way::through_floats, "nppiFilterRowBorder and nppiFilterColumnBorder with floats between them"},
    {Way::through_bytes, "nppiFilterRowBorder and nppiFilterColumnBorder with bytes between them"},
    {Way::gauss, "nppiFilterGaussAdvancedBorder"},
    {Way::box, "nppiFilterBoxBorder"},
    {Way::own_gauss, "nppiFilterGaussBorder"},
    {Way::laplace, "nppiFilterLaplaceBorder"},
    {Way::sobel_horizontal, "nppiFilterSobelHorizBorder"},
    {Way::sobel_vertical, "nppiFilterSobelVertBorder"},
};
inline const char* name_of(Way way) { return ways[static_cast<std::size_t>(way)].name; }

// Its weights are NPP's: whether they are the filter's is seen when it runs.
inline bool has_own_weights(Way way) { return way >= Way::own_gauss; }

inline bool is_one_line(const Filter& f) { return f.width == 1 || f.height == 1; }

// weights ≈ column · row, with a row that sums to 1 where it can: bytes then hold what comes out of the row pass.
inline std::optional<SeparableFactors> lines_of(const Filter& f, const std::vector<float>& weights) {
  std::optional<SeparableFactors> lines = factor_rank_one(weights.data(), f.width, f.height, rank_one_tolerance);
  if (!lines) return lines;
  double sum = 0;
  for (const float w : lines->row) sum += w;
  if (std::abs(sum) < 1e-6) return lines;
  for (float& w : lines->row) w = static_cast<float>(w / sum);
  for (float& w : lines->column) w = static_cast<float>(w * sum);
  return lines;
}

// Rows and columns alike, the same in both directions, with a sum of 1.
inline bool is_gauss_like(const Filter& f) {
  if (f.width != f.height || f.width == 1) return false;
  const std::optional<SeparableFactors> lines = lines_of(f, f.weights);
  if (!lines) return false;
  double sum = 0;
  for (std::size_t i = 0; i < lines->row.size(); ++i) {
    sum += lines->row[i];
    const float mirrored = lines->row[lines->row.size() - 1 - i];
    if (std::abs(lines->row[i] - mirrored) > 1e-7f || std::abs(lines->row[i] - lines->column[i]) > 1e-7f) return false;
  }
  return std::abs(sum - 1) < 1e-5;
}

// What it can be asked for; of one with weights of its own, as far as is known before it runs.
inline bool suits(Way way, const Problem& p) {
  const Filter& f = p.filter;
  const bool bytes = p.format == PixelFormat::rgba8;
  if (way == Way::general) return true;
  if (way == Way::through_floats) return separable_reason(f).empty() && !(bytes && is_one_line(f));
  if (f.is_magnitude()) return false;
  if (way == Way::through_bytes) {
    const std::optional<SeparableFactors> lines = lines_of(f, f.weights);
    return bytes && lines && (is_one_line(f) || std::ranges::none_of(lines->row, [](float w) { return w < 0; }));
  }
  if (bytes && f.gain != 1) return false;  // the result is stored as bytes at once
  if (way == Way::gauss) return is_gauss_like(f);
  if (way == Way::box) return all_the_same(f.weights) && std::abs(f.weights[0] * f.taps() - 1.0) < 1e-6;
  if (f.width != f.height) return false;
  if (way == Way::own_gauss) return libnpp::mask_size(f.width) != 0;
  return f.width == 3 || (f.width == 5 && way == Way::laplace);
}

// The one that a first plan takes, untried: the general one is fast for few taps, and rgba8 needs planes of floats
// between the passes, since NPP's bytes are truncated after each.
inline Way usual_way(const Problem& p) {
  const bool bytes = p.format == PixelFormat::rgba8;
  if (bytes && is_one_line(p.filter) && suits(Way::through_bytes, p)) return Way::through_bytes;
  const int few = is_one_line(p.filter) ? 0 : bytes ? 169 : 25;
  return p.filter.taps() > few && suits(Way::through_floats, p) ? Way::through_floats : Way::general;
}

inline int max_threads_per_multiprocessor(int compute_capability) {
  switch (compute_capability) {
    case 75:
      return 1024;
    case 86:
    case 87:
    case 89:
    case 120:
    case 121:
      return 1536;
    default:
      return 2048;
  }
}

class NppPlan final : public ImagePlan {
 public:
  // said: what a reader should know of how the way was chosen.
  NppPlan(const Problem& problem, const Device& device, Way way, std::string said = {})
      : problem_(problem),
        planned_(way),
        planned_for_(problem.filter.weights),
        said_(std::move(said)),
        weights_(static_cast<std::size_t>(2 * (problem.filter.taps() + problem.filter.width + problem.filter.height))),
        between_(way == Way::through_floats && problem.format == PixelFormat::rgba8 ? 6 * pixels()
                 : way == Way::through_floats || way == Way::through_bytes          ? pixels()
                                                                                    : 0),
        second_(problem.filter.is_magnitude() ? pixels() : 0) {
    libnpp::api();  // where it is missing, the plan fails and no frame does
    context_.device = device.ordinal;
    context_.multiprocessors = device.multiprocessors;
    context_.max_threads_per_multiprocessor = max_threads_per_multiprocessor(device.compute_capability);
    context_.max_threads_per_block = device.max_threads_per_block;
    context_.shared_bytes_per_block = 48 * 1024;  // without opting in
    context_.compute_capability_major = device.compute_capability / 10;
    context_.compute_capability_minor = device.compute_capability % 10;
    context_.stream_flags = 1;  // cudaStreamNonBlocking, as ours are
    NppPlan::set_filter(problem.filter);
  }

  // NPP wants coefficients in reverse order. Where results are stored as bytes at once, the gain goes into them.
  void set_filter(const Filter& filter) override {
    problem_.filter = filter;
    const bool as_planned = suits(planned_, problem_) && (!has_own_weights(planned_) || filter.weights == planned_for_);
    way_ = as_planned ? planned_ : Way::general;
    const bool stores_bytes = problem_.format == PixelFormat::rgba8 && way_ != Way::through_floats;
    const float gain = stores_bytes ? filter.gain : 1.0f;
    std::vector<float> all;
    const auto add = [&](const std::vector<float>& weights, float factor) {
      for (std::size_t i = weights.size(); i-- > 0;) all.push_back(weights[i] * factor);
    };
    for (const std::vector<float>* set : {&filter.weights, &filter.weights_y}) {
      all.resize(set_begin(set == &filter.weights ? 0 : 1));
      if (set->empty()) continue;
      add(*set, gain);
      if (const std::optional<SeparableFactors> lines = lines_of(filter, *set)) {
        // A filter of one line has one pass: what the other would multiply with goes into it.
        const bool row_only = filter.height == 1, column_only = filter.width == 1;
        add(lines->row, row_only ? lines->column[0] * gain : 1.0f);
        add(lines->column, column_only ? lines->row[0] * gain : gain);
      }
    }
    all.resize(set_begin(2));
    weights_.set(std::move(all));
  }
  void prepare(Stream stream) override { weights_.send(stream); }

  void enqueue_frame(const Image& in, const Image& out, Stream stream) override {
    context_.stream = stream.handle;
    if (problem_.format == PixelFormat::gray32f) return filter_gray(in, out, stream);
    if (way_ == Way::through_floats) return filter_planes(in, out, stream);
    CONVOSCOPE_CHECK(cudaMemcpy2DAsync(out.data, out.pitch, in.data, in.pitch, in.width * bytes_per_pixel(in.format),
                                       in.height, cudaMemcpyDeviceToDevice, native(stream)));
    filter(libnpp::api().rgba8, in, static_cast<unsigned char*>(out.data), out.pitch, 0);
  }
  std::string note() const override {
    return std::string("NPP's function: ") + name_of(way_) + said_ + "; its own kernels are not listed";
  }

 private:
  static constexpr int border = libnpp::border_replicate;

  std::size_t pixels() const { return static_cast<std::size_t>(problem_.width) * problem_.height; }
  // Of a set: all weights, then a row, then a column.
  std::size_t set_begin(int set) const {
    const Filter& f = problem_.filter;
    return static_cast<std::size_t>(set) * static_cast<std::size_t>(f.taps() + f.width + f.height);
  }
  const float* row_weights(int set) const { return weights_.data() + set_begin(set) + problem_.filter.taps(); }
  const float* column_weights(int set) const { return row_weights(set) + problem_.filter.width; }

  void filter_gray(const Image& in, const Image& out, Stream stream) const {
    const Filter& f = problem_.filter;
    filter(libnpp::api().gray32f, in, static_cast<float*>(out.data), out.pitch, 0);
    if (f.is_magnitude()) filter(libnpp::api().gray32f, in, second_.data(), out.width * sizeof(float), 1);
    finish_gray(f, out, second_.data(), stream);
  }

  // Each row of one channel lies beside the same row of the next: to the row pass they are 3 × height rows of an image,
  // to the column pass 3 × width columns, so each is one call without a seam.
  void filter_planes(const Image& in, const Image& out, Stream stream) const {
    const int width = in.width, height = in.height;
    const Planes planes{between_.data(), width, height, 3 * width, static_cast<std::size_t>(width)};
    float* const rows_done = between_.data() + 3 * pixels();
    const std::size_t pitch = static_cast<std::size_t>(width) * sizeof(float);
    const libnpp::Filters<float>& npp = libnpp::api().gray32f;
    launch(pad_to_planes<Rgba8>, planes_grid(width, height), planes_block(), 0, stream, in.view<const Rgba8>(), planes,
           0, 0, problem_.border);
    row_pass(npp, planes.data, pitch, {width, 3 * height}, rows_done, pitch, 0);
    column_pass(npp, rows_done, 3 * pitch, {3 * width, height}, planes.data, 3 * pitch, 0);
    launch(finish_planes<Rgba8, 1>, planes_grid(width, height), planes_block(), 0, stream, planes,
           in.view<const Rgba8>(), out.view<Rgba8>(), 3, 1, make_epilogue(problem_.filter, problem_.format));
  }

  template <class Element>
  void row_pass(const libnpp::Filters<Element>& npp, const Element* in, std::size_t in_pitch, libnpp::Size size,
                Element* out, std::size_t out_pitch, int set) const {
    const Filter& f = problem_.filter;
    libnpp::check(npp.row(in, static_cast<int>(in_pitch), size, {0, 0}, out, static_cast<int>(out_pitch), size,
                          row_weights(set), f.width, f.rx(), border, context_),
                  "nppiFilterRowBorder");
  }
  template <class Element>
  void column_pass(const libnpp::Filters<Element>& npp, const Element* in, std::size_t in_pitch, libnpp::Size size,
                   Element* out, std::size_t out_pitch, int set) const {
    const Filter& f = problem_.filter;
    libnpp::check(npp.column(in, static_cast<int>(in_pitch), size, {0, 0}, out, static_cast<int>(out_pitch), size,
                             column_weights(set), f.height, f.ry(), border, context_),
                  "nppiFilterColumnBorder");
  }

  template <class Element>
  void filter(const libnpp::Filters<Element>& npp, const Image& image, Element* out, std::size_t out_pitch,
              int set) const {
    const Filter& f = problem_.filter;
    const auto* const in = static_cast<const Element*>(image.data);
    const libnpp::Size size{image.width, image.height}, weights_size{f.width, f.height};
    const libnpp::Point anchor{f.rx(), f.ry()};
    if (way_ == Way::through_floats || way_ == Way::through_bytes) {
      auto* const between = reinterpret_cast<Element*>(between_.data());
      const std::size_t pitch = static_cast<std::size_t>(image.width) * sizeof(float);
      if (f.height == 1) return row_pass(npp, in, image.pitch, size, out, out_pitch, set);
      if (f.width == 1) return column_pass(npp, in, image.pitch, size, out, out_pitch, set);
      row_pass(npp, in, image.pitch, size, between, pitch, set);
      return column_pass(npp, between, pitch, size, out, out_pitch, set);
    }
    const auto call = [&](auto* function, auto... rest) {
      libnpp::check(function(in, static_cast<int>(image.pitch), size, {0, 0}, out, static_cast<int>(out_pitch), size,
                             rest..., border, context_),
                    name_of(way_));
    };
    switch (way_) {
      case Way::gauss:
        return call(npp.gauss, f.width, row_weights(set));
      case Way::box:
        return call(npp.box, weights_size, anchor);
      case Way::own_gauss:
        return call(npp.own_gauss, libnpp::mask_size(f.width));
      case Way::laplace:
        return call(npp.laplace, libnpp::mask_size(f.width));
      case Way::sobel_horizontal:
        return call(npp.sobel_horizontal);
      case Way::sobel_vertical:
        return call(npp.sobel_vertical);
      default:
        return call(npp.general, weights_.data() + set_begin(set), weights_size, anchor);
    }
  }

  Problem problem_;
  const Way planned_;
  const std::vector<float> planned_for_;
  const std::string said_;
  Way way_ = Way::general;
  GlobalFloats weights_;
  DeviceBuffer<float> between_, second_;
  libnpp::StreamContext context_;
};

}  // namespace convoscope::CONVOSCOPE_TARGET::npp
