#pragma once
// Memory, order and time on one device, the same for the CPU, the emulator and CUDA, so that app/ never sees CUDA.
// All calls from the thread that made the object, except allocate_host(): any thread. Everything but synchronize() and
// download() returns without waiting on CUDA; on the CPU work is done when the call returns.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/compute/processor_use.h"
#include "kernels/contract/data/image.h"
#include "kernels/contract/device.h"
#include "kernels/contract/strategy.h"

namespace convoscope {

// Owns pixels on a device. Rows are padded to 256 bytes (CUDA) or 64 bytes (CPU).
class DeviceImage {
 public:
  DeviceImage() = default;
  DeviceImage(const Image& image, std::shared_ptr<void> memory) : image_(image), memory_(std::move(memory)) {}
  const Image& image() const { return image_; }
  explicit operator bool() const { return image_.data != nullptr; }
  bool is_shared() const { return memory_.use_count() > 1; }  // another object has the same pixels
  bool fits(int width, int height, PixelFormat format) const {
    return image_.data && image_.width == width && image_.height == height && image_.format == format;
  }

 private:
  Image image_;
  std::shared_ptr<void> memory_;
};

// The same for tensors.
struct DeviceTensor {
  Tensor tensor;
  DeviceImage memory;
};

// The time between two points of a stream. poll_ms() never waits: empty until the device has passed stop().
class IntervalTimer {
 public:
  virtual ~IntervalTimer() = default;
  virtual void start(Stream) = 0;
  virtual void stop(Stream) = 0;
  virtual std::optional<double> poll_ms() = 0;
  // What the processor did in the interval that poll_ms() has told; nothing where a GPU computes.
  virtual std::optional<ProcessorUse> use() const { return std::nullopt; }
};

class Compute {
 public:
  virtual ~Compute() = default;
  virtual const Device& device() const = 0;
  virtual Stream stream() const = 0;                                     // the one stream of a frame
  virtual DeviceImage allocate(int width, int height, PixelFormat) = 0;  // contents undefined; throws Error when full
  virtual std::shared_ptr<void> allocate_bytes(std::size_t) = 0;         // on the device
  virtual std::shared_ptr<void> allocate_host(std::size_t) = 0;  // pinned: the device copies from it without waiting
  virtual std::unique_ptr<IntervalTimer> make_timer() = 0;
  virtual void upload(const Image& host, const Image& device) = 0;  // enqueued; host memory stays valid until done
  virtual void copy(const Image& from, const Image& to) = 0;        // device to device
  // The same as fast as the device can: on the CPU with every core, as its strategies compute. For measurements.
  virtual void copy_with_all(const Image& from, const Image& to) { copy(from, to); }
  virtual void copy_bytes(const void* host, void* device, std::size_t) = 0;  // host to device, enqueued
  virtual void download(const Image& device, const Image& host) = 0;         // waits
  // Enqueued, into memory of allocate_host(): there once a timer that was stopped after it has passed.
  virtual void start_download(const Image& device, const Image& host) = 0;
  virtual void fill(const Image& device, unsigned char byte) = 0;
  virtual void synchronize() = 0;  // throws Error when the device has failed
};

// Contents undefined; throws Error when full. Rows of pictures are padded as the device likes it. Tensors of several
// planes are dense, as those who have them keep them and as libraries want them.
DeviceTensor allocate_tensor(Compute&, const Shape&);
DeviceTensor dense_tensor(Compute&, const Shape&);  // of whatever planes

// Empty when the backend can be used here, else a plain sentence: built without CUDA, no driver, no device, too old.
std::string why_unavailable(Backend);
// Of a program whose kernels were compiled quickly, and what to do about it.
inline constexpr const char* quick_kernels_notice =
    "The CUDA kernels of this program were compiled for a quick build, not for speed. Build it here again (`make run`) "
    "for times that count, or with `make package` for every GPU, which takes longer.";
// Empty, or why times on this backend are longer than they need be: that sentence.
std::string why_slower_than_need_be(Backend);
std::vector<Device> list_devices(Backend);                        // never throws; empty when unavailable
std::unique_ptr<Compute> make_compute(Backend, int ordinal = 0);  // throws Error with the sentence above

}  // namespace convoscope
