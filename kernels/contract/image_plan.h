#pragma once
// Plans and their callers that have one image in and one out.
#include "kernels/contract/strategy.h"

namespace convoscope {

// What a strategy for images derives from: enqueue() and explore() of an image.
class ImagePlan : public Plan {
 public:
  void enqueue(std::span<const Tensor> in, std::span<const Tensor> out, Stream stream) final {
    enqueue_frame(rows_of(in[0]), rows_of(out[0]), stream);
  }
  void explore(std::span<const Tensor> in, Stream stream) final { explore_frame(rows_of(in[0]), stream); }

  virtual void enqueue_frame(const Image& in, const Image& out, Stream) = 0;
  virtual void explore_frame(const Image& in, Stream) { static_cast<void>(in); }
};

// The same calls for who has images and any plan for them.
inline void enqueue_image(Plan& plan, const Image& in, const Image& out, Stream stream) {
  const Tensor from = tensor_of(in), to = tensor_of(out);
  plan.enqueue({&from, 1}, {&to, 1}, stream);
}
inline void explore_image(Plan& plan, const Image& in, Stream stream) {
  const Tensor from = tensor_of(in);
  plan.explore({&from, 1}, stream);
}

}  // namespace convoscope
