#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "kernels/device/cuda_raii.h"
#include "tests/error_of.h"

namespace convoscope::emulated {

inline constexpr std::uint64_t seeds[] = {0, 1, 2, 3, 17};

// Puts the order back when a test ends.
class SeedScope {
 public:
  explicit SeedScope(std::uint64_t value) : before_(seed()) { set_seed(value); }
  SeedScope(const SeedScope&) = delete;
  SeedScope& operator=(const SeedScope&) = delete;
  ~SeedScope() { set_seed(before_); }

 private:
  std::uint64_t before_;
};

template <class T>
DeviceBuffer<T> on_device(const std::vector<T>& values) {
  DeviceBuffer<T> buffer(values.size());
  CONVOSCOPE_CHECK(cudaMemcpyAsync(buffer.data(), values.data(), buffer.bytes(), cudaMemcpyHostToDevice));
  return buffer;
}

template <class T>
std::vector<T> on_host(const DeviceBuffer<T>& buffer) {
  return {buffer.data(), buffer.data() + buffer.size()};
}

}  // namespace convoscope::emulated
