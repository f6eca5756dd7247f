// Compute on one CUDA device: one non-blocking stream, pitched images, pinned host memory, event timers.
#include <cuda_runtime.h>
#include <sys/mman.h>

#include <cstdlib>
#include <mutex>
#include <utility>

#include "kernels/compute/compute_backends.h"
#include "kernels/compute/device_clocks.h"
#include "kernels/device/capability.h"
#include "kernels/device/cuda_check.h"
#include "kernels/device/cuda_explain.h"

namespace convoscope {
namespace cuda {
namespace {

constexpr int oldest_capability = 75;
constexpr std::size_t row_alignment = 256;  // what DeviceImage promises; cudaMallocPitch gives at least as much

__global__ void probe_kernel() {}

void check_device(cudaError_t status) {
  if (status != cudaSuccess) throw Error(explain_failure(status));
}

int attribute(cudaDeviceAttr which, int ordinal) {
  int value = 0;
  return handled(cudaDeviceGetAttribute(&value, which, ordinal)) == cudaSuccess ? value : 0;
}

int compute_capability(int ordinal) {
  return attribute(cudaDevAttrComputeCapabilityMajor, ordinal) * 10 +
         attribute(cudaDevAttrComputeCapabilityMinor, ordinal);
}

Device describe_device(int ordinal) {
  Device device;
  device.backend = Backend::cuda;
  device.ordinal = ordinal;
  cudaDeviceProp properties{};
  if (handled(cudaGetDeviceProperties(&properties, ordinal)) == cudaSuccess) {
    device.name = properties.name;
    device.memory_bytes = properties.totalGlobalMem;
  }
  device.compute_capability = compute_capability(ordinal);
  device.multiprocessors = attribute(cudaDevAttrMultiProcessorCount, ordinal);
  device.max_threads_per_block = attribute(cudaDevAttrMaxThreadsPerBlock, ordinal);
  device.shared_bytes_per_block = static_cast<std::size_t>(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, ordinal));
  device.shared_bytes_per_multiprocessor =
      static_cast<std::size_t>(attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor, ordinal));
  device.l2_bytes = static_cast<std::size_t>(attribute(cudaDevAttrL2CacheSize, ordinal));
  return device;
}

// Why kernels cannot run on this device; empty when they can. Makes the device's context: the first call for a device
// takes a good part of a second.
std::string why_device_unusable(int ordinal) {
  const int capability = compute_capability(ordinal);
  if (capability < oldest_capability)
    return describe_device(ordinal).name + " has compute capability " + capability_text(capability) +
           "; the CUDA strategies need " + capability_text(oldest_capability) + " (Turing, 2018) or newer.";
  int previous = 0;
  handled(cudaGetDevice(&previous));
  cudaError_t status = handled(cudaSetDevice(ordinal));
  if (status == cudaSuccess) status = handled(cudaFree(nullptr));
  cudaFuncAttributes attributes{};
  if (status == cudaSuccess)
    status = handled(cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(probe_kernel)));
  handled(cudaSetDevice(previous));
  return status == cudaSuccess ? std::string() : explain_start(status);
}

// What the driver said at the first question. Devices do not come and go while the program runs.
struct Probe {
  int count = 0;
  std::string reason;
};

const Probe& probe() {
  static const Probe result = [] {
    Probe found;
    if (const cudaError_t status = handled(cudaGetDeviceCount(&found.count)); status != cudaSuccess)
      return Probe{0, explain_start(status)};
    if (found.count == 0) return Probe{0, explain_start(cudaErrorNoDevice)};
    for (int ordinal = 0; ordinal < found.count; ++ordinal) {
      const std::string reason = why_device_unusable(ordinal);
      if (reason.empty()) return Probe{found.count, {}};  // one is enough; the others are asked when chosen
      if (found.reason.empty()) found.reason = reason;
    }
    return found;
  }();
  return result;
}

class EventTimer final : public IntervalTimer {
 public:
  EventTimer() {
    CONVOSCOPE_CHECK(cudaEventCreate(&start_));
    if (const cudaError_t status = cudaEventCreate(&stop_); status != cudaSuccess) {
      CONVOSCOPE_CHECK_NOEXCEPT(cudaEventDestroy(start_));
      check(status, "cudaEventCreate");
    }
  }
  ~EventTimer() override {
    CONVOSCOPE_CHECK_NOEXCEPT(cudaEventDestroy(start_));
    CONVOSCOPE_CHECK_NOEXCEPT(cudaEventDestroy(stop_));
  }
  EventTimer(const EventTimer&) = delete;
  EventTimer& operator=(const EventTimer&) = delete;

  void start(Stream stream) override {
    stopped_ = false;
    elapsed_.reset();
    CONVOSCOPE_CHECK(cudaEventRecord(start_, static_cast<cudaStream_t>(stream.handle)));
  }
  void stop(Stream stream) override {
    CONVOSCOPE_CHECK(cudaEventRecord(stop_, static_cast<cudaStream_t>(stream.handle)));
    stopped_ = true;
  }
  std::optional<double> poll_ms() override {
    if (elapsed_ || !stopped_) return elapsed_;
    const cudaError_t status = handled(cudaEventQuery(stop_));
    if (status == cudaErrorNotReady) return std::nullopt;
    check_device(status);
    float milliseconds = 0;
    CONVOSCOPE_CHECK(cudaEventElapsedTime(&milliseconds, start_, stop_));
    elapsed_ = milliseconds;
    return elapsed_;
  }

 private:
  cudaEvent_t start_ = nullptr, stop_ = nullptr;
  bool stopped_ = false;
  std::optional<double> elapsed_;
};

class CudaCompute final : public Compute {
 public:
  explicit CudaCompute(int ordinal) : device_(describe_device(ordinal)) {
    check_device(cudaSetDevice(ordinal));
    CONVOSCOPE_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    cudaFuncAttributes attributes{};
    CONVOSCOPE_CHECK(cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(probe_kernel)));
    if (attributes.ptxVersion < device_.compute_capability) device_.compiled_for = attributes.ptxVersion;
  }
  ~CudaCompute() override {
    CONVOSCOPE_CHECK_NOEXCEPT(cudaStreamSynchronize(stream_));
    CONVOSCOPE_CHECK_NOEXCEPT(cudaStreamDestroy(stream_));
  }
  CudaCompute(const CudaCompute&) = delete;
  CudaCompute& operator=(const CudaCompute&) = delete;

  const Device& device() const override { return device_; }
  Stream stream() const override { return {stream_}; }

  DeviceImage allocate(int width, int height, PixelFormat format) override {
    image_layout(width, height, format, row_alignment, device_);
    void* memory = nullptr;
    std::size_t pitch = 0;
    require_memory(cudaMallocPitch(&memory, &pitch, static_cast<std::size_t>(width) * bytes_per_pixel(format),
                                   static_cast<std::size_t>(height)),
                   "an image of " + std::to_string(width) + " × " + std::to_string(height) + " pixels");
    return {Image{memory, width, height, pitch, format}, own_device_memory(memory)};
  }
  std::shared_ptr<void> allocate_bytes(std::size_t bytes) override {
    void* memory = nullptr;
    require_memory(cudaMalloc(&memory, bytes ? bytes : 1), "a buffer of " + byte_text(static_cast<double>(bytes)));
    return own_device_memory(memory);
  }
  std::shared_ptr<void> allocate_host(std::size_t bytes) override { return allocate_pinned(device_.ordinal, bytes); }
  std::unique_ptr<IntervalTimer> make_timer() override { return std::make_unique<EventTimer>(); }

  void upload(const Image& host, const Image& device) override { copy(host, device, cudaMemcpyHostToDevice); }
  void copy(const Image& from, const Image& to) override { copy(from, to, cudaMemcpyDeviceToDevice); }
  void download(const Image& device, const Image& host) override {
    copy(device, host, cudaMemcpyDeviceToHost);
    synchronize();
  }
  void start_download(const Image& device, const Image& host) override { copy(device, host, cudaMemcpyDeviceToHost); }
  void copy_bytes(const void* host, void* device, std::size_t bytes) override {
    if (bytes) check_device(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream_));
  }
  void fill(const Image& device, unsigned char byte) override {
    check_device(cudaMemset2DAsync(device.data, device.pitch, byte, row_bytes(device),
                                   static_cast<std::size_t>(device.height), stream_));
  }
  // Also reports what went wrong in any kernel before: such errors stick to the context.
  void synchronize() override { check_device(cudaStreamSynchronize(stream_)); }

 private:
  static std::size_t row_bytes(const Image& image) {
    return static_cast<std::size_t>(image.width) * bytes_per_pixel(image.format);
  }
  void copy(const Image& from, const Image& to, cudaMemcpyKind kind) {
    require_same_shape(from, to);
    const bool contiguous = from.pitch == row_bytes(from) && to.pitch == from.pitch;
    if (contiguous)  // more than twice as fast on the device as the same bytes row by row
      return check_device(
          cudaMemcpyAsync(to.data, from.data, from.pitch * static_cast<std::size_t>(from.height), kind, stream_));
    check_device(cudaMemcpy2DAsync(to.data, to.pitch, from.data, from.pitch, row_bytes(from),
                                   static_cast<std::size_t>(from.height), kind, stream_));
  }
  void require_memory(cudaError_t status, const std::string& purpose) const {
    if (handled(status) != cudaErrorMemoryAllocation) return check_device(status);
    std::size_t free = 0, total = 0;
    handled(cudaMemGetInfo(&free, &total));
    throw Error(device_.name + " has not enough memory for " + purpose + ": " + byte_text(static_cast<double>(free)) +
                " of " + byte_text(static_cast<double>(total)) +
                " are free. Close other programs that use the GPU, or choose a smaller size.");
  }
  static std::shared_ptr<void> own_device_memory(void* memory) {
    return {memory, [](void* start) { CONVOSCOPE_CHECK_NOEXCEPT(cudaFree(start)); }};
  }

  Device device_;
  cudaStream_t stream_ = nullptr;
};

}  // namespace
}  // namespace cuda

std::string why_cuda_unavailable() { return cuda::probe().reason; }

std::string cuda_versions() {
  const auto text = [](int version) {  // 13000: 13.0
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
  };
  int driver = 0, toolkit = 0;
  cuda::handled(cudaDriverGetVersion(&driver));
  cuda::handled(cudaRuntimeGetVersion(&toolkit));
  return "driver " + text(driver) + ", toolkit " + text(toolkit);
}

DeviceClocks device_clocks(const Device& device) {
  if (device.backend != Backend::cuda) return {};
  constexpr int khz_a_mhz = 1000;
  const int capability = device.compute_capability;
  return {.highest_core_mhz = cuda::attribute(cudaDevAttrClockRate, device.ordinal) / khz_a_mhz,
          .highest_memory_mhz = cuda::attribute(cudaDevAttrMemoryClockRate, device.ordinal) / khz_a_mhz,
          .lanes_a_multiprocessor = capability == 75 || capability == 80 ? 64 : 128};
}

std::vector<Device> list_cuda_devices() {
  std::vector<Device> devices;
  if (!cuda::probe().reason.empty()) return devices;
  for (int ordinal = 0; ordinal < cuda::probe().count; ++ordinal)
    if (cuda::compute_capability(ordinal) >= cuda::oldest_capability) devices.push_back(cuda::describe_device(ordinal));
  return devices;
}

// Large blocks: in large pages, which this thread fills with zeros before the driver pins them, so that others of its
// calls need not wait: 3.5 ms for a picture of 3840 × 2160 in place of 5.4, of which 0.7 one after the other. Null: not
// to be had so.
std::shared_ptr<void> pin_large_pages(std::size_t bytes) {
  constexpr std::size_t large_page = std::size_t{2} << 20, page = 4096;
  if (bytes < large_page) return nullptr;
  const std::size_t rounded = (bytes + large_page - 1) / large_page * large_page;
  if (rounded < bytes) return nullptr;
  auto* const memory = static_cast<volatile char*>(std::aligned_alloc(large_page, rounded));
  if (!memory) return nullptr;
  void* const start = const_cast<char*>(memory);
  madvise(start, rounded, MADV_HUGEPAGE);  // where there are none, small ones do as well
  for (std::size_t at = 0; at < rounded; at += page) memory[at] = 0;
  if (cuda::handled(cudaHostRegister(start, rounded, cudaHostRegisterPortable)) != cudaSuccess) {
    std::free(start);
    return nullptr;
  }
  return {start, [](void* block) {
            using cuda::check_noexcept;
            CONVOSCOPE_CHECK_NOEXCEPT(cudaHostUnregister(block));
            std::free(block);
          }};
}

std::shared_ptr<void> allocate_pinned(int ordinal, std::size_t bytes) {
  cuda::check_device(cudaSetDevice(ordinal));  // a decoder's thread has not chosen one
  if (std::shared_ptr<void> block = pin_large_pages(bytes)) return block;
  void* memory = nullptr;
  const cudaError_t status = cuda::handled(cudaHostAlloc(&memory, bytes ? bytes : 1, cudaHostAllocPortable));
  if (status == cudaErrorMemoryAllocation)
    throw Error("There is not enough memory for a pinned buffer of " + byte_text(static_cast<double>(bytes)) +
                ". Close other programs or choose a smaller size.");
  cuda::check_device(status);
  return {memory, [](void* start) {
            using cuda::check_noexcept;
            CONVOSCOPE_CHECK_NOEXCEPT(cudaFreeHost(start));
          }};
}

std::unique_ptr<Compute> make_cuda_compute(int ordinal) {
  const cuda::Probe& probe = cuda::probe();
  if (!probe.reason.empty()) throw Error(probe.reason);
  if (ordinal < 0 || ordinal >= probe.count)
    throw Error("There is no CUDA device " + std::to_string(ordinal) + "; this machine has " +
                std::to_string(probe.count) + ", counted from 0. See: convoscope list devices.");
  if (const std::string reason = cuda::why_device_unusable(ordinal); !reason.empty()) throw Error(reason);
  return std::make_unique<cuda::CudaCompute>(ordinal);
}

}  // namespace convoscope
