// Filtering as a product of spectra, block by block (overlap-save). Idea: a transform of N samples, times the conjugate
// of the taps' spectrum, transformed back, is a correlation that goes round; where it does not reach round, which is
// for all but the last M − 1 outputs, it is the one that we want. cuFFT transforms all blocks at once, and reads blocks
// that overlap by M − 1 samples from one copy of the signal with its border written out. Traffic: the copy, the spectra
// and the sums go through memory once each way, N/L of them for L outputs of a block. Limits: for many taps only. On
// the longest signals that L2 holds, nothing but the signal itself comes from DRAM.
#include "kernels/device/cuda_raii.h"
#include "kernels/device/one_launch.cuh"
#include "kernels/kinds/signal.h"
#include "kernels/libraries/cufft.h"
#include "kernels/strategies/shared/overlap_save.h"

namespace convoscope::CONVOSCOPE_TARGET::signal::fft {

namespace {

constexpr int threads = 256;

struct alignas(8) Complex {
  float re, im;
};

// padded[channel · pitch + i] = in(i − radius) with the border applied; zeros from in.width + 2 · radius on, and for
// `tail` floats behind the last channel.
__global__ void pad_signal(ImageView<const float> in, float* padded, int pitch, int tail, int radius, Border border) {
  const int i = blockIdx.x * threads + threadIdx.x, channel = blockIdx.y;
  if (i >= pitch + (channel + 1 == in.height ? tail : 0)) return;
  const int source = i < in.width + 2 * radius ? border_index(i - radius, in.width, border) : -1;
  padded[static_cast<std::size_t>(channel) * pitch + i] = source < 0 ? 0.0f : *pixel_at(in, source, channel);
}

// Each of `batch` spectra times conj(taps) · scale, in place.
__global__ void multiply_spectra(Complex* spectra, const Complex* taps, int count, int batch, float scale) {
  const int i = blockIdx.x * threads + threadIdx.x;
  if (i >= count) return;
  const Complex f{taps[i].re * scale, taps[i].im * scale};
  for (int b = blockIdx.y; b < batch; b += gridDim.y) {
    Complex& place = spectra[static_cast<std::size_t>(b) * count + i];
    const Complex a = place;
    place = {fmaf(a.re, f.re, a.im * f.im), fmaf(a.im, f.re, -a.re * f.im)};
  }
}

// The first `block` sums of each transform of `size` are outputs.
__global__ void finish_blocks(const float* sums, ImageView<float> out, int size, int block, int blocks,
                              Epilogue epilogue) {
  const int i = blockIdx.x * threads + threadIdx.x, channel = blockIdx.y;
  if (i >= out.width) return;
  const std::size_t transform = static_cast<std::size_t>(channel) * blocks + i / block;
  *pixel_at(out, i, channel) = apply(epilogue, sums[transform * size + i % block]);
}

struct Layout : OverlapSave {
  int blocks, batch, spectrum;  // blocks of a channel, of all; complex numbers of one spectrum
  int pitch, tail;              // of the copy: channels whole blocks apart, so that all blocks are as far apart
  double bytes() const {
    return 4.0 * (static_cast<double>(batch) * block + tail + static_cast<double>(batch) * size + size) +
           8.0 * spectrum * (batch + 1.0);
  }
};

Layout layout_of(const Problem& p, const Tuned& t) {
  Layout layout{overlap_save(p, t["transform_size"])};
  layout.blocks = ceil_div(p.width + p.filter.width - 1, layout.block);
  layout.batch = layout.blocks * p.height;
  layout.spectrum = layout.size / 2 + 1;
  layout.pitch = layout.blocks * layout.block;
  layout.tail = layout.size - layout.block;
  return layout;
}

class FftPlan final : public Plan {
 public:
  FftPlan(const Problem& problem, const Layout& layout)
      : problem_(problem),
        layout_(layout),
        padded_(static_cast<std::size_t>(layout.batch) * layout.block + layout.tail),
        sums_(static_cast<std::size_t>(layout.batch) * layout.size),
        spread_taps_(layout.size),
        spectra_(static_cast<std::size_t>(layout.batch) * layout.spectrum),
        taps_spectrum_(layout.spectrum),
        forward_(libcufft::Transform::of_row(libcufft::real_to_complex, layout.size, layout.block, layout.batch)),
        inverse_(libcufft::Transform::of_row(libcufft::complex_to_real, layout.size, layout.size, layout.batch)),
        forward_one_(libcufft::Transform::of_row(libcufft::real_to_complex, layout.size, layout.size, 1)),
        work_(std::max({forward_.work_bytes(), inverse_.work_bytes(), forward_one_.work_bytes()})) {
    for (libcufft::Transform* transform : {&forward_, &inverse_, &forward_one_}) transform->set_work_area(work_.data());
  }
  void set_filter(const Filter& filter) override {
    changed_ = changed_ || filter.weights != problem_.filter.weights;
    problem_.filter = filter;
  }
  void prepare(Stream stream) override {
    if (!std::exchange(changed_, false)) return;
    const std::vector<float>& taps = problem_.filter.weights;
    CONVOSCOPE_CHECK(cudaMemsetAsync(spread_taps_.data(), 0, spread_taps_.bytes(), native(stream)));
    CONVOSCOPE_CHECK(cudaMemcpyAsync(spread_taps_.data(), taps.data(), taps.size() * sizeof(float),
                                     cudaMemcpyHostToDevice, native(stream)));
    forward_one_.forward(spread_taps_.data(), taps_spectrum_.data(), stream.handle);
  }
  void enqueue(std::span<const Tensor> in, std::span<const Tensor> out, Stream stream) override {
    launch(pad_signal, pad_grid(), dim3(threads), 0, stream, SignalViews::in(in), padded_.data(), layout_.pitch,
           layout_.tail, problem_.filter.rx(), problem_.border);
    forward_.forward(padded_.data(), spectra_.data(), stream.handle);
    launch(multiply_spectra, multiply_grid(), dim3(threads), 0, stream, spectra_.data(), taps_spectrum_.data(),
           layout_.spectrum, layout_.batch, 1.0f / static_cast<float>(layout_.size));
    inverse_.inverse(spectra_.data(), sums_.data(), stream.handle);
    launch(finish_blocks, finish_grid(), dim3(threads), 0, stream, sums_.data(), SignalViews::out(out[0]), layout_.size,
           layout_.block, layout_.blocks, make_epilogue(problem_.filter, problem_.format));
  }
  std::vector<KernelInfo> kernels() const override {
    return {describe("pad_signal", pad_signal, pad_grid(), dim3(threads), 0),
            describe("multiply_spectra", multiply_spectra, multiply_grid(), dim3(threads), 0),
            describe("finish_blocks", finish_blocks, finish_grid(), dim3(threads), 0)};
  }
  std::string note() const override {
    return std::to_string(layout_.batch) + " transforms of " + std::to_string(layout_.size) + " samples, " +
           std::to_string(layout_.block) + " outputs of each, " +
           std::to_string(static_cast<long long>(layout_.bytes() + work_.bytes()) >> 20) +
           " MiB; cuFFT's own kernels are not listed";
  }

 private:
  dim3 pad_grid() const { return dim3(ceil_div(layout_.pitch + layout_.tail, threads), problem_.height); }
  dim3 multiply_grid() const {
    constexpr int spectra_of_a_thread = 8, most = 65535;
    return dim3(ceil_div(layout_.spectrum, threads), std::min(ceil_div(layout_.batch, spectra_of_a_thread), most));
  }
  dim3 finish_grid() const { return dim3(ceil_div(problem_.width, threads), problem_.height); }

  Problem problem_;
  Layout layout_;
  DeviceBuffer<float> padded_, sums_, spread_taps_;
  DeviceBuffer<Complex> spectra_, taps_spectrum_;
  libcufft::Transform forward_, inverse_, forward_one_;
  DeviceBuffer<unsigned char> work_;
  bool changed_ = true;
};

constexpr Tunable tunables[] = {transform_size_tunable};

// cuFFT's plans count in ints.
std::string too_large(const Problem& p, const Device& device, const Tuned& t) {
  const OverlapSave one = overlap_save(p, t["transform_size"]);
  const double blocks = std::ceil((p.width + p.filter.width - 1.0) / one.block) * p.height;
  if (blocks * one.size > 0x7FFFFFFF)
    return std::to_string(static_cast<long long>(blocks)) + " transforms of " + std::to_string(one.size) +
           " samples are more than the 2147483647 samples that one plan of cuFFT may have";
  const double bytes = 2 * layout_of(p, t).bytes();  // cuFFT's work area can be as large again
  if (device.memory_bytes && bytes > static_cast<double>(device.memory_bytes))
    return "Blocks and spectra need up to " + std::to_string(static_cast<long long>(bytes) >> 20) +
           " MiB; the device has " + std::to_string(device.memory_bytes >> 20) + " MiB";
  return {};
}

}  // namespace

extern const Strategy strategy{
    .id = "fft",
    .title = "FFT",
    .idea =
        "Blocks of the signal are transformed, multiplied by the spectrum of the taps and transformed back: the time "
        "hardly depends on how many taps there are.",
    .reading = "Oppenheim & Schafer, Discrete-Time Signal Processing, ch. 8.7: overlap-save; cuFFT documentation",
    .backend = target_backend,
    .tunables = tunables,
    .tolerance = overlap_save_bound,
    .refuses = [](const Problem& p, const Device& device, const Tuned& t) -> std::string {
      if (target_backend == Backend::emulated) return "calls cuFFT, which cannot be emulated";
      if (std::string missing = libcufft::Library::missing(); !missing.empty()) return missing;
      if (std::string reason = overlap_save_reason(p, t["transform_size"]); !reason.empty()) return reason;
      return too_large(p, device, t);
    },
    .plans = [](const Problem& p, const Device&, const Tuned& t) -> std::unique_ptr<Plan> {
      return std::make_unique<FftPlan>(p, layout_of(p, t));
    },
    .costs = [](const Problem& p, const Tuned& t) -> Cost {
      // A transform reads and writes its data in one pass; padding, product and finish once each.
      const Layout layout = layout_of(p, t);
      const double blocks = layout.batch, real = 4.0 * layout.size * blocks, complex = 8.0 * layout.spectrum * blocks;
      const double padded = 4.0 * layout.block * blocks;
      return {.flop = flop_of_block(layout) * blocks,
              .global_loads_per_output = 1,
              .global_stores_per_output = 1,
              .dram_bytes = 2 * frame_bytes(p) + padded + real + 4 * complex + 2 * real};
    },
    .calls_library = true,
    .open_library = libcufft::Library::open,
    .kind = &signal_kind,
};

}  // namespace convoscope::CONVOSCOPE_TARGET::signal::fft
