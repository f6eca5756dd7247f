// The image through the texture unit. Idea: its cache is laid out for neighbours in both dimensions, and its addressing
// knows what lies outside the image (but for `mirror`, see texture.cuh).
// Traffic: M² loads per output, through the texture cache; DRAM sees the image once.
// Limits: the unit's rate, one fetch per tap; base and pitch alignment (else the frame is copied into a buffer that
// has it); at most 131072 × 65000 pixels.
#include "kernels/contract/image_plan.h"
#include "kernels/contract/theory/model.h"
#include "kernels/contract/theory/tolerance.h"
#include "kernels/device/constant_weights.cuh"
#include "kernels/strategies/shared/image/texture.cuh"

namespace convoscope::CONVOSCOPE_TARGET::texture {
namespace {

__constant__ float weights[max_filter_weights];
ConstantOwner weights_owner;

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

constexpr int block_widths[] = {8, 16, 32, 64};
constexpr int block_heights[] = {4, 8, 16};
constexpr Tunable tunables[] = {
    {"block_width", "Block width", "Threads of a block along x; a squarer block suits the texture cache", block_widths,
     16},
    {"block_height", "Block height", "Threads of a block along y", block_heights, 16},
};

class TexturePlan final : public ImagePlan {
 public:
  TexturePlan(const Problem& problem, const Tuned& tuning);
  void set_filter(const Filter& filter) override {
    problem_.filter = filter;
    weights_.set(filter);
  }
  void prepare(Stream stream) override { weights_.upload(weights, weights_owner, stream); }
  void enqueue_frame(const Image& in, const Image& out, Stream stream) override {
    weights_.expect_in_place();
    const cudaTextureObject_t texture = frames_.of(in, stream);
    dispatch_texture(problem_, [&]<class Pixel, int Sums, bool OwnIndices>() {
      launch(filter_texture<Pixel, Sums, OwnIndices>, grid_, block_, 0, stream, texture, out.view<Pixel>(),
             texture_coordinates(problem_), problem_.filter.rx(), problem_.filter.ry(), problem_.border,
             make_epilogue(problem_.filter, problem_.format));
    });
  }
  std::vector<KernelInfo> kernels() const override {
    return dispatch_texture(problem_, [&]<class Pixel, int Sums, bool OwnIndices>() {
      return weights_.described(
          {describe("filter_texture", filter_texture<Pixel, Sums, OwnIndices>, grid_, block_, 0)});
    });
  }
  std::string note() const override { return texture_addressing(problem_.border); }

 private:
  Problem problem_;
  dim3 block_, grid_;
  ConstantWeights weights_;
  FrameTextures frames_;
};

}  // namespace

extern const Strategy strategy{
    .id = "texture",
    .title = "Texture unit",
    .idea =
        "The image is read through the texture unit, whose cache is made for neighbours in two dimensions and whose "
        "addressing supplies the pixels outside the image, so the kernel has no border code.",
    .reading = "CUDA C++ Programming Guide, \"Texture memory\" and \"Texture fetching\"",
    .backend = target_backend,
    .tunables = tunables,
    .tolerance = [](const Problem& p) { return float32_sum_bound(p, p.filter.taps()); },
    .refuses = [](const Problem& p, const Device& device, const Tuned& t) -> std::string {
      if (std::string reason = texture_size_reason(p); !reason.empty()) return reason;
      if (std::string reason = constant_memory_reason(p.filter); !reason.empty()) return reason;
      return block_size_reason(t["block_width"], t["block_height"], device);
    },
    .plans = [](const Problem& p, const Device&, const Tuned& t) -> std::unique_ptr<Plan> {
      return std::make_unique<TexturePlan>(p, t);
    },
    .costs = [](const Problem& p, const Tuned&) { return direct_cost(p); },
    .explains =
        [](const Problem& p, const Device&, const Tuned& t, const OutputIndex& at) {
          return explain_windows(
              "filter_texture", t["block_width"], t["block_height"], p.filter.rx(), p.filter.ry(), p.width, p.height,
              at.x, at.y,
              "Each thread fetches the inputs under the filter through the texture unit, whose cache is made for "
              "neighbours in both dimensions; its addressing supplies what lies outside.");
        },
};

namespace {
TexturePlan::TexturePlan(const Problem& problem, const Tuned& tuning)
    : problem_(problem),
      block_(tuning["block_width"], tuning["block_height"]),
      grid_(ceil_div(problem.width, block_.x), ceil_div(problem.height, block_.y)),
      frames_(problem) {
  weights_.set(problem.filter);
}
}  // namespace

}  // namespace convoscope::CONVOSCOPE_TARGET::texture
