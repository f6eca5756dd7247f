#include "app/media/stills/still.h"

#include <algorithm>
#include <climits>
#include <string_view>

#include "app/media/ffmpeg/decoder.h"
#include "app/media/ffmpeg/ffmpeg_error.h"
#include "app/media/stills/exif.h"

namespace convoscope {
namespace {

// Of the file type box: the brands of still pictures. "avis", "hevc" and "msf1" are sequences, which are clips.
bool is_heif_brand(std::string_view brand) {
  constexpr std::string_view brands[] = {"heic", "heix", "heim", "heis", "mif1", "mif2", "avif"};
  return std::ranges::find(brands, brand) != std::end(brands);
}

}  // namespace

StillKind still_kind(std::span<const std::uint8_t> begin) {
  using std::string_view_literals::operator""sv;
  const std::string_view text(reinterpret_cast<const char*>(begin.data()), std::min(begin.size(), still_signature));
  for (const std::string_view each : {"II*\0"sv, "MM\0*"sv, "II+\0"sv, "MM\0+"sv})
    if (text.starts_with(each)) return StillKind::tiff;
  if (text.starts_with("RIFF") && text.size() >= 16 && text.substr(8, 7) == "WEBPVP8") return StillKind::webp;
  if (text.starts_with("\x76\x2f\x31\x01"sv)) return StillKind::exr;
  if (text.starts_with("8BPS\0"sv)) return StillKind::psd;
  if (text.starts_with("#?RADIANCE") || text.starts_with("#?RGBE")) return StillKind::radiance;
  if (text.size() >= 12 && text.substr(4, 4) == "ftyp" && is_heif_brand(text.substr(8, 4))) return StillKind::heif;
  return StillKind::none;
}

std::string one_of(StillKind kind) {
  switch (kind) {
    case StillKind::tiff:
      return "a TIFF";
    case StillKind::heif:
      return "a HEIF";
    case StillKind::webp:
      return "a WebP";
    case StillKind::exr:
      return "an OpenEXR";
    case StillKind::psd:
      return "a Photoshop";
    case StillKind::radiance:
      return "a Radiance";
    case StillKind::none:
      break;
  }
  return "";
}

void Still::set_size(std::int64_t width, std::int64_t height) {
  if (width < 1 || height < 1) refuse_damaged();
  const auto side = [](std::int64_t value) { return static_cast<int>(std::min<std::int64_t>(value, INT_MAX)); };
  check_picture_size(input_.name, side(width), side(height), input_.max_pixels);
  info_.width = side(width);
  info_.height = side(height);
}

void Still::make_picture(AVFrame& frame) const {
  frame.width = info_.width;
  frame.height = info_.height;
  frame.format = info_.format;
  frame.colorspace = info_.matrix;
  frame.color_range = info_.range;
  frame.color_trc = info_.transfer;
  if (const int status = av_frame_get_buffer(&frame, 0); status < 0) throw Error(why_not_readable(input_.name, status));
  const AVPixFmtDescriptor& kind = *av_pix_fmt_desc_get(info_.format);
  for (int plane = 0; plane < av_pix_fmt_count_planes(info_.format); ++plane) {  // what is missing is black
    const int height = plane == 1 || plane == 2 ? AV_CEIL_RSHIFT(info_.height, kind.log2_chroma_h) : info_.height;
    std::memset(frame.data[plane], 0,
                static_cast<std::size_t>(frame.linesize[plane]) * static_cast<std::size_t>(height));
  }
  if (info_.orientation == 1) return;
  AVFrameSideData* const side = av_frame_new_side_data(&frame, AV_FRAME_DATA_DISPLAYMATRIX, 9 * sizeof(std::int32_t));
  if (!side) throw std::bad_alloc();
  set_display_matrix(info_.orientation, reinterpret_cast<std::int32_t*>(side->data));
}

void Still::refuse_damaged() const {
  throw StillDamaged("'" + input_.name + "' is " + one_of(kind_) +
                     " picture that is damaged or cut off. Choose another file.");
}

void Still::refuse(const std::string& what) const {
  throw Error("'" + input_.name + "' is " + one_of(kind_) + " picture " + what);
}

std::unique_ptr<Still> open_still(const StillInput& input) {
  switch (still_kind(input.bytes)) {
    case StillKind::tiff:
      return open_tiff(input);
    case StillKind::heif:
      return open_heif(input);
    case StillKind::webp:
      return open_webp(input);
    case StillKind::exr:
      return open_exr(input);
    case StillKind::psd:
      return open_psd(input);
    case StillKind::radiance:
      return open_radiance(input);
    case StillKind::none:
      break;
  }
  throw StillDamaged(why_not_readable(input.name, AVERROR_INVALIDDATA));
}

}  // namespace convoscope
