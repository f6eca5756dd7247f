// Compute where the "device" is this machine's own memory: the CPU backend and the emulator. Work is done when a call
// returns, so streams are null and timers are clocks.
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "kernels/compute/compute_backends.h"
#include "kernels/text/error.h"
#include "kernels/threads/stop.h"
#include "kernels/threads/thread_pool.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__  // Clang's way to say what GCC defines
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#define CONVOSCOPE_GUARD_PADDING 1
#else
#define CONVOSCOPE_GUARD_PADDING 0
#endif

namespace convoscope {
namespace {

constexpr std::size_t row_alignment = 64;  // a cache line, and the widest vector of any x86 or Arm core

std::string cpu_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name"))
      if (const auto colon = line.find(": "); colon != std::string::npos) return line.substr(colon + 2);
  return "CPU";
}

int usable_cores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? static_cast<int>(online) : 1;
}

std::size_t positive(long value) { return value > 0 ? static_cast<std::size_t>(value) : 0; }

std::shared_ptr<void> allocate_aligned(std::size_t bytes, const std::string& purpose) {
  const std::size_t rounded = (bytes + row_alignment - 1) / row_alignment * row_alignment;
  void* memory = rounded >= bytes ? std::aligned_alloc(row_alignment, rounded ? rounded : row_alignment) : nullptr;
  if (!memory)
    throw Error("There is not enough memory for " + purpose + " of " + byte_text(static_cast<double>(bytes)) +
                ". Close other programs or choose a smaller size.");
  return {memory, std::free};
}

class ClockTimer final : public IntervalTimer {
 public:
  void start(Stream) override {
    elapsed_.reset();
    stood_still_ = stood_still();
    before_ = processor_use();
    start_ = Clock::now();
  }
  void stop(Stream) override {
    const Clock::duration all = Clock::now() - start_;
    use_ = processor_use() - before_;
    elapsed_ = std::chrono::duration<double, std::milli>(all - (stood_still() - stood_still_)).count();
  }
  std::optional<double> poll_ms() override { return elapsed_; }
  std::optional<ProcessorUse> use() const override { return elapsed_ ? std::optional(use_) : std::nullopt; }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
  Clock::duration stood_still_{};  // before it
  std::optional<double> elapsed_;
  ProcessorUse before_, use_;
};

class HostCompute final : public Compute {
 public:
  explicit HostCompute(Backend backend) : device_(host_device(backend)) {}
  const Device& device() const override { return device_; }
  Stream stream() const override { return {}; }

  DeviceImage allocate(int width, int height, PixelFormat format) override {
    ImageLayout layout = image_layout(width, height, format, row_alignment, device_);
    if (CONVOSCOPE_GUARD_PADDING) {  // every row gets padding, so that every row is guarded
      layout.pitch += row_alignment;
      layout.bytes = layout.pitch * static_cast<std::size_t>(height);
    }
    std::shared_ptr<void> memory = allocate_aligned(layout.bytes, "an image");
    const Image image{memory.get(), width, height, layout.pitch, format};
    return {image, guard_padding(image, layout.bytes, std::move(memory))};
  }
  std::shared_ptr<void> allocate_bytes(std::size_t bytes) override { return allocate_aligned(bytes, "a buffer"); }
  std::shared_ptr<void> allocate_host(std::size_t bytes) override { return allocate_on_host(bytes); }
  std::unique_ptr<IntervalTimer> make_timer() override { return std::make_unique<ClockTimer>(); }

  void upload(const Image& host, const Image& device) override { copy(host, device); }
  void download(const Image& device, const Image& host) override { copy(device, host); }
  void start_download(const Image& device, const Image& host) override { copy(device, host); }
  void copy(const Image& from, const Image& to) override {
    require_same_shape(from, to);
    for (int y = 0; y < from.height; ++y) std::memcpy(row(to, y), row(from, y), row_bytes(from));
  }
  void copy_with_all(const Image& from, const Image& to) override {
    require_same_shape(from, to);
    constexpr int rows_at_once = 16;
    parallel_for((from.height + rows_at_once - 1) / rows_at_once, core_count(), [&](int part, int) {
      const int end = std::min(from.height, (part + 1) * rows_at_once);
      for (int y = part * rows_at_once; y < end; ++y) std::memcpy(row(to, y), row(from, y), row_bytes(from));
    });
  }
  void copy_bytes(const void* host, void* device, std::size_t bytes) override {
    if (bytes) std::memcpy(device, host, bytes);
  }
  void fill(const Image& device, unsigned char byte) override {
    for (int y = 0; y < device.height; ++y) std::memset(row(device, y), byte, row_bytes(device));
  }
  void synchronize() override {}

 private:
  static char* row(const Image& image, int y) {
    return static_cast<char*>(image.data) + static_cast<std::size_t>(y) * image.pitch;
  }
  static std::size_t row_bytes(const Image& image) {
    return static_cast<std::size_t>(image.width) * bytes_per_pixel(image.format);
  }

  // Under AddressSanitizer a kernel that reads or writes behind the end of a row is reported there and then.
  static std::shared_ptr<void> guard_padding([[maybe_unused]] const Image& image, [[maybe_unused]] std::size_t bytes,
                                             std::shared_ptr<void> memory) {
#if CONVOSCOPE_GUARD_PADDING
    for (int y = 0; y < image.height; ++y)
      __asan_poison_memory_region(row(image, y) + row_bytes(image), image.pitch - row_bytes(image));
    void* data = memory.get();
    return {data, [bytes, memory](void* start) { __asan_unpoison_memory_region(start, bytes); }};
#else
    return memory;
#endif
  }

  Device device_;
};

}  // namespace

Device host_device(Backend backend) {
  static const Device cpu = [] {
    Device device;
    device.name = cpu_name();
    device.multiprocessors = usable_cores();
    device.l2_bytes = positive(sysconf(_SC_LEVEL2_CACHE_SIZE));
    device.memory_bytes = positive(sysconf(_SC_PHYS_PAGES)) * positive(sysconf(_SC_PAGESIZE));
    return device;
  }();
  if (backend == Backend::cpu) return cpu;
  Device emulated = cpu;  // the memory is the machine's; the limits are those of a compute capability 9.0 device
  emulated.backend = Backend::emulated;
  emulated.name = "CUDA emulator on " + cpu.name;
  emulated.compute_capability = 90;
  emulated.shared_bytes_per_block = 227 * 1024;
  emulated.shared_bytes_per_multiprocessor = 228 * 1024;
  return emulated;
}

std::shared_ptr<void> allocate_on_host(std::size_t bytes) { return allocate_aligned(bytes, "a buffer"); }

std::unique_ptr<Compute> make_host_compute(Backend backend) { return std::make_unique<HostCompute>(backend); }

}  // namespace convoscope
