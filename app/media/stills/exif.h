#pragma once
// How a picture is held, as cameras note it: EXIF's orientation, 1…8, in blocks that are laid out as a TIFF file is.
#include <cstdint>
#include <span>

namespace convoscope {

// Of a block that begins with "II*" or "MM*", or with "Exif\0\0" before that; 1 where it says nothing or nonsense.
int exif_orientation(std::span<const std::uint8_t> block);

// Of a PNG file or packet, from its chunk eXIf, which may stand before or behind the picture; 1 without one.
int png_orientation(std::span<const std::uint8_t> file);

// FFmpeg's display matrix, nine numbers, that shows a stored picture of that orientation upright.
void set_display_matrix(int orientation, std::int32_t* matrix);

}  // namespace convoscope
