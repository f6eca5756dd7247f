#pragma once
// The view of a pane whose pictures are not opaque: the step that is taken around its strategy.
#include "app/panes/pane_view.h"
#include "kernels/convert/alpha_step.h"

namespace convoscope {

// Of a problem of problem_of_plane(). Plane after plane goes through the plan; show() makes the picture. Who looks at
// its numbers sees those of the last plane.
class AlphaView final : public PaneView {
 public:
  // For pictures of this size; the memory is the Compute's, which outlives it. Throws Error when there is none.
  AlphaView(Compute& compute, const Image& shape) : step_(compute, shape.width, shape.height) {}

  void set_filter(const Filter& filter) override { step_.set_filter(filter); }
  int passes() const override { return step_.passes(); }
  void take_picture(const Image& picture, const FrameName&, Stream) override { picture_ = picture; }
  void begin_pass(int pass, Stream stream) override {
    step_.take_plane(pass, picture_, stream);
    in_ = tensor_of(step_.plane());
    out_ = tensor_of(step_.sum(pass));
  }
  void show(const Image& picture, Stream stream) override { step_.join(picture_, picture, stream); }
  std::span<const Tensor> inputs() const override { return {&in_, 1}; }
  std::span<const Tensor> outputs(const Image&) override { return {&out_, 1}; }

 private:
  AlphaStep step_;
  Image picture_;
  Tensor in_, out_;
};

// Of a plan that is enqueued for every plane: what it costs, and what a reader should know of its time.
inline void count_planes(int passes, Cost& cost, std::string& note) {
  cost.flop *= passes, cost.dram_bytes *= passes;
  note += std::string(note.empty() ? "" : " ") + "The picture has alpha: " + std::to_string(passes) +
          " planes of it go through the strategy one after the other, and the time is that of all.";
}

}  // namespace convoscope
