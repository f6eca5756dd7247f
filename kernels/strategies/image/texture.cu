// The image through the texture unit. Idea: its cache is laid out for neighbours in both dimensions, and its
// addressing knows what lies outside the image: "border" gives the zeros of `zero`, "clamp" is `replicate`, both with
// pixel coordinates; "wrap" is `wrap`, with coordinates from 0 to 1. The hardware's "mirror" repeats the edge and
// ours does not, so mirror computes its indices.
// Traffic: M² loads per output, through the texture cache; DRAM sees the image once.
// Limits: the unit's rate, one fetch per tap; base and pitch alignment (else the frame is copied into a buffer that
// has it); at most 131072 × 65000 pixels.
#include <array>

#include "kernels/contract/image_plan.h"
#include "kernels/contract/model.h"
#include "kernels/contract/tolerance.h"
#include "kernels/device/constant_weights.cuh"
#include "kernels/device/cuda_raii.h"
#include "kernels/device/pixel.cuh"

namespace convoscope::CONVOSCOPE_TARGET {
namespace {

__constant__ float weights[max_filter_weights];
ConstantOwner weights_owner;

__device__ inline void fetch(cudaTextureObject_t texture, float x, float y, float& pixel) {
  pixel = tex2D<float>(texture, x, y);
}
__device__ inline void fetch(cudaTextureObject_t texture, float x, float y, Rgba8& pixel) {
  const uchar4 p = tex2D<uchar4>(texture, x, y);
  pixel = {p.x, p.y, p.z, p.w};
}

// From the index of a pixel to the coordinate of its centre: in pixels, or of 0…1 over the image for `wrap`.
struct Coordinates {
  float scale_x, scale_y;
};

template <class Pixel, int Sums, bool OwnIndices>
__global__ void __launch_bounds__(1024) filter_texture(cudaTextureObject_t in, ImageView<Pixel> out, Coordinates to,
                                                       int rx, int ry, Border border, Epilogue epilogue) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= out.width || y >= out.height) return;

  const int count = (2 * rx + 1) * (2 * ry + 1);
  Accumulator<Pixel, Sums> sums;
  Pixel pixel;
  int tap = 0;
  for (int dy = -ry; dy <= ry; ++dy) {
    const int sy = OwnIndices ? border_index(y + dy, out.height, border) : y + dy;
    for (int dx = -rx; dx <= rx; ++dx, ++tap) {
      const int sx = OwnIndices ? border_index(x + dx, out.width, border) : x + dx;
      fetch(in, (sx + 0.5f) * to.scale_x, (sy + 0.5f) * to.scale_y, pixel);
      for (int s = 0; s < Sums; ++s) sums.add(pixel, weights[s * count + tap], s);
    }
  }
  fetch(in, (x + 0.5f) * to.scale_x, (y + 0.5f) * to.scale_y, pixel);
  *pixel_at(out, x, y) = sums.finish(epilogue, pixel);
}

constexpr int widest = 131072, highest = 65000;  // a texture over pitched memory, compute capability 7.5 and later

constexpr int block_widths[] = {8, 16, 32, 64};
constexpr int block_heights[] = {4, 8, 16};
constexpr Tunable tunables[] = {
    {"block_width", "Block width", "Threads of a block along x; a squarer block suits the texture cache", block_widths,
     16},
    {"block_height", "Block height", "Threads of a block along y", block_heights, 16},
};

class Texture {
 public:
  Texture(void* data, int width, int height, std::size_t pitch, PixelFormat format, Border border) {
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = data;
    resource.res.pitch2D.desc =
        format == PixelFormat::rgba8 ? cudaCreateChannelDesc<uchar4>() : cudaCreateChannelDesc<float>();
    resource.res.pitch2D.width = static_cast<std::size_t>(width);
    resource.res.pitch2D.height = static_cast<std::size_t>(height);
    resource.res.pitch2D.pitchInBytes = pitch;
    cudaTextureDesc description{};
    description.addressMode[0] = description.addressMode[1] = border == Border::zero   ? cudaAddressModeBorder
                                                              : border == Border::wrap ? cudaAddressModeWrap
                                                                                       : cudaAddressModeClamp;
    description.filterMode = cudaFilterModePoint;
    description.readMode = cudaReadModeElementType;
    description.normalizedCoords = border == Border::wrap;
    CONVOSCOPE_CHECK(cudaCreateTextureObject(&object_, &resource, &description, nullptr));
  }
  Texture(const Texture&) = delete;
  Texture& operator=(const Texture&) = delete;
  ~Texture() { CONVOSCOPE_CHECK_NOEXCEPT(cudaDestroyTextureObject(object_)); }
  cudaTextureObject_t object() const { return object_; }

 private:
  cudaTextureObject_t object_ = 0;
};

class TexturePlan final : public ImagePlan {
  template <class F>
  decltype(auto) run(F&& f) const {
    return dispatch(problem_.format, problem_.filter.is_magnitude(), [&]<class Pixel, int Sums>() {
      return problem_.border == Border::mirror ? f.template operator()<Pixel, Sums, true>()
                                               : f.template operator()<Pixel, Sums, false>();
    });
  }

 public:
  TexturePlan(const Problem& problem, const Tuning& tuning);
  void set_filter(const Filter& filter) override {
    problem_.filter = filter;
    weights_.set(filter);
  }
  void prepare(Stream stream) override { weights_.upload(weights, weights_owner, stream); }
  void enqueue_frame(const Image& in, const Image& out, Stream stream) override {
    const cudaTextureObject_t texture = texture_of(in, stream);
    run([&]<class Pixel, int Sums, bool OwnIndices>() {
      const bool unit = problem_.border == Border::wrap;
      const Coordinates to{unit ? 1.0f / static_cast<float>(problem_.width) : 1.0f,
                           unit ? 1.0f / static_cast<float>(problem_.height) : 1.0f};
      launch(filter_texture<Pixel, Sums, OwnIndices>, grid_, block_, 0, stream, texture, out.view<Pixel>(), to,
             problem_.filter.rx(), problem_.filter.ry(), problem_.border,
             make_epilogue(problem_.filter, problem_.format));
    });
  }
  std::vector<KernelInfo> kernels() const override {
    return run([&]<class Pixel, int Sums, bool OwnIndices>() {
      return std::vector<KernelInfo>{
          describe("filter_texture", filter_texture<Pixel, Sums, OwnIndices>, grid_, block_, 0)};
    });
  }
  std::string note() const override {
    switch (problem_.border) {
      case Border::zero:
        return "hardware addressing: border";
      case Border::replicate:
        return "hardware addressing: clamp";
      case Border::wrap:
        return "hardware addressing: wrap, normalised coordinates";
      case Border::mirror:
        return "own index arithmetic: the hardware's mirror repeats the edge";
    }
    return {};
  }

 private:
  // A texture object is made the first time that a frame buffer is seen: a program has few of them and goes through
  // them in turns. One that the unit cannot read, or that finds the table full, is copied into the plan's own.
  cudaTextureObject_t texture_of(const Image& in, Stream stream) {
    for (std::size_t i = 0; i < known_; ++i)
      if (cache_[i].data == in.data && cache_[i].pitch == in.pitch) return cache_[i].texture->object();
    const bool aligned = reinterpret_cast<std::uintptr_t>(in.data) % static_cast<unsigned>(base_alignment_) == 0 &&
                         in.pitch % static_cast<unsigned>(pitch_alignment_) == 0 && in.pitch <= widest_pitch;
    if (aligned && known_ < cache_.size()) {
      cache_[known_] = {in.data, in.pitch, make(in.data, in.pitch)};
      return cache_[known_++].texture->object();
    }
    CONVOSCOPE_CHECK(cudaMemcpy2DAsync(staging_.data(), staging_pitch_, in.data, in.pitch,
                                       static_cast<std::size_t>(in.width) * bytes_per_pixel(in.format),
                                       static_cast<std::size_t>(in.height), cudaMemcpyDeviceToDevice, native(stream)));
    return staging_texture_->object();
  }
  std::unique_ptr<Texture> make(void* data, std::size_t pitch) const {
    return std::make_unique<Texture>(data, problem_.width, problem_.height, pitch, problem_.format, problem_.border);
  }

  static constexpr std::size_t widest_pitch = 2097120;
  struct Known {
    const void* data = nullptr;
    std::size_t pitch = 0;
    std::unique_ptr<Texture> texture;
  };
  Problem problem_;
  dim3 block_, grid_;
  ConstantWeights weights_;
  int base_alignment_ = 512, pitch_alignment_ = 32;
  std::size_t staging_pitch_ = 0;
  DeviceBuffer<std::byte> staging_;
  std::unique_ptr<Texture> staging_texture_;
  std::array<Known, 64> cache_;
  std::size_t known_ = 0;
};

}  // namespace

extern const Strategy texture_strategy;
const Strategy texture_strategy{
    .id = "texture",
    .title = "Texture unit",
    .idea =
        "The image is read through the texture unit, whose cache is made for neighbours in two dimensions and whose "
        "addressing supplies the pixels outside the image, so the kernel has no border code.",
    .reading = "CUDA C++ Programming Guide, \"Texture memory\" and \"Texture fetching\"",
    .backend = target_backend,
    .tunables = tunables,
    .tolerance = [](const Problem& p) { return float32_sum_bound(p, p.filter.taps()); },
    .unsupported = [](const Problem& p, const Device& device, const Tuning& t) -> std::string {
      if (p.width > widest || p.height > highest)
        return "An image of " + std::to_string(p.width) + " × " + std::to_string(p.height) +
               " is larger than a texture can be: " + std::to_string(widest) + " × " + std::to_string(highest);
      if (std::string reason = constant_memory_reason(p.filter); !reason.empty()) return reason;
      return block_size_reason(tuned(texture_strategy, t, "block_width"), tuned(texture_strategy, t, "block_height"),
                               device);
    },
    .plan = [](const Problem& p, const Device&, const Tuning& t) -> std::unique_ptr<Plan> {
      return std::make_unique<TexturePlan>(p, t);
    },
    .model = [](const Problem& p, const Tuning&) { return direct_cost(p); },
    .explain =
        [](const Problem& p, const Device&, const Tuning& t, int x, int y) {
          return explain_windows(
              "filter_texture", tuned(texture_strategy, t, "block_width"), tuned(texture_strategy, t, "block_height"),
              p.filter.rx(), p.filter.ry(), p.width, p.height, x, y,
              "Each thread fetches the inputs under the filter through the texture unit, whose cache is made for "
              "neighbours in both dimensions; its addressing supplies what lies outside.");
        },
};

namespace {
TexturePlan::TexturePlan(const Problem& problem, const Tuning& tuning)
    : problem_(problem),
      block_(tuned(texture_strategy, tuning, "block_width"), tuned(texture_strategy, tuning, "block_height")),
      grid_(ceil_div(problem.width, block_.x), ceil_div(problem.height, block_.y)) {
  int device = 0;
  CONVOSCOPE_CHECK(cudaGetDevice(&device));
  CONVOSCOPE_CHECK(cudaDeviceGetAttribute(&base_alignment_, cudaDevAttrTextureAlignment, device));
  CONVOSCOPE_CHECK(cudaDeviceGetAttribute(&pitch_alignment_, cudaDevAttrTexturePitchAlignment, device));
  const auto alignment = static_cast<std::size_t>(base_alignment_);
  staging_pitch_ = (static_cast<std::size_t>(problem.width) * bytes_per_pixel(problem.format) + alignment - 1) /
                   alignment * alignment;
  staging_ = DeviceBuffer<std::byte>(staging_pitch_ * static_cast<std::size_t>(problem.height));
  staging_texture_ = make(staging_.data(), staging_pitch_);
  weights_.set(problem.filter);
}
}  // namespace

}  // namespace convoscope::CONVOSCOPE_TARGET
