// Where the device's memory is the host's: step by step, each on all cores or in the emulator.
#include <chrono>
#include <utility>

#include "kernels/convert/convert_kernel.h"
#include "kernels/convert/conveyor.h"
#include "kernels/convert/frame_converters.h"
#include "kernels/convert/yuv_planes.h"

namespace convoscope {
namespace {

class Done final : public Conveyed {
 public:
  explicit Done(const ConveyorTimes& times) : times_(times) {}
  ConveyorTimes wait() override { return times_; }

 private:
  const ConveyorTimes times_;
};

class HostConveyor final : public Conveyor {
 public:
  explicit HostConveyor(Compute& compute)
      : compute_(compute),
        emulated_(compute.device().backend == Backend::emulated),
        converter_(make_frame_converter(compute)) {}

  void enter() override {}
  bool has_yuv(const VideoFormat& format) const override { return converter_->has_yuv(format); }
  void drain() override {}

  std::unique_ptr<Conveyed> send(ConveyorJob job, const std::function<void()>& filter) override {
    ConveyorTimes times;
    step(times.convert, [&] {
      if (job.stays_yuv)
        converter_->enqueue_yuv(job.frame, job.in);
      else
        converter_->enqueue(job.frame, job.in);
    });
    job.frame = {};
    step(times.filter, filter);
    step(times.back, [&] { bring_back(job); });
    return std::make_unique<Done>(times);
  }

 private:
  using Clock = std::chrono::steady_clock;

  template <class Work>
  static void step(double& seconds, const Work& work) {
    const Clock::time_point start = Clock::now();
    work();
    seconds += std::chrono::duration<double>(Clock::now() - start).count();
  }

  void bring_back(const ConveyorJob& job) {
    if (!job.planes) {
      const auto pitch = static_cast<std::size_t>(job.out.width) * bytes_per_pixel(job.out.format);
      return compute_.download(job.out, {job.host.get(), job.out.width, job.out.height, pitch, job.out.format});
    }
    const PlaneConversion conversion = make_plane_conversion(*job.planes, job.stays_yuv, job.host.get());
    if (emulated_)
      emulated::enqueue_planes(job.out, conversion, compute_.stream());
    else
      planes_.write(job.out, conversion);
  }

  Compute& compute_;
  const bool emulated_;
  std::unique_ptr<FrameConverter> converter_;
  YuvPlanes planes_;
};

}  // namespace

std::unique_ptr<Conveyor> make_host_conveyor(Compute& compute) { return std::make_unique<HostConveyor>(compute); }

std::unique_ptr<Conveyor> make_conveyor(Compute& compute, int lanes) {
  return compute.device().backend == Backend::cuda ? make_cuda_conveyor(compute, lanes) : make_host_conveyor(compute);
}

std::size_t conveyed_bytes(const std::optional<YuvLayout>& planes, const Image& out) {
  if (planes) return planes->bytes;
  return static_cast<std::size_t>(out.width) * static_cast<std::size_t>(out.height) * bytes_per_pixel(out.format);
}

}  // namespace convoscope
