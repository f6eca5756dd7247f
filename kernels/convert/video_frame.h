#pragma once
// A decoded picture as it leaves the decoder, described without FFmpeg, and its conversion to what strategies filter.
#include <array>
#include <cstdint>
#include <memory>

#include "kernels/compute/compute.h"
#include "kernels/contract/data/image.h"

namespace convoscope {

enum class PlaneLayout {
  rgba,         // one plane, 4 × uint8
  gray,         // one plane Y
  semi_planar,  // Y, interleaved UV: NV12, NV16, P010, P016
  planar,       // Y, U, V
  planar_rgb,   // G, B, R (FFmpeg's gbrp order)
};
enum class ColourMatrix { bt601, bt709, bt2020 };
enum class ChromaSite { left, centre, top_left };  // where a subsampled chroma sample sits among its luma samples

struct VideoFormat {
  PlaneLayout layout = PlaneLayout::rgba;
  int width = 0, height = 0;                   // stored, before rotation
  int bits = 8;                                // significant bits per sample, 8…16; above 8, samples are uint16
  int shift = 0;                               // unused low bits (P010: 6)
  int chroma_shift_x = 0, chroma_shift_y = 0;  // log2 of the subsampling: 4:2:0 is 1, 1
  ColourMatrix matrix = ColourMatrix::bt709;
  bool full_range = false;
  ChromaSite chroma_site = ChromaSite::left;
  bool has_alpha = false;  // of rgba alone: some pixel of it is not opaque (see alpha_step.h)
  int rotation = 0;        // degrees clockwise to show it upright: 0, 90, 180, 270
  bool operator==(const VideoFormat&) const = default;
  int upright_width() const { return rotation % 180 ? height : width; }
  int upright_height() const { return rotation % 180 ? width : height; }
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
// Within 1 code value of swscale's accurate conversion. RGB layouts are full range, whatever full_range says. Keeps
// each frame's owner until the device has read it.
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

}  // namespace convoscope
