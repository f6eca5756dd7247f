// What a library for images does. Idea: one call of nppiFilterBorder: 8-bit RGBA with float weights, or float gray.
// Traffic: NPP's own; its rgba8 filter leaves alpha alone, so the frame is first copied for the alpha's sake, and that
// copy is part of the time shown.
// Limits: NPP implements only the replicate border, rounds in its own way, and stores 8-bit results without bias,
// absolute value or a second filter; for gray32f a small kernel adds those.
#include "kernels/contract/image_plan.h"
#include "kernels/contract/model.h"
#include "kernels/contract/tolerance.h"
#include "kernels/device/global_weights.cuh"
#include "kernels/device/wide_pixel.cuh"
#include "kernels/peers/npp.h"

namespace convoscope::CONVOSCOPE_TARGET::npp {
namespace {

constexpr int block_width = 32, block_height = 8;

// out = epilogue(sums, out): `out` holds the first filter's sums, `second` the other's for edge magnitude.
template <int Sums>
__global__ void finish_gray(ImageView<float> out, const float* second, Epilogue epilogue) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= out.width || y >= out.height) return;
  float* const place = pixel_at(out, x, y);
  const float other = Sums == 2 ? second[static_cast<std::size_t>(y) * out.width + x] : 0.0f;
  *place = finish_channel<Sums>(epilogue, *place, other);
}

int max_threads_per_multiprocessor(int compute_capability) {
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
  NppPlan(const Problem& problem, const Device& device)
      : problem_(problem),
        weights_(problem.filter.weights.size() + problem.filter.weights_y.size()),
        second_(problem.filter.is_magnitude() ? static_cast<std::size_t>(problem.width) * problem.height : 0) {
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
  // NPP wants coefficients in reverse order. For rgba8 the gain goes into them: the result is stored as 8 bits at once.
  void set_filter(const Filter& filter) override {
    problem_.filter = filter;
    const float gain = problem_.format == PixelFormat::rgba8 ? filter.gain : 1.0f;
    std::vector<float> weights(filter.weights.rbegin(), filter.weights.rend());
    weights.insert(weights.end(), filter.weights_y.rbegin(), filter.weights_y.rend());
    for (float& weight : weights) weight *= gain;
    weights_.set(std::move(weights));
  }
  void prepare(Stream stream) override { weights_.send(stream); }
  void enqueue_frame(const Image& in, const Image& out, Stream stream) override {
    context_.stream = stream.handle;
    if (problem_.format == PixelFormat::rgba8) {
      CONVOSCOPE_CHECK(cudaMemcpy2DAsync(out.data, out.pitch, in.data, in.pitch, in.width * bytes_per_pixel(in.format),
                                         in.height, cudaMemcpyDeviceToDevice, native(stream)));
      filter(libnpp::api().filter_rgba8, in, static_cast<unsigned char*>(out.data), out.pitch, weights_.data());
      return;
    }
    const Filter& f = problem_.filter;
    filter(libnpp::api().filter_gray32f, in, static_cast<float*>(out.data), out.pitch, weights_.data());
    if (f.is_magnitude()) {
      filter(libnpp::api().filter_gray32f, in, second_.data(), out.width * sizeof(float),
             weights_.data() + f.weights.size());
      launch(finish_gray<2>, grid(), dim3(block_width, block_height), 0, stream, out.view<float>(), second_.data(),
             make_epilogue(f, problem_.format));
    } else if (f.gain != 1 || f.bias != 0 || f.absolute) {
      launch(finish_gray<1>, grid(), dim3(block_width, block_height), 0, stream, out.view<float>(), second_.data(),
             make_epilogue(f, problem_.format));
    }
  }
  std::string note() const override { return "NPP's own kernels are not listed"; }

 private:
  dim3 grid() const { return dim3(ceil_div(problem_.width, block_width), ceil_div(problem_.height, block_height)); }

  template <class Element>
  void filter(libnpp::FilterBorder<Element>* function, const Image& in, Element* out, std::size_t out_pitch,
              const float* weights) const {
    const libnpp::Size size{in.width, in.height}, weights_size{problem_.filter.width, problem_.filter.height};
    libnpp::check(function(static_cast<const Element*>(in.data), static_cast<int>(in.pitch), size, {0, 0}, out,
                           static_cast<int>(out_pitch), size, weights, weights_size,
                           {problem_.filter.rx(), problem_.filter.ry()}, libnpp::border_replicate, context_),
                  "nppiFilterBorder");
  }

  Problem problem_;
  GlobalFloats weights_;
  DeviceBuffer<float> second_;
  libnpp::StreamContext context_;
};

}  // namespace

extern const Strategy strategy;
const Strategy strategy{
    .id = "npp",
    .title = "NPP",
    .idea =
        "NVIDIA's image library, one call. It filters 8-bit RGBA directly; alpha is copied first, which is part of the "
        "time.",
    .reading = "NVIDIA Performance Primitives documentation, nppiFilterBorder32f",
    .backend = target_backend,
    .tunables = {},
    // NPP does not say whether it rounds or truncates to 8 bits: truncation is half a code value beyond rounding. One
    // more term for the gain inside the weights.
    .tolerance =
        [](const Problem& p) {
          const double rounding = p.format == PixelFormat::rgba8 ? 0.5 : 0.0;
          return rounding + float32_sum_bound(p, p.filter.width * p.filter.height + 1);
        },
    .unsupported = [](const Problem& p, const Device&, const Tuning&) -> std::string {
      if (target_backend == Backend::emulated) return "calls NPP, which cannot be emulated";
      if (std::string missing = libnpp::Library::missing(); !missing.empty()) return missing;
      if (p.border != Border::replicate)
        return "NPP's filters implement only the replicate border; this one is " + std::string(to_string(p.border));
      if (p.format == PixelFormat::rgba8 && p.filter.is_magnitude())
        return "NPP stores the sums of an rgba8 filter as 8 bits, so two of them cannot become an edge magnitude";
      if (p.format == PixelFormat::rgba8 && (p.filter.bias != 0 || p.filter.absolute))
        return "NPP stores the sums of an rgba8 filter as 8 bits at once: there is no bias and no absolute value";
      return {};
    },
    .plan = [](const Problem& p, const Device& device, const Tuning&) -> std::unique_ptr<Plan> {
      return std::make_unique<NppPlan>(p, device);
    },
    .model = [](const Problem& p, const Tuning&) -> Cost {
      Cost cost = direct_cost(p);  // NPP does not say what its kernels do; the definition's work, plus the alpha copy
      if (p.format == PixelFormat::rgba8) cost.dram_bytes += 2 * frame_bytes(p);
      return cost;
    },
    .peer = true,
    .calls_library = true,
    .open_library = libnpp::Library::open,
};

}  // namespace convoscope::CONVOSCOPE_TARGET::npp
