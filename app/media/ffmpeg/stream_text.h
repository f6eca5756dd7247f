#pragma once
// A stream in words and numbers for the user.
#include <string>

#include "app/media/ffmpeg/demuxer.h"
#include "app/media/ffmpeg/picture_facts.h"
#include "app/state/stats.h"

namespace convoscope {

// Everything but name, decoder's frames, position and queue: from what the container and the codec declare, and from
// what pictures say, by facts_of().
SourceStats describe_stream(const Demuxer&, const std::string& decoder, const PictureFacts&);

}  // namespace convoscope
