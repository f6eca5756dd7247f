#pragma once
// Arrays of numbers as other programs keep them, and the float32 that is made of them.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace convoscope {

struct NumberType {
  std::string_view name;  // as NumPy calls it: "float64"
  std::size_t bytes;
  long double (*value)(std::uint64_t bits);  // exact: it holds every float64 and every whole number of 64 bits
};
const NumberType* find_number_type(std::string_view name);  // null when there is none

struct NumberArray {
  std::vector<int> shape;
  const NumberType* type = nullptr;
  bool big_endian = false;
  bool fortran = false;    // the first of the shape runs fastest; else C order, the last does
  std::string_view bytes;  // as many as shape and type need; they belong to whoever has read the file
};

// What the shape asks for, as a double where that is more than any file has.
double count_of(const std::vector<int>& shape);
std::string extents_text(const std::vector<int>& shape);  // "3 × 5 × 5"

struct Numbers {
  std::vector<float> values;  // C order
  bool rounded = false;       // some of them are not what the file has
};
// What is too large for float32 becomes infinite. Throws Error where the work is no longer wanted.
Numbers numbers_of(const NumberArray&);

// For a remark on what a file is: "float64, big-endian, in Fortran order"; empty when it is float32 as this program
// writes it.
std::string difference_from_float32(const NumberArray&);

// Weights that are in the order of another framework, and how NumPy puts them into ours, as a part of a sentence; empty
// when they may be maps × channels × height × width.
std::string other_order_of_weights(const std::vector<int>& shape);

}  // namespace convoscope
