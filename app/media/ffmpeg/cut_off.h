#pragma once
// Whether a file ends before its own structure does, as a copy or a download that was cut off, and what is left of it.
#include <string>

namespace convoscope {

// MP4 and MOV, Matroska and WebM, AVI and WebP say how long they are, GIF and JPEG where they end; of others nothing is
// known, and false returned.
bool is_cut_off(const std::string& path);

// The end of a sentence on an input that is cut off: what to do about it. Of a pipe ("-", <(…)) nothing can be copied
// again.
std::string how_to_get_the_rest(const std::string& input);

// Whether a picture of it can be decoded: it is opened and read up to its first one.
bool has_a_picture(const std::string& path);

}  // namespace convoscope
