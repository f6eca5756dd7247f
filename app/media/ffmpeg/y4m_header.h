#pragma once
// The first line of y4m, "YUV4MPEG2 W640 H480 F25:1 C420jpeg", about which FFmpeg does not say enough.
#include <string>
#include <string_view>

namespace convoscope {

// `begin`: the first bytes of what was read.
bool is_y4m(std::string_view begin);
// Of y4m that FFmpeg refuses: "whose first line says the colours 'C440', which cannot be read".
std::string why_not_y4m(std::string_view begin);
bool fits_y4m(std::string_view begin);       // else FFmpeg reads other numbers than the line says
bool says_y4m_rate(std::string_view begin);  // else FFmpeg takes 25 frames a second

}  // namespace convoscope
