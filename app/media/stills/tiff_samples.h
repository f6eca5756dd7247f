#pragma once
// Samples as TIFF stores them, 8 to 64 bits each, made into the colours of a frame.
#include <cstdint>
#include <optional>
#include <span>

#include "app/media/ffmpeg/ffmpeg.h"
#include "app/media/stills/light.h"

namespace convoscope {

enum class TiffAlpha { none, straight, multiplied };

struct TiffLayout {  // as the tags say it
  int photometric = 1, bits = 8, samples = 1, sample_format = 1, extra = 0;
  bool separate = false;  // a plane for each sample
  TiffAlpha alpha = TiffAlpha::none;
  float white_x = 0.34567f, white_y = 0.3585f;  // that Lab is relative to
};

class TiffSamples {
 public:
  // Empty where they are not read here: bits, palettes, chroma.
  static std::optional<TiffSamples> of(const TiffLayout&);

  const TiffLayout& layout() const { return layout_; }
  // rgba for 8 bits, gray16 and planes of 16 bits for more.
  AVPixelFormat format() const;
  int used() const { return colours_ + (layout_.alpha != TiffAlpha::none ? 1 : 0); }  // samples of a pixel
  // `width` pixels, from (x, y) of the frame on. rows: one with all samples in turn, or one for each that is used.
  void convert(std::span<const std::uint8_t* const> rows, int width, AVFrame&, int x, int y) const;

 private:
  enum class Colour { grey, rgb, cmyk, lab };
  float sample(const std::uint8_t* at) const;  // 0…1 for whole numbers
  void turn_lab(float (&values)[5]) const;
  TiffLayout layout_;
  Colour colour_ = Colour::grey;
  int colours_ = 1;
  LabLight lab_;
};

}  // namespace convoscope
