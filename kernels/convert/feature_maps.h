#pragma once
// Between pictures and the tensors of a layer: the colours of a picture as its channels, its feature maps as a picture.
#include "kernels/compute/compute.h"
#include "kernels/contract/data/image.h"
#include "kernels/contract/data/tensor.h"
#include "kernels/convert/wall.h"

namespace convoscope {

struct MapColours {
  float gain = 1;
  bool diverging = true;  // orange above zero, blue below, for rgba8; else grey, zero in the middle
};

// X[1, C, H, W] of a picture of the same size, of any type and layout: red, green and blue from 0 to 1 (C = 3), or grey
// (C = 1). Enqueued on a CUDA device, else done by all cores when it returns. No allocation. Throws Error when the
// launch fails.
void split_channels(Backend, const Image& picture, const Tensor& x, Stream);

// A tensor [1, C, H, W] into another one of its extents, each of any type and layout. As above.
void copy_numbers(Backend, const Tensor& from, const Tensor& to, Stream);

// Every pixel of the picture, of the wall's size, from maps [1, M, H, W] of float32 in planes. A cell without a map is
// hatched, all else beside the maps is black. Where a map is made smaller, of the values under a pixel the one farthest
// from zero. As above.
void paint_wall(Backend, const Tensor& maps, const Wall&, const MapColours&, const Image& picture, Stream);

// A wall of frames: a picture whose colours are the channels of X, from 0 to 1, and one of those of Y, as large or
// smaller. `added`: Y is what X lacks. Both float32 in planes, with a channel for each of the picture's. As above.
void paint_frames(Backend, const Tensor& x, const Tensor& y, bool added, const Wall&, const Image& picture, Stream);

// The largest of each 2 × 2 values of maps [1, M, H, W], into [1, M, H/2, W/2]; NaN where one of them is. As above.
void pool_maps(Backend, const Tensor& maps, const Tensor& pooled, Stream);

}  // namespace convoscope
