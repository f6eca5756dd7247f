#pragma once
// What the rows of a filter have in common, found in its weights: the arithmetic that remains is what is left to do.
#include <vector>

namespace convoscope {

// Weights of one row that are multiplied with a pixel, or with the sum or difference of a pixel and its mirror image.
struct RowTerm {
  enum class Kind { pixel, sum, difference } kind = Kind::pixel;
  int near = 0, far = 0;  // columns of the row, 0…width−1; pixel: `near`; sum: near + far; difference: far − near
  float weight = 0;
};

// Rows of the filter that are multiples of one another: the terms are summed once for all of them.
struct RowGroup {
  std::vector<RowTerm> terms;
  struct Member {
    int row;
    float scale;  // this row is `scale` times the terms
  };
  std::vector<Member> members;
};

// Rows without weights are in no group. `weights`: height rows of `width`, an odd number. Rows count as multiples when
// every weight is met within 2^-22 of the row's largest: no farther than rounding the weights themselves had put them.
std::vector<RowGroup> row_groups(const std::vector<float>& weights, int width, int height);

// Multiply-adds and adds that one output of one channel takes.
int operations(const std::vector<RowGroup>&);

}  // namespace convoscope
