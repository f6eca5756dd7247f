#include "app/panes/pane_view.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "app/panes/alpha_view.h"
#include "app/state/network_settings.h"
#include "kernels/convert/feature_maps.h"
#include "kernels/learn/loss.h"

namespace convoscope {
namespace {

// The last frames, each in memory of its own; the newest is the last one. One frame is copied for each new picture, and
// nothing moves: the names of the places do.
class FrameRing {
 public:
  FrameRing(Compute& compute, const Image& shape, std::size_t count) : compute_(compute), numbers_(count) {
    for (std::size_t i = 0; i < count; ++i) {
      frames_.push_back(compute.allocate(shape.width, shape.height, shape.format));
      tensors_.push_back(tensor_of(frames_.back().image()));
    }
  }

  void take_picture(const Image& picture, const FrameName& frame) {
    if (frame == taken_) return;
    // What went in before a jump in the source has nothing to do with what comes now; the time before the first frame
    // is like it. Frames that are left out because filtering is slow come at a steady pace.
    const std::int64_t step = frame.id.number - taken_.id.number;
    const bool begins = !taken_.memory || step <= 0 || step > most_unsteady * std::max<std::int64_t>(1, step_);
    step_ = step;
    led_ = frame.leads || (led_ && !begins && (taken_.leads || step == 1));
    const bool has_led = taken_.leads && !frame.leads;
    taken_ = frame;
    std::ranges::rotate(frames_, frames_.begin() + 1);
    std::ranges::rotate(tensors_, tensors_.begin() + 1);
    std::ranges::rotate(numbers_, numbers_.begin() + 1);
    for (std::size_t i = begins ? 0 : frames_.size() - 1; i < frames_.size(); ++i) {
      compute_.copy(picture, frames_[i].image());
      numbers_[i] = frame.id.number;
    }
    if (has_led) times_cut_ = lacks_first() ? times_cut_ + 1 : 0;
  }
  std::span<const Tensor> tensors() const { return tensors_; }  // oldest first
  const Image& image(std::size_t i) const { return frames_[i].image(); }
  FramesSeen seen(std::size_t count) const {  // so many from the oldest on
    const auto end = numbers_.begin() + static_cast<std::ptrdiff_t>(count);
    FramesSeen seen{numbers_[0], numbers_[count / 2], numbers_[count - 1], static_cast<int>(count)};
    seen.same = static_cast<int>(std::count(numbers_.begin(), end, numbers_[0]));
    seen.newest = numbers_.back();
    seen.before = static_cast<int>(numbers_.size()) - 1;
    const bool all_that_led = led_ && (!lacks_first() || times_cut_ >= most_times_cut);
    seen.whole = taken_.memory && (all_that_led || std::ranges::adjacent_find(numbers_, is_gap) == numbers_.end());
    return seen;
  }

 private:
  // The first frame stands in for the time before it.
  static bool is_gap(std::int64_t number, std::int64_t next) {
    return next != number + 1 && (next != 0 || number != 0);
  }

  // One stands in for those before it, and is not the first: of what was to lead something was lost on its way.
  bool lacks_first() const { return numbers_.size() > 1 && numbers_[0] == numbers_[1] && numbers_[0] != 0; }

  static constexpr std::int64_t most_unsteady = 8;
  static constexpr int most_times_cut = 3;  // a source that begins with another number has no more

  Compute& compute_;
  std::vector<DeviceImage> frames_;
  std::vector<Tensor> tensors_;  // of them
  std::vector<std::int64_t> numbers_;
  FrameName taken_;
  std::int64_t step_ = 0;  // from the frame before to taken_
  bool led_ = false;       // they came as the source has them, whatever their numbers
  int times_cut_ = 0;      // running, that those that led lacked the first ones
};

// The frame in the middle of what is filtered lies as far back as the pane of the longest reach needs, so that all
// panes show the same one.
class VolumeView final : public PaneView {
 public:
  VolumeView(Compute& compute, const Problem& problem, int reach, const Image& shape)
      : filtered_(static_cast<std::size_t>(problem.filter.depth)),
        frames_(compute, shape,
                static_cast<std::size_t>(std::max(reach, problem.filter.rt()) + problem.filter.rt() + 1)) {}

  void take_picture(const Image& picture, const FrameName& frame, Stream) override {
    frames_.take_picture(picture, frame);
  }
  std::span<const Tensor> inputs() const override { return frames_.tensors().first(filtered_); }
  std::span<const Tensor> outputs(const Image& picture) override {
    out_ = tensor_of(picture);
    return {&out_, 1};
  }
  FramesSeen frames() const override { return frames_.seen(filtered_); }

 private:
  std::size_t filtered_;  // of the frames, from the oldest on
  FrameRing frames_;
  Tensor out_;
};

// Some of the channels, one after the other.
Tensor channels_of(const Tensor& tensor, int first, int count) {
  Tensor some = tensor;
  some.data = static_cast<char*>(tensor.data) + first * tensor.stride[1];
  some.shape.extent[1] = count;
  return some;
}

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

// The colours of a frame, or of the last ones, in, a wall of feature maps to be seen.
class LayerView : public PaneView {
 public:
  LayerView(Compute& compute, const LayerTensors& tensors, const WallSettings& look, const LayerSettings& layer,
            const Image& shape)
      : compute_(compute),
        backend_(compute.device().backend),
        colour_count_(channels(shape.format)),
        picture_(compute, tensors.colours),
        inputs_(compute, tensors.inputs),
        maps_(compute, tensors.maps),
        wall_{tensors.maps.shape.channels(), tensors.maps.shape.width(), tensors.maps.shape.height(), shape.width,
              shape.height} {
    is_stacked_ = takes_stacked_planes(layer, shape.height, shape.format);
    if (const int frames = tensors.colours.shape.channels() / colour_count_; frames > 1 && !is_stacked_)
      last_frames_.emplace(compute, shape, static_cast<std::size_t>(frames));
    LayerView::follow_wall(look, layer);
  }

  void take_picture(const Image& picture, const FrameName& frame, Stream stream) override {
    if (last_frames_) last_frames_->take_picture(picture, frame);
    if (!noisy_) return split(picture, picture_.stored(), stream);
    split(picture, clean_->tensor, stream);
    // The emulator is for the layer's own kernels.
    const Backend by = backend_ == Backend::emulated ? Backend::cpu : backend_;
    add_noise(by, clean_->tensor, noisy_->tensor, noise_, static_cast<std::uint32_t>(frame.id.number), stream);
    copy_numbers(backend_, noisy_->tensor, picture_.stored(), stream);
  }
  void show(const Image& picture, Stream stream) override {
    inputs_.show(stream);
    maps_.show(stream);
    if (!wall_.frames) return paint_wall(backend_, maps_.seen(), wall_, colours_, picture, stream);
    picture_.show(stream);
    const Tensor& seen = picture_.seen();
    paint_frames(backend_, channels_of(seen, seen.shape.channels() - colour_count_, colour_count_), maps_.seen(),
                 residual_, wall_, picture, stream);
  }
  std::span<const Tensor> inputs() const override { return {&inputs_.stored(), 1}; }
  std::span<const Tensor> outputs(const Image&) override { return {&maps_.stored(), 1}; }
  std::span<const Tensor> seen_inputs() const override { return {&inputs_.seen(), 1}; }
  Tensor seen_output(const Image&) override { return maps_.seen(); }
  void follow_wall(const WallSettings& wanted, const LayerSettings& layer) override {
    const Shape &in = picture_.stored().shape, &out = maps_.stored().shape;
    wall_.frames = wanted.frames && colour_count_ == out.channels();
    wall_.maps = wall_.frames ? 2 : out.channels();
    wall_.alone = wall_.frames ? -1 : std::clamp(wanted.map, -1, wall_.maps - 1);
    colours_ = {static_cast<float>(wanted.gain), wanted.colours};
    residual_ = layer.residual && seen_layer(layer) == layer.further.size() && in.height() == out.height() &&
                in.width() == out.width();
    noise_ = static_cast<float>(layer.noise / white_level(PixelFormat::rgba8));
    if ((noise_ > 0) == noisy_.has_value()) return;
    clean_.reset();
    noisy_.reset();
    if (noise_ <= 0) return;
    clean_ = dense_tensor(compute_, in_planes(in));
    noisy_ = dense_tensor(compute_, in_planes(in));
  }
  std::optional<Wall> wall() const override { return wall_; }
  FramesSeen frames() const override {
    return last_frames_ ? last_frames_->seen(last_frames_->tensors().size()) : FramesSeen();
  }

 private:
  // The colours of each frame that the layer sees.
  void split(const Image& picture, const Tensor& x, Stream stream) const {
    if (is_stacked_) return split_planes(picture, x, stream);
    if (!last_frames_) return split_channels(backend_, picture, x, stream);
    for (int i = 0; i * colour_count_ < x.shape.channels(); ++i)
      split_channels(backend_, last_frames_->image(static_cast<std::size_t>(i)),
                     channels_of(x, i * colour_count_, colour_count_), stream);
  }

  // Planes that lie one below the other in the picture, a channel each.
  void split_planes(const Image& picture, const Tensor& x, Stream stream) const {
    const int height = x.shape.height();
    for (int i = 0; i < x.shape.channels(); ++i) {
      Image plane = picture;
      plane.data = static_cast<char*>(picture.data) + static_cast<std::size_t>(i * height) * picture.pitch;
      plane.height = height;
      split_channels(backend_, plane, channels_of(x, i, 1), stream);
    }
  }

  Compute& compute_;
  const Backend backend_;
  const int colour_count_;
  bool is_stacked_ = false;               // of planes of numbers
  std::optional<FrameRing> last_frames_;  // where it sees several
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

std::string note_on(const FramesSeen& seen) {
  if (seen.count == 0) return {};
  const std::string of_the_count = " of the " + std::to_string(seen.count) + " frames ";
  if (seen.same > 1)
    return std::to_string(seen.same) + of_the_count +
           "are the same one: since the start or the last jump no others have been shown.";
  const std::int64_t apart = seen.last - seen.first;
  if (seen.whole || apart < seen.count) return {};
  return "The first and the last" + of_the_count + "lie " + std::to_string(apart) +
         " apart in the source: it plays faster than it can be filtered.";
}

std::unique_ptr<PaneView> make_pane_view(Compute& compute, const Problem& problem, const Work& work, const Image& shape,
                                         bool alpha_step) {
  if (alpha_step) return std::make_unique<AlphaView>(compute, shape);
  if (over_frames(work)) return std::make_unique<VolumeView>(compute, problem, work.reach, shape);
  if (has_bank(work)) return std::make_unique<SingleLayerView>(compute, problem, *work.wall, *work.layer, shape);
  return nullptr;
}

std::unique_ptr<PaneView> make_layer_view(Compute& compute, const LayerTensors& tensors, const WallSettings& look,
                                          const LayerSettings& layer, const Image& shape) {
  return std::make_unique<LayerView>(compute, tensors, look, layer, shape);
}

}  // namespace convoscope
