#pragma once
// Internal to convert/: the one kernel, for the device and for the emulator.
#include "kernels/contract/strategy.h"
#include "kernels/convert/conversion.h"

namespace convoscope {

namespace cuda {
// Planes are device memory; planes and pitches are multiples of 8 bytes (see planes_aligned).
void enqueue_conversion(const VideoFormat&, const Conversion&, const Image& out, Stream);
KernelInfo describe_conversion(const VideoFormat&, const Conversion&, PixelFormat output);
}  // namespace cuda

namespace emulated {
void enqueue_conversion(const VideoFormat&, const Conversion&, const Image& out, Stream);
KernelInfo describe_conversion(const VideoFormat&, const Conversion&, PixelFormat output);
}  // namespace emulated

}  // namespace convoscope
