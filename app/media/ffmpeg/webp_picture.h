#pragma once
// The part of a WebP file that its picture needs.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace convoscope {

// Bytes up to the end of the first chunk of pixels ("VP8 " or "VP8L"); all of them where there is none, or it is cut.
// What may follow, texts and thumbnails, is not needed, and FFmpeg 5.1 calls abort() when it is broken: it then has a
// finished picture and an error at once. Source: the WebP container specification, RIFF chunks.
std::size_t webp_picture_size(std::span<const std::uint8_t> file);

// Whether the file is a WebP that holds an animation, by its header.
bool is_animated_webp(const std::string& path);

}  // namespace convoscope
