#pragma once
// Owners of CUDA resources: move-only, freed on destruction. Included through device.cuh by strategies.
#include <cstddef>
#include <utility>

#include "kernels/device/device.cuh"

namespace convoscope::CONVOSCOPE_TARGET {

// Device memory of a plan: allocated when the plan is made, never on the way of a frame.
template <class T>
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  explicit DeviceBuffer(std::size_t count) : count_(count) {
    void* memory = nullptr;
    if (count) CONVOSCOPE_CHECK(cudaMalloc(&memory, count * sizeof(T)));
    data_ = static_cast<T*>(memory);
  }
  DeviceBuffer(DeviceBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), count_(std::exchange(other.count_, 0)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    return *this;
  }
  ~DeviceBuffer() {
    if (data_) CONVOSCOPE_CHECK_NOEXCEPT(cudaFree(data_));
  }
  T* data() const { return data_; }
  std::size_t size() const { return count_; }
  std::size_t bytes() const { return count_ * sizeof(T); }

 private:
  T* data_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace convoscope::CONVOSCOPE_TARGET
