#pragma once
// Is the gradient that layers learn by the slope of their loss?
#include <string>

#include "kernels/learn/trainer.h"

namespace convoscope {

// Of the layer whose error comes nearest to its tolerance, or goes furthest beyond it. Both over what all products of a
// weight's sum make when no two cancel each other.
struct GradientCheck {
  double error = 0;      // the largest difference
  double tolerance = 0;  // what the strategies state for their passes, and how all between them is rounded
  int weights = 0;       // that were looked at, of all layers; biases are some, too
  std::string why_none;  // where no weight was: "what comes out is exactly what is wanted"
};

// Looks at patches of the picture and compares up to so many weights of each layer, evenly spread, with central finite
// differences of the loss, which the reference finds in double precision. ReLU cuts off what it cut off for the
// strategies, whatever the weight: the loss is then a parabola of each weight, and the differences are exact. Where it
// is asked to stop (see stop.h) nothing that it says counts.
GradientCheck check_gradients(Trainer&, const Image& picture, int weights = 12, const Image& wanted = {});

}  // namespace convoscope
