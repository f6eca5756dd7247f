#pragma once
// Images through the texture unit: point-sampled texture objects over pitched memory, their coordinates and their
// fetches, and the objects of the frames that a plan reads.
#include <array>
#include <memory>

#include "kernels/contract/theory/model.h"
#include "kernels/device/cuda_raii.h"
#include "kernels/device/parts/output_block.h"
#include "kernels/device/parts/wide_pixel.cuh"

namespace convoscope::CONVOSCOPE_TARGET {

// Of a texture over pitched memory, compute capability 7.5 and later.
inline constexpr int widest_texture = 131072, highest_texture = 65000;
inline constexpr std::size_t widest_texture_pitch = 2097120;

// Why the problem's image cannot be one, empty when it can.
inline std::string texture_size_reason(const Problem& p) {
  if (p.width <= widest_texture && p.height <= highest_texture) return {};
  return "An image of " + std::to_string(p.width) + " × " + std::to_string(p.height) +
         " is larger than a texture can be: " + std::to_string(widest_texture) + " × " +
         std::to_string(highest_texture);
}

__device__ inline void fetch(cudaTextureObject_t texture, float x, float y, float& pixel) {
  pixel = tex2D<float>(texture, x, y);
}
__device__ inline void fetch(cudaTextureObject_t texture, float x, float y, Rgba8& pixel) {
  const uchar4 p = tex2D<uchar4>(texture, x, y);
  pixel = {p.x, p.y, p.z, p.w};
}
__device__ inline void fetch(cudaTextureObject_t texture, float x, float y, Rgba32f& pixel) {
  const float4 p = tex2D<float4>(texture, x, y);
  pixel = {p.x, p.y, p.z, p.w};
}

template <class Pixel>
cudaChannelFormatDesc texel_of() {
  if constexpr (std::is_same_v<Pixel, Rgba8>)
    return cudaCreateChannelDesc<uchar4>();
  else if constexpr (std::is_same_v<Pixel, Rgba32f>)
    return cudaCreateChannelDesc<float4>();
  else
    return cudaCreateChannelDesc<float>();
}

// From the index of a pixel to the coordinate of its centre: in pixels, or of 0…1 over the image for `wrap`.
struct Coordinates {
  float scale_x, scale_y;
};
inline Coordinates texture_coordinates(const Problem& p) {
  if (p.border != Border::wrap) return {1, 1};
  return {1.0f / static_cast<float>(p.width), 1.0f / static_cast<float>(p.height)};
}

// What lies outside the image is the hardware's affair: "border" gives the zeros of `zero`, "clamp" is `replicate`,
// both with pixel coordinates; "wrap" is `wrap`, with coordinates from 0 to 1. The hardware's "mirror" repeats the edge
// and ours does not, so for `mirror` a kernel computes its indices.
inline const char* texture_addressing(Border border) {
  switch (border) {
    case Border::zero:
      return "hardware addressing: border";
    case Border::replicate:
      return "hardware addressing: clamp";
    case Border::wrap:
      return "hardware addressing: wrap, normalised coordinates";
    case Border::mirror:
      return "own index arithmetic: the hardware's mirror repeats the edge";
  }
  return "";
}

// Calls f.template operator()<Pixel, Sums, OwnIndices>() for the problem, as dispatch() does.
template <class F>
decltype(auto) dispatch_texture(const Problem& p, F&& f) {
  return dispatch(p.format, p.filter.is_magnitude(), [&]<class Pixel, int Sums>() {
    return p.border == Border::mirror ? f.template operator()<Pixel, Sums, true>()
                                      : f.template operator()<Pixel, Sums, false>();
  });
}

class Texture {
 public:
  template <class Pixel>
  Texture(Pixel* data, int width, int height, std::size_t pitch, Border border) {
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = data;
    resource.res.pitch2D.desc = texel_of<Pixel>();
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

// What the current device wants of memory under a texture, in bytes.
struct TextureAlignment {
  std::size_t base = 0, pitch = 0;

  static TextureAlignment of_device() {
    int device = 0, base = 0, pitch = 0;
    CONVOSCOPE_CHECK(cudaGetDevice(&device));
    CONVOSCOPE_CHECK(cudaDeviceGetAttribute(&base, cudaDevAttrTextureAlignment, device));
    CONVOSCOPE_CHECK(cudaDeviceGetAttribute(&pitch, cudaDevAttrTexturePitchAlignment, device));
    return {static_cast<std::size_t>(base), static_cast<std::size_t>(pitch)};
  }
  // From row to row of memory of our own: a texture may begin at any of its rows.
  std::size_t pitch_of(std::size_t row_bytes) const { return (row_bytes + base - 1) / base * base; }
};

// The texture objects of the frames that a plan reads. One is made the first time that a frame buffer is seen: a
// program has few of them and goes through them in turns. A frame that the unit cannot read, or that finds the table
// full, is copied into memory of the plan's own.
class FrameTextures {
 public:
  explicit FrameTextures(const Problem& problem)
      : problem_(problem),
        staging_pitch_(alignment_.pitch_of(static_cast<std::size_t>(problem.width) * bytes_per_pixel(problem.format))),
        staging_(staging_pitch_ * static_cast<std::size_t>(problem.height)),
        staging_texture_(make(staging_.data(), staging_pitch_)) {}

  cudaTextureObject_t of(const Image& in, Stream stream) {
    for (std::size_t i = 0; i < known_; ++i)
      if (cache_[i].data == in.data && cache_[i].pitch == in.pitch) return cache_[i].texture->object();
    const bool aligned = reinterpret_cast<std::uintptr_t>(in.data) % alignment_.base == 0 &&
                         in.pitch % alignment_.pitch == 0 && in.pitch <= widest_texture_pitch;
    if (aligned && known_ < cache_.size()) {
      cache_[known_] = {in.data, in.pitch, make(in.data, in.pitch)};
      return cache_[known_++].texture->object();
    }
    CONVOSCOPE_CHECK(cudaMemcpy2DAsync(staging_.data(), staging_pitch_, in.data, in.pitch,
                                       static_cast<std::size_t>(in.width) * bytes_per_pixel(in.format),
                                       static_cast<std::size_t>(in.height), cudaMemcpyDeviceToDevice, native(stream)));
    return staging_texture_->object();
  }

 private:
  std::unique_ptr<Texture> make(void* data, std::size_t pitch) const {
    const auto over = [&]<class Pixel>(Pixel* pixels) {
      return std::make_unique<Texture>(pixels, problem_.width, problem_.height, pitch, problem_.border);
    };
    return problem_.format == PixelFormat::rgba8 ? over(static_cast<Rgba8*>(data)) : over(static_cast<float*>(data));
  }

  struct Known {
    const void* data = nullptr;
    std::size_t pitch = 0;
    std::unique_ptr<Texture> texture;
  };
  Problem problem_;
  TextureAlignment alignment_ = TextureAlignment::of_device();
  std::size_t staging_pitch_;
  DeviceBuffer<std::byte> staging_;
  std::unique_ptr<Texture> staging_texture_;
  std::array<Known, 64> cache_;
  std::size_t known_ = 0;
};

// For plan_for_image(): the input is a texture.
template <class Pixel>
struct TextureViews : PlainViews {
  using In = cudaTextureObject_t;
  using Out = ImageView<Pixel>;
  template <class... Extra>
  using Kernel = void (*)(In, Out, Coordinates, int rx, int ry, Border, Epilogue, Extra...);

  explicit TextureViews(const Problem& problem) : PlainViews(problem), frames_(problem) {}
  In in(std::span<const Tensor> in, Stream stream) { return frames_.of(rows_of(in[0]), stream); }
  static Out out(const Tensor& out) { return rows_of(out).view<Pixel>(); }
  static std::tuple<Coordinates, int, int, Border, Epilogue> arguments(const Problem& p) {
    return {texture_coordinates(p), p.filter.rx(), p.filter.ry(), p.border, make_epilogue(p.filter, p.format)};
  }
  static std::string note(const Problem& p) { return texture_addressing(p.border); }

 private:
  FrameTextures frames_;
};

inline constexpr int texture_block_widths[] = {8, 16, 32, 64};
inline constexpr Tunable texture_block_tunables[] = {
    {"block_width", "Block width", "Threads of a block along x; a squarer block suits the texture cache",
     texture_block_widths, 16},
    {"block_height", "Block height", "Threads of a block along y", output_block_heights, 16},
};

// The strategy of blocks with a thread for each output that fetches what it takes; weights are in constant memory.
template <const Lesson& lesson>
constexpr Strategy texture_blocks(decltype(Strategy::plans) plans) {
  return strategy_of(
      lesson, texture_block_tunables,
      [](const Problem& p, const Device& device, const Tuned& t) {
        if (std::string reason = texture_size_reason(p); !reason.empty()) return reason;
        if (std::string reason = constant_memory_reason(p.filter); !reason.empty()) return reason;
        return output_block_reason(p, device, t);
      },
      plans, direct_cost,
      [](const Problem& p, const Device&, const Tuned& t, const OutputIndex& at) {
        return explain_output_block(lesson.names.kernel, lesson.how, output_block(t), p, at);
      });
}

}  // namespace convoscope::CONVOSCOPE_TARGET
