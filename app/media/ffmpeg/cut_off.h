#pragma once
// Whether a file ends before its own structure does: a copy or a download that was cut off.
#include <string>

namespace convoscope {

// MP4 and MOV, Matroska and WebM, AVI and WebP say how long they are, GIF and JPEG where they end; of others nothing is
// known, and false returned.
bool is_cut_off(const std::string& path);

}  // namespace convoscope
