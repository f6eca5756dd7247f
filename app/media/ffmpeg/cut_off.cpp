#include "app/media/ffmpeg/cut_off.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cstdint>
#include <fstream>
#include <optional>

namespace convoscope {
namespace {

constexpr int most_boxes = 1'000'000;
constexpr std::uint64_t ftyp = 0x66747970, moov = 0x6D6F6F76, mdat = 0x6D646174, moof = 0x6D6F6F66,
                        free_space = 0x66726565, wide = 0x77696465, skip = 0x736B6970;

class Bytes {
 public:
  explicit Bytes(const std::string& path) : file_(path, std::ios::binary | std::ios::ate) {
    if (file_) size_ = static_cast<std::uint64_t>(file_.tellg());
  }
  std::uint64_t size() const { return size_; }
  // `count` bytes, at most eight, as one number; empty where the file has ended.
  std::optional<std::uint64_t> number(std::uint64_t at, int count) {
    std::array<char, 8> bytes{};
    file_.clear();
    file_.seekg(static_cast<std::streamoff>(at));
    if (at + static_cast<std::uint64_t>(count) > size_ || !file_.read(bytes.data(), count)) return {};
    std::uint64_t value = 0;
    for (int i = 0; i < count; ++i) value = value << 8 | static_cast<unsigned char>(bytes[static_cast<std::size_t>(i)]);
    return value;
  }

 private:
  std::ifstream file_;
  std::uint64_t size_ = 0;
};

bool is_box_type(std::uint64_t type) {
  for (int shift = 0; shift < 32; shift += 8)
    if (!std::isprint(static_cast<int>(type >> shift & 0xff))) return false;
  return true;
}

bool boxes_go_on(Bytes& file) {
  std::uint64_t at = 0;
  for (int i = 0; i < most_boxes && at < file.size(); ++i) {
    const auto small = file.number(at, 4), type = file.number(at + 4, 4);
    if (!small || !type || !is_box_type(*type) || *small == 0) return false;  // 0: to the end, wherever that is
    const auto size = *small == 1 ? file.number(at + 8, 8) : small;
    if (!size) return true;
    if (*size < 8 || *size > UINT64_MAX - at) return false;
    if (at + *size > file.size()) return *type == mdat || *type == moov || *type == moof;  // else no picture is lost
    at += *size;
  }
  return false;
}

// A number of EBML: its length is in the zeros that it begins with. All ones: unknown.
struct VariableNumber {
  std::uint64_t value = 0;
  int bytes = 0;
  bool known = false;
};
std::optional<VariableNumber> variable_number(Bytes& file, std::uint64_t at) {
  const auto first = file.number(at, 1);
  if (!first || *first == 0) return {};
  const int bytes = std::countl_zero(static_cast<std::uint8_t>(*first)) + 1;
  const auto whole = file.number(at, bytes);
  if (!whole) return {};
  const std::uint64_t mask = (std::uint64_t{1} << (7 * bytes)) - 1;
  return VariableNumber{*whole & mask, bytes, (*whole & mask) != mask};
}

bool segment_goes_on(Bytes& file) {
  constexpr std::uint64_t segment_id = 0x18538067;
  const auto header = variable_number(file, 4);
  if (!header || !header->known) return false;
  const std::uint64_t at = 4 + static_cast<std::uint64_t>(header->bytes) + header->value;
  if (file.number(at, 4) != segment_id) return false;
  const auto size = variable_number(file, at + 4);
  return size && size->known && at + 4 + static_cast<std::uint64_t>(size->bytes) + size->value > file.size();
}

bool riff_goes_on(Bytes& file) {
  const auto stored = file.number(4, 4);
  if (!stored) return false;
  const std::uint32_t size = __builtin_bswap32(static_cast<std::uint32_t>(*stored));
  return size != UINT32_MAX && std::uint64_t{size} + 8 > file.size();
}

}  // namespace

bool is_cut_off(const std::string& path) {
  Bytes file(path);
  constexpr std::uint64_t ebml = 0x1A45DFA3, riff = 0x52494646;
  const auto magic = file.number(0, 4);
  if (magic == ebml) return segment_goes_on(file);
  if (magic == riff) return riff_goes_on(file);
  constexpr std::array first{ftyp, moov, mdat, free_space, wide, skip};  // older files do without ftyp
  const auto type = file.number(4, 4);
  return type && std::ranges::find(first, *type) != first.end() && boxes_go_on(file);
}

}  // namespace convoscope
