#include "app/media/ffmpeg/webp_picture.h"

#include <array>
#include <fstream>
#include <string_view>

namespace convoscope {

std::size_t webp_picture_size(std::span<const std::uint8_t> file) {
  constexpr std::size_t riff_header = 12, chunk_header = 8;
  const auto text = [&](std::size_t at) {
    return std::string_view(reinterpret_cast<const char*>(file.data()) + at, 4);
  };
  const auto number = [&](std::size_t at) {
    return std::size_t{file[at]} | std::size_t{file[at + 1]} << 8 | std::size_t{file[at + 2]} << 16 |
           std::size_t{file[at + 3]} << 24;
  };
  for (std::size_t at = riff_header; at + chunk_header <= file.size();) {
    const std::size_t bytes = number(at + 4), next = at + chunk_header + bytes + bytes % 2;
    if (next >= file.size()) break;
    if (text(at) == "VP8 " || text(at) == "VP8L") return next;
    at = next;
  }
  return file.size();
}

bool is_animated_webp(const std::string& path) {
  std::array<char, 21> header{};
  if (!std::ifstream(path, std::ios::binary).read(header.data(), header.size())) return false;
  const std::string_view text(header.data(), header.size());
  constexpr int animation = 2;
  return text.starts_with("RIFF") && text.substr(8, 8) == "WEBPVP8X" && (text.back() & animation) != 0;
}

}  // namespace convoscope
