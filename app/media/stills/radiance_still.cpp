// Radiance's pictures (.hdr, .pic): linear light as three bytes with an exponent in common, shown as sRGB.
// Source: Ward, "Real Pixels" (Graphics Gems II), and Radiance's file formats, "Picture File Format (.hdr)".
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include "app/media/stills/light.h"
#include "app/media/stills/still.h"
#include "app/media/stills/still_bytes.h"

namespace convoscope {
namespace {

using RadiancePixel = std::array<std::uint8_t, 4>;

class RadianceStill final : public Still {
 public:
  explicit RadianceStill(const StillInput& input) : Still(input), file_(input.bytes) {
    kind_ = StillKind::radiance;
    info_.codec = AV_CODEC_ID_NONE;
    info_.format = AV_PIX_FMT_GBRP16LE;
    try {
      open();
    } catch (const EndOfBytes&) {
      refuse_damaged();
    }
  }

  bool read(AVFrame& frame) override {
    if (std::exchange(given_, true)) return false;
    make_picture(frame);
    std::vector<RadiancePixel> row(static_cast<std::size_t>(info_.width));
    int done = 0;
    try {
      for (; done < info_.height && !input_.stopped(); ++done) {
        load_row(row);
        give_row(row, frame, done);
      }
    } catch (const EndOfBytes&) {
      damaged_ = true;
    }
    return done > 0 && !input_.stopped();
  }

 private:
  void open() {
    file_.line();
    for (std::string_view line = file_.line(); !line.empty(); line = file_.line()) {
      if (line.starts_with("FORMAT=")) {
        xyz_ = line.find("xyze") != std::string_view::npos;
        if (!xyz_ && line.find("rgbe") == std::string_view::npos)
          refuse("in a format that is not read. Save it as 32-bit_rle_rgbe.");
      }
      if (file_.at() > longest_header) refuse_damaged();
    }
    read_size(file_.line());
    info_.note =
        "'" + input_.name + "' holds linear light; it is shown as sRGB, and what lies beyond 0 to 1 is clamped.";
  }

  // "-Y 480 +X 640": rows from the top, each from the left. The one that comes first is how rows follow one another.
  void read_size(std::string_view line) {
    const auto part = [&](char& sign, char& axis, std::int64_t& length) {
      while (line.starts_with(' ')) line.remove_prefix(1);
      if (line.size() < 3) refuse_damaged();
      sign = line[0], axis = line[1];
      line.remove_prefix(2);
      while (line.starts_with(' ')) line.remove_prefix(1);
      const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), length);
      if (error != std::errc()) refuse_damaged();
      line.remove_prefix(static_cast<std::size_t>(end - line.data()));
    };
    char first_sign, first, second_sign, second;
    std::int64_t rows = 0, columns = 0;
    part(first_sign, first, rows);
    part(second_sign, second, columns);
    set_size(columns, rows);
    const bool down = first_sign == '-', right = second_sign == '+';  // where Y comes first
    if (first == 'Y' && second == 'X')
      info_.orientation = down ? (right ? 1 : 2) : (right ? 4 : 3);
    else if (first == 'X' && second == 'Y')
      info_.orientation = first_sign == '+' ? (second_sign == '-' ? 5 : 8) : (second_sign == '-' ? 6 : 7);
    else
      refuse_damaged();
  }

  void load_row(std::vector<RadiancePixel>& row) {
    constexpr std::size_t least = 8, most = 0x7fff;
    RadiancePixel begin = pixel();
    const bool runs = row.size() >= least && row.size() <= most && begin[0] == 2 && begin[1] == 2 && begin[2] < 128;
    if (!runs) return load_flat(row, begin);
    if (static_cast<std::size_t>(begin[2] << 8 | begin[3]) != row.size()) throw EndOfBytes();
    for (std::size_t k = 0; k < 4; ++k) {
      for (std::size_t x = 0; x < row.size();) {
        const std::uint8_t code = file_.byte();
        const std::size_t count = code > 128 ? code - 128u : code;
        if (count == 0 || count > row.size() - x) throw EndOfBytes();
        const std::uint8_t same = code > 128 ? file_.byte() : 0;
        for (const std::size_t end = x + count; x < end; ++x) row[x][k] = code > 128 ? same : file_.byte();
      }
    }
  }

  // Pixel by pixel, where three ones and a count repeat the one before: the way of old files.
  void load_flat(std::vector<RadiancePixel>& row, RadiancePixel next) {
    int shift = 0;
    for (std::size_t x = 0; x < row.size();) {
      if (next[0] == 1 && next[1] == 1 && next[2] == 1) {
        if (x == 0 || shift > 24) throw EndOfBytes();
        const std::size_t count = std::min(static_cast<std::size_t>(next[3]) << shift, row.size() - x);
        std::fill_n(row.begin() + static_cast<std::ptrdiff_t>(x), count, row[x - 1]);
        x += count;
        shift += 8;
      } else {
        row[x++] = next;
        shift = 0;
      }
      if (x < row.size()) next = pixel();
    }
  }

  RadiancePixel pixel() {
    const auto four = file_.take_bytes(4);
    return {four[0], four[1], four[2], four[3]};
  }

  void give_row(const std::vector<RadiancePixel>& row, AVFrame& frame, int y) const {
    constexpr std::size_t plane_of[] = {2, 0, 1};  // G, B, R
    for (std::size_t x = 0; x < row.size(); ++x) {
      const RadiancePixel& pixel = row[x];
      const float unit = pixel[3] == 0 ? 0 : std::ldexp(1.0f, pixel[3] - 136);
      std::array<float, 3> light{};
      for (std::size_t k = 0; k < 3; ++k) light[k] = static_cast<float>(pixel[k]) * unit;
      if (xyz_) light = xyz_to_light(light[0], light[1], light[2]);
      for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t plane = plane_of[k];
        reinterpret_cast<std::uint16_t*>(frame.data[plane] + static_cast<std::ptrdiff_t>(y) *
                                                                 frame.linesize[plane])[x] = srgb_code(light[k]);
      }
    }
  }

  static constexpr std::size_t longest_header = 1 << 20;
  StillBytes file_;
  bool xyz_ = false, given_ = false;
};

}  // namespace

std::unique_ptr<Still> open_radiance(const StillInput& input) { return std::make_unique<RadianceStill>(input); }

}  // namespace convoscope
