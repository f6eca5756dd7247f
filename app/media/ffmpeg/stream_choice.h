#pragma once
// Which of a file's streams of pictures is shown.
#include "app/media/ffmpeg/ffmpeg.h"

namespace convoscope {

// As ffmpeg does: what the file says is meant, and of several the largest, the first of those. No cover of a record,
// and none of the small pictures that stand for times. -1 where there is none.
int choose_stream(const AVFormatContext&);

// PPM and its relatives: FFmpeg reads their headers without decoding, and takes those over the limit for nonsense.
bool is_portable_map(const AVCodecParameters&);

}  // namespace convoscope
