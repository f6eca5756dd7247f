#include "app/media/ffmpeg/cut_off.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>

#include "app/media/ffmpeg/decoder.h"
#include "app/media/ffmpeg/demuxer.h"
#include "kernels/text/error.h"

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
  // Where JPEG's next marker is: no stuffed byte, no restart, no filling. Empty where the file has ended.
  std::optional<std::uint64_t> marker(std::uint64_t at) {
    file_.clear();
    file_.seekg(static_cast<std::streamoff>(at));
    bool after_ff = false;
    for (int byte = file_.get(); byte != std::ifstream::traits_type::eof(); byte = file_.get(), ++at) {
      if (after_ff && byte != 0 && byte != 0xFF && (byte < 0xD0 || byte > 0xD7)) return at - 1;
      after_ff = byte == 0xFF;
    }
    return {};
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

// Blocks up to the trailer; what is none of GIF's is damage, and nothing is known of what follows.
bool gif_goes_on(Bytes& file) {
  constexpr std::uint64_t extension = 0x21, image = 0x2C;
  const auto colours = [](std::uint64_t flags) { return flags & 0x80 ? std::uint64_t{6} << (flags & 7) : 0; };
  const auto flags = file.number(10, 1);
  if (!flags) return true;
  std::uint64_t at = 13 + colours(*flags);
  while (const auto kind = file.number(at, 1)) {
    if (*kind != extension && *kind != image) return false;
    at += 2;
    if (*kind == image) {
      const auto local = file.number(at + 7, 1);
      if (!local) return true;
      at += 9 + colours(*local);
    }
    while (true) {  // parts of up to 255 bytes, the last one empty
      const auto size = file.number(at, 1);
      if (!size) return true;
      at += 1 + *size;
      if (*size == 0) break;
    }
  }
  return false;  // some writers leave the trailer out
}

bool jpeg_goes_on(Bytes& file) {
  constexpr std::uint64_t end = 0xD9, scan = 0xDA;
  std::uint64_t at = 2;
  while (true) {
    const auto marker = file.number(at, 2);
    if (!marker) return true;
    if (*marker == 0xFFFF) {  // filling
      ++at;
      continue;
    }
    if (*marker >> 8 != 0xFF) return false;
    const std::uint64_t kind = *marker & 0xFF;
    if (kind == end) return false;
    const auto size = file.number(at + 2, 2);
    if (!size) return true;
    at += 2 + *size;
    if (kind != scan) continue;
    const auto next = file.marker(at);
    if (!next) return true;
    at = *next;
  }
}

}  // namespace

bool is_cut_off(const std::string& path) {
  Bytes file(path);
  constexpr std::uint64_t ebml = 0x1A45DFA3, riff = 0x52494646, gif = 0x47494638, jpeg = 0xFFD8FF;
  const auto magic = file.number(0, 4);
  if (magic == ebml) return segment_goes_on(file);
  if (magic == riff) return riff_goes_on(file);
  if (magic == gif) return gif_goes_on(file);
  if (magic && *magic >> 8 == jpeg) return jpeg_goes_on(file);
  constexpr std::array first{ftyp, moov, mdat, free_space, wide, skip};  // older files do without ftyp
  const auto type = file.number(4, 4);
  return type && std::ranges::find(first, *type) != first.end() && boxes_go_on(file);
}

bool has_a_picture(const std::string& path) {
  try {
    Interrupt none;
    SourceSettings source;
    source.input = std::filesystem::absolute(path).string();
    Demuxer demuxer(source, none);
    Decoder decoder(demuxer.stream(), path, {});
    const Owned<AVPacket> packet = make_packet();
    const Owned<AVFrame> frame = make_frame();
    for (bool more = true;;) {
      const int status = decoder.receive(*frame);
      if (status != AVERROR(EAGAIN) || !more) return status == 0;
      more = demuxer.read(*packet) >= 0;
      decoder.send(more ? packet.get() : nullptr);
      av_packet_unref(packet.get());
    }
  } catch (const Error&) {
    return false;
  }
}

std::string how_to_get_the_rest(const std::string& input) {
  struct stat status {};
  const bool is_pipe = input == "-" || (::stat(input.c_str(), &status) == 0 && S_ISFIFO(status.st_mode));
  return is_pipe ? "see what the program that writes into the pipe says" : "copy the file again to get the rest";
}

}  // namespace convoscope
