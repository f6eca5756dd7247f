#include "app/media/stills/exif.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace convoscope {
namespace {

std::uint32_t exif_number(std::span<const std::uint8_t> bytes, std::size_t at, std::size_t count, bool little) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < count; ++i) value = value << 8 | bytes[little ? at + count - 1 - i : at + i];
  return value;
}

}  // namespace

int exif_orientation(std::span<const std::uint8_t> block) {
  using std::string_view_literals::operator""sv;
  constexpr std::size_t entry_size = 12;
  constexpr std::uint32_t orientation_tag = 0x112;
  const auto begins = [&](std::string_view text) {
    return block.size() >= text.size() && std::equal(text.begin(), text.end(), block.begin());
  };
  if (begins("Exif\0\0"sv)) block = block.subspan(6);
  const bool little = begins("II*\0"sv);
  if ((!little && !begins("MM\0*"sv)) || block.size() < 8) return 1;
  const std::size_t directory = exif_number(block, 4, 4, little);
  if (directory > block.size() || block.size() - directory < 2) return 1;
  const std::size_t entries = exif_number(block, directory, 2, little);
  for (std::size_t i = 0; i < entries; ++i) {
    const std::size_t at = directory + 2 + i * entry_size;
    if (at + entry_size > block.size()) return 1;
    if (exif_number(block, at, 2, little) != orientation_tag) continue;
    const std::uint32_t type = exif_number(block, at + 2, 2, little);  // 3 is what it should be, 4 is also met
    const std::uint32_t value = exif_number(block, at + 8, type == 4 ? 4 : 2, little);
    return value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
  }
  return 1;
}

int png_orientation(std::span<const std::uint8_t> file) {
  constexpr std::size_t signature = 8, frame = 12;  // length, type and checksum of a chunk
  for (std::size_t at = signature; at + frame <= file.size();) {
    const std::size_t bytes = exif_number(file, at, 4, false);
    if (bytes > file.size() - at - frame) return 1;
    if (std::string_view(reinterpret_cast<const char*>(file.data()) + at + 4, 4) == "eXIf")
      return exif_orientation(file.subspan(at + 8, bytes));
    at += frame + bytes;
  }
  return 1;
}

// (x, y) is shown at (a x + c y, b x + d y), y growing downwards; a, b, c and d in 16.16.
void set_display_matrix(int orientation, std::int32_t* matrix) {
  struct Turn {
    int a, b, c, d;
  };
  constexpr Turn turns[] = {{1, 0, 0, 1}, {-1, 0, 0, 1}, {-1, 0, 0, -1}, {1, 0, 0, -1},
                            {0, 1, 1, 0}, {0, 1, -1, 0}, {0, -1, -1, 0}, {0, -1, 1, 0}};
  const Turn& turn = turns[std::clamp(orientation, 1, 8) - 1];
  std::fill_n(matrix, 9, 0);
  constexpr int one = 1 << 16;
  matrix[0] = turn.a * one;
  matrix[1] = turn.b * one;
  matrix[3] = turn.c * one;
  matrix[4] = turn.d * one;
  matrix[8] = 1 << 30;
}

}  // namespace convoscope
