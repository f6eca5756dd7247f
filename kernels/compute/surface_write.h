#pragma once
// Brings images into CUDA arrays (GL textures, mapped) with one kernel: cheaper than a copy per array.
#include <span>

#include "kernels/contract/data/image.h"
#include "kernels/contract/strategy.h"

namespace convoscope {

// images[i], in device memory, goes to surfaces[i], a cudaSurfaceObject_t on an array of at least its size with 4-byte
// elements (GL_RGBA8, GL_R32F); row 0 to row 0. Enqueued. Throws Error when the launch fails or CUDA is not there, and
// std::logic_error when the counts differ.
void enqueue_surface_writes(std::span<const Image> images, std::span<const unsigned long long> surfaces, Stream);

}  // namespace convoscope
