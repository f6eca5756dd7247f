#pragma once
// What TMA does with a box of float16 that lies channel by channel, for tensors that it does not take: where pixels do
// not begin at multiples of 16 bytes.
#include "kernels/device/parts/layer_numbers.cuh"
#include "kernels/device/parts/mbarrier.cuh"

namespace convoscope::CONVOSCOPE_TARGET::layer {

// A rectangle of pixels, 64 channels of each, which may reach beyond the tensor.
struct PixelBox {
  int channel, left, top, width, height;
};
struct PixelExtents {
  int channels, width, height;
};

// A warp copies number by number; from: the sample's first. first: where the box begins, in halves.
__device__ inline void copy_swizzled(const Shared<Half>& shared, int first, const Strided<const Half>& in,
                                     const Half* from, const PixelExtents& e, const PixelBox& box) {
  for (int i = static_cast<int>(threadIdx.x) % 32; i < box.width * box.height * box_channels; i += 32) {
    const int pixel = i / box_channels, of_pixel = i % box_channels, channel = box.channel + of_pixel,
              x = box.left + pixel % box.width, y = box.top + pixel / box.width;
    const bool there = x >= 0 && x < e.width && y >= 0 && y < e.height && channel < e.channels;
    const Half* const number = from + y * in.row + x * in.column + channel * in.channel;
    if (there) note_read(number, sizeof(Half));
    shared[first + pixel * box_channels + (of_pixel / 8 ^ pixel % 8) * 8 + of_pixel % 8] = there ? *number : Half{0};
  }
  shared_writes_before_copies_and_products();
  __syncwarp();
}

}  // namespace convoscope::CONVOSCOPE_TARGET::layer
