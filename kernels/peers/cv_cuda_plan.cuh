#pragma once
// CV-CUDA's ways to filter an image, and a plan that takes one of them.
#include <array>
#include <cmath>
#include <cstring>
#include <optional>

#include "kernels/contract/image_plan.h"
#include "kernels/device/global_weights.cuh"
#include "kernels/libraries/cv_cuda.h"
#include "kernels/peers/fastest_way.cuh"
#include "kernels/peers/finish_gray.cuh"

namespace convoscope::CONVOSCOPE_TARGET::cv_cuda {

enum class Way { general, gauss, average };

inline constexpr NamedWay<Way> ways[] = {
    {Way::general, "cvcudaConv2DVarShapeSubmit"},
    {Way::gauss, "cvcudaGaussianSubmit"},
    {Way::average, "cvcudaAverageBlurSubmit"},
};
inline const char* name_of(Way way) { return ways[static_cast<std::size_t>(way)].name; }

struct Sigmas {
  double x = 1, y = 1;
};
inline constexpr double sigma_tolerance = 0x1p-20;  // of each weight, beside its own rounding

// Of the sampled Gaussian of sum 1 that the weights are, if they are one: from the ratio of the edge to the centre,
// which is far from 1, so that rounding moves it least.
inline std::optional<Sigmas> sigmas_of(const Filter& f) {
  const auto weight = [&](int x, int y) -> double {
    return f.weights[static_cast<std::size_t>((y + f.ry()) * f.width + x + f.rx())];
  };
  const auto sigma = [&](int radius, double edge) {
    return radius == 0 ? 1 : radius / std::sqrt(-2 * std::log(edge / weight(0, 0)));
  };
  const double side = weight(f.rx(), 0), bottom = weight(0, f.ry());
  if (f.taps() == 1 || !(std::min(side, bottom) > 1e-30) || (f.rx() > 0 && !(side < weight(0, 0))) ||
      (f.ry() > 0 && !(bottom < weight(0, 0))))
    return {};
  const Sigmas found{sigma(f.rx(), side), sigma(f.ry(), bottom)};
  const auto gauss = [&](int x, int y) {
    return std::exp(-0.5 * (x * x / (found.x * found.x) + y * y / (found.y * found.y)));
  };
  double sum = 0;
  for (int y = -f.ry(); y <= f.ry(); ++y)
    for (int x = -f.rx(); x <= f.rx(); ++x) sum += gauss(x, y);
  for (int y = -f.ry(); y <= f.ry(); ++y)
    for (int x = -f.rx(); x <= f.rx(); ++x)
      if (const double w = gauss(x, y) / sum; !(std::abs(weight(x, y) - w) <= sigma_tolerance * w + 1e-30)) return {};
  return found;
}

inline bool suits(Way way, const Problem& p) {
  const Filter& f = p.filter;
  if (way == Way::general) return true;
  if (f.is_magnitude() || (p.format == PixelFormat::rgba8 && f.gain != 1)) return false;
  if (way == Way::gauss) return sigmas_of(f).has_value();
  return f.taps() > 1 && all_the_same(f.weights) && std::abs(f.weights[0] * f.taps() - 1.0) < 1e-7 * f.taps();
}
// The one that is made for these weights.
inline Way usual_way(const Problem& p) {
  return suits(Way::gauss, p) ? Way::gauss : suits(Way::average, p) ? Way::average : Way::general;
}
inline bool is_a_guess(Way) { return false; }

__global__ inline void carry_alpha_over(ImageView<const Rgba8> in, ImageView<Rgba8> out) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < out.width && y < out.height) pixel_at(out, x, y)->a = pixel_at(in, x, y)->a;
}

// CV-CUDA's objects around pictures. A caller's pictures come again, so after the first frames none is made.
class Wrapped {
 public:
  void* of(const Image& image, bool as_batch) {
    for (const Kept& kept : kept_)
      if (kept.object && kept.data == image.data && kept.pitch == image.pitch && kept.as_batch == as_batch)
        return kept.object.get();
    Kept& kept = kept_[turn_++ % kept_.size()];
    kept = {image.data, image.pitch, as_batch, as_batch ? batch(image) : tensor(image)};
    return kept.object.get();
  }

 private:
  struct Kept {
    void* data = nullptr;
    std::size_t pitch = 0;
    bool as_batch = false;
    libcvcuda::Owned object;
  };
  static libcvcuda::Owned batch(const Image& image) {
    libcvcuda::PictureData data;
    data.format = image.format == PixelFormat::rgba8 ? libcvcuda::rgba8_pixels : libcvcuda::f32_pixels;
    data.planes.plane[0] = {image.width, image.height, static_cast<std::int32_t>(image.pitch), image.data};
    return libcvcuda::batch_of(data);
  }
  static libcvcuda::Owned tensor(const Image& image) {
    const int channels = image.format == PixelFormat::rgba8 ? 4 : 1;
    libcvcuda::TensorData data;
    data.elements = channels == 4 ? libcvcuda::u8_elements : libcvcuda::f32_elements;
    std::strcpy(data.layout, "NHWC");
    data.layout_rank = data.rank = 4;
    const std::int64_t pitch = static_cast<std::int64_t>(image.pitch);
    const std::int64_t shape[] = {1, image.height, image.width, channels};
    const std::int64_t strides[] = {pitch * image.height, pitch, 4, 4 / channels};
    std::ranges::copy(shape, data.shape);
    std::ranges::copy(strides, data.strides);
    data.data = image.data;
    return libcvcuda::wrap(data);
  }

  std::array<Kept, 64> kept_;  // 16 pictures in and out, of both kinds
  std::size_t turn_ = 0;
};

class CvCudaPlan final : public ImagePlan {
 public:
  // said: what a reader should know of how the way was chosen.
  CvCudaPlan(const Problem& problem, const Device&, Way way, std::string said = {})
      : problem_(problem),
        planned_(way),
        said_(std::move(said)),
        weights_(static_cast<std::size_t>(2 * problem.filter.taps())),
        anchor_({problem.filter.rx(), problem.filter.ry()}),
        second_(problem.filter.is_magnitude() ? static_cast<std::size_t>(problem.width) * problem.height : 0),
        convolution_(libcvcuda::make_operator(libcvcuda::api().make_convolution)) {
    const Filter& f = problem.filter;
    if (way == Way::gauss) planned_operator_ = made_for(libcvcuda::api().make_gauss, f);
    if (way == Way::average) planned_operator_ = made_for(libcvcuda::api().make_average, f);
    for (int set = 0; set < (f.is_magnitude() ? 2 : 1); ++set) {
      libcvcuda::PictureData data;
      data.format = libcvcuda::f32_pixels;
      const auto row = static_cast<std::int32_t>(sizeof(float)) * f.width;
      data.planes.plane[0] = {f.width, f.height, row, const_cast<float*>(weights_.data()) + set * f.taps()};
      weights_batch_[set] = libcvcuda::batch_of(data);
    }
    libcvcuda::TensorData anchors;
    anchors.elements = libcvcuda::int_pairs;
    std::strcpy(anchors.layout, "N");
    anchors.layout_rank = anchors.rank = 1;
    anchors.shape[0] = 1;
    anchors.strides[0] = 2 * sizeof(int);
    anchors.data = const_cast<int*>(anchor_.data());
    anchors_ = libcvcuda::wrap(anchors);
    CvCudaPlan::set_filter(f);
  }

  // Where results are stored as bytes at once, the gain goes into the weights.
  void set_filter(const Filter& filter) override {
    problem_.filter = filter;
    way_ = suits(planned_, problem_) ? planned_ : Way::general;
    if (way_ == Way::gauss) sigmas_ = *sigmas_of(filter);
    std::vector<float> all;
    for (const std::vector<float>* set : {&filter.weights, &filter.weights_y})
      for (const float w : *set) all.push_back(problem_.format == PixelFormat::rgba8 ? w * filter.gain : w);
    all.resize(static_cast<std::size_t>(2 * filter.taps()));
    weights_.set(std::move(all));
  }
  void prepare(Stream stream) override {
    weights_.send(stream);
    anchor_.send(stream);
  }

  void enqueue_frame(const Image& in, const Image& out, Stream stream) override {
    filter(in, out, 0, stream);
    if (problem_.format == PixelFormat::rgba8) {
      constexpr int width = 32, height = 8;
      return launch(carry_alpha_over, dim3(ceil_div(out.width, width), ceil_div(out.height, height)),
                    dim3(width, height), 0, stream, in.view<const Rgba8>(), out.view<Rgba8>());
    }
    if (problem_.filter.is_magnitude()) {
      const std::size_t row = out.width * sizeof(float);
      filter(in, {second_.data(), out.width, out.height, row, out.format}, 1, stream);
    }
    finish_gray(problem_.filter, out, second_.data(), stream);
  }
  std::string note() const override {
    return std::string("CV-CUDA's function: ") + name_of(way_) + said_ + "; its own kernels are not listed";
  }

 private:
  static libcvcuda::Owned made_for(int (*make)(void**, std::int32_t, std::int32_t, std::int32_t), const Filter& f) {
    return libcvcuda::make_operator<std::int32_t, std::int32_t, std::int32_t>(make, f.width, f.height, 1);
  }

  void filter(const Image& in, const Image& out, int set, Stream stream) {
    const libcvcuda::Api& api = libcvcuda::api();
    const Filter& f = problem_.filter;
    const int border = libcvcuda::border_type(problem_.border);
    void *const from = wrapped_.of(in, way_ == Way::general), *const to = wrapped_.of(out, way_ == Way::general);
    void* const special = planned_operator_.get();
    const int status = way_ == Way::gauss ? api.gauss(special, stream.handle, from, to, f.width, f.height, sigmas_.x,
                                                      sigmas_.y, border)
                       : way_ == Way::average
                           ? api.average(special, stream.handle, from, to, f.width, f.height, f.rx(), f.ry(), border)
                           : api.convolve(convolution_.get(), stream.handle, from, to, weights_batch_[set].get(),
                                          anchors_.get(), border);
    libcvcuda::check(status, name_of(way_));
  }

  Problem problem_;
  const Way planned_;
  const std::string said_;
  Way way_ = Way::general;
  Sigmas sigmas_;
  GlobalFloats weights_;
  GlobalValues<int> anchor_;
  DeviceBuffer<float> second_;
  libcvcuda::Owned convolution_, planned_operator_, weights_batch_[2], anchors_;
  Wrapped wrapped_;
};

}  // namespace convoscope::CONVOSCOPE_TARGET::cv_cuda
