// Photoshop's files (PSD and the large PSB): the picture of all layers together that they hold for other programs.
// Source: Adobe Photoshop File Formats Specification, 2019.
#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <vector>

#include "app/media/stills/light.h"
#include "app/media/stills/still.h"
#include "app/media/stills/still_bytes.h"

namespace convoscope {
namespace {

enum PsdMode { psd_bitmap = 0, psd_grey = 1, psd_indexed = 2, psd_rgb = 3, psd_cmyk = 4, psd_duotone = 8, psd_lab = 9 };

class PsdStill final : public Still {
 public:
  explicit PsdStill(const StillInput& input) : Still(input), file_(input.bytes) {
    kind_ = StillKind::psd;
    info_.codec = AV_CODEC_ID_PSD;
    try {
      open();
    } catch (const EndOfBytes&) {
      refuse_damaged();
    }
  }

  bool read(AVFrame& frame) override {
    if (std::exchange(given_, true)) return false;
    make_picture(frame);
    int done = 0;
    try {
      const std::uint64_t scheme = file_.big(2);
      if (scheme > 1) refuse("compressed in a way that is not read. Save it again in Photoshop, or as PNG.");
      if (scheme == 1) find_rows();
      rows_.resize(static_cast<std::size_t>(used_));
      for (auto& row : rows_) row.resize(row_bytes_);
      // Channels lie behind one another: each has a place of its own to read on from.
      const std::span<const std::uint8_t> pixels = file_.take_bytes(file_.left());
      for (; done < info_.height && !input_.stopped(); ++done) {
        for (int k = 0; k < used_; ++k) load_row(pixels, scheme == 1, k, done);
        give_row(frame, done);
      }
    } catch (const EndOfBytes&) {
      damaged_ = true;
    }
    return done > 0 && !input_.stopped();
  }

 private:
  void open() {
    file_.skip(4);
    const bool large = file_.big(2) == 2;
    length_bytes_ = large ? 8 : 4;
    count_bytes_ = large ? 4 : 2;
    file_.skip(6);
    channels_ = static_cast<int>(file_.big(2));
    const auto height = static_cast<std::int64_t>(file_.big(4)), width = static_cast<std::int64_t>(file_.big(4));
    depth_ = static_cast<int>(file_.big(2));
    mode_ = static_cast<int>(file_.big(2));
    set_size(width, height);
    colours_ = mode_ == psd_rgb || mode_ == psd_lab ? 3 : mode_ == psd_cmyk ? 4 : 1;
    constexpr std::array modes{psd_bitmap, psd_grey, psd_indexed, psd_rgb, psd_cmyk, psd_duotone, psd_lab};
    const bool known = std::ranges::find(modes, mode_) != modes.end();
    const bool fits = depth_ == 1 ? mode_ == psd_bitmap : depth_ == 8 || depth_ == 16 || depth_ == 32;
    if (!known || !fits)
      refuse("in a mode (number " + std::to_string(mode_) + ", " + std::to_string(depth_) +
             " bits) that is not read. Convert it to RGB.");
    if (channels_ < colours_) refuse_damaged();
    palette_ = file_.take_bytes(file_.big(4));
    if (mode_ == psd_indexed && palette_.size() < 768) refuse_damaged();
    if (!has_merged_picture(file_.take_bytes(file_.big(4))))
      refuse("that holds its layers only. Save it with \"Maximize Compatibility\", or as PNG.");
    const bool alpha = merged_has_alpha(file_.take_bytes(file_.big(length_bytes_))) && channels_ > colours_;
    used_ = colours_ + (alpha ? 1 : 0);
    row_bytes_ = depth_ == 1 ? (static_cast<std::size_t>(width) + 7) / 8
                             : static_cast<std::size_t>(width) * static_cast<std::size_t>(depth_ / 8);
    info_.format = depth_ <= 8     ? AV_PIX_FMT_RGBA
                   : alpha         ? AV_PIX_FMT_GBRAP16LE
                   : colours_ == 1 ? AV_PIX_FMT_GRAY16LE
                                   : AV_PIX_FMT_GBRP16LE;
    if (depth_ == 32)
      info_.note =
          "'" + input_.name + "' holds linear light; it is shown as sRGB, and what lies beyond 0 to 1 is clamped.";
  }

  // Of the image resources: 1057 says in its fifth byte whether there is more than white.
  static bool has_merged_picture(std::span<const std::uint8_t> resources) {
    StillBytes bytes(resources);
    try {
      while (bytes.left() > 0) {
        bytes.skip(4);
        const std::uint64_t id = bytes.big(2), name = bytes.byte();
        bytes.skip(name + (name + 1) % 2);
        const std::uint64_t size = bytes.big(4);
        const auto data = bytes.take_bytes(size);
        if (size % 2 && bytes.left() > 0) bytes.skip(1);
        if (id == 1057 && size > 4) return data[4] != 0;
      }
    } catch (const EndOfBytes&) {
    }
    return true;
  }

  // The count of layers is negative where the first channel behind the colours is the transparency of all of them.
  bool merged_has_alpha(std::span<const std::uint8_t> layers) const {
    const std::size_t at = length_bytes_;
    return layers.size() >= at + 2 && (layers[at] & 0x80);
  }

  // Rows of PackBits: how long each of them is, first.
  void find_rows() {
    starts_.reserve(static_cast<std::size_t>(used_) * static_cast<std::size_t>(info_.height) + 1);
    std::uint64_t at = 0;
    StillBytes counts(file_.take_bytes(static_cast<std::uint64_t>(channels_) *
                                       static_cast<std::uint64_t>(info_.height) * count_bytes_));
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(used_) * info_.height; ++i) {
      starts_.push_back(at);
      at += counts.big(count_bytes_);
    }
    starts_.push_back(at);
  }

  void load_row(std::span<const std::uint8_t> pixels, bool packed, int channel, int y) {
    std::vector<std::uint8_t>& row = rows_[static_cast<std::size_t>(channel)];
    const std::size_t number =
        static_cast<std::size_t>(channel) * static_cast<std::size_t>(info_.height) + static_cast<std::size_t>(y);
    StillBytes bytes(pixels);
    if (!packed) {
      bytes.skip(static_cast<std::uint64_t>(number) * row_bytes_);
      std::ranges::copy(bytes.take_bytes(row_bytes_), row.begin());
      return;
    }
    bytes.skip(starts_[number]);
    StillBytes run(bytes.take_bytes(starts_[number + 1] - starts_[number]));
    for (std::size_t x = 0; x < row.size();) {
      const int count = static_cast<std::int8_t>(run.byte());
      if (count == -128) continue;
      const std::size_t some = std::min(static_cast<std::size_t>(count < 0 ? 1 - count : count + 1), row.size() - x);
      if (count < 0)
        std::fill_n(row.begin() + static_cast<std::ptrdiff_t>(x), some, run.byte());
      else
        std::ranges::copy(run.take_bytes(some), row.begin() + static_cast<std::ptrdiff_t>(x));
      x += some;
    }
  }

  float value(int channel, int x) const {
    const std::uint8_t* const row = rows_[static_cast<std::size_t>(channel)].data();
    if (depth_ == 1) return row[x / 8] >> (7 - x % 8) & 1 ? 0.0f : 1.0f;
    if (depth_ == 8) return static_cast<float>(row[x]) / 255;
    if (depth_ == 16) return static_cast<float>(row[2 * x] << 8 | row[2 * x + 1]) / 65535;
    const std::uint8_t* const at = row + 4 * x;
    const float light = std::bit_cast<float>(std::uint32_t{at[0]} << 24 | std::uint32_t{at[1]} << 16 |
                                             std::uint32_t{at[2]} << 8 | at[3]);
    return channel < colours_ ? static_cast<float>(srgb_code(light)) / 65535 : light;
  }

  std::array<float, 3> colour(int x) const {
    if (mode_ == psd_indexed) {
      const std::size_t index = rows_[0][static_cast<std::size_t>(x)];
      return {static_cast<float>(palette_[index]) / 255, static_cast<float>(palette_[256 + index]) / 255,
              static_cast<float>(palette_[512 + index]) / 255};
    }
    if (colours_ == 1) return {value(0, x), value(0, x), value(0, x)};
    if (mode_ == psd_cmyk)  // how much of the paper is left bare
      return {value(0, x) * value(3, x), value(1, x) * value(3, x), value(2, x) * value(3, x)};
    if (mode_ == psd_rgb) return {value(0, x), value(1, x), value(2, x)};
    std::array<float, 3> light = lab_(value(0, x) * 100, value(1, x) * 255 - 128, value(2, x) * 255 - 128);
    for (float& each : light) each = static_cast<float>(srgb_code(each)) / 65535;
    return light;
  }

  void give_row(AVFrame& frame, int y) const {
    const auto row_of = [&](int plane) {
      return frame.data[plane] + static_cast<std::ptrdiff_t>(y) * frame.linesize[plane];
    };
    const bool alpha = used_ > colours_;
    for (int x = 0; x < info_.width; ++x) {
      std::array<float, 3> rgb = colour(x);
      const float opaque = alpha ? value(colours_, x) : 1;
      // It lies on white, and stays there where 16 bits have no place for alpha.
      if (alpha && opaque > 0 && depth_ <= 8)
        for (float& each : rgb) each = (each - (1 - opaque)) / opaque;
      if (depth_ <= 8) {
        std::uint8_t* const out = row_of(0) + 4 * x;
        for (std::size_t k = 0; k < 3; ++k)
          out[k] = static_cast<std::uint8_t>(std::clamp(rgb[k], 0.0f, 1.0f) * 255 + 0.5f);
        out[3] = static_cast<std::uint8_t>(opaque * 255 + 0.5f);
      } else if (info_.format == AV_PIX_FMT_GRAY16LE) {
        reinterpret_cast<std::uint16_t*>(row_of(0))[x] = unit_code(rgb[0]);
      } else {
        constexpr int plane_of[] = {2, 0, 1};  // G, B, R
        for (std::size_t k = 0; k < 3; ++k)
          reinterpret_cast<std::uint16_t*>(row_of(plane_of[k]))[x] = unit_code(rgb[k]);
        if (alpha) reinterpret_cast<std::uint16_t*>(row_of(3))[x] = unit_code(opaque);
      }
    }
  }

  StillBytes file_;
  LabLight lab_;
  std::size_t length_bytes_ = 4, count_bytes_ = 2;  // of a section's length, of a packed row's
  int channels_ = 0, colours_ = 1, used_ = 1, depth_ = 8, mode_ = 0;
  std::span<const std::uint8_t> palette_;
  std::size_t row_bytes_ = 0;
  std::vector<std::uint64_t> starts_;
  std::vector<std::vector<std::uint8_t>> rows_;  // of each channel that is used
  bool given_ = false;
};

}  // namespace

std::unique_ptr<Still> open_psd(const StillInput& input) { return std::make_unique<PsdStill>(input); }

}  // namespace convoscope
