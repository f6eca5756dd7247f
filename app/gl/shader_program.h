#pragma once
// Shaders of shaders/, linked.
#include <initializer_list>
#include <string_view>

#include "app/gl/gl_objects.h"

namespace convoscope::gl {

// Each stage is the concatenation of the named files under "#version 450 core". Throws Error with the compiler's words.
Program link_program(std::initializer_list<std::string_view> vertex_files,
                     std::initializer_list<std::string_view> fragment_files);
Program link_compute_program(std::initializer_list<std::string_view> files);

}  // namespace convoscope::gl
