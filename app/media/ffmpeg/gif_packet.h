#pragma once
// Whether what FFmpeg's reader of GIF gives as a picture is one. Where a block is none of GIF's it looks for the next
// thing that might be one, and neither it nor the decoder says so.
#include <cstdint>
#include <span>

namespace convoscope {

enum class GifPacket {
  whole,
  unfinished,  // it ends before its blocks do
  damaged,     // a block is none of GIF's, its picture has too few codes or too many, or it has more than one picture
};

// Of the blocks up to a picture and that picture, with the file's header before the first. Reads it once; decodes no
// colours.
GifPacket look_at_gif(std::span<const std::uint8_t> packet);

}  // namespace convoscope
