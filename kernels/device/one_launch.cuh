#pragma once
// What a plan with one launch does besides its kernel, for every strategy of signals and volumes that has no more: the
// weights' way to the device, the launch, its description.
#include <tuple>

#include "kernels/contract/kind.h"
#include "kernels/device/constant_weights.cuh"
#include "kernels/device/cuda_raii.h"
#include "kernels/device/pixel.cuh"

namespace convoscope::CONVOSCOPE_TARGET {

struct LaunchShape {
  dim3 grid, block;
  std::size_t shared_bytes = 0;
};

// Weights on their way to a __constant__ array of the strategy's file, for a plan that is told which:
// [](const ConstantWeights& weights, Stream stream) { weights.upload(taps, taps_owner, stream); }
using ConstantUpload = void (*)(const ConstantWeights&, Stream);

// Kernel: void (*)(In, Out, int radius or Radii, Border, Epilogue, Extra...); Views: how it sees tensors.
template <class Views, class... Extra>
class OneLaunchPlan : public Plan {
 public:
  using Kernel = void (*)(typename Views::In, typename Views::Out, typename Views::Radius, Border, Epilogue, Extra...);

  OneLaunchPlan(const Problem& problem, const char* name, Kernel kernel, const LaunchShape& launch,
                ConstantUpload upload, Extra... extra)
      : problem_(problem), name_(name), kernel_(kernel), launch_(launch), upload_(upload), extra_(extra...) {
    weights_.set(problem.filter);
    if (launch_.shared_bytes > 0) allow_shared(kernel_, launch_.shared_bytes);
  }
  void set_filter(const Filter& filter) override {
    problem_.filter = filter;
    weights_.set(filter);
  }
  void prepare(Stream stream) override { upload_(weights_, stream); }
  void enqueue(std::span<const Tensor> in, std::span<const Tensor> out, Stream stream) override {
    std::apply(
        [&](const Extra&... extra) {
          launch(kernel_, launch_.grid, launch_.block, launch_.shared_bytes, stream, Views::in(in), Views::out(out[0]),
                 Views::radius(problem_.filter), problem_.border, make_epilogue(problem_.filter, problem_.format),
                 extra...);
        },
        extra_);
  }
  std::vector<KernelInfo> kernels() const override {
    return {describe(name_, kernel_, launch_.grid, launch_.block, launch_.shared_bytes)};
  }

 private:
  Problem problem_;
  const char* name_;
  Kernel kernel_;
  LaunchShape launch_;
  ConstantUpload upload_;
  std::tuple<Extra...> extra_;
  ConstantWeights weights_;
};

// A signal as kernels see it: an image whose rows are channels.
struct SignalViews {
  using In = ImageView<const float>;
  using Out = ImageView<float>;
  using Radius = int;
  static In in(std::span<const Tensor> in) { return rows_of(in[0]).view<const float>(); }
  static Out out(const Tensor& out) { return rows_of(out).view<float>(); }
  static int radius(const Filter& filter) { return filter.rx(); }
};
template <class... Extra>
using SignalPlan = OneLaunchPlan<SignalViews, Extra...>;

// The frames of a volume as kernels see them, the oldest first; all of one pitch.
inline constexpr int most_volume_frames = 127;
template <class Pixel>
struct Frames {
  const Pixel* data[most_volume_frames];
  int width, height;
  std::size_t pitch;
  __device__ ImageView<const Pixel> operator[](int t) const { return {data[t], width, height, pitch}; }
};
struct Radii {
  int t, y, x;
};
template <class Pixel>
struct VolumeViews {
  using In = Frames<Pixel>;
  using Out = ImageView<Pixel>;
  using Radius = Radii;
  static In in(std::span<const Tensor> in) {
    Frames<Pixel> frames{{}, in[0].shape.width(), in[0].shape.height(), static_cast<std::size_t>(in[0].stride[3])};
    for (std::size_t t = 0; t < in.size(); ++t) frames.data[t] = static_cast<const Pixel*>(in[t].data);
    return frames;
  }
  static Out out(const Tensor& out) { return rows_of(out).view<Pixel>(); }
  static Radii radius(const Filter& filter) { return {filter.rt(), filter.ry(), filter.rx()}; }
};
template <class Pixel, class... Extra>
using VolumePlan = OneLaunchPlan<VolumeViews<Pixel>, Extra...>;

}  // namespace convoscope::CONVOSCOPE_TARGET
