#pragma once
// The GLSL files of this folder, embedded at build time.
#include <string_view>

namespace convoscope {

std::string_view shader_source(std::string_view file_name);  // empty when there is no such file

}  // namespace convoscope
