#pragma once
// Is the gradient that a layer learns by the slope of its loss?
#include "kernels/learn/trainer.h"

namespace convoscope {

// Both over what all products of a weight's sum make when no two cancel each other.
struct GradientCheck {
  double error = 0;      // the largest difference
  double tolerance = 0;  // what the strategies state for their passes, and how dY is rounded
  int weights = 0;       // that were looked at
};

// Looks at patches of the picture and compares up to so many weights of the strategies' gradient with central finite
// differences of the loss, which the reference finds in double precision. `weights` evenly spread. Where it is asked to
// stop (see stop.h) nothing that it says counts.
GradientCheck check_gradients(Trainer&, const Image& picture, int weights = 12);

}  // namespace convoscope
