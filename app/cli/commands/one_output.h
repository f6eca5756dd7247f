#pragma once
// How one output of a small computation comes about, in numbers: its terms, its ghost cells, and what the block that
// makes it loads. For `convoscope compute --at`.
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "kernels/contract/explain.h"
#include "kernels/contract/strategy.h"
#include "kernels/contract/theory/counts.h"

namespace convoscope {

struct OutputTerm {
  int plane = 0, x = 0, y = 0;  // of the inputs; may lie outside
  bool ghost = false;           // it does, so that the border says what is there
  double weight = 0, input = 0;
};

struct OneOutput {
  OutputIndex at;
  double value = 0;                 // as it was computed
  std::vector<OutputTerm> terms;    // in the order of the weights
  std::vector<OutputTerm> terms_y;  // of an edge magnitude's second set
  std::string strategy;             // whose explanation it is
  Explanation explanation;          // without steps and words where the strategy has none
  double outputs = 0;               // of the problem
  BlockCounts block;                // of its first kernel that reads the inputs
  BlockGrid blocks;                 // that the outputs are parted into
  SkippedProducts skipped;          // of all outputs
  int input_x = 0, input_y = 0;     // under the output's centre; of a layer under its first tap
  double uses = 0;                  // of that input, by all outputs; 0: it lies outside
  double expansion = 0;             // of a layer: elements of the unrolled input over those of the input
  std::int64_t index = 0;           // among the outputs, as they follow one another in memory: maps, rows, columns
};

// Counted from the problem and these inputs (in the order of planes and rows), the block from what the strategy says of
// itself. Throws Error where there is no such output, or for a gradient, whose sums run over all of them.
OneOutput explain_output(const Problem&, const std::vector<std::vector<float>>& inputs, double value, const Strategy&,
                         const Device&, const Tuning&, const OutputIndex&);

std::string one_output_text(const OneOutput&);  // lines, the last with its end
nlohmann::ordered_json one_output_json(const OneOutput&);

}  // namespace convoscope
