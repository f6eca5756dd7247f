#pragma once
// Internal to convert/: the conveyor of a CUDA device. Uploads, kernels and downloads have a stream each, which wait
// for one another by events, so that the host never waits and both copies of some frames lie beside the kernels of
// others. Included by convert_cuda.cu alone: a file of its own would deal all others anew to the runs of nvcc.
#include <cuda_runtime.h>

#include <utility>
#include <vector>

#include "kernels/convert/conversion.h"
#include "kernels/convert/convert_kernel.h"
#include "kernels/convert/conveyor.h"
#include "kernels/device/cuda_check.h"

namespace convoscope::cuda {

class OwnStream {
 public:
  OwnStream() { CONVOSCOPE_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~OwnStream() { CONVOSCOPE_CHECK_NOEXCEPT(cudaStreamDestroy(stream_)); }
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

// With its time; who waits for it sleeps.
class OwnEvent {
 public:
  OwnEvent() { CONVOSCOPE_CHECK(cudaEventCreateWithFlags(&event_, cudaEventBlockingSync)); }
  ~OwnEvent() { CONVOSCOPE_CHECK_NOEXCEPT(cudaEventDestroy(event_)); }
  OwnEvent(const OwnEvent&) = delete;
  OwnEvent& operator=(const OwnEvent&) = delete;
  operator cudaEvent_t() const { return event_; }
  void record(cudaStream_t stream) { CONVOSCOPE_CHECK(cudaEventRecord(event_, stream)); }

 private:
  cudaEvent_t event_ = nullptr;
};

// What one frame that is under way has for itself on the device.
struct Lane {
  std::shared_ptr<void> staging, planes;
  std::size_t staging_bytes = 0, planes_bytes = 0;
  OwnEvent up_begins, up, convert_begins, converted, filtered, back, down_begins, down;
};

class OnItsWay final : public Conveyed {
 public:
  OnItsWay(std::shared_ptr<Lane> lane, int ordinal, ConveyorJob job)
      : lane_(std::move(lane)), ordinal_(ordinal), job_(std::move(job)) {}
  ~OnItsWay() override {
    if (job_.host) CONVOSCOPE_CHECK_NOEXCEPT(cudaEventSynchronize(lane_->down));  // both memories are in use until then
  }
  OnItsWay(const OnItsWay&) = delete;
  OnItsWay& operator=(const OnItsWay&) = delete;

  ConveyorTimes wait() override {
    CONVOSCOPE_CHECK(cudaSetDevice(ordinal_));
    CONVOSCOPE_CHECK(cudaEventSynchronize(lane_->down));
    job_ = {};
    return {.up = between(lane_->up_begins, lane_->up),
            .convert = between(lane_->convert_begins, lane_->converted),
            .filter = between(lane_->converted, lane_->filtered),
            .back = between(lane_->filtered, lane_->back),
            .down = between(lane_->down_begins, lane_->down)};
  }

 private:
  static double between(cudaEvent_t from, cudaEvent_t to) {
    float milliseconds = 0;
    CONVOSCOPE_CHECK(cudaEventElapsedTime(&milliseconds, from, to));
    return 1e-3 * milliseconds;
  }

  std::shared_ptr<Lane> lane_;
  const int ordinal_;
  ConveyorJob job_;
};

class CudaConveyor final : public Conveyor {
 public:
  CudaConveyor(Compute& compute, int lanes)
      : compute_(compute),
        stream_(static_cast<cudaStream_t>(compute.stream().handle)),
        converter_(make_frame_converter(compute)) {
    for (int i = 0; i < lanes; ++i) lanes_.push_back(std::make_shared<Lane>());
  }
  ~CudaConveyor() override {
    for (const cudaStream_t stream : streams()) CONVOSCOPE_CHECK_NOEXCEPT(cudaStreamSynchronize(stream));
  }
  CudaConveyor(const CudaConveyor&) = delete;
  CudaConveyor& operator=(const CudaConveyor&) = delete;

  void enter() override { CONVOSCOPE_CHECK(cudaSetDevice(compute_.device().ordinal)); }
  bool has_yuv(const VideoFormat& format) const override { return converter_->has_yuv(format); }
  void drain() override {
    for (const cudaStream_t stream : streams()) CONVOSCOPE_CHECK(cudaStreamSynchronize(stream));
  }

  std::unique_ptr<Conveyed> send(ConveyorJob job, const std::function<void()>& filter) override {
    require_convertible(job.frame, job.in);
    const std::shared_ptr<Lane> lane = lanes_[next_];
    next_ = (next_ + 1) % lanes_.size();
    try {
      enqueue(job, *lane, filter);
    } catch (...) {  // what has begun still reads and writes what the job owns
      for (const cudaStream_t stream : streams()) CONVOSCOPE_CHECK_NOEXCEPT(cudaStreamSynchronize(stream));
      throw;
    }
    return std::make_unique<OnItsWay>(lane, compute_.device().ordinal, std::move(job));
  }

 private:
  std::vector<cudaStream_t> streams() const { return {up_, stream_, down_}; }

  void enqueue(const ConveyorJob& job, Lane& lane, const std::function<void()>& filter) {
    const VideoFrame on_device = upload(job.frame, lane);
    lane.convert_begins.record(stream_);
    if (job.stays_yuv)
      converter_->enqueue_yuv(on_device, job.in);
    else
      converter_->enqueue(on_device, job.in);
    lane.converted.record(stream_);
    filter();
    lane.filtered.record(stream_);
    download(job, lane);
  }

  // The frame's planes in the lane's memory, for the Compute's stream. Events that were never recorded hold nothing up.
  VideoFrame upload(const VideoFrame& frame, Lane& lane) {
    VideoFrame out = frame;
    out.owner = {};
    CONVOSCOPE_CHECK(cudaStreamWaitEvent(up_, lane.converted));  // of the frame that was here before
    lane.up_begins.record(up_);
    if (!frame.on_device) {
      reserve(lane.staging, lane.staging_bytes, staged_bytes(frame));
      auto* to = static_cast<unsigned char*>(lane.staging.get());
      for (std::size_t i = 0; i < 3; ++i) {
        const PlaneSize size = plane_size(frame.format, static_cast<int>(i));
        if (size.rows == 0) continue;
        const std::size_t pitch = staged_pitch(size, frame.pitch[i]), rows = static_cast<std::size_t>(size.rows);
        if (pitch == frame.pitch[i])  // in one piece
          CONVOSCOPE_CHECK(
              cudaMemcpyAsync(to, frame.planes[i], (rows - 1) * pitch + size.row_bytes, cudaMemcpyHostToDevice, up_));
        else
          CONVOSCOPE_CHECK(cudaMemcpy2DAsync(to, pitch, frame.planes[i], frame.pitch[i], size.row_bytes, rows,
                                             cudaMemcpyHostToDevice, up_));
        out.planes[i] = to;
        out.pitch[i] = pitch;
        to += whole(pitch * rows);
      }
      out.on_device = true;
    }
    lane.up.record(up_);
    CONVOSCOPE_CHECK(cudaStreamWaitEvent(stream_, lane.up));
    return out;
  }

  void download(const ConveyorJob& job, Lane& lane) {
    if (!job.planes) {  // the one `out` is read in the Compute's stream, which the next frame's filter follows
      lane.back.record(stream_);
      lane.down_begins.record(stream_);
      const std::size_t row = static_cast<std::size_t>(job.out.width) * bytes_per_pixel(job.out.format);
      CONVOSCOPE_CHECK(cudaMemcpy2DAsync(job.host.get(), row, job.out.data, job.out.pitch, row,
                                         static_cast<std::size_t>(job.out.height), cudaMemcpyDeviceToHost, stream_));
      return lane.down.record(stream_);
    }
    reserve(lane.planes, lane.planes_bytes, job.planes->bytes);
    CONVOSCOPE_CHECK(cudaStreamWaitEvent(stream_, lane.down));  // of the frame that was here before
    enqueue_planes(job.out, make_plane_conversion(*job.planes, job.stays_yuv, lane.planes.get()), compute_.stream());
    lane.back.record(stream_);
    CONVOSCOPE_CHECK(cudaStreamWaitEvent(down_, lane.back));
    lane.down_begins.record(down_);
    const std::size_t head = job.planes->offset[0];
    CONVOSCOPE_CHECK(cudaMemcpyAsync(static_cast<unsigned char*>(job.host.get()) + head,
                                     static_cast<const unsigned char*>(lane.planes.get()) + head,
                                     job.planes->bytes - head, cudaMemcpyDeviceToHost, down_));
    lane.down.record(down_);
  }

  // For the first frames, and for larger ones.
  void reserve(std::shared_ptr<void>& memory, std::size_t& there, std::size_t bytes) {
    if (there >= bytes) return;
    drain();
    memory.reset();
    there = 0;
    memory = compute_.allocate_bytes(bytes);
    there = bytes;
  }
  static constexpr std::size_t alignment = 256;  // more than the kernel's loads need
  static std::size_t whole(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }
  static std::size_t staged_pitch(const PlaneSize& size, std::size_t pitch) {
    const bool fits = pitch % 8 == 0 && pitch <= whole(size.row_bytes);
    return fits ? pitch : whole(size.row_bytes);
  }
  static std::size_t staged_bytes(const VideoFrame& frame) {
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const PlaneSize size = plane_size(frame.format, static_cast<int>(i));
      if (size.rows > 0) bytes += whole(staged_pitch(size, frame.pitch[i]) * static_cast<std::size_t>(size.rows));
    }
    return bytes;
  }

  Compute& compute_;
  cudaStream_t stream_;
  std::unique_ptr<FrameConverter> converter_;
  OwnStream up_, down_;
  std::vector<std::shared_ptr<Lane>> lanes_;
  std::size_t next_ = 0;
};

}  // namespace convoscope::cuda
