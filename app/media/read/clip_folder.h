#pragma once
// The clips of a folder, videos and sound, which are opened one after another.
#include <memory>
#include <string>
#include <vector>

#include "app/media/read/frame_reader.h"

namespace convoscope {

// Their paths, in the order in which people count; none where the folder has more pictures than clips, or as many.
// Takes as long as the disk takes. Throws Error: the folder cannot be read.
std::vector<std::string> clips_of_folder(const std::string& folder);

// Tells of them in SourceStats::clips, and has no picture of its own. At least one clip.
std::unique_ptr<FrameReader> open_clip_folder(std::vector<std::string> clips);

}  // namespace convoscope
