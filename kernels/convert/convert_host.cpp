// Conversion where the device's memory is the host's: on all cores, or by the emulated kernel. Nothing is uploaded, and
// the frame is read before enqueue() returns.
#include <algorithm>
#include <stdexcept>

#include "kernels/convert/convert_kernel.h"
#include "kernels/convert/frame_converters.h"
#include "kernels/convert/frame_timers.h"
#include "kernels/convert/host_rows.h"
#include "kernels/convert/pixel_group.h"
#include "kernels/threads/thread_pool.h"

namespace convoscope {
namespace {

// Of planes where they are.
Conversion conversion_in_place(const VideoFrame& frame, const Image& out) {
  if (frame.on_device) throw std::logic_error("a frame in device memory cannot be converted on the CPU");
  require_convertible(frame, out);
  Conversion conversion = make_conversion(frame.format);
  for (int i = 0; i < 3; ++i) {
    conversion.plane[i] = static_cast<const unsigned char*>(frame.planes[static_cast<std::size_t>(i)]);
    conversion.pitch[i] = frame.pitch[static_cast<std::size_t>(i)];
  }
  return conversion;
}

void convert_on_all_cores(const VideoFormat& format, const Conversion& conversion, const Image& out) {
  with_group_converter(format, out.format, [&]<class Converter, PixelFormat Output>() {
    constexpr int pairs_per_task = 8;
    const int pairs = Converter::pairs(conversion), groups = (conversion.width + group_width - 1) / group_width;
    parallel_for((pairs + pairs_per_task - 1) / pairs_per_task, core_count(), [&](int task, int) {
      const int end = std::min(pairs, (task + 1) * pairs_per_task);
      for (int pair = task * pairs_per_task; pair < end; ++pair)
        for (int group = 0; group < groups; ++group) Converter::template convert<Output>(conversion, out, group, pair);
    });
  });
}

class HostFrameConverter final : public FrameConverter {
 public:
  explicit HostFrameConverter(Compute& compute)
      : compute_(compute), emulated_(compute.device().backend == Backend::emulated), timers_(compute) {}

  void enqueue(const VideoFrame& frame, const Image& out) override { convert(frame, out, false); }
  bool has_yuv(const VideoFormat& format) const override { return HostRows::takes(format); }
  void enqueue_yuv(const VideoFrame& frame, const Image& out) override {
    if (!has_yuv(frame.format) || out.format != PixelFormat::rgba8) FrameConverter::enqueue_yuv(frame, out);
    convert(frame, out, true);
  }
  std::optional<double> poll_upload_ms() override { return std::nullopt; }
  std::optional<double> poll_convert_ms() override { return timers_.poll_ms(); }

 private:
  void convert(const VideoFrame& frame, const Image& out, bool to_yuv) {
    const Conversion conversion = conversion_in_place(frame, out);
    timers_.start(compute_.stream());
    if (emulated_ && to_yuv)
      emulated::enqueue_as_stored(frame.format, conversion, out, compute_.stream());
    else if (emulated_)
      emulated::enqueue_conversion(frame.format, conversion, out, compute_.stream());
    else if (HostRows::takes(frame.format))
      rows_.convert(frame.format, conversion, to_yuv, out);
    else
      convert_on_all_cores(frame.format, conversion, out);
    timers_.stop(compute_.stream());
  }

  Compute& compute_;
  bool emulated_;
  HostRows rows_;
  FrameTimers timers_;
};

}  // namespace

void FrameConverter::enqueue_yuv(const VideoFrame&, const Image&) {
  throw std::logic_error("this picture cannot be left as Y, U and V");
}

void convert_on_this_thread(const VideoFrame& frame, const Image& out) {
  const Conversion conversion = conversion_in_place(frame, out);
  with_group_converter(frame.format, out.format, [&]<class Converter, PixelFormat Output>() {
    const int groups = (conversion.width + group_width - 1) / group_width;
    for (int pair = 0; pair < Converter::pairs(conversion); ++pair)
      for (int group = 0; group < groups; ++group) Converter::template convert<Output>(conversion, out, group, pair);
  });
}

std::unique_ptr<FrameConverter> make_host_frame_converter(Compute& compute) {
  return std::make_unique<HostFrameConverter>(compute);
}

std::unique_ptr<FrameConverter> make_frame_converter(Compute& compute) {
  return compute.device().backend == Backend::cuda ? make_cuda_frame_converter(compute)
                                                   : make_host_frame_converter(compute);
}

}  // namespace convoscope
