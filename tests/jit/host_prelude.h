#pragma once
// What a generated kernel takes from CUDA, for the host's compiler: threads run one after the other, which is the same
// to a kernel without shared memory.
#define CONVOSCOPE_HOST
#define __device__
#define __global__
#define __forceinline__ inline
#define __launch_bounds__(threads)
#include <cmath>
#include <cstring>

#include "kernel_watcher.h"

struct Place {
  unsigned x, y;
};
static Place blockIdx, threadIdx;
struct uint2 {
  unsigned x, y;
};
struct uint4 {
  unsigned x, y, z, w;
};
static uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
static uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }
static float __uint_as_float(unsigned bits) {
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}
static unsigned __float_as_uint(float value) {
  unsigned bits;
  std::memcpy(&bits, &value, 4);
  return bits;
}
static unsigned code_value(float value) {
  return static_cast<unsigned>(std::fmin(std::fmax(std::rint(value), 0.0f), 255.0f));
}
template <int byte>
static float channel(unsigned pixel) {
  return static_cast<float>(pixel >> 8 * byte & 255);
}
static const KernelWatcher* watcher;
template <class T>
static T loaded(const unsigned* from) {
  if (watcher) watcher->read(watcher->self, {blockIdx.x, blockIdx.y, threadIdx.x, threadIdx.y}, from, sizeof(T));
  return *reinterpret_cast<const T*>(from);
}
