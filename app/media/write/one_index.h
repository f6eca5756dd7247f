#pragma once
// One index at the front of a finished .mp4 or .mov. While it is written it consists of pieces, each with an index of
// its own, so that it plays whenever writing ends; but many programs count the pictures of such a file, and how long
// they last, wrongly.
#include <cstdint>
#include <string>
#include <vector>

#include "app/media/ffmpeg/ffmpeg.h"
#include "kernels/files/output_file.h"

namespace convoscope {

// Of a second, in which .mp4 and .mov tell when the first picture comes. FFmpeg's own is a thousandth.
inline constexpr int movie_timescale = 90'000;

// Of one stream.
struct WrittenPackets {
  std::int64_t count = 0;
  std::int64_t last_duration = 0;  // in the stream's units; 0: as long as the one before
};

// What is in draft(), closed, is copied behind one index, into a file without a name where the file system has that,
// and takes draft()'s place when it is whole and on the disk. Until then draft() is as it was, also when the program is
// killed. `as`: what wrote it, with its streams in the order of `written`. Takes the time to read it twice and to write
// it once, and as long as that as much space again. `left_out`: packets of `written` that are not in the file. Empty,
// or why it stays in pieces, the end of a sentence.
std::string give_one_index(OutputFile&, const AVFormatContext& as, const std::vector<WrittenPackets>& written,
                           std::int64_t left_out);

}  // namespace convoscope
