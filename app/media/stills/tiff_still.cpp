// TIFF and BigTIFF by libtiff: strips and tiles, whatever they are compressed with. Samples of a whole number of bytes
// are taken as they are stored and made into colours here; libtiff itself does that for the rest (palettes, bits,
// YCbCr, LogLuv), in 8 bits, as it always does.
#include <tiffio.h>

#include <algorithm>
#include <array>
#include <limits>
#include <mutex>
#include <optional>
#include <vector>

#include "app/media/stills/still.h"
#include "app/media/stills/tiff_samples.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

constexpr int most_tiff_pages = 1000;

// The file in memory, as libtiff reads it.
struct TiffBytes {
  std::span<const std::uint8_t> bytes;
  std::uint64_t at = 0;
  bool complained = false;  // libtiff has told of an error
};

thread_local TiffBytes* tiff_at_work = nullptr;

void note_tiff_error(thandle_t, const char*, const char*, va_list) {
  if (tiff_at_work) tiff_at_work->complained = true;
}

// libtiff tells of errors by a handler that is the whole process's.
void quieten_tiff() {
  static std::once_flag once;
  std::call_once(once, [] {
    TIFFSetErrorHandler(nullptr);
    TIFFSetWarningHandler(nullptr);
    TIFFSetErrorHandlerExt(note_tiff_error);
  });
}

tmsize_t read_tiff_bytes(thandle_t handle, void* to, tmsize_t count) {
  auto& file = *static_cast<TiffBytes*>(handle);
  if (count < 0 || file.at >= file.bytes.size()) return 0;
  const std::size_t some = std::min<std::size_t>(static_cast<std::size_t>(count), file.bytes.size() - file.at);
  std::memcpy(to, file.bytes.data() + file.at, some);
  file.at += some;
  return static_cast<tmsize_t>(some);
}

toff_t seek_tiff_bytes(thandle_t handle, toff_t offset, int from) {
  auto& file = *static_cast<TiffBytes*>(handle);
  file.at = offset + (from == SEEK_CUR ? file.at : from == SEEK_END ? file.bytes.size() : 0);
  return file.at;
}

tmsize_t write_no_tiff(thandle_t, void*, tmsize_t) { return 0; }
int close_tiff_bytes(thandle_t) { return 0; }
toff_t size_of_tiff_bytes(thandle_t handle) { return static_cast<TiffBytes*>(handle)->bytes.size(); }

class TiffStill final : public Still {
 public:
  explicit TiffStill(const StillInput& input) : Still(input), bytes_{input.bytes} {
    kind_ = StillKind::tiff;
    info_.codec = AV_CODEC_ID_TIFF;
    if (is_raw_of_camera()) refuse_raw();
    quieten_tiff();
    const AtWork here(*this);
    // No strips are cut out of a strip that is too large, and no memory is mapped: there is no file.
    tiff_.reset(TIFFClientOpen("", "rm", &bytes_, read_tiff_bytes, write_no_tiff, seek_tiff_bytes, close_tiff_bytes,
                               size_of_tiff_bytes, nullptr, nullptr));
    if (!tiff_) refuse_damaged();
    choose_page();
    look_at_page();
  }

  bool read(AVFrame& frame) override {
    if (std::exchange(given_, true)) return false;
    const AtWork here(*this);
    bytes_.complained = false;
    make_picture(frame);
    const std::int64_t parts = samples_ ? read_samples(frame) : read_rgba(frame);
    if (parts == 0 || input_.stopped()) {
      damaged_ = parts == 0;
      return false;
    }
    damaged_ = damaged_ || bytes_.complained;
    return true;
  }

 private:
  struct Close {
    void operator()(TIFF* tiff) const { TIFFClose(tiff); }
  };
  struct AtWork {
    explicit AtWork(TiffStill& still) : before(std::exchange(tiff_at_work, &still.bytes_)) {}
    AtWork(const AtWork&) = delete;
    AtWork& operator=(const AtWork&) = delete;
    ~AtWork() { tiff_at_work = before; }
    TiffBytes* before;
  };

  template <class Value>
  Value field(std::uint32_t tag, Value otherwise) const {
    Value value = otherwise;
    TIFFGetFieldDefaulted(tiff_.get(), tag, &value);
    return value;
  }

  // Canon's, which is else a TIFF that has a small picture.
  bool is_raw_of_camera() const { return input_.bytes.size() > 10 && input_.bytes[8] == 'C' && input_.bytes[9] == 'R'; }
  [[noreturn]] void refuse_raw() const {
    throw Error("'" + input_.name +
                "' is a camera's raw file, which has to be developed first. Export it as TIFF, PNG or JPEG.");
  }

  // The first that is neither a smaller copy of another nor a mask.
  void choose_page() {
    int pages = 0;
    std::optional<tdir_t> first;
    do {
      const auto subtype = field<std::uint32_t>(TIFFTAG_SUBFILETYPE, 0);
      if (subtype & (FILETYPE_REDUCEDIMAGE | FILETYPE_MASK)) continue;
      ++pages;
      if (!first) first = TIFFCurrentDirectory(tiff_.get());
    } while (pages < most_tiff_pages && TIFFReadDirectory(tiff_.get()));
    bytes_.complained = false;  // of what lies behind the page that is shown
    if (!TIFFSetDirectory(tiff_.get(), first.value_or(0))) refuse_damaged();
    void* values = nullptr;
    std::uint16_t count = 0;
    const bool dng = TIFFGetField(tiff_.get(), TIFFTAG_DNGVERSION, &values) == 1;
    const auto photometric = field<std::uint16_t>(TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
    const bool raw = photometric == PHOTOMETRIC_CFA || photometric == 34892;  // LinearRaw
    const bool only_small = !first && TIFFGetField(tiff_.get(), TIFFTAG_SUBIFD, &count, &values) == 1;
    if (dng || raw || only_small) refuse_raw();
    if (pages > 1)
      info_.note = "'" + input_.name + "' has " + (pages == most_tiff_pages ? "at least " : "") + format_count(pages) +
                   " pages; the first one is shown.";
  }

  void look_at_page() {
    TIFF* const tiff = tiff_.get();
    set_size(field<std::uint32_t>(TIFFTAG_IMAGEWIDTH, 0), field<std::uint32_t>(TIFFTAG_IMAGELENGTH, 0));
    const auto compression = field<std::uint16_t>(TIFFTAG_COMPRESSION, COMPRESSION_NONE);
    if (!TIFFIsCODECConfigured(compression))
      refuse("compressed by a scheme (number " + std::to_string(compression) +
             ") that the libtiff on this machine cannot decode. Save it uncompressed, or as PNG.");
    const auto orientation = field<std::uint16_t>(TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT);
    info_.orientation = orientation >= 1 && orientation <= 8 ? orientation : 1;

    auto photometric = field<std::uint16_t>(TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
    const bool jpeg = compression == COMPRESSION_JPEG;
    tiled_ = TIFFIsTiled(tiff);
    separate_ = field<std::uint16_t>(TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) == PLANARCONFIG_SEPARATE;
    if (jpeg && photometric == PHOTOMETRIC_YCBCR && !separate_ &&
        TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB))
      photometric = PHOTOMETRIC_RGB;
    TiffLayout layout;
    layout.photometric = photometric;
    layout.bits = field<std::uint16_t>(TIFFTAG_BITSPERSAMPLE, 1);
    layout.samples = field<std::uint16_t>(TIFFTAG_SAMPLESPERPIXEL, 1);
    layout.sample_format = field<std::uint16_t>(TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_UINT);
    layout.separate = separate_;
    std::uint16_t extra = 0;
    std::uint16_t* kinds = nullptr;
    if (TIFFGetFieldDefaulted(tiff, TIFFTAG_EXTRASAMPLES, &extra, &kinds) && extra > 0 && kinds) {
      layout.extra = extra;
      layout.alpha = kinds[0] == EXTRASAMPLE_UNASSALPHA   ? TiffAlpha::straight
                     : kinds[0] == EXTRASAMPLE_ASSOCALPHA ? TiffAlpha::multiplied
                                                          : TiffAlpha::none;
    }
    if (float* white = nullptr; TIFFGetField(tiff, TIFFTAG_WHITEPOINT, &white) && white)
      layout.white_x = white[0], layout.white_y = white[1];
    samples_ = TiffSamples::of(layout);
    if (samples_) {
      info_.format = samples_->format();
      if (layout.sample_format == SAMPLEFORMAT_IEEEFP)
        info_.note += (info_.note.empty() ? "'" : " '") + input_.name +
                      "' has floating-point values: 0 is shown as black, 1 as white, and what lies beyond is clamped.";
      check_parts();
      return;
    }
    std::array<char, 1024> why{};
    if (!TIFFRGBAImageOK(tiff, why.data()))
      refuse("of a sort that is not read (" + std::to_string(layout.samples) + " samples of " +
             std::to_string(layout.bits) + " bits, photometric kind " + std::to_string(photometric) +
             "). Convert it, for example to PNG.");
    check_parts();
  }

  // A file may say that its strips or tiles are larger than any memory.
  void check_parts() {
    const std::uint64_t bytes = tiled_ ? TIFFTileSize64(tiff_.get()) : TIFFStripSize64(tiff_.get());
    const std::uint64_t pixels = static_cast<std::uint64_t>(info_.width) * static_cast<std::uint64_t>(info_.height);
    constexpr std::uint64_t small = 64 << 20, most_bytes_of_pixel = 64;
    if (bytes == 0 || bytes > small + most_bytes_of_pixel * pixels) refuse_damaged();
    part_bytes_ = static_cast<std::size_t>(bytes);
    part_width_ = tiled_ ? field<std::uint32_t>(TIFFTAG_TILEWIDTH, 0) : static_cast<std::uint32_t>(info_.width);
    part_height_ = tiled_ ? field<std::uint32_t>(TIFFTAG_TILELENGTH, 0) : field<std::uint32_t>(TIFFTAG_ROWSPERSTRIP, 0);
    const auto height = static_cast<std::uint32_t>(info_.height);
    if (!tiled_) part_height_ = std::min(part_height_, height);
    if (part_width_ == 0 || part_height_ == 0 || part_width_ > 1u << 20 || part_height_ > 1u << 20) refuse_damaged();
  }

  // How many strips or tiles could be read.
  std::int64_t read_samples(AVFrame& frame) {
    const int planes = separate_ ? std::min<int>(samples_->layout().samples, samples_->used()) : 1;
    std::vector<std::vector<std::uint8_t>> parts(static_cast<std::size_t>(planes));
    for (auto& part : parts) part.resize(part_bytes_);
    std::int64_t good = 0;
    for (std::uint32_t y = 0; y < static_cast<std::uint32_t>(info_.height); y += part_height_) {
      for (std::uint32_t x = 0; x < static_cast<std::uint32_t>(info_.width); x += part_width_) {
        if (input_.stopped()) return good;
        bool any = false;
        for (int plane = 0; plane < planes; ++plane) {
          std::vector<std::uint8_t>& part = parts[static_cast<std::size_t>(plane)];
          std::ranges::fill(part, std::uint8_t{0});
          const auto sample = static_cast<std::uint16_t>(plane);
          const auto size = static_cast<tmsize_t>(part.size());
          const tmsize_t got =
              tiled_
                  ? TIFFReadEncodedTile(tiff_.get(), TIFFComputeTile(tiff_.get(), x, y, 0, sample), part.data(), size)
                  : TIFFReadEncodedStrip(tiff_.get(), TIFFComputeStrip(tiff_.get(), y, sample), part.data(), size);
          if (got < 0) damaged_ = true;
          any = any || got > 0;
        }
        good += any;
        if (any) place(parts, frame, x, y);
      }
    }
    return good;
  }

  void place(const std::vector<std::vector<std::uint8_t>>& parts, AVFrame& frame, std::uint32_t x, std::uint32_t y) {
    const int width = static_cast<int>(std::min(part_width_, static_cast<std::uint32_t>(info_.width) - x));
    const int height = static_cast<int>(std::min(part_height_, static_cast<std::uint32_t>(info_.height) - y));
    const std::size_t row_bytes =
        static_cast<std::size_t>(tiled_ ? TIFFTileRowSize64(tiff_.get()) : TIFFScanlineSize64(tiff_.get()));
    std::vector<const std::uint8_t*> rows(parts.size());
    for (int row = 0; row < height; ++row) {
      const std::size_t offset = static_cast<std::size_t>(row) * row_bytes;
      if (offset + row_bytes > part_bytes_) return;
      for (std::size_t plane = 0; plane < parts.size(); ++plane) rows[plane] = parts[plane].data() + offset;
      samples_->convert(rows, width, frame, static_cast<int>(x), static_cast<int>(y) + row);
    }
  }

  // The same by libtiff, in bands of whole strips or tiles.
  std::int64_t read_rgba(AVFrame& frame) {
    std::array<char, 1024> why{};
    TIFFRGBAImage image{};
    if (!TIFFRGBAImageBegin(&image, tiff_.get(), 0, why.data())) return 0;
    const auto end = [](TIFFRGBAImage* one) { TIFFRGBAImageEnd(one); };
    const std::unique_ptr<TIFFRGBAImage, decltype(end)> owner(&image, end);
    image.req_orientation = image.orientation;  // turned later
    const auto width = static_cast<std::uint32_t>(info_.width);
    // YCbCr's rows come in blocks of up to four, which a band must not cut.
    const std::uint32_t least = 64,
                        band = std::max(part_height_, (least + part_height_ - 1) / part_height_ * part_height_);
    std::vector<std::uint32_t> raster(static_cast<std::size_t>(width) * std::min<std::size_t>(band, image.height));
    std::int64_t good = 0;
    for (std::uint32_t y = 0; y < image.height; y += band) {
      if (input_.stopped()) return good;
      const std::uint32_t rows = std::min(band, image.height - y);
      std::ranges::fill(raster, 0xFF000000u);
      image.row_offset = static_cast<int>(y);
      image.col_offset = 0;
      if (TIFFRGBAImageGet(&image, raster.data(), width, rows))
        ++good;
      else
        damaged_ = true;
      for (std::uint32_t row = 0; row < rows; ++row) {
        std::uint8_t* out = frame.data[0] + static_cast<std::ptrdiff_t>(y + row) * frame.linesize[0];
        for (std::uint32_t x = 0; x < width; ++x, out += 4) {
          const std::uint32_t pixel = raster[static_cast<std::size_t>(row) * width + x];
          out[0] = static_cast<std::uint8_t>(TIFFGetR(pixel));
          out[1] = static_cast<std::uint8_t>(TIFFGetG(pixel));
          out[2] = static_cast<std::uint8_t>(TIFFGetB(pixel));
          out[3] = static_cast<std::uint8_t>(TIFFGetA(pixel));
        }
      }
    }
    return good;
  }

  TiffBytes bytes_;
  std::unique_ptr<TIFF, Close> tiff_;
  std::optional<TiffSamples> samples_;
  bool tiled_ = false, separate_ = false, given_ = false;
  std::size_t part_bytes_ = 0;
  std::uint32_t part_width_ = 0, part_height_ = 0;
};

}  // namespace

std::unique_ptr<Still> open_tiff(const StillInput& input) { return std::make_unique<TiffStill>(input); }

}  // namespace convoscope
