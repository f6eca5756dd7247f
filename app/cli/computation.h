#pragma once
// What `convoscope compute` is asked: small data, a filter, and how. Texts are understood here, nothing is computed.
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "kernels/contract/kind.h"
#include "kernels/text/number_grid.h"

namespace convoscope {

// As it was written.
struct ComputationTexts {
  const Kind* kind = Problem().kind;
  std::string input, gradient, filter;  // numbers, or the name of a file that has them; of filter also a named one
  std::optional<std::string> biases;
  int stride = 1, padding = 0, dilation = 1, groups = 1;
  Pass pass = Pass::forward;
  Border border = Border::replicate;
  PixelFormat format = PixelFormat::gray32f;
  bool relu = false;
  int steps = 1;  // how often the filter is applied, each time to what came out
  // An output that is explained: column, row, and of a layer the map, of a volume the frame.
  std::optional<std::array<int, 3>> at;
};

// One problem, or of a volume one for each frame; what comes out of them follows one another.
struct Computation {
  struct Part {
    Problem problem;
    std::vector<std::vector<float>> inputs;  // in the order of planes and rows
  };
  std::vector<Part> parts;
  NumberGrid input;
  std::vector<std::string> remarks;  // sentences: what a file's numbers were, and became
};

// Of a signal rows are channels, of a volume planes are frames, and the border is in time as well; of a layer planes
// are the channels of a sample, of its filter the filters of a map's channels, map after map, or a file of a bank.
// Throws Error with a sentence that names what does not fit.
Computation computation_of(const ComputationTexts&);

}  // namespace convoscope
