#include "kernels/compute/compute.h"

#include <cstdio>
#include <limits>
#include <stdexcept>
#include <utility>

#include "kernels/compute/compute_backends.h"
#include "kernels/cpu/host_memory.h"
#include "kernels/text/error.h"
#include "kernels/threads/uninterrupted.h"

namespace convoscope {

std::string why_unavailable(Backend backend) {
  if (backend != Backend::cuda) return {};
  const Uninterrupted here;  // the driver starts, with threads of its own
  return why_cuda_unavailable();
}

std::string why_slower_than_need_be([[maybe_unused]] Backend backend) {
#ifdef CONVOSCOPE_QUICK_KERNELS
  if (backend == Backend::cuda) return quick_kernels_notice;
#endif
  return {};
}

std::vector<Device> list_devices(Backend backend) {
  const Uninterrupted here;
  if (backend == Backend::cuda) return list_cuda_devices();
  return {host_device(backend)};
}

std::shared_ptr<void> allocate_host(const Device& device, std::size_t bytes) {
  return device.backend == Backend::cuda ? allocate_pinned(device.ordinal, bytes) : allocate_on_host(bytes);
}

std::unique_ptr<Compute> make_compute(Backend backend, int ordinal) {
  if (std::string reason = why_unavailable(backend); !reason.empty()) throw Error(reason);
  const Uninterrupted here;
  if (backend == Backend::cuda) return make_cuda_compute(ordinal);
  if (ordinal != 0)
    throw Error("There is no " + std::string(to_string(backend)) + " device " + std::to_string(ordinal) +
                "; the CPU is device 0.");
  return make_host_compute(backend);
}

DeviceTensor dense_tensor(Compute& compute, const Shape& shape) {
  std::shared_ptr<void> bytes = compute.allocate_bytes(shape.bytes());
  const Tensor tensor = tensor_of_rows(bytes.get(), shape, shape.row_bytes());
  return {tensor, DeviceImage(rows_of(tensor), std::move(bytes))};
}

DeviceTensor allocate_tensor(Compute& compute, const Shape& shape) {
  if (shape.samples() * shape.channels() > 1) return dense_tensor(compute, shape);
  DeviceImage image = compute.allocate(shape.row_elements(), static_cast<int>(shape.rows()), format_of(shape.element));
  return {tensor_of_rows(image.image().data, shape, image.image().pitch), std::move(image)};
}

ImageLayout image_layout(int width, int height, PixelFormat format, std::size_t alignment, const Device& device) {
  const std::string size = std::to_string(width) + " × " + std::to_string(height) + " pixels";
  if (width < 1 || height < 1)
    throw Error("An image of " + size + " cannot be made: width and height must be at least 1.");
  const std::size_t row = static_cast<std::size_t>(width) * bytes_per_pixel(format);
  ImageLayout layout;
  layout.pitch = (row + alignment - 1) / alignment * alignment;
  const bool overflow = __builtin_mul_overflow(layout.pitch, static_cast<std::size_t>(height), &layout.bytes);
  if (overflow || (device.memory_bytes != 0 && layout.bytes > device.memory_bytes))
    throw Error("An image of " + size + " takes " + byte_text(static_cast<double>(layout.pitch) * height) +
                ", more than the " + byte_text(static_cast<double>(device.memory_bytes)) + " of memory of " +
                device.name + ". Choose a smaller size.");
  return layout;
}

void require_same_shape(const Image& from, const Image& to) {
  if (from.width != to.width || from.height != to.height || from.format != to.format)
    throw std::logic_error("images of different size or format: " + std::to_string(from.width) + " × " +
                           std::to_string(from.height) + " " + to_string(from.format) + " and " +
                           std::to_string(to.width) + " × " + std::to_string(to.height) + " " + to_string(to.format));
}

std::string byte_text(double bytes) {
  const char* units[] = {"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
  std::size_t unit = 0;
  while (bytes >= 1000 && unit + 1 < std::size(units)) bytes /= 1000, ++unit;
  char text[64];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.1f %s", bytes, units[unit]);
  return text;
}

}  // namespace convoscope
