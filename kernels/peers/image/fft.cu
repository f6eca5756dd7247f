// Filtering as a product of spectra. Idea: the transform of a correlation is the input's transform times the conjugate
// of the filter's, so three FFTs replace M² multiplies per output; the filter's is made only when weights change.
// Traffic: padded float planes and their spectra go through DRAM several times, whatever the radius.
// Limits: for large radii only; planes and spectra take over 300 MB for a 4K rgba8 frame. Every border works: the
// padding kernel writes it out. Sizes are rounded up to 2^a·3^b·5^c·7^d, which cuFFT likes.
#include <cmath>

#include "kernels/contract/image_plan.h"
#include "kernels/contract/theory/model.h"
#include "kernels/contract/theory/tolerance.h"
#include "kernels/device/cuda_raii.h"
#include "kernels/libraries/cufft.h"
#include "kernels/peers/planar.cuh"

namespace convoscope::CONVOSCOPE_TARGET::fft {
namespace {

constexpr int block_size = 256;

struct alignas(8) Complex {
  float re, im;
};

// product[c][i] = image[c][i] · conj(filter[i]) · scale for every channel c. May be in place.
__global__ void multiply_spectra(const Complex* image, const Complex* filter, Complex* product, std::size_t count,
                                 int channel_count, float scale) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const Complex f{filter[i].re * scale, filter[i].im * scale};
  for (int c = 0; c < channel_count; ++c) {
    const Complex a = image[c * count + i];
    product[c * count + i] = {fmaf(a.re, f.re, a.im * f.im), fmaf(a.im, f.re, -a.re * f.im)};
  }
}

// The smallest even 2^a·3^b·5^c·7^d that is at least n; even, so that every plane starts at a whole complex number.
int round_up_size(int n) {
  for (n += n % 2;; n += 2) {
    int rest = n;
    for (int factor : {2, 3, 5, 7})
      while (rest % factor == 0) rest /= factor;
    if (rest == 1) return n;
  }
}

struct Sizes {
  int width, height, channels, filters;
  std::size_t plane, spectrum;  // floats of a plane, complex numbers of its spectrum
  double bytes() const {        // real planes, image and filter spectra, a product beside them for two filters
    return 4.0 * plane * channels * filters + 8.0 * spectrum * (channels * filters + filters);
  }
};

Sizes sizes(const Problem& p) {
  Sizes s{round_up_size(p.width + 2 * p.filter.rx()), round_up_size(p.height + 2 * p.filter.ry()), channels(p.format),
          p.filter.is_magnitude() ? 2 : 1};
  s.plane = static_cast<std::size_t>(s.width) * s.height;
  s.spectrum = static_cast<std::size_t>(s.width / 2 + 1) * s.height;
  return s;
}

class FftPlan final : public ImagePlan {
 public:
  explicit FftPlan(const Problem& problem)
      : problem_(problem),
        sizes_(sizes(problem)),
        planes_(sizes_.plane * sizes_.channels * sizes_.filters),
        image_spectrum_(sizes_.spectrum * sizes_.channels),
        product_(sizes_.filters == 2 ? sizes_.spectrum * sizes_.channels : 0),
        filter_spectrum_(sizes_.spectrum * sizes_.filters),
        forward_(libcufft::real_to_complex, sizes_.width, sizes_.height, sizes_.channels),
        inverse_(libcufft::complex_to_real, sizes_.width, sizes_.height, sizes_.channels),
        forward_one_(libcufft::real_to_complex, sizes_.width, sizes_.height, 1),
        work_(std::max({forward_.work_bytes(), inverse_.work_bytes(), forward_one_.work_bytes()})) {
    for (libcufft::Transform* transform : {&forward_, &inverse_, &forward_one_}) transform->set_work_area(work_.data());
    FftPlan::set_filter(problem.filter);
  }
  void set_filter(const Filter& filter) override {
    problem_.filter = filter;
    if (weights_ == filter.weights && weights_y_ == filter.weights_y) return;  // only gain, bias or absolute
    weights_ = filter.weights;
    weights_y_ = filter.weights_y;
    changed_ = true;
  }
  // The planes are free between frames: the weights are spread out in the first one.
  void prepare(Stream stream) override {
    if (!std::exchange(changed_, false)) return;
    for (int s = 0; s < sizes_.filters; ++s) {
      const std::vector<float>& weights = s == 0 ? weights_ : weights_y_;
      const std::size_t row = problem_.filter.width * sizeof(float);
      CONVOSCOPE_CHECK(cudaMemsetAsync(planes_.data(), 0, sizes_.plane * sizeof(float), native(stream)));
      CONVOSCOPE_CHECK(cudaMemcpy2DAsync(planes_.data(), sizes_.width * sizeof(float), weights.data(), row, row,
                                         problem_.filter.height, cudaMemcpyHostToDevice, native(stream)));
      forward_one_.forward(planes_.data(), filter_spectrum_.data() + s * sizes_.spectrum, stream.handle);
    }
  }
  void enqueue_frame(const Image& in, const Image& out, Stream stream) override {
    const Planes padded{planes_.data(), sizes_.width, sizes_.height, sizes_.width, sizes_.plane};
    const float scale = static_cast<float>(1.0 / (static_cast<double>(sizes_.width) * sizes_.height));
    dispatch(problem_.format, problem_.filter.is_magnitude(), [&]<class Pixel, int Sums>() {
      launch(pad_to_planes<Pixel>, planes_grid(sizes_.width, sizes_.height), planes_block(), 0, stream,
             in.view<const Pixel>(), padded, problem_.filter.rx(), problem_.filter.ry(), problem_.border);
      forward_.forward(planes_.data(), image_spectrum_.data(), stream.handle);
      for (int s = 0; s < Sums; ++s) {
        // The inverse transform overwrites its input, so the image's spectrum must be kept for the second filter.
        Complex* product = s + 1 < Sums ? product_.data() : image_spectrum_.data();
        launch(multiply_spectra, multiply_grid(), dim3(block_size), 0, stream, image_spectrum_.data(),
               filter_spectrum_.data() + s * sizes_.spectrum, product, sizes_.spectrum, sizes_.channels, scale);
        inverse_.inverse(product, planes_.data() + s * sizes_.channels * sizes_.plane, stream.handle);
      }
      launch(finish_planes<Pixel, Sums>, planes_grid(problem_.width, problem_.height), planes_block(), 0, stream,
             padded, in.view<const Pixel>(), out.view<Pixel>(), sizes_.channels, 1,
             make_epilogue(problem_.filter, problem_.format));
    });
  }
  std::vector<KernelInfo> kernels() const override {
    return dispatch(problem_.format, problem_.filter.is_magnitude(), [&]<class Pixel, int Sums>() {
      return std::vector<KernelInfo>{
          describe("pad_to_planes", pad_to_planes<Pixel>, planes_grid(sizes_.width, sizes_.height), planes_block(), 0),
          describe("multiply_spectra", multiply_spectra, multiply_grid(), dim3(block_size), 0),
          describe("finish_planes", finish_planes<Pixel, Sums>, planes_grid(problem_.width, problem_.height),
                   planes_block(), 0)};
    });
  }
  std::string note() const override {
    return "transforms of " + std::to_string(sizes_.width) + "×" + std::to_string(sizes_.height) + ", " +
           std::to_string(static_cast<long long>(sizes_.bytes() + work_.bytes()) >> 20) +
           " MiB; cuFFT's own kernels are not listed";
  }

 private:
  dim3 multiply_grid() const { return dim3(static_cast<unsigned>((sizes_.spectrum + block_size - 1) / block_size)); }

  Problem problem_;
  Sizes sizes_;
  DeviceBuffer<float> planes_;
  DeviceBuffer<Complex> image_spectrum_, product_, filter_spectrum_;
  libcufft::Transform forward_, inverse_, forward_one_;
  DeviceBuffer<unsigned char> work_;
  std::vector<float> weights_, weights_y_;
  bool changed_ = true;
};

// Rounding in an FFT of N points has a root mean square of at most unit · log2(N) of the data's (Gentleman & Sande,
// 1966); three transforms and a product follow each other, on data of at most white and a filter spectrum of at most
// Σ|w|. The largest of N such errors stays below peak times their root mean square: for independent errors that fails
// with probability under 1e-9 even for 10^5 frames of 4K.
double fft_bound(const Problem& p) {
  constexpr double unit_roundoff = 0x1p-24, peak = 8;
  const Sizes s = sizes(p);
  const double points = static_cast<double>(s.width) * s.height;
  double squares = 0;
  for (const std::vector<float>* weights : {&p.filter.weights, &p.filter.weights_y}) {
    double sum = 0;
    for (float w : *weights) sum += std::abs(w);
    squares += sum * sum;
  }
  return float32_sum_bound(p, 1) + peak * unit_roundoff * (3 * std::log2(points) + 2) * std::sqrt(squares) *
                                       std::abs(p.filter.gain) * white_level(p.format);
}

}  // namespace

extern const Strategy strategy{
    .id = "fft",
    .title = "FFT",
    .idea =
        "Transform the padded image, multiply by the filter's spectrum, transform back: the time no longer depends on "
        "the radius, so a large enough filter always ends up here.",
    .reading = "Cooley & Tukey, 1965; Podlozhnyuk, FFT-based 2D convolution, NVIDIA, 2007; cuFFT documentation",
    .backend = target_backend,
    .tunables = {},
    .tolerance = fft_bound,
    .refuses = [](const Problem& p, const Device& device, const Tuned&) -> std::string {
      if (target_backend == Backend::emulated) return "calls cuFFT, which cannot be emulated";
      if (std::string missing = libcufft::Library::missing(); !missing.empty()) return missing;
      const double bytes = 2 * sizes(p).bytes();  // cuFFT's work area can be as large again
      if (device.memory_bytes && bytes > static_cast<double>(device.memory_bytes))
        return "planes and spectra need up to " + std::to_string(static_cast<long long>(bytes) >> 20) +
               " MiB; the device has " + std::to_string(device.memory_bytes >> 20) + " MiB";
      return {};
    },
    .plans = [](const Problem& p, const Device&, const Tuned&) -> std::unique_ptr<Plan> {
      return std::make_unique<FftPlan>(p);
    },
    .costs = [](const Problem& p, const Tuned&) -> Cost {
      const Sizes s = sizes(p);
      const double points = static_cast<double>(s.width) * s.height, transforms = s.channels * (1.0 + s.filters);
      // A real transform takes 2.5 N log2 N operations. DRAM: each transform reads and writes its data in one pass over
      // the rows and one over the columns; padding, product and finish once each.
      const double real = 4.0 * s.plane * s.channels, complex = 8.0 * s.spectrum * s.channels;
      return {.flop = 2.5 * points * std::log2(points) * transforms + 8.0 * s.spectrum * s.channels * s.filters,
              .global_loads_per_output = 1,
              .global_stores_per_output = 1,
              .dram_bytes = 2 * frame_bytes(p) + real + (real + 3 * complex) * (1.0 + s.filters) +
                            s.filters * (2 * complex + real)};
    },
    .calls_library = true,
    .open_library = libcufft::Library::open,
};

}  // namespace convoscope::CONVOSCOPE_TARGET::fft
