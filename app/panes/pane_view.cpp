#include "app/panes/pane_view.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "app/state/network_settings.h"
#include "kernels/convert/feature_maps.h"
#include "kernels/learn/loss.h"

namespace convoscope {
namespace {

// The last frames, each in memory of its own; the newest is the last one. One frame is copied for each new picture, and
// nothing moves: the names of the places do. The frame in the middle of what is filtered lies as far back as the pane
// of the longest reach needs, so that all panes show the same one.
class VolumeView final : public PaneView {
 public:
  VolumeView(Compute& compute, const Problem& problem, int reach, const Image& shape)
      : compute_(compute), filtered_(static_cast<std::size_t>(problem.filter.depth)) {
    const std::size_t count = static_cast<std::size_t>(std::max(reach, problem.filter.rt()) + problem.filter.rt() + 1);
    const Shape shape_of_one = problem.kind->inputs(problem)[0];
    for (std::size_t i = 0; i < count; ++i) {
      frames_.push_back(compute.allocate(shape.width, shape.height, shape.format));
      tensors_.push_back(tensor_of_rows(frames_.back().image().data, shape_of_one, frames_.back().image().pitch));
    }
    numbers_.resize(count);
  }

  void take(const Image& picture, const FrameName& frame, Stream) override {
    if (frame == taken_) return;
    // What went in before a jump in the source has nothing to do with what comes now; the time before the first frame
    // is like it. Frames that are left out because filtering is slow come at a steady pace.
    const std::int64_t step = frame.number - taken_.number;
    const bool begins = !taken_.memory || step <= 0 || step > most_unsteady * std::max<std::int64_t>(1, step_);
    step_ = step;
    taken_ = frame;
    std::ranges::rotate(frames_, frames_.begin() + 1);
    std::ranges::rotate(tensors_, tensors_.begin() + 1);
    std::ranges::rotate(numbers_, numbers_.begin() + 1);
    for (std::size_t i = begins ? 0 : frames_.size() - 1; i < frames_.size(); ++i) {
      compute_.copy(picture, frames_[i].image());
      numbers_[i] = frame.number;
    }
  }
  std::span<const Tensor> inputs() const override { return {tensors_.data(), filtered_}; }
  std::span<const Tensor> outputs(const Image& picture) override {
    out_ = tensor_of(picture);
    return {&out_, 1};
  }
  std::string note() const override {
    const std::int64_t apart = numbers_[filtered_ - 1] - numbers_[0];
    if (apart < static_cast<std::int64_t>(filtered_)) return {};
    return "The first and the last of the " + std::to_string(filtered_) + " frames lie " + std::to_string(apart) +
           " apart in the source: it plays faster than it can be filtered.";
  }

 private:
  static constexpr std::int64_t most_unsteady = 8;

  Compute& compute_;
  std::vector<DeviceImage> frames_;  // oldest first
  std::vector<Tensor> tensors_;      // of them
  std::vector<std::int64_t> numbers_;
  std::size_t filtered_;  // of them, from the oldest on
  Tensor out_;
  FrameName taken_;
  std::int64_t step_ = 0;  // from the frame before to taken_
};

// What a plan reads or makes and, where that is no float32 in planes, the same once more for who looks at it.
class SeenTensor {
 public:
  SeenTensor(Compute& compute, const Tensor& stored) : backend_(compute.device().backend), stored_(stored) {
    if (const Shape planes = in_planes(stored.shape); planes != stored.shape)
      planes_ = allocate_tensor(compute, planes);
  }
  const Tensor& stored() const { return stored_; }
  const Tensor& seen() const { return planes_ ? planes_->tensor : stored_; }
  void show(Stream stream) {
    if (planes_) copy_numbers(backend_, stored_, planes_->tensor, stream);
  }

 private:
  const Backend backend_;
  const Tensor stored_;
  std::optional<DeviceTensor> planes_;
};

// The colours of a frame in, a wall of feature maps to be seen.
class LayerView : public PaneView {
 public:
  LayerView(Compute& compute, const LayerTensors& tensors, const WallSettings& look, const LayerSettings& layer,
            const Image& shape)
      : compute_(compute),
        backend_(compute.device().backend),
        picture_(compute, tensors.colours),
        inputs_(compute, tensors.inputs),
        maps_(compute, tensors.maps),
        wall_{tensors.maps.shape.channels(), tensors.maps.shape.width(), tensors.maps.shape.height(), shape.width,
              shape.height} {
    LayerView::look(look, layer);
  }

  void take(const Image& picture, const FrameName& frame, Stream stream) override {
    if (!noisy_) return split_channels(backend_, picture, picture_.stored(), stream);
    split_channels(backend_, picture, clean_->tensor, stream);
    // The emulator is for the layer's own kernels.
    const Backend by = backend_ == Backend::emulated ? Backend::cpu : backend_;
    add_noise(by, clean_->tensor, noisy_->tensor, noise_, static_cast<std::uint32_t>(frame.number), stream);
    copy_numbers(backend_, noisy_->tensor, picture_.stored(), stream);
  }
  void show(const Image& picture, Stream stream) override {
    inputs_.show(stream);
    maps_.show(stream);
    if (!wall_.frames) return paint_wall(backend_, maps_.seen(), wall_, colours_, picture, stream);
    picture_.show(stream);
    paint_frames(backend_, picture_.seen(), maps_.seen(), residual_, wall_, picture, stream);
  }
  std::span<const Tensor> inputs() const override { return {&inputs_.stored(), 1}; }
  std::span<const Tensor> outputs(const Image&) override { return {&maps_.stored(), 1}; }
  std::span<const Tensor> seen_inputs() const override { return {&inputs_.seen(), 1}; }
  Tensor seen_output(const Image&) override { return maps_.seen(); }
  void look(const WallSettings& wanted, const LayerSettings& layer) override {
    const Shape &in = picture_.stored().shape, &out = maps_.stored().shape;
    wall_.frames = wanted.frames && in.channels() == out.channels();
    wall_.maps = wall_.frames ? 2 : out.channels();
    wall_.alone = wall_.frames ? -1 : std::clamp(wanted.map, -1, wall_.maps - 1);
    colours_ = {static_cast<float>(wanted.gain), wanted.colours};
    residual_ = layer.residual && seen_layer(layer) == layer.further.size() && in.extent == out.extent;
    noise_ = static_cast<float>(layer.noise / white_level(PixelFormat::rgba8));
    if ((noise_ > 0) == noisy_.has_value()) return;
    clean_.reset();
    noisy_.reset();
    if (noise_ <= 0) return;
    clean_ = dense_tensor(compute_, in_planes(in));
    noisy_ = dense_tensor(compute_, in_planes(in));
  }
  std::optional<Wall> wall() const override { return wall_; }

 private:
  Compute& compute_;
  const Backend backend_;
  SeenTensor picture_, inputs_, maps_;
  std::optional<DeviceTensor> clean_, noisy_;  // where noise is added
  float noise_ = 0;
  bool residual_ = false;
  Wall wall_;
  MapColours colours_;
};

// One layer by itself, whose tensors are the view's.
class SingleLayerView final : public LayerView {
 public:
  SingleLayerView(Compute& compute, const Problem& problem, const WallSettings& look, const LayerSettings& layer,
                  const Image& shape)
      : SingleLayerView(compute, allocate_tensor(compute, problem.kind->inputs(problem)[0]),
                        allocate_tensor(compute, problem.kind->outputs(problem)[0]), look, layer, shape) {}

 private:
  SingleLayerView(Compute& compute, DeviceTensor x, DeviceTensor y, const WallSettings& look,
                  const LayerSettings& layer, const Image& shape)
      : LayerView(compute, {x.tensor, x.tensor, y.tensor}, look, layer, shape), x_(std::move(x)), y_(std::move(y)) {}

  DeviceTensor x_, y_;
};

}  // namespace

std::unique_ptr<PaneView> make_pane_view(Compute& compute, const Problem& problem, const Work& work,
                                         const Image& shape) {
  if (over_frames(work)) return std::make_unique<VolumeView>(compute, problem, work.reach, shape);
  if (has_bank(work)) return std::make_unique<SingleLayerView>(compute, problem, *work.wall, *work.layer, shape);
  return nullptr;
}

std::unique_ptr<PaneView> make_layer_view(Compute& compute, const LayerTensors& tensors, const WallSettings& look,
                                          const LayerSettings& layer, const Image& shape) {
  return std::make_unique<LayerView>(compute, tensors, look, layer, shape);
}

}  // namespace convoscope
