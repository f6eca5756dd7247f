#pragma once
// What a plan with one launch does besides its kernel, for every strategy that needs no more: the weights' way to the
// device, the choice of the kernel, the launch, its description.
#include <array>
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

// Weights on their way to a __constant__ array of the strategy's file, for a plan that is told which: upload_to<taps>.
using ConstantUpload = void (*)(const ConstantWeights&, Stream);

// Views: how kernels of a kind see tensors and the problem. Kernel: Views::Kernel<Extra...>, which takes the input, the
// output, the problem's arguments and whatever else the strategy gives.
template <class Views, class... Extra>
class OneLaunchPlan : public Plan {
 public:
  using Kernel = typename Views::template Kernel<Extra...>;

  // kernels: for one set of weights, and for the two of an edge magnitude.
  OneLaunchPlan(const Problem& problem, const char* name, const std::array<Kernel, 2>& kernels,
                const LaunchShape& launch, ConstantUpload upload, Extra... extra)
      : problem_(problem),
        views_(problem),
        name_(name),
        kernels_(kernels),
        launch_(launch),
        upload_(upload),
        extra_(extra...) {
    weights_.set(views_.weights(problem.filter));
    if (launch_.shared_bytes > 0)
      for (const Kernel kernel : kernels_) allow_shared(kernel, launch_.shared_bytes);
  }
  OneLaunchPlan(const Problem& problem, const char* name, Kernel kernel, const LaunchShape& launch,
                ConstantUpload upload, Extra... extra)
      : OneLaunchPlan(problem, name, std::array<Kernel, 2>{kernel, kernel}, launch, upload, extra...) {}

  void set_filter(const Filter& filter) override {
    problem_.filter = filter;
    views_.set(filter);
    weights_.set(views_.weights(filter));
  }
  void prepare(Stream stream) override {
    views_.send(stream);
    if (upload_) upload_(weights_, stream);
  }
  void enqueue(std::span<const Tensor> in, std::span<const Tensor> out, Stream stream) override {
    if (upload_) weights_.expect_in_place();
    std::apply(
        [&](const auto&... argument) {
          launch(current(), launch_.grid, launch_.block, launch_.shared_bytes, stream, views_.in(in, stream),
                 views_.out(out[0]), argument...);
        },
        Views::in_order(views_.arguments(problem_), extra_));
  }
  std::string note() const override { return Views::note(problem_); }
  std::vector<KernelInfo> kernels() const override {
    const std::vector kernel{describe(name_, current(), launch_.grid, launch_.block, launch_.shared_bytes)};
    return upload_ ? weights_.described(kernel) : kernel;
  }

 private:
  Kernel current() const { return kernels_[problem_.filter.is_magnitude()]; }

  Problem problem_;
  Views views_;
  const char* name_;
  std::array<Kernel, 2> kernels_;
  LaunchShape launch_;
  ConstantUpload upload_;
  std::tuple<Extra...> extra_;
  ConstantWeights weights_;
};

// Of a kind whose kernels see no memory but the tensors and the weights.
struct PlainViews {
  explicit PlainViews(const Problem&) {}
  void set(const Filter&) {}
  void send(Stream) {}
  static std::vector<float> weights(const Filter& filter) { return both_sets(filter); }  // as they lie on the device
  // What a kernel is given after its input and output, in its order.
  template <class Arguments, class Extra>
  static auto in_order(const Arguments& arguments, const Extra& extra) {
    return std::tuple_cat(arguments, extra);
  }
  static std::string note(const Problem&) { return {}; }  // Plan's
};

template <class Pixel>
struct ImageViews : PlainViews {
  using PlainViews::PlainViews;
  using In = ImageView<const Pixel>;
  using Out = ImageView<Pixel>;
  template <class... Extra>
  using Kernel = void (*)(In, Out, int rx, int ry, Border, Epilogue, Extra...);
  static In in(std::span<const Tensor> in, Stream = {}) { return rows_of(in[0]).view<const Pixel>(); }
  static Out out(const Tensor& out) { return rows_of(out).view<Pixel>(); }
  static std::tuple<int, int, Border, Epilogue> arguments(const Problem& p) {
    return {p.filter.rx(), p.filter.ry(), p.border, make_epilogue(p.filter, p.format)};
  }
};
// A format's, for one set of weights and for two. kernels: f.template operator()<Pixel, Sums>().
template <class Pixel, class Kernels>
auto both_kernels(Kernels& kernels) {
  return std::array{kernels.template operator()<Pixel, 1>(), kernels.template operator()<Pixel, 2>()};
}
template <template <class> class Views = ImageViews, class... Extra, class Kernels>
std::unique_ptr<Plan> plan_for_image(const Problem& problem, const char* name, Kernels&& kernels,
                                     const LaunchShape& launch, ConstantUpload upload, Extra... extra) {
  return dispatch(problem.format, false, [&]<class Pixel, int>() -> std::unique_ptr<Plan> {
    return std::make_unique<OneLaunchPlan<Views<Pixel>, Extra...>>(problem, name, both_kernels<Pixel>(kernels), launch,
                                                                   upload, extra...);
  });
}

// A signal as kernels see it: an image whose rows are channels.
struct SignalViews : PlainViews {
  using PlainViews::PlainViews;
  using In = ImageView<const float>;
  using Out = ImageView<float>;
  template <class... Extra>
  using Kernel = void (*)(In, Out, int radius, Border, Epilogue, Extra...);
  static In in(std::span<const Tensor> in, Stream = {}) { return rows_of(in[0]).view<const float>(); }
  static Out out(const Tensor& out) { return rows_of(out).view<float>(); }
  static std::tuple<int, Border, Epilogue> arguments(const Problem& p) {
    return {p.filter.rx(), p.border, make_epilogue(p.filter, p.format)};
  }
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
struct VolumeViews : PlainViews {
  using PlainViews::PlainViews;
  using In = Frames<Pixel>;
  using Out = ImageView<Pixel>;
  template <class... Extra>
  using Kernel = void (*)(In, Out, Radii, Border, Epilogue, Extra...);
  static In in(std::span<const Tensor> in, Stream = {}) {
    Frames<Pixel> frames{{}, in[0].shape.width(), in[0].shape.height(), static_cast<std::size_t>(in[0].stride[3])};
    for (std::size_t t = 0; t < in.size(); ++t) frames.data[t] = static_cast<const Pixel*>(in[t].data);
    return frames;
  }
  static Out out(const Tensor& out) { return rows_of(out).view<Pixel>(); }
  static std::tuple<Radii, Border, Epilogue> arguments(const Problem& p) {
    return {Radii{p.filter.rt(), p.filter.ry(), p.filter.rx()}, p.border, make_epilogue(p.filter, p.format)};
  }
};
template <class Pixel, class... Extra>
using VolumePlan = OneLaunchPlan<VolumeViews<Pixel>, Extra...>;

}  // namespace convoscope::CONVOSCOPE_TARGET
