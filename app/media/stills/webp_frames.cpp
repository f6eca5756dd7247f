#include "app/media/stills/webp_frames.h"

#include <algorithm>
#include <optional>
#include <string_view>

namespace convoscope {
namespace {

constexpr std::size_t chunk_header = 8, file_header = 12, frame_header = 16;  // bytes

// The chunks of one file; places are bytes from its beginning.
class WebpChunks {
 public:
  WebpChunks(std::span<const std::uint8_t> file, int canvas_width, int canvas_height)
      : file_(file), width_(canvas_width), height_(canvas_height), end_(number(4, 4) + chunk_header) {}

  std::vector<WebpFrame> frames() {
    std::size_t at = file_header;
    while (at + chunk_header <= file_.size()) {
      const std::string_view id = id_at(at);
      if (at >= end_ && id != "ANMF") break;  // what follows the end is nobody's business
      if (id == "ANMF") {
        if (goes_past_the_end(at)) break;
        at = take_frame(at);
      } else if (fits(at) && (is_known(id) || is_unknown(at))) {
        at = end_of(at);
      } else if (is_known(id) && is_cut_off()) {
        break;
      } else {
        at = pass_damage(at);
      }
    }
    return std::move(frames_);
  }

 private:
  std::uint32_t number(std::size_t at, int bytes) const {  // the lowest first
    std::uint32_t value = 0;
    for (int i = bytes; i-- > 0;) value = value << 8 | file_[at + static_cast<std::size_t>(i)];
    return value;
  }
  std::string_view id_at(std::size_t at) const {
    return at + 4 <= file_.size() ? std::string_view(reinterpret_cast<const char*>(file_.data()) + at, 4) : "";
  }
  std::size_t size_at(std::size_t at) const { return number(at + 4, 4); }
  std::size_t end_of(std::size_t at) const { return at + chunk_header + size_at(at) + (size_at(at) & 1); }
  bool fits(std::size_t at) const {
    return at + chunk_header <= file_.size() && size_at(at) <= file_.size() - at - chunk_header;
  }
  bool is_cut_off() const { return end_ > file_.size(); }
  // What does not fit at the end of such a file is no damage, but was cut off.
  bool goes_past_the_end(std::size_t at) const { return is_cut_off() && !fits(at); }

  static bool is_known(std::string_view id) {
    constexpr std::string_view known[] = {"VP8X", "ICCP", "ANIM", "EXIF", "XMP "};
    return std::ranges::find(known, id) != std::end(known);
  }
  static bool is_picture(std::string_view id) { return id == "VP8 " || id == "VP8L"; }
  // Whether a chunk there holds what a frame's does.
  bool holds_frame(std::size_t at) const {
    const std::string_view id = id_at(at + chunk_header + frame_header);
    return is_picture(id) || id == "ALPH";
  }
  // Others may be there for other programs.
  bool is_unknown(std::size_t at) const {
    return std::ranges::all_of(id_at(at), [](char c) { return c >= ' ' && c <= '~'; }) && !holds_frame(at);
  }
  bool begins_anything(std::size_t at) const {
    return at >= file_.size() || id_at(at) == "ANMF" || is_known(id_at(at));
  }

  // The frame whose chunk begins there; where the next chunk does.
  std::size_t take_frame(std::size_t at) {
    const std::size_t own_end = fits(at) ? end_of(at) : 0;
    const std::size_t begin = at + chunk_header + frame_header;
    std::size_t last = begin;
    if (id_at(last) == "ALPH" && fits(last)) last = end_of(last);
    if (!is_picture(id_at(last)) || !fits(last)) return lose(at, own_end);
    const std::size_t end = end_of(last);
    // Of two sizes that do not agree one is damaged, and which one is told by what follows.
    if (end > own_end && !begins_anything(end)) return lose(at, own_end);
    WebpFrame frame = header_of(at);
    const bool inside = frame.x + frame.width <= width_ && frame.y + frame.height <= height_;
    if (inside) frame.picture = file_.subspan(begin, last + chunk_header + size_at(last) - begin);
    frames_.push_back(frame);
    return id_at(end) == "ANMF" || own_end < end ? end : own_end;
  }

  WebpFrame header_of(std::size_t at) const {
    WebpFrame frame;
    if (at + chunk_header + frame_header > file_.size()) return frame;
    const auto field = [&](std::size_t place) { return static_cast<int>(number(at + chunk_header + place, 3)); };
    frame.x = 2 * field(0);
    frame.y = 2 * field(3);
    frame.width = field(6) + 1;
    frame.height = field(9) + 1;
    frame.milliseconds = field(12);
    const std::uint8_t flags = file_[at + chunk_header + 15];
    frame.blends = !(flags & 2);
    frame.clears = flags & 1;
    return frame;
  }

  std::size_t lose(std::size_t at, std::size_t end) {
    frames_.push_back(header_of(at));
    return end > 0 && begins_anything(end) ? end : next_frame(at + 1);
  }

  // What stands there is no chunk, or one whose name alone is damaged.
  std::size_t pass_damage(std::size_t at) {
    if (fits(at) && holds_frame(at)) return lose(at, end_of(at));
    frames_.emplace_back();
    return next_frame(at + 1);
  }

  std::size_t next_frame(std::size_t from) const {
    for (; from + chunk_header + frame_header < file_.size(); ++from)
      if (id_at(from) == "ANMF" && fits(from) && holds_frame(from)) return from;
    return file_.size();
  }

  const std::span<const std::uint8_t> file_;
  const int width_, height_;
  const std::size_t end_;  // as the file says it
  std::vector<WebpFrame> frames_;
};

}  // namespace

std::vector<WebpFrame> find_webp_frames(std::span<const std::uint8_t> file, int canvas_width, int canvas_height) {
  if (file.size() < file_header) return {};
  return WebpChunks(file, canvas_width, canvas_height).frames();
}

}  // namespace convoscope
