#pragma once
// A picture as a file.
#include <map>
#include <string>

#include "kernels/contract/data/image.h"

namespace convoscope {

// `text`: beside the pixels, by keyword. Throws Error.
std::string png_of(const Image& rgba, const std::map<std::string, std::string>& text);
void write_png(const std::string& path, const Image& rgba, const std::map<std::string, std::string>& text);  // likewise

}  // namespace convoscope
