#pragma once
// What no filter can be faster than: a kernel that reads and writes each byte of a frame once, and one that does
// nothing. In CUDA, and emulated for tests.
#include "kernels/contract/data/image.h"
#include "kernels/contract/strategy.h"

namespace convoscope {

namespace cuda::measure {
void enqueue_floor(const Image& from, const Image& to, Stream);  // Error when the launch fails
void enqueue_nothing(Stream);
}  // namespace cuda::measure
namespace emulated::measure {
void enqueue_floor(const Image& from, const Image& to, Stream);
void enqueue_nothing(Stream);
}  // namespace emulated::measure

}  // namespace convoscope
