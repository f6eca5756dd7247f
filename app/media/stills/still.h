#pragma once
// The one door to the libraries that read still pictures which FFmpeg does not read, or reads wrongly: TIFF by libtiff,
// HEIC and AVIF by libheif, WebP by libwebp, OpenEXR by its own library; Photoshop and Radiance files, for which there
// is none, are read here. Each format is one file beside this one. JPEG, PNG and the rest stay with FFmpeg.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/media/ffmpeg/ffmpeg.h"
#include "app/media/ffmpeg/interrupt.h"
#include "kernels/text/error.h"

namespace convoscope {

enum class StillKind { none, tiff, heif, webp, exr, psd, radiance };
inline constexpr std::size_t still_signature = 64;  // bytes from the beginning that tell a kind

StillKind still_kind(std::span<const std::uint8_t> begin);  // by its first bytes, never by its name
std::string one_of(StillKind);                              // "a TIFF", for sentences

struct StillInput {
  std::string name;                     // for sentences
  std::span<const std::uint8_t> bytes;  // the whole file; outlives the Still
  std::int64_t max_pixels = INT64_MAX;
  const Interrupt* interrupt = nullptr;  // where it is asked to stop, decoding ends early; may be null
  bool stopped() const { return interrupt && interrupt->stop; }
};

struct StillInfo {
  int width = 0, height = 0;  // stored, before `orientation`
  AVPixelFormat format = AV_PIX_FMT_RGBA;
  AVCodecID codec = AV_CODEC_ID_NONE;
  int orientation = 1;  // as EXIF counts, 1…8: 6 is shown turned by a quarter, clockwise
  AVColorSpace matrix = AVCOL_SPC_UNSPECIFIED;
  AVColorRange range = AVCOL_RANGE_UNSPECIFIED;
  AVColorTransferCharacteristic transfer = AVCOL_TRC_UNSPECIFIED;
  std::string note;            // what is shown of several, or how values are mapped: sentences; may be empty
  std::vector<int> durations;  // milliseconds of each frame of an animation; empty: a single picture
};

// What is there cannot be decoded, as it is damaged or cut off; what() says so.
struct StillDamaged : Error {
  using Error::Error;
};

// A file that is open: its header is read, nothing is decoded yet. Used by one thread.
class Still {
 public:
  explicit Still(const StillInput& input) : input_(input) {}
  virtual ~Still() = default;
  const StillInfo& info() const { return info_; }
  // The picture, the next one of an animation. False at the end, where nothing of it can be decoded (it is damaged()
  // then) and where it was asked to stop. Colours are not multiplied by alpha.
  virtual bool read(AVFrame&) = 0;
  bool damaged() const { return damaged_; }  // what could not be decoded so far is missing in what was read

 protected:
  // Throws Error where the size is refused, before anything of that size is taken.
  void set_size(std::int64_t width, std::int64_t height);
  void make_picture(AVFrame&) const;                        // its memory, with all that info() says
  [[noreturn]] void refuse_damaged() const;                 // throws StillDamaged
  [[noreturn]] void refuse(const std::string& what) const;  // throws Error: "'NAME' is a TIFF picture " + what
  StillInput input_;
  StillInfo info_;
  StillKind kind_ = StillKind::none;
  bool damaged_ = false;
};

// Throws Error: too large, damaged, or of a sort that is not read, which is then named.
std::unique_ptr<Still> open_still(const StillInput&);

std::unique_ptr<Still> open_tiff(const StillInput&);
std::unique_ptr<Still> open_heif(const StillInput&);
std::unique_ptr<Still> open_webp(const StillInput&);
std::unique_ptr<Still> open_exr(const StillInput&);
std::unique_ptr<Still> open_psd(const StillInput&);
std::unique_ptr<Still> open_radiance(const StillInput&);

}  // namespace convoscope
