#pragma once
// A decoded picture as it leaves the decoder, described without FFmpeg, and its conversion to what strategies filter.
#include <array>
#include <cstdint>
#include <memory>

#include "kernels/compute/compute.h"
#include "kernels/contract/data/image.h"
#include "kernels/convert/orientation.h"

namespace convoscope {

enum class PlaneLayout {
  rgba,         // one plane, 4 × uint8
  gray,         // one plane Y
  semi_planar,  // Y, interleaved UV: NV12, NV16, P010, P016
  planar,       // Y, U, V
  planar_rgb,   // G, B, R (FFmpeg's gbrp order)
  numbers,      // one plane of float32, which are no code values: gray32f has them as they are
};

// What Y, U and V are of R, G and B. Luma is red · R + blue · B, and the rest is green's; U and V are how far B and R
// are from it. In YCgCo they are how far green and orange are.
struct ColourMatrix {
  double red = 0.2126, blue = 0.0722;
  bool is_ycgco = false;
  bool operator==(const ColourMatrix&) const = default;
  static const ColourMatrix bt601, bt709, bt2020, fcc, smpte240m, ycgco;
};
inline constexpr ColourMatrix ColourMatrix::bt601{0.299, 0.114};
inline constexpr ColourMatrix ColourMatrix::bt709{};
inline constexpr ColourMatrix ColourMatrix::bt2020{0.2627, 0.0593};
inline constexpr ColourMatrix ColourMatrix::fcc{0.30, 0.11};
inline constexpr ColourMatrix ColourMatrix::smpte240m{0.212, 0.087};
inline constexpr ColourMatrix ColourMatrix::ycgco{0.25, 0.25, true};

// Where a subsampled chroma sample sits among its luma samples; left, centre: between two rows.
enum class ChromaSite { left, centre, top_left, top, bottom_left, bottom };

struct VideoFormat {
  PlaneLayout layout = PlaneLayout::rgba;
  int width = 0, height = 0;                   // stored
  int bits = 8;                                // significant bits per sample, 8…16; above 8, samples are uint16; of
                                               // numbers 32
  int shift = 0;                               // unused low bits (P010: 6)
  int chroma_shift_x = 0, chroma_shift_y = 0;  // log2 of the subsampling: 4:2:0 is 1, 1
  ColourMatrix matrix = ColourMatrix::bt709;
  bool full_range = false;
  ChromaSite chroma_site = ChromaSite::left;
  int stacked = 1;         // of numbers alone: planes one below the other, which are the channels of a layer
  bool has_alpha = false;  // of rgba alone: some pixel of it is not opaque (see alpha_step.h)
  Orientation orientation;
  bool operator==(const VideoFormat&) const = default;
  int upright_width() const { return orientation.exchanges_sides ? height : width; }
  int upright_height() const { return orientation.exchanges_sides ? width : height; }
};

struct VideoFrame {
  VideoFormat format;
  std::array<const void*, 3> planes{};
  std::array<std::size_t, 3> pitch{};
  bool on_device = false;             // CUDA memory (NVDEC), complete when handed over; else host memory
  std::shared_ptr<const void> owner;  // keeps the planes alive
  std::int64_t number = 0;            // frame number in the source, from 0
  double seconds = 0;                 // presentation time from the start of the source
  bool leads = false;                 // not to be seen: it goes before one that is, where several go into a picture
};

// Turns frames into upright rgba8 or gray32f (luma of the rgba8 result over 255) on the device, once a frame.
// Within 1 code value of swscale's accurate conversion. Packed RGB is full range, whatever full_range says. Numbers
// are rounded and clamped for rgba8, in which they are code values. Keeps each
// frame's owner until the device has read it.
class FrameConverter {
 public:
  virtual ~FrameConverter() = default;
  virtual void enqueue(const VideoFrame&, const Image& out) = 0;  // out: upright size; upload (if any), then convert
  // Y, U and V as they are stored, U and V interpolated, in place of red, green and blue of rgba8: for who filters and
  // stores what has the same coordinates. Only where has_yuv() says so.
  virtual bool has_yuv(const VideoFormat&) const { return false; }
  virtual void enqueue_yuv(const VideoFrame&, const Image& out);
  // Of each frame the device has finished, once, oldest first; empty when none is new. Never waits.
  virtual std::optional<double> poll_upload_ms() = 0;
  virtual std::optional<double> poll_convert_ms() = 0;
};
std::unique_ptr<FrameConverter> make_frame_converter(Compute&);

// The same of a frame in host memory, without a device and other cores: a small picture now and then. Throws Error.
void convert_on_this_thread(const VideoFrame&, const Image& out);

}  // namespace convoscope
