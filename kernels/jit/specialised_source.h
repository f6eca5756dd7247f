#pragma once
// CUDA source for one filter: the weights are literals, so that zeros cost nothing, rows that are multiples of one
// another are summed once, and weights that mirror each other share a multiplication.
#include <string>

#include "kernels/contract/strategy.h"

namespace convoscope {

// How the generated kernel `filter_specialised` is to be launched: blocks of 32 × 4 threads, each thread `columns`
// neighbouring outputs of a row by `rows` below one another.
struct SpecialisedKernel {
  std::string source;
  int columns = 0, rows = 0;
  int operations = 0;              // multiply-adds and adds for an output pixel, all channels
  std::string findings;            // what was found in the weights, in words
  static constexpr int reach = 8;  // how far columns[] and rows[] must go beyond the filter's radius
  static constexpr int block_width = 32, block_height = 4;
};

// The kernel's parameters, as its source declares them. columns[i] and rows[i] say which column and row of the image
// stands at i, −1 for a ghost cell; i from −radius to size + radius + reach.
struct SpecialisedSource {
  const void* data;
  unsigned long long pitch;
  const int *columns, *rows;   // device memory
  int width, height, aligned;  // aligned: data and pitch are multiples of 16 bytes
};
struct SpecialisedTarget {
  void* data;
  unsigned long long pitch;
  int aligned;
};

// `rows` and `columns` 0: chosen by the filter's size. Host work only; no GPU is needed.
SpecialisedKernel specialised_source(const Filter&, PixelFormat, int rows, int columns);
int specialised_operations(const Filter&, PixelFormat);            // as SpecialisedKernel::operations
int specialised_columns(const Filter&, PixelFormat, int columns);  // as SpecialisedKernel::columns; 0: none fit
int specialised_rows(const Filter&, int rows);                     // as SpecialisedKernel::rows
// How many pixels the thread whose columns begin at x reads on either side of them, when the image's rows are aligned:
// one more than it needs where that makes its loads wider.
int specialised_beside(const Filter&, int columns, int x, int image_width);
// Why the kernel would be too large for registers or the instruction cache; empty when it is not.
std::string specialised_reason(const Filter&, PixelFormat, int columns);

}  // namespace convoscope
