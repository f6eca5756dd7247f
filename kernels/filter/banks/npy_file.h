#pragma once
// numpy's own files, of float32: what they hold, and the bytes that hold it.
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace convoscope {

struct NpyArray {
  std::vector<int> shape;
  std::vector<float> values;  // C order: the last of the shape runs fastest
};

// Versions 1.0 and 2.0, little-endian. Throws Error saying what is wrong, in words to follow the name of the file.
NpyArray parse_npy(std::string_view bytes);
std::string npy_bytes(std::span<const int> shape, std::span<const float> values);  // version 1.0

}  // namespace convoscope
