#pragma once
// The plan of a strategy whose two passes read through the texture unit: the rows of the frame, and the columns of
// their sums, which lie in rows that textures may have. Host code.
#include <array>
#include <memory>
#include <vector>

#include "kernels/contract/image_plan.h"
#include "kernels/strategies/shared/image/separable_taps.h"
#include "kernels/strategies/shared/image/texture.cuh"

namespace convoscope::CONVOSCOPE_TARGET {

// Own: `names` of the kernels; SumTextures, the textures of the sums as the second one takes them;
// with_kernels(problem, f), which calls f.template operator()<Pixel, Sums>(rows, columns).
template <class Own>
class TexturePassPlan final : public ImagePlan {
 public:
  TexturePassPlan(const Problem& problem, dim3 block, ConstantUpload upload)
      : problem_(problem),
        block_(block),
        grid_(ceil_div(problem.width, block_.x), ceil_div(problem.height, block_.y)),
        upload_(upload),
        frames_(problem),
        sums_pitch_(TextureAlignment::of_device().pitch_of(wide_pixel_bytes(problem.format) *
                                                           static_cast<std::size_t>(problem.width))),
        sums_(sums_pitch_ * static_cast<std::size_t>(problem.height) * (problem.filter.is_magnitude() ? 2 : 1)) {
    taps_.set(separable_taps(problem.filter));
    Own::with_kernels(problem_, [&]<class Pixel, int Sums>(auto, auto) {
      for (int s = 0; s < Sums; ++s)
        sum_textures_[s] =
            std::make_unique<Texture>(sums<Pixel>(s).data, problem.width, problem.height, sums_pitch_, problem.border);
    });
  }
  void set_filter(const Filter& filter) override {
    problem_.filter = filter;
    taps_.set(separable_taps(filter));
  }
  void prepare(Stream stream) override { upload_(taps_, stream); }
  void enqueue_frame(const Image& in, const Image& out, Stream stream) override {
    taps_.expect_in_place();
    const int rx = problem_.filter.rx(), ry = problem_.filter.ry();
    const Coordinates to = texture_coordinates(problem_);
    const cudaTextureObject_t frame = frames_.of(in, stream);
    Own::with_kernels(problem_, [&]<class Pixel, int Sums>(auto rows, auto columns) {
      const typename Own::SumTextures textures{{sum_textures_[0]->object(), sum_textures_[Sums - 1]->object()}};
      launch(rows, grid_, block_, 0, stream, frame, sums<Pixel>(), to, rx, ry, problem_.border);
      launch(columns, grid_, block_, 0, stream, textures, out.view<Pixel>(), to, rx, ry, problem_.border,
             make_epilogue(problem_.filter, problem_.format));
    });
  }
  std::vector<KernelInfo> kernels() const override {
    return Own::with_kernels(problem_, [&]<class Pixel, int Sums>(auto rows, auto columns) {
      return taps_.described(
          {describe(Own::names[0], rows, grid_, block_, 0), describe(Own::names[1], columns, grid_, block_, 0)});
    });
  }
  std::string note() const override { return texture_addressing(problem_.border); }

 private:
  template <class Pixel>
  ImageView<Wide<Pixel>> sums(int filter = 0) const {
    std::byte* const first = sums_.data() + sums_pitch_ * static_cast<std::size_t>(problem_.height) * filter;
    return {reinterpret_cast<Wide<Pixel>*>(first), problem_.width, problem_.height, sums_pitch_};
  }

  Problem problem_;
  dim3 block_, grid_;
  ConstantUpload upload_;
  FrameTextures frames_;
  std::size_t sums_pitch_;
  DeviceBuffer<std::byte> sums_;
  std::array<std::unique_ptr<Texture>, 2> sum_textures_;  // of the planes of `sums_`
  ConstantWeights taps_;
};

}  // namespace convoscope::CONVOSCOPE_TARGET
