#pragma once
// What of the pictures goes into a plan, and what is seen of what it makes: of a pane whose problem is no single image.
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "app/panes/frame_id.h"
#include "app/state/frames_seen.h"
#include "app/state/workbench.h"
#include "kernels/compute/compute.h"
#include "kernels/contract/data/tensor.h"
#include "kernels/convert/wall.h"

namespace convoscope {

// A frame by the memory that it is in and by its number in the source: it is another one when either is.
struct FrameName {
  const void* memory = nullptr;
  FrameId id;
  bool leads = false;  // VideoFrame::leads
  bool operator==(const FrameName&) const = default;
};

// By one thread at a time, that of its plan and on the plan's stream. Nothing waits or allocates.
class PaneView {
 public:
  virtual ~PaneView() = default;
  // The picture goes in. One that went in last does not count as another.
  virtual void take_picture(const Image& picture, const FrameName&, Stream) = 0;
  // How often the plan is to be enqueued for a picture, and before each time: inputs() and outputs() are those of the
  // pass from then on.
  virtual int passes() const { return 1; }
  virtual void begin_pass(int, Stream) {}
  // The filter, where more than the plan has to know it.
  virtual void set_filter(const Filter&) {}
  // What has come out, as a picture of the same size. Nothing where the plan writes the picture itself.
  virtual void show(const Image& picture, Stream) { static_cast<void>(picture); }
  virtual std::span<const Tensor> inputs() const = 0;
  // `picture`: where a plan that makes a picture writes it.
  virtual std::span<const Tensor> outputs(const Image& picture) = 0;
  // The same numbers as float32 in planes, whatever the plan's are, for who looks at them; once shown.
  virtual std::span<const Tensor> seen_inputs() const { return inputs(); }
  virtual Tensor seen_output(const Image& picture) { return outputs(picture)[0]; }
  // How feature maps are seen from now on, and what goes in. Throws Error when there is no memory.
  virtual void follow_wall(const WallSettings&, const LayerSettings&) {}
  virtual FramesSeen frames() const { return {}; }
  virtual std::optional<Wall> wall() const { return {}; }  // where they are
};

// Where they are not next to each other in the source, or not as many as it seems: a sentence, or empty.
std::string note_on(const FramesSeen&);

// Of a valid problem, for pictures of this size and format; the memory is the Compute's, which is to be there for as
// long as the view. Null for opaque images: their plans take and make pictures. Throws Error when there is no memory.
// `alpha_step`: the problem is one of problem_of_plane(), and the pictures have alpha.
std::unique_ptr<PaneView> make_pane_view(Compute&, const Problem&, const Work&, const Image& shape,
                                         bool alpha_step = false);

// Of a layer that has its tensors already, of whatever numbers.
struct LayerTensors {
  Tensor colours;       // where those of a picture go: the first layer's input
  Tensor inputs, maps;  // of the layer that is seen
};
std::unique_ptr<PaneView> make_layer_view(Compute&, const LayerTensors&, const WallSettings&, const LayerSettings&,
                                          const Image& shape);

}  // namespace convoscope
