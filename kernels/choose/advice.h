#pragma once
// What the book's chapter on convolution advises for a filter and a size, beside what was measured here.
#include <span>
#include <string>
#include <vector>

#include "kernels/contract/strategy.h"

namespace convoscope {

// A strategy's median on this problem here, with its interval: results whose intervals overlap are not ranked.
struct MeasuredHere {
  std::string id;
  double median_ms = 0, low_ms = 0, high_ms = 0;
  Cost cost = {};        // what theory says of it, by which it is told whether it has tiles, or two passes
  bool library = false;  // a library does all of it or a step
};

struct Advice {
  enum class Here { not_measured, agrees, disagrees, undecided };
  std::string says;  // the chapter, in a sentence
  Here here = Here::not_measured;
  std::string found;  // what was measured, or which strategies would have to be; a sentence, or empty
};

// Of a single image or frame. `rank_one`: the filter is a column times a row. `backend`: whose times they are; those of
// cores do not put to the test what is said of tiles and of constant memory, and the emulator's say nothing. Empty
// where there is nothing to advise.
std::vector<Advice> advice_for(const Problem&, bool rank_one, Backend backend, std::span<const MeasuredHere>);

// "25 multiplications become 10: 60 % less".
std::string separable_saving(int width, int height);

}  // namespace convoscope
