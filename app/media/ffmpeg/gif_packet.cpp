#include "app/media/ffmpeg/gif_packet.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace convoscope {
namespace {

constexpr unsigned extension_block = 0x21, image_block = 0x2C, trailer = 0x3B;
constexpr unsigned control_label = 0xF9;
constexpr std::array extension_labels{0x01u, control_label, 0xFEu, 0xFFu};

struct GifEnds {};  // the packet does, within a block

class GifBytes {
 public:
  explicit GifBytes(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  bool any() const { return !bytes_.empty(); }
  unsigned byte() { return take_bytes(1)[0]; }
  std::size_t pair() {
    const auto two = take_bytes(2);
    return two[0] | std::size_t{two[1]} << 8;
  }
  std::span<const std::uint8_t> take_bytes(std::size_t count) {
    if (count > bytes_.size()) throw GifEnds();
    const auto taken = bytes_.first(count);
    bytes_ = bytes_.subspan(count);
    return taken;
  }
  void skip_palette(unsigned flags) {
    if (flags & 0x80) take_bytes(std::size_t{6} << (flags & 7));
  }
  bool begins(std::string_view text) const {
    return bytes_.size() >= text.size() && std::equal(text.begin(), text.end(), bytes_.begin());
  }

 private:
  std::span<const std::uint8_t> bytes_;
};

// The codes of a picture, in parts of up to 255 bytes of which the last is empty.
class GifCodes {
 public:
  explicit GifCodes(GifBytes& bytes) : bytes_(bytes) {}
  // -1 at the end of the last part.
  int next(int width) {
    while (bits_ < width) {
      if (part_.empty()) {
        if (ended_) return -1;
        part_ = bytes_.take_bytes(bytes_.byte());
        ended_ = part_.empty();
        continue;
      }
      waiting_ |= static_cast<unsigned>(part_[0]) << bits_;
      bits_ += 8;
      part_ = part_.subspan(1);
    }
    const int code = static_cast<int>(waiting_ & ((1u << width) - 1));
    waiting_ >>= width;
    bits_ -= width;
    return code;
  }
  void skip_rest() {
    while (!ended_) ended_ = bytes_.take_bytes(bytes_.byte()).empty();
  }

 private:
  GifBytes& bytes_;
  std::span<const std::uint8_t> part_;
  unsigned waiting_ = 0;
  int bits_ = 0;
  bool ended_ = false;
};

// Whether the codes stand for just so many pixels. Damaged ones hardly ever do, as GIF's codes have many lengths.
bool stand_for(GifCodes& codes, int depth, std::size_t pixels) {
  constexpr int widest = 12;
  if (depth < 1 || depth >= widest) return false;
  const int clear = 1 << depth, end = clear + 1;
  std::array<std::uint32_t, 1 << widest> length;  // of what a code stands for
  std::fill_n(length.begin(), clear, 1);
  int next = end + 1, width = depth + 1, last = -1;
  std::size_t come = 0;
  for (int code = codes.next(width); code >= 0 && code != end; code = codes.next(width)) {
    if (code == clear) {
      next = end + 1, width = depth + 1, last = -1;
      continue;
    }
    if (last < 0 ? code >= clear : code > next) return false;
    if (last >= 0 && next < 1 << widest) {
      length[static_cast<std::size_t>(next++)] = length[static_cast<std::size_t>(last)] + 1;
      if (next == 1 << width && width < widest) ++width;
    }
    come += length[static_cast<std::size_t>(code)];
    if (come > pixels) return false;
    last = code;
  }
  return come == pixels;
}

bool is_image_whole(GifBytes& bytes) {
  bytes.take_bytes(4);  // where it is
  const std::size_t width = bytes.pair(), height = bytes.pair();
  bytes.skip_palette(bytes.byte());
  const auto depth = static_cast<int>(bytes.byte());
  GifCodes codes(bytes);
  if (!stand_for(codes, depth, width * height)) return false;
  codes.skip_rest();
  return true;
}

bool is_extension_whole(GifBytes& bytes) {
  const unsigned label = bytes.byte();
  if (std::ranges::find(extension_labels, label) == extension_labels.end()) return false;
  std::size_t size = bytes.byte();
  if (label == control_label && size != 4) return false;
  for (; size > 0; size = bytes.byte()) bytes.take_bytes(size);
  return true;
}

}  // namespace

GifPacket look_at_gif(std::span<const std::uint8_t> packet) {
  GifBytes bytes(packet);
  try {
    if (bytes.begins("GIF8")) {
      bytes.take_bytes(10);
      const unsigned flags = bytes.byte();
      bytes.take_bytes(2);
      bytes.skip_palette(flags);
    }
    for (int images = 0; bytes.any();) {
      const unsigned block = bytes.byte();
      if (block == trailer) break;  // what follows it is nobody's business
      const bool whole = block == extension_block                ? is_extension_whole(bytes)
                         : block == image_block && images++ == 0 ? is_image_whole(bytes)
                                                                 : block == 0;  // which some writers leave there
      if (!whole) return GifPacket::damaged;
    }
    return GifPacket::whole;
  } catch (const GifEnds&) {
    return GifPacket::unfinished;
  }
}

}  // namespace convoscope
