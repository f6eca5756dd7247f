#pragma once
// The numbers that come out of one problem by one strategy, beside the reference: for who wants to see them, and not
// only whether they are right.
#include <string>
#include <vector>

#include "kernels/compute/compute.h"
#include "kernels/contract/kind.h"

namespace convoscope {

struct SingleResult {
  std::vector<float> outputs;     // in the order of planes and rows; of rgba8 the first channel's codes
  std::vector<double> reference;  // as many
  Shape shape;                    // of the outputs
  double max_error = 0, tolerance = 0;
  bool right = false;
  std::string ran;   // the strategy that computed, where the one that was asked for chooses
  std::string note;  // the plan's
};

// `inputs`: one for each of the kind's inputs, in the order of planes and rows; of rgba8 grey codes, which are rounded
// and held within 0 to 255. The tolerance is that of inputs up to the largest one here. Throws Error where the strategy
// does not take the problem, or the inputs are not as many as it asks for.
SingleResult compute_single(Compute&, const Problem&, const std::vector<std::vector<float>>& inputs, const Strategy&,
                            const Tuning& = {});

}  // namespace convoscope
