#include "app/media/read/picture_samples.h"

#include <bit>
#include <limits>
#include <vector>

namespace convoscope {
namespace {

bool is_grey(const AVPixFmtDescriptor& kind) { return kind.nb_components <= 2; }
bool has_alpha(const AVPixFmtDescriptor& kind) { return kind.flags & AV_PIX_FMT_FLAG_ALPHA; }

float float_at(const std::uint8_t* from, bool big_endian) {
  std::uint32_t bits;
  std::memcpy(&bits, from, sizeof bits);
  if (big_endian) bits = __builtin_bswap32(bits);
  return std::bit_cast<float>(bits);
}

// A component of a row from 0, its least, to 1.
class RowReader {
 public:
  RowReader(const AVFrame& frame, const AVPixFmtDescriptor& kind, bool limited)
      : frame_(frame), kind_(kind), samples_(static_cast<std::size_t>(frame.width)), limited_(limited) {
    std::copy_n(frame.data, 4, planes_);
  }

  void read(int component, int y, std::vector<float>& out) {
    const AVComponentDescriptor& its = kind_.comp[component];
    if (kind_.flags & AV_PIX_FMT_FLAG_FLOAT) {
      const std::uint8_t* from = frame_.data[its.plane] + std::ptrdiff_t{y} * frame_.linesize[its.plane] + its.offset;
      for (float& value : out) {
        value = float_at(from, kind_.flags & AV_PIX_FMT_FLAG_BE);
        from += its.step;
      }
      return;
    }
    av_read_image_line(samples_.data(), planes_, frame_.linesize, &kind_, 0, y, component, frame_.width, 0);
    const bool alpha = has_alpha(kind_) && component == kind_.nb_components - 1;
    const int step = its.depth > 8 ? 1 << (its.depth - 8) : 1, largest = (1 << its.depth) - 1;
    const bool offset = limited_ && !alpha && its.depth >= 8;
    const auto zero = static_cast<float>(offset ? 16 * step : 0);
    const float scale = 1.0f / static_cast<float>(offset ? 219 * step : largest);
    for (std::size_t x = 0; x < out.size(); ++x) out[x] = (static_cast<float>(samples_[x]) - zero) * scale;
  }

 private:
  const AVFrame& frame_;
  const AVPixFmtDescriptor& kind_;
  std::vector<std::uint16_t> samples_;
  const std::uint8_t* planes_[4];
  const bool limited_;
};

// Of no number: 0.
template <class Sample>
Sample code(float value) {
  constexpr auto largest = static_cast<float>(std::numeric_limits<Sample>::max());
  const float low = value > 0 ? value : 0;
  return static_cast<Sample>(std::min(low, 1.0f) * largest + 0.5f);
}

}  // namespace

bool has_unpackable_samples(const AVPixFmtDescriptor& kind) {
  constexpr int others =
      AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BITSTREAM | AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_BAYER;
  if (kind.flags & others || !(is_grey(kind) || kind.flags & AV_PIX_FMT_FLAG_RGB)) return false;
  for (int i = 0; i < kind.nb_components; ++i) {
    const int depth = kind.comp[i].depth;
    if (kind.flags & AV_PIX_FMT_FLAG_FLOAT ? depth != 32 : depth > 16) return false;
  }
  return true;
}

AVPixelFormat unpacked_format(const AVPixFmtDescriptor& kind) {
  return has_alpha(kind) ? AV_PIX_FMT_RGBA : is_grey(kind) ? AV_PIX_FMT_GRAY16LE : AV_PIX_FMT_GBRP16LE;
}

void unpack_samples(const AVFrame& frame, const AVPixFmtDescriptor& kind, bool limited, AVFrame& out) {
  RowReader reader(frame, kind, limited && is_grey(kind));
  std::vector<float> values(static_cast<std::size_t>(frame.width));
  const int colours = is_grey(kind) ? 1 : 3;
  const auto row_of_plane = [&](int plane, int y) { return out.data[plane] + std::ptrdiff_t{y} * out.linesize[plane]; };
  for (int y = 0; y < frame.height; ++y)
    for (int component = 0; component < kind.nb_components; ++component) {
      reader.read(component, y, values);
      if (!has_alpha(kind)) {
        constexpr int plane_of[] = {2, 0, 1};  // green, blue and red lie in this order
        auto* const to = reinterpret_cast<std::uint16_t*>(row_of_plane(colours == 1 ? 0 : plane_of[component], y));
        for (std::size_t x = 0; x < values.size(); ++x) to[x] = code<std::uint16_t>(values[x]);
        continue;
      }
      std::uint8_t* const to = row_of_plane(0, y);
      const bool grey = colours == 1 && component == 0;
      const std::size_t at = component == kind.nb_components - 1 ? 3 : static_cast<std::size_t>(component);
      for (std::size_t x = 0; x < values.size(); ++x) {
        const auto value = code<std::uint8_t>(values[x]);
        to[4 * x + at] = value;
        if (grey) to[4 * x + 1] = to[4 * x + 2] = value;
      }
    }
}

}  // namespace convoscope
