// The only file with OpenGL and CUDA: the panes' textures are mapped into CUDA once a frame, all together, because the
// switch between the two costs far more than the copies.
#include <glad/gl.h>
// After glad, which stands in for the system's OpenGL header.
#include <cuda_gl_interop.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <utility>

#include "app/gl/interop/present_path.h"
#include "kernels/compute/surface_write.h"
#include "kernels/device/cuda_check.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

// How pixels get into the mapped textures: one kernel that writes them all as surfaces, or a copy for each, which the
// driver makes slower (0.085 ms a 4K pane on an H200).
enum class Transfer { surface_kernel, array_copies };
constexpr Transfer transfer = Transfer::surface_kernel;

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

// A texture registered with CUDA, and a surface on the array that it is while mapped.
class SharedTexture {
 public:
  explicit SharedTexture(const PaneTexture& pane) {
    constexpr unsigned flags = transfer == Transfer::surface_kernel ? cudaGraphicsRegisterFlagsSurfaceLoadStore
                                                                    : cudaGraphicsRegisterFlagsWriteDiscard;
    require(cudaGraphicsGLRegisterImage(&resource_, pane.name, GL_TEXTURE_2D, flags));
  }
  ~SharedTexture() {
    if (surface_) forget(cudaDestroySurfaceObject(surface_));
    forget(cudaGraphicsUnregisterResource(resource_));
  }
  SharedTexture(const SharedTexture&) = delete;
  SharedTexture& operator=(const SharedTexture&) = delete;

  cudaGraphicsResource_t resource() const { return resource_; }
  // Both only while mapped.
  cudaArray_t array() const {
    cudaArray_t array = nullptr;
    require(cudaGraphicsSubResourceGetMappedArray(&array, resource_, 0, 0));
    return array;
  }
  cudaSurfaceObject_t surface() {
    cudaResourceDesc description{};
    description.resType = cudaResourceTypeArray;
    description.res.array.array = array();
    if (surface_ && description.res.array.array == surface_array_) return surface_;  // the same array at every mapping
    if (surface_) forget(cudaDestroySurfaceObject(std::exchange(surface_, 0)));
    require(cudaCreateSurfaceObject(&surface_, &description));
    surface_array_ = description.res.array.array;
    return surface_;
  }

 private:
  static void forget(cudaError_t status) {
    if (status != cudaSuccess) static_cast<void>(cudaGetLastError());
  }
  cudaGraphicsResource_t resource_ = nullptr;
  cudaArray_t surface_array_ = nullptr;
  cudaSurfaceObject_t surface_ = 0;
};

class Event {
 public:
  Event() { require(cudaEventCreate(&event_)); }
  ~Event() { cuda::check_noexcept(cudaEventDestroy(event_), "cudaEventDestroy"); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void record(cudaStream_t stream) { require(cudaEventRecord(event_, stream)); }
  // Below 0 where it came first. Nothing until both have come.
  std::optional<double> after_ms(const Event& other) const {
    float milliseconds = 0;
    if (cudaEventElapsedTime(&milliseconds, other.event_, event_) == cudaSuccess) return milliseconds;
    static_cast<void>(cudaGetLastError());
    return std::nullopt;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

// Not in step with any other.
class OwnStream {
 public:
  OwnStream() { require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~OwnStream() { cuda::check_noexcept(cudaStreamDestroy(stream_), "cudaStreamDestroy"); }
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

class CudaPath final : public PresentPath {
 public:
  explicit CudaPath(Compute& compute)
      : stream_(static_cast<cudaStream_t>(compute.stream().handle)), compute_stream_(compute.stream()) {
    require_same_gpu(compute.device());
    for (Timing& timing : timings_) timing.write = compute.make_timer();
  }
  ~CudaPath() override { release(); }

  void bind(std::span<const PaneTexture> panes) override {
    release();
    for (const PaneTexture& pane : panes) {
      textures_.push_back(std::make_unique<SharedTexture>(pane));
      resources_.push_back(textures_.back()->resource());
    }
    surfaces_.resize(textures_.size());
  }

  void take_ahead() override { map(); }

  // Two intervals, so that what runs between them is in neither. That the frame is there is noted beside textures on
  // their way: behind them it would be noted once they are there, and no wait be seen.
  void begin() override {
    timed_ = !timings_[next_].pending;
    if (timed_) timings_[next_].wanted.record(mapped_ ? beside_.get() : stream_);
    if (!mapped_) map();
  }

  void give_back() override { unmap_noexcept(); }

  void present(std::span<const Image> images) override {
    Timing& timing = timings_[next_];
    if (timed_) timing.write->start(compute_stream_);
    try {
      transfer == Transfer::surface_kernel ? write_surfaces(images) : copy_to_arrays(images);
    } catch (const std::runtime_error& failure) {
      unmap_noexcept();
      throw InteropFailure(failure.what());
    }
    mapped_ = false;
    require(cudaGraphicsUnmapResources(static_cast<int>(resources_.size()), resources_.data(), stream_));
    if (!timed_) return;
    timing.write->stop(compute_stream_);
    timing.pending = true;
    next_ = (next_ + 1) % timers_in_flight;
  }

  std::optional<double> poll_ms() override {
    Timing& timing = timings_[oldest_];
    if (!timing.pending) return std::nullopt;
    const std::optional<double> write = timing.write->poll_ms();
    const std::optional<double> waited = write ? timing.taken.after_ms(timing.wanted) : std::nullopt;
    if (!waited) return std::nullopt;
    timing.pending = false;
    oldest_ = (oldest_ + 1) % timers_in_flight;
    return std::max(*waited, 0.0) + *write;
  }

 private:
  struct Timing {
    Event wanted, taken;
    std::unique_ptr<IntervalTimer> write;  // copies and unmap
    bool pending = false;
  };

  void map() {
    require(cudaGraphicsMapResources(static_cast<int>(resources_.size()), resources_.data(), stream_));
    mapped_ = true;
    if (!timings_[next_].pending) timings_[next_].taken.record(stream_);
  }

  void unmap_noexcept() {
    if (!std::exchange(mapped_, false)) return;
    static_cast<void>(cudaGraphicsUnmapResources(static_cast<int>(resources_.size()), resources_.data(), stream_));
    static_cast<void>(cudaGetLastError());
  }
  void release() {
    unmap_noexcept();
    if (!textures_.empty()) static_cast<void>(cudaStreamSynchronize(stream_));  // a frame may still be writing
    resources_.clear();
    surfaces_.clear();
    textures_.clear();
  }
  void write_surfaces(std::span<const Image> images) {
    for (std::size_t i = 0; i < images.size(); ++i) surfaces_[i] = textures_[i]->surface();
    enqueue_surface_writes(images, surfaces_, compute_stream_);
  }
  void copy_to_arrays(std::span<const Image> images) const {
    for (std::size_t i = 0; i < images.size(); ++i)
      require(cudaMemcpy2DToArrayAsync(textures_[i]->array(), 0, 0, images[i].data, images[i].pitch,
                                       static_cast<std::size_t>(images[i].width) * bytes_per_pixel(images[i].format),
                                       static_cast<std::size_t>(images[i].height), cudaMemcpyDeviceToDevice, stream_));
  }

  cudaStream_t stream_;
  Stream compute_stream_;
  OwnStream beside_;
  std::vector<std::unique_ptr<SharedTexture>> textures_;
  std::vector<cudaGraphicsResource_t> resources_;  // theirs, as one map call takes them
  std::vector<unsigned long long> surfaces_;
  std::array<Timing, timers_in_flight> timings_;
  std::size_t next_ = 0, oldest_ = 0;
  bool timed_ = false, mapped_ = false;  // of the frame between begin() and present()
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
