#pragma once
// A stream in words and numbers for the user.
#include <string>

#include "app/media/ffmpeg/demuxer.h"
#include "app/state/stats.h"

namespace convoscope {

// Everything but name, decoder's frames, position and queue: from what the container and the codec declare.
SourceStats describe_stream(const Demuxer&, const std::string& decoder);

int rotation_of(const AVStream&);  // degrees clockwise to show it upright: 0, 90, 180, 270

}  // namespace convoscope
