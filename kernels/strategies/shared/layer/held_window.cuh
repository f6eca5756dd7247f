#pragma once
// What is said of an output of kernels that hold a window of the sources in shared memory.
#include "kernels/strategies/shared/layer/explain.cuh"

namespace convoscope::CONVOSCOPE_TARGET::layer {

// Of a kernel that holds a window: a row of its outputs is what lies together in the product.
inline Explanation explain_from_window(const Correlation& c, KernelStep step, MatrixProduct product) {
  const PixelArea& made = step.outputs[0];
  product.tile = {product.column / c.out_width * c.out_width + made.x,
                  step.output_planes[0] % c.targets % c.group_targets(), std::min(made.width, c.out_width - made.x),
                  static_cast<int>(step.output_planes.size())};
  step.words = meeting_text(product) + step.words + products_text(c) +
               " for each output, summed in the registers of the thread that is named here, which stores it.";
  return {.steps = {std::move(step)}, .words = {}, .launches_before = 0, .product = product};
}

}  // namespace convoscope::CONVOSCOPE_TARGET::layer
