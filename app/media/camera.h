#pragma once
// Cameras through Video4Linux. Opening and reading them is the demuxer's work.
#include <string>

namespace convoscope {

// "camera", "camera:N" or "/dev/videoN" as a device file. Throws Error when there is no such camera or no number.
std::string camera_path(const std::string& input);

// N of "camera:N", 0 for "camera". Throws Error for anything else after the colon.
int camera_number(const std::string& input);

}  // namespace convoscope
