#pragma once
// Which of a file's streams of pictures is shown.
#include <string>

#include "app/media/ffmpeg/ffmpeg.h"
#include "kernels/text/error.h"

namespace convoscope {

// As ffmpeg does: what the file says is meant, and of several the largest, the first of those. No cover of a record,
// and none of the small pictures that stand for times. -1 where there is none.
int choose_stream(const AVFormatContext&);

// Of the streams of sound the main one, if this FFmpeg decodes it. -1 where there is none.
int choose_sound(AVFormatContext&);

struct SoundAlone : Error {
  using Error::Error;
};
// Throws Error: there is no picture; SoundAlone where there is sound instead, in a file of this machine (`local`).
[[noreturn]] void refuse_without_video(AVFormatContext&, const std::string& name, bool local);

// PPM and its relatives: FFmpeg reads their headers without decoding, and takes those over the limit for nonsense.
bool is_portable_map(const AVCodecParameters&);

}  // namespace convoscope
