#pragma once
// A picture as a file of the kind that its name says.
#include <map>
#include <string>

#include "kernels/contract/data/image.h"

namespace convoscope {

enum class PictureKind { none, png, jpeg, webp, tiff };

PictureKind picture_kind(const std::string& path);  // by its ending, in any case
const char* name_of(PictureKind);                   // "JPEG"

// rgba8, with its transparency but in JPEG, where it is laid over black. `text`: beside the pixels of a PNG, by
// keyword. Throws Error: this FFmpeg cannot write the kind, or the picture is too large for it.
std::string picture_file(PictureKind, const Image& rgba, const std::map<std::string, std::string>& text);

}  // namespace convoscope
