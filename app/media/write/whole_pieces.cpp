#include "app/media/write/whole_pieces.h"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string_view>

namespace convoscope {
namespace {

constexpr int short_header = 8, long_header = 16;  // bytes of a box: its length and its name; a longer length

std::uint64_t big_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char byte : bytes) value = value << 8 | static_cast<unsigned char>(byte);
  return value;
}

// Where the last moof that has its mdat behind it ends with that; 0: there is none. ISO/IEC 14496-12, 4.2 and 8.8.
std::uint64_t end_of_whole_pieces(const std::string& path) {
  std::error_code error;
  const std::uint64_t size = std::filesystem::file_size(path, error);
  std::ifstream file(path, std::ios::binary);
  std::uint64_t at = 0, end = 0;
  bool has_header = false;
  char bytes[long_header];
  while (!error && at + short_header <= size && file.seekg(static_cast<std::streamoff>(at)) &&
         file.read(bytes, short_header)) {
    const std::string_view name(bytes + 4, 4);
    std::uint64_t length = big_endian({bytes, 4});
    if (length == 1 && file.read(bytes + short_header, long_header - short_header))
      length = big_endian({bytes + short_header, long_header - short_header});
    if (length < short_header || length > size - at) break;
    at += length;
    if (name == "mdat" && has_header) end = at;
    has_header = name == "moof";
  }
  return end;
}

}  // namespace

bool has_a_whole_piece(const std::string& path) { return end_of_whole_pieces(path) > 0; }

bool keep_whole_pieces(const std::string& path) {
  const std::uint64_t end = end_of_whole_pieces(path);
  if (end == 0) return false;
  std::error_code error;
  std::filesystem::resize_file(path, end, error);
  return !error;
}

}  // namespace convoscope
