#pragma once
// Frames of a file on their way through a device, several at once: up, converted, filtered, converted back, down.
// Planes go in as they were decoded and come out as they are encoded, so that no more crosses the bus than must.
#include <functional>
#include <memory>
#include <optional>

#include "kernels/compute/compute.h"
#include "kernels/convert/video_frame.h"
#include "kernels/convert/yuv_layout.h"

namespace convoscope {

// Seconds that the steps of frames took, added up. On the CPU nothing goes up or down.
struct ConveyorTimes {
  double up = 0, convert = 0, filter = 0, back = 0, down = 0;
};

// One frame on its way.
class Conveyed {
 public:
  virtual ~Conveyed() = default;
  // Any one thread: returns once the result lies in host memory, and lets go of the frame that went in. Throws Error
  // when the device has failed.
  virtual ConveyorTimes wait() = 0;
};

struct ConveyorJob {
  VideoFrame frame;        // its owner is kept until its planes have been read
  bool stays_yuv = false;  // see FrameConverter::enqueue_yuv(), which must be able to
  Image in, out;           // the filter's, on the device, of the upright size; the next job may have the same
  // What comes out: planes, or without a layout `out` itself, rows without a gap.
  std::optional<YuvLayout> planes;
  std::shared_ptr<void> host;  // of allocate_host(), for so much
};

class Conveyor {
 public:
  virtual ~Conveyor() = default;
  // Called by the thread that goes on with it, and with the Compute, when another has made them.
  virtual void enter() = 0;
  // Calls `filter` once, between both conversions, to enqueue what makes `out` of `in` on the Compute's stream. Returns
  // without waiting on CUDA, where so many jobs may be under way as were asked for; elsewhere all is done.
  virtual std::unique_ptr<Conveyed> send(ConveyorJob, const std::function<void()>& filter) = 0;
  virtual bool has_yuv(const VideoFormat&) const = 0;
  // Until nothing reads or writes device memory any more.
  virtual void drain() = 0;
};

// The Compute outlives it. All but Conveyed from one thread at a time.
std::unique_ptr<Conveyor> make_conveyor(Compute&, int lanes);

// The bytes of a result: of the layout, or of the picture itself.
std::size_t conveyed_bytes(const std::optional<YuvLayout>&, const Image& out);

}  // namespace convoscope
