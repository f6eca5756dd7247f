// Conversion on a CUDA device: planes in host memory are uploaded to staging planes, planes of NVDEC are read in place.
#include <cuda_runtime.h>

#include <stdexcept>
#include <utility>
#include <vector>

#include "kernels/convert/convert_kernel.h"
#include "kernels/convert/conveyor_cuda.cuh"
#include "kernels/convert/frame_converters.h"
#include "kernels/convert/frame_timers.h"
#include "kernels/convert/host_rows.h"
#include "kernels/device/cuda_check.h"

namespace convoscope {
namespace cuda {
namespace {

// The kernel loads four samples at once, of up to two bytes.
constexpr std::size_t plane_alignment = 8;
constexpr std::size_t staging_alignment = 256;

bool is_aligned(const void* plane, std::size_t pitch) {
  return reinterpret_cast<std::uintptr_t>(plane) % plane_alignment == 0 && pitch % plane_alignment == 0;
}

// Keeps what the device still reads, each until the event behind it has passed. Never waits, except at the end.
class Retainer {
 public:
  explicit Retainer(cudaStream_t stream) : stream_(stream) {
    held_.reserve(16);  // more frames than a decoder has in flight
    free_.reserve(16);
  }
  ~Retainer() {
    CONVOSCOPE_CHECK_NOEXCEPT(cudaStreamSynchronize(stream_));
    for (const Held& held : held_) free_.push_back(held.passed);
    for (const cudaEvent_t event : free_) CONVOSCOPE_CHECK_NOEXCEPT(cudaEventDestroy(event));
  }
  Retainer(const Retainer&) = delete;
  Retainer& operator=(const Retainer&) = delete;

  // Until everything enqueued before this call is done. Events are made for the first frames and used again.
  void hold(std::shared_ptr<const void> owner) {
    if (!owner) return;
    cudaEvent_t event = nullptr;
    if (free_.empty()) {
      CONVOSCOPE_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    } else {
      event = free_.back();
      free_.pop_back();
    }
    held_.push_back({event, std::move(owner)});
    CONVOSCOPE_CHECK(cudaEventRecord(event, stream_));
  }

  void release_passed() {
    std::size_t passed = 0;
    for (; passed < held_.size(); ++passed) {
      const cudaError_t status = cudaEventQuery(held_[passed].passed);
      if (status == cudaErrorNotReady) {
        static_cast<void>(cudaGetLastError());  // "not ready" is an answer, not an error to be found later
        break;
      }
      check(status, "cudaEventQuery");
      free_.push_back(held_[passed].passed);
    }
    held_.erase(held_.begin(), held_.begin() + static_cast<std::ptrdiff_t>(passed));
  }

 private:
  struct Held {
    cudaEvent_t passed;
    std::shared_ptr<const void> owner;
  };
  cudaStream_t stream_;
  std::vector<Held> held_;  // oldest first
  std::vector<cudaEvent_t> free_;
};

class CudaFrameConverter final : public FrameConverter {
 public:
  explicit CudaFrameConverter(Compute& compute)
      : compute_(compute),
        stream_(static_cast<cudaStream_t>(compute.stream().handle)),
        upload_timers_(compute),
        convert_timers_(compute),
        retainer_(stream_) {}

  void enqueue(const VideoFrame& frame, const Image& out) override {
    if (!is_plain_copy(frame, out)) return convert(frame, out, enqueue_conversion);
    require_convertible(frame, out);
    retainer_.release_passed();
    copy(frame, out);
    retainer_.hold(frame.owner);
  }
  bool has_yuv(const VideoFormat& format) const override { return HostRows::takes(format); }
  void enqueue_yuv(const VideoFrame& frame, const Image& out) override {
    if (!has_yuv(frame.format) || out.format != PixelFormat::rgba8) FrameConverter::enqueue_yuv(frame, out);
    convert(frame, out, enqueue_as_stored);
  }

  std::optional<double> poll_upload_ms() override {
    retainer_.release_passed();
    return upload_timers_.poll_ms();
  }
  std::optional<double> poll_convert_ms() override {
    retainer_.release_passed();
    return convert_timers_.poll_ms();
  }

 private:
  struct StagingPlane {
    std::shared_ptr<void> memory;
    std::size_t pitch = 0, bytes = 0;
  };

  void convert(const VideoFrame& frame, const Image& out,
               void (&kernel)(const VideoFormat&, const Conversion&, const Image&, Stream)) {
    require_convertible(frame, out);
    retainer_.release_passed();
    Conversion conversion = conversion_of(frame.format);
    place_planes(frame, conversion);
    convert_timers_.start(compute_.stream());
    kernel(frame.format, conversion, out, compute_.stream());
    convert_timers_.stop(compute_.stream());
    retainer_.hold(frame.owner);
  }

  static bool is_plain_copy(const VideoFrame& frame, const Image& out) {
    return frame.format.layout == PlaneLayout::rgba && frame.format.orientation == Orientation() &&
           out.format == PixelFormat::rgba8;
  }

  void copy(const VideoFrame& frame, const Image& out) {
    FrameTimers& timers = frame.on_device ? convert_timers_ : upload_timers_;
    const PlaneSize size = plane_size(frame.format, 0);
    timers.start(compute_.stream());
    CONVOSCOPE_CHECK(cudaMemcpy2DAsync(out.data, out.pitch, frame.planes[0], frame.pitch[0], size.row_bytes,
                                       static_cast<std::size_t>(size.rows), copy_kind(frame), stream_));
    timers.stop(compute_.stream());
  }

  // The format's numbers stay the same from frame to frame.
  const Conversion& conversion_of(const VideoFormat& format) {
    if (!known_ || !(format == format_)) {
      conversion_ = make_conversion(format);
      format_ = format;
      known_ = true;
    }
    return conversion_;
  }

  void place_planes(const VideoFrame& frame, Conversion& conversion) {
    bool timed = false;
    for (std::size_t i = 0; i < 3; ++i) {
      const PlaneSize size = plane_size(frame.format, static_cast<int>(i));
      if (size.rows == 0) continue;
      if (frame.on_device && is_aligned(frame.planes[i], frame.pitch[i])) {
        conversion.plane[i] = static_cast<const unsigned char*>(frame.planes[i]);
        conversion.pitch[i] = frame.pitch[i];
        continue;
      }
      const StagingPlane& staging = staging_plane(i, size, frame.pitch[i]);
      if (!std::exchange(timed, true)) upload_timers_.start(compute_.stream());
      copy_plane(staging.memory.get(), staging.pitch, frame, i, size);
      conversion.plane[i] = static_cast<const unsigned char*>(staging.memory.get());
      conversion.pitch[i] = staging.pitch;
    }
    if (timed) upload_timers_.stop(compute_.stream());
  }

  static cudaMemcpyKind copy_kind(const VideoFrame& frame) {
    return frame.on_device ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice;
  }

  // Takes the source's pitch where the kernel can, so that the plane goes over in one piece.
  const StagingPlane& staging_plane(std::size_t plane, const PlaneSize& size, std::size_t source_pitch) {
    const std::size_t own = (size.row_bytes + staging_alignment - 1) / staging_alignment * staging_alignment;
    const bool same = source_pitch % plane_alignment == 0 && source_pitch <= own;
    StagingPlane& staging = staging_[plane];
    staging.pitch = same ? source_pitch : own;
    const std::size_t bytes = staging.pitch * static_cast<std::size_t>(size.rows);
    if (staging.bytes < bytes) {
      compute_.synchronize();  // the frame before may still be read from the old memory
      staging = {nullptr, staging.pitch, 0};
      staging.memory = compute_.allocate_bytes(bytes);
      staging.bytes = bytes;
    }
    return staging;
  }

  void copy_plane(void* to, std::size_t to_pitch, const VideoFrame& frame, std::size_t plane, const PlaneSize& size) {
    const cudaMemcpyKind kind = copy_kind(frame);
    const std::size_t rows = static_cast<std::size_t>(size.rows), pitch = frame.pitch[plane];
    if (to_pitch == pitch)
      CONVOSCOPE_CHECK(cudaMemcpyAsync(to, frame.planes[plane], (rows - 1) * pitch + size.row_bytes, kind, stream_));
    else
      CONVOSCOPE_CHECK(
          cudaMemcpy2DAsync(to, to_pitch, frame.planes[plane], pitch, size.row_bytes, rows, kind, stream_));
  }

  Compute& compute_;
  cudaStream_t stream_;
  FrameTimers upload_timers_, convert_timers_;
  Conversion conversion_;
  VideoFormat format_;
  bool known_ = false;
  StagingPlane staging_[3];
  Retainer retainer_;  // last, so that the device is done before the staging planes go
};

}  // namespace
}  // namespace cuda

std::unique_ptr<FrameConverter> make_cuda_frame_converter(Compute& compute) {
  return std::make_unique<cuda::CudaFrameConverter>(compute);
}

std::unique_ptr<Conveyor> make_cuda_conveyor(Compute& compute, int lanes) {
  return std::make_unique<cuda::CudaConveyor>(compute, lanes);
}

}  // namespace convoscope
