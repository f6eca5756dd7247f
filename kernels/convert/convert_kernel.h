#pragma once
// Internal to convert/: the kernels, for the device and for the emulator.
#include "kernels/contract/strategy.h"
#include "kernels/convert/conversion.h"
#include "kernels/convert/yuv_layout.h"

namespace convoscope {

namespace cuda {
// Planes are device memory; planes and pitches are multiples of 8 bytes (see planes_aligned).
void enqueue_conversion(const VideoFormat&, const Conversion&, const Image& out, Stream);
KernelInfo describe_conversion(const VideoFormat&, const Conversion&, PixelFormat output);
// Where HostRows::takes() says so; out: rgba8 with Y, U and V in place of its colours.
void enqueue_as_stored(const VideoFormat&, const Conversion&, const Image& out, Stream);
// A picture of rgba8 or gray32f to planes in device memory.
void enqueue_planes(const Image& in, const PlaneConversion&, Stream);
}  // namespace cuda

namespace emulated {
void enqueue_conversion(const VideoFormat&, const Conversion&, const Image& out, Stream);
KernelInfo describe_conversion(const VideoFormat&, const Conversion&, PixelFormat output);
// Where HostRows::takes() says so; out: rgba8 with Y, U and V in place of its colours.
void enqueue_as_stored(const VideoFormat&, const Conversion&, const Image& out, Stream);
// A picture of rgba8 or gray32f to planes in device memory.
void enqueue_planes(const Image& in, const PlaneConversion&, Stream);
}  // namespace emulated

}  // namespace convoscope
