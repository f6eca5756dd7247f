#pragma once
// The book's grid for layers: (planes, tiles, samples), a tile of outputs a block and one of its outputs a thread.
// Blocks that follow one another make the same tile of all planes, so that what they read is still in the caches.
#include "kernels/contract/theory/model.h"
#include "kernels/contract/theory/tolerance.h"
#include "kernels/device/layer_launch.cuh"

namespace convoscope::CONVOSCOPE_TARGET::layer {

// The output of this thread in a plane: m of Y, c of dX. The tiles are numbered along their rows.
struct Place {
  int plane, y, x;
};
__device__ inline Place place_in_tile(int plane_width) {
  const int width = blockDim.x, height = blockDim.y, across = ceil_div(plane_width, width);
  const int row = static_cast<int>(blockIdx.y) / across, column = static_cast<int>(blockIdx.y) % across;
  return {static_cast<int>(blockIdx.x), row * height + static_cast<int>(threadIdx.y),
          column * width + static_cast<int>(threadIdx.x)};
}

// Forward of Y, to the input of dX.
inline LaunchShape launch_tiles(const Problem& p, dim3 block, std::size_t shared_bytes = 0) {
  const Shape shape = layer_kind.outputs(p)[0];
  const int tiles =
      ceil_div(shape.height(), static_cast<int>(block.y)) * ceil_div(shape.width(), static_cast<int>(block.x));
  return {dim3(shape.channels(), tiles, shape.samples()), block, shared_bytes};
}

// Of strategies that keep a bank, which a gradient to the weights does not have.
inline std::string no_bank_reason(const Problem& p) {
  if (p.layer.pass != Pass::to_weights) return {};
  return "It shares a bank of weights among neighbouring outputs; the pass to the weights has no such bank, and each "
         "of the " +
         std::to_string(layer_kind.outputs(p)[0].elements()) + " outputs needs all of both inputs";
}

}  // namespace convoscope::CONVOSCOPE_TARGET::layer
