// The only file with OpenGL and CUDA: the panes' textures are mapped into CUDA once a frame, all together, because the
// switch between the two costs far more than the copies.
#include <glad/gl.h>
// After glad, which stands in for the system's OpenGL header.
#include <cuda_gl_interop.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>

#include "app/gl/present_path.h"
#include "kernels/cuda_check.h"

namespace convoscope {
namespace {

constexpr std::size_t timers_in_flight = 8;
constexpr unsigned most_devices = 64;

void require(cudaError_t status) {
  if (status == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());  // dealt with: must not surface in a later call
  throw InteropFailure(explain_interop_error(static_cast<int>(status), cudaGetErrorName(status)));
}

void require_same_gpu(const Device& device) {
  std::array<int, most_devices> ordinals{};
  unsigned count = 0;
  require(cudaGLGetDevices(&count, ordinals.data(), most_devices, cudaGLDeviceListAll));
  const auto end = ordinals.begin() + static_cast<std::ptrdiff_t>(std::min(count, most_devices));
  if (std::find(ordinals.begin(), end, device.ordinal) != end) return;
  if (count == 0) require(cudaErrorNoDevice);
  throw InteropFailure("CUDA computes on device " + std::to_string(device.ordinal) + " (" + device.name +
                       "), but OpenGL draws on device " + std::to_string(ordinals[0]) +
                       ". Choose that one with --device " + std::to_string(ordinals[0]) + ".");
}

// Textures registered with CUDA, for as long as it lives.
class Registrations {
 public:
  Registrations() = default;
  Registrations(const Registrations&) = delete;
  Registrations& operator=(const Registrations&) = delete;
  ~Registrations() { clear(); }

  void add(const PaneTexture& pane) {
    cudaGraphicsResource_t resource = nullptr;
    require(cudaGraphicsGLRegisterImage(&resource, pane.name, GL_TEXTURE_2D, cudaGraphicsRegisterFlagsWriteDiscard));
    resources_.push_back(resource);
  }
  void clear() {
    for (cudaGraphicsResource_t resource : resources_) {
      if (cudaGraphicsUnregisterResource(resource) != cudaSuccess) static_cast<void>(cudaGetLastError());
    }
    resources_.clear();
  }
  int count() const { return static_cast<int>(resources_.size()); }
  cudaGraphicsResource_t* data() { return resources_.data(); }

 private:
  std::vector<cudaGraphicsResource_t> resources_;
};

class CudaPath final : public PresentPath {
 public:
  explicit CudaPath(Compute& compute)
      : stream_(static_cast<cudaStream_t>(compute.stream().handle)), compute_stream_(compute.stream()) {
    require_same_gpu(compute.device());
    for (Timing& timing : timings_) timing.timer = compute.make_timer();
  }

  void bind(std::span<const PaneTexture> panes) override {
    resources_.clear();
    for (const PaneTexture& pane : panes) resources_.add(pane);
  }

  void present(std::span<const Image> images) override {
    Timing& timing = timings_[next_];
    const bool timed = !timing.pending;
    if (timed) timing.timer->start(compute_stream_);
    require(cudaGraphicsMapResources(resources_.count(), resources_.data(), stream_));
    try {
      for (std::size_t i = 0; i < images.size(); ++i) copy(images[i], resources_.data()[i]);
    } catch (const InteropFailure&) {
      cudaGraphicsUnmapResources(resources_.count(), resources_.data(), stream_);
      throw;
    }
    require(cudaGraphicsUnmapResources(resources_.count(), resources_.data(), stream_));
    if (!timed) return;
    timing.timer->stop(compute_stream_);
    timing.pending = true;
    next_ = (next_ + 1) % timers_in_flight;
  }

  std::optional<double> poll_ms() override {
    Timing& timing = timings_[oldest_];
    if (!timing.pending) return std::nullopt;
    const std::optional<double> milliseconds = timing.timer->poll_ms();
    if (!milliseconds) return std::nullopt;
    timing.pending = false;
    oldest_ = (oldest_ + 1) % timers_in_flight;
    return milliseconds;
  }

 private:
  struct Timing {
    std::unique_ptr<IntervalTimer> timer;
    bool pending = false;
  };

  void copy(const Image& image, cudaGraphicsResource_t resource) const {
    cudaArray_t array = nullptr;
    require(cudaGraphicsSubResourceGetMappedArray(&array, resource, 0, 0));
    require(cudaMemcpy2DToArrayAsync(array, 0, 0, image.data, image.pitch,
                                     static_cast<std::size_t>(image.width) * bytes_per_pixel(image.format),
                                     static_cast<std::size_t>(image.height), cudaMemcpyDeviceToDevice, stream_));
  }

  cudaStream_t stream_;
  Stream compute_stream_;
  Registrations resources_;
  std::array<Timing, timers_in_flight> timings_;
  std::size_t next_ = 0, oldest_ = 0;
};

}  // namespace

std::unique_ptr<PresentPath> make_cuda_path(Compute& compute) { return std::make_unique<CudaPath>(compute); }

std::shared_ptr<void> pin_for_cuda(void* memory, std::size_t bytes) {
  if (cudaHostRegister(memory, bytes, cudaHostRegisterPortable) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return nullptr;
  }
  return {memory, [](void* start) { cuda::check_noexcept(cudaHostUnregister(start), "cudaHostUnregister"); }};
}

}  // namespace convoscope
