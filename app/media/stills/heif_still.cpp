// HEIC and AVIF by libheif: the primary picture, with grids put together, turned, mirrored and cropped as the file
// says. Y, U and V stay as they are stored; where there is alpha, or they are R, G and B, libheif makes RGB of them.
#include <libheif/heif.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <string_view>
#include <utility>

#include "app/media/stills/still.h"

namespace convoscope {
namespace {

constexpr std::int64_t most_heif_pixels = 1 << 28;

struct HeifDeleter {
  void operator()(heif_context* p) const { heif_context_free(p); }
  void operator()(heif_image_handle* p) const { heif_image_handle_release(p); }
  void operator()(heif_image* p) const { heif_image_release(p); }
  void operator()(heif_color_profile_nclx* p) const { heif_nclx_color_profile_free(p); }
  void operator()(heif_decoding_options* p) const { heif_decoding_options_free(p); }
};
template <class T>
using HeifOwned = std::unique_ptr<T, HeifDeleter>;

// The file as libheif reads it, which takes a tile of a grid when it decodes it: where it is asked to stop, there is no
// more to be read.
struct HeifFile {
  const StillInput& input;
  std::int64_t at = 0;
};

constexpr heif_reader heif_file_reader{
    1, [](void* file) { return static_cast<HeifFile*>(file)->at; },
    [](void* to, std::size_t count, void* opaque) {
      auto& file = *static_cast<HeifFile*>(opaque);
      const std::span<const std::uint8_t> bytes = file.input.bytes;
      const auto at = static_cast<std::size_t>(file.at);
      if (file.input.stopped() || at > bytes.size() || count > bytes.size() - at) return 1;
      if (count > 0) std::memcpy(to, bytes.data() + at, count);
      file.at += static_cast<std::int64_t>(count);
      return 0;
    },
    [](std::int64_t position, void* file) {
      if (position < 0) return 1;
      static_cast<HeifFile*>(file)->at = position;
      return 0;
    },
    [](std::int64_t size, void* file) {
      return size <= static_cast<std::int64_t>(static_cast<HeifFile*>(file)->input.bytes.size())
                 ? heif_reader_grow_status_size_reached
                 : heif_reader_grow_status_size_beyond_eof;
    }};

// How chroma is subsampled, by what all of the pictures of a file say of their coding. libheif 1.15 does not tell, and
// would repeat chroma to full size where it is not asked for what is stored. Undefined where they differ.
heif_chroma stored_chroma(std::span<const std::uint8_t> file) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  const std::string_view boxes = text.substr(0, std::min(text.find("mdat"), text.size()));
  heif_chroma found = heif_chroma_monochrome;  // what alpha has, too
  for (const std::string_view kind : {"av1C", "hvcC"})
    for (std::size_t at = boxes.find(kind); at != std::string_view::npos; at = boxes.find(kind, at + 4)) {
      const std::size_t byte = at + 4 + (kind == "av1C" ? 2 : 16);
      if (byte >= boxes.size()) break;
      const int value = static_cast<unsigned char>(boxes[byte]);
      constexpr heif_chroma of_hevc[] = {heif_chroma_monochrome, heif_chroma_420, heif_chroma_422, heif_chroma_444};
      const heif_chroma one = kind == "hvcC" ? of_hevc[value & 3]
                              : value & 16   ? heif_chroma_monochrome
                              : value & 4    ? heif_chroma_420
                              : value & 8    ? heif_chroma_422
                                             : heif_chroma_444;
      if (one == heif_chroma_monochrome) continue;
      if (found != heif_chroma_monochrome && found != one) return heif_chroma_undefined;
      found = one;
    }
  return found;
}

// libaom looks at what is left when a picture's codes are read, and so finds nearly all damage; dav1d, which libheif
// would take, makes some picture of it.
HeifOwned<heif_decoding_options> checking_options(std::span<const std::uint8_t> file) {
#if LIBHEIF_NUMERIC_VERSION >= 0x010F0000
  constexpr const char* checking = "aom";
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  const std::string_view boxes = text.substr(0, text.find("mdat"));
  if (boxes.find("av1C") == std::string_view::npos || boxes.find("hvcC") != std::string_view::npos) return nullptr;
  const heif_decoder_descriptor* decoders[16] = {};
  const int count = heif_get_decoder_descriptors(heif_compression_AV1, decoders, std::size(decoders));
  const auto checks = [](const heif_decoder_descriptor* each) {
    return std::string_view(heif_decoder_descriptor_get_id_name(each)) == checking;
  };
  if (std::none_of(decoders, decoders + count, checks)) return nullptr;
  HeifOwned<heif_decoding_options> options(heif_decoding_options_alloc());
  if (!options) throw std::bad_alloc();
  if (options->version < 4) return nullptr;
  options->decoder_id = checking;
  return options;
#else
  return nullptr;
#endif
}

class HeifStill final : public Still {
 public:
  explicit HeifStill(const StillInput& input) : Still(input) {
    kind_ = StillKind::heif;
    const std::string brand(reinterpret_cast<const char*>(input.bytes.data()) + 8, 4);
    info_.codec = brand == "avif" ? AV_CODEC_ID_AV1 : AV_CODEC_ID_HEVC;
    context_.reset(heif_context_alloc());
    if (!context_) throw std::bad_alloc();
    check(heif_context_read_from_reader(context_.get(), &heif_file_reader, &file_, nullptr));
    heif_image_handle* handle = nullptr;
    check(heif_context_get_primary_image_handle(context_.get(), &handle));
    handle_.reset(handle);
    set_size(heif_image_handle_get_width(handle), heif_image_handle_get_height(handle));
    // What is coded in it may be larger than it says.
    const double most = std::sqrt(static_cast<double>(std::min<std::int64_t>(input.max_pixels, most_heif_pixels)));
    heif_context_set_maximum_image_size_limit(context_.get(), static_cast<int>(most) + 128);
    alpha_ = heif_image_handle_has_alpha_channel(handle);
    heif_color_profile_nclx* raw = nullptr;
    const bool said = heif_image_handle_get_nclx_color_profile(handle, &raw).code == heif_error_Ok;
    const HeifOwned<heif_color_profile_nclx> profile(raw);  // which comes with an error, too
    if (said && profile) set_colours(*profile);
    const int bits = heif_image_handle_get_luma_bits_per_pixel(handle);
    // A first guess for who asks before the picture is decoded.
    info_.format = bits > 8 ? AV_PIX_FMT_YUV444P10LE : AV_PIX_FMT_RGBA;
  }

  bool read(AVFrame& frame) override {
    if (std::exchange(given_, true)) return false;
    const heif_chroma chroma = stored_chroma(input_.bytes);
    HeifOwned<heif_image> image =
        decode(chroma == heif_chroma_monochrome ? heif_colorspace_monochrome : heif_colorspace_YCbCr, chroma);
    if (!image) return false;
    const bool stays = !alpha_ && stays_yuv(*image);
    const int bits = heif_image_get_bits_per_pixel_range(image.get(), heif_channel_Y);
    if (!stays) {
      const bool deep = heif_image_handle_get_luma_bits_per_pixel(handle_.get()) > 8;
      image = decode(heif_colorspace_RGB, deep ? heif_chroma_interleaved_RRGGBBAA_LE : heif_chroma_interleaved_RGBA);
      if (!image) return false;
    }
#if LIBHEIF_NUMERIC_VERSION >= 0x010F0000
    if (heif_image_get_decoding_warnings(image.get(), 0, nullptr, 0) > 0) damaged_ = true;
#endif
    if (stays) {
      info_.format = yuv_format(heif_image_get_chroma_format(image.get()), bits);
      give_planes(*image, frame);
    } else {
      give_rgb(*image, frame);
    }
    return true;
  }

 private:
  void check(const heif_error& error) const {
    if (error.code == heif_error_Ok) return;
    const bool too_much = error.subcode == heif_suberror_Security_limit_exceeded;
    if (error.code == heif_error_Memory_allocation_error && !too_much) throw std::bad_alloc();
    if (error.code == heif_error_Unsupported_filetype || error.code == heif_error_Unsupported_feature)
      refuse("of a sort that is not read (" + std::string(error.message) + "). Convert it, for example to PNG.");
    refuse_damaged();
  }

  HeifOwned<heif_image> decode(heif_colorspace space, heif_chroma chroma) {
    heif_image* raw = nullptr;
    heif_error error = heif_decode_image(handle_.get(), &raw, space, chroma, options_.get());
    // What another decoder makes of it is shown.
    if (error.code != heif_error_Ok && options_ && !input_.stopped()) {
      heif_image_release(std::exchange(raw, nullptr));
      damaged_ |= !says_it_cannot(error);
      options_.reset();
      error = heif_decode_image(handle_.get(), &raw, space, chroma, nullptr);
    }
    HeifOwned<heif_image> image(raw);
    if (says_it_cannot(error)) check(error);
    if (error.code != heif_error_Ok) damaged_ = true;
    if (image &&
        (heif_image_get_primary_width(raw) != info_.width || heif_image_get_primary_height(raw) != info_.height))
      set_size(heif_image_get_primary_width(raw), heif_image_get_primary_height(raw));
    if (input_.stopped()) return nullptr;
    return error.code == heif_error_Ok ? std::move(image) : nullptr;
  }

  static bool says_it_cannot(const heif_error& error) {
    return error.code == heif_error_Unsupported_filetype || error.code == heif_error_Unsupported_feature ||
           error.code == heif_error_Memory_allocation_error;
  }

  // CICP's numbers are FFmpeg's too.
  void set_colours(const heif_color_profile_nclx& nclx) {
    const int matrix = number_of(nclx.matrix_coefficients), transfer = number_of(nclx.transfer_characteristics);
    if (matrix >= 0 && matrix < AVCOL_SPC_NB) info_.matrix = static_cast<AVColorSpace>(matrix);
    if (transfer >= 0 && transfer < AVCOL_TRC_NB) info_.transfer = static_cast<AVColorTransferCharacteristic>(transfer);
    info_.range = nclx.full_range_flag ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
  }

  static AVPixelFormat yuv_format(heif_chroma chroma, int bits) {
    constexpr AVPixelFormat formats[3][4] = {
        {AV_PIX_FMT_GRAY8, AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUV422P, AV_PIX_FMT_YUV444P},
        {AV_PIX_FMT_GRAY10LE, AV_PIX_FMT_YUV420P10LE, AV_PIX_FMT_YUV422P10LE, AV_PIX_FMT_YUV444P10LE},
        {AV_PIX_FMT_GRAY12LE, AV_PIX_FMT_YUV420P12LE, AV_PIX_FMT_YUV422P12LE, AV_PIX_FMT_YUV444P12LE}};
    const int row = bits == 8 ? 0 : bits == 10 ? 1 : bits == 12 ? 2 : -1;
    const int column = chroma == heif_chroma_monochrome ? 0
                       : chroma == heif_chroma_420      ? 1
                       : chroma == heif_chroma_422      ? 2
                       : chroma == heif_chroma_444      ? 3
                                                        : -1;
    return row < 0 || column < 0 ? AV_PIX_FMT_NONE : formats[row][column];
  }

  bool stays_yuv(const heif_image& image) {
    const heif_colorspace space = heif_image_get_colorspace(&image);
    if (space != heif_colorspace_YCbCr && space != heif_colorspace_monochrome) return false;
    heif_color_profile_nclx* raw = nullptr;
    const bool said = heif_image_get_nclx_color_profile(&image, &raw).code == heif_error_Ok;
    const HeifOwned<heif_color_profile_nclx> profile(raw);
    if (said && profile) set_colours(*profile);
    if (info_.matrix == AVCOL_SPC_RGB) return false;
    // MIAF: where nothing is said, BT.601 at full range.
    if (info_.matrix == AVCOL_SPC_UNSPECIFIED) info_.matrix = AVCOL_SPC_SMPTE170M;
    if (info_.range == AVCOL_RANGE_UNSPECIFIED) info_.range = AVCOL_RANGE_JPEG;
    const heif_chroma chroma = heif_image_get_chroma_format(&image);
    return yuv_format(chroma, heif_image_get_bits_per_pixel_range(&image, heif_channel_Y)) != AV_PIX_FMT_NONE;
  }

  void give_planes(const heif_image& image, AVFrame& frame) {
    make_picture(frame);
    constexpr heif_channel channels[] = {heif_channel_Y, heif_channel_Cb, heif_channel_Cr};
    const AVPixFmtDescriptor& kind = *av_pix_fmt_desc_get(info_.format);
    const int bytes = kind.comp[0].depth > 8 ? 2 : 1;
    for (int plane = 0; plane < kind.nb_components; ++plane) {
      int stride = 0;
      const std::uint8_t* const from = heif_image_get_plane_readonly(&image, channels[plane], &stride);
      const int width = plane ? AV_CEIL_RSHIFT(frame.width, kind.log2_chroma_w) : frame.width;
      const int height = plane ? AV_CEIL_RSHIFT(frame.height, kind.log2_chroma_h) : frame.height;
      const int there = std::min(width, heif_image_get_width(&image, channels[plane]));
      const int rows = std::min(height, heif_image_get_height(&image, channels[plane]));
      for (int y = 0; from && y < rows; ++y)
        std::memcpy(frame.data[plane] + static_cast<std::ptrdiff_t>(y) * frame.linesize[plane],
                    from + static_cast<std::ptrdiff_t>(y) * stride, static_cast<std::size_t>(there * bytes));
    }
  }

  void give_rgb(const heif_image& image, AVFrame& frame) {
    const int bits = heif_image_get_bits_per_pixel_range(&image, heif_channel_interleaved);
    const bool deep = bits > 8;
    info_.format = !deep ? AV_PIX_FMT_RGBA : alpha_ ? AV_PIX_FMT_GBRAP16LE : AV_PIX_FMT_GBRP16LE;
    info_.matrix = AVCOL_SPC_RGB;
    info_.range = AVCOL_RANGE_JPEG;
    make_picture(frame);
    int stride = 0;
    const std::uint8_t* const from = heif_image_get_plane_readonly(&image, heif_channel_interleaved, &stride);
    for (int y = 0; from && y < frame.height; ++y) {
      const std::uint8_t* const row = from + static_cast<std::ptrdiff_t>(y) * stride;
      if (!deep) {
        std::memcpy(frame.data[0] + static_cast<std::ptrdiff_t>(y) * frame.linesize[0], row,
                    static_cast<std::size_t>(frame.width) * 4);
        continue;
      }
      constexpr int plane_of[] = {2, 0, 1, 3};
      const std::uint32_t most = (1u << bits) - 1;
      for (int k = 0; k < (alpha_ ? 4 : 3); ++k) {
        const int plane = plane_of[k];
        auto* const out = reinterpret_cast<std::uint16_t*>(frame.data[plane] +
                                                           static_cast<std::ptrdiff_t>(y) * frame.linesize[plane]);
        for (int x = 0; x < frame.width; ++x) {
          const std::uint32_t code = row[8 * x + 2 * k] | static_cast<std::uint32_t>(row[8 * x + 2 * k + 1]) << 8;
          out[x] = static_cast<std::uint16_t>((std::min(code, most) * 65535u + most / 2) / most);
        }
      }
    }
  }

  HeifFile file_{input_};
  HeifOwned<heif_context> context_;
  HeifOwned<heif_image_handle> handle_;
  HeifOwned<heif_decoding_options> options_ = checking_options(input_.bytes);
  bool alpha_ = false, given_ = false;
};

}  // namespace

std::unique_ptr<Still> open_heif(const StillInput& input) { return std::make_unique<HeifStill>(input); }

}  // namespace convoscope
