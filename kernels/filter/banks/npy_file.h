#pragma once
// NumPy's own files: what they hold, and the bytes that hold it.
#include <span>
#include <string>
#include <string_view>

#include "kernels/filter/banks/number_array.h"

namespace convoscope {

// Versions 1.0 and 2.0; numbers of any size and order that NumPy has, but no complex ones. Two bytes without a type are
// taken for bfloat16, which NumPy has no name for. The array is a view of `bytes`. Throws Error saying what is wrong,
// in words to follow the name of the file.
NumberArray parse_npy(std::string_view bytes);
std::string npy_bytes(std::span<const int> shape, std::span<const float> values);  // version 1.0, float32

}  // namespace convoscope
