#pragma once
// FFmpeg's frames as VideoFrames: described where VideoFormat has words for them, converted with swscale otherwise.
#include <optional>

#include "app/media/ffmpeg/ffmpeg.h"
#include "app/media/ffmpeg/picture_colours.h"
#include "app/media/play/host_pool.h"
#include "kernels/convert/video_frame.h"

namespace convoscope {

// How `format`'s planes lie, with the colour properties of the frame; empty when VideoFormat cannot say it. A plane of
// alpha is left out.
std::optional<VideoFormat> describe_planes(AVPixelFormat format, const AVFrame& properties);

// Turns decoded frames into VideoFrames. Used by one thread.
class PictureMaker {
 public:
  // planes: frames pass as they are when they can be described; otherwise, and always without `planes`, they are
  // converted to rgba8, or, with `planes`, to 16-bit planes when they have more than 8 bits. So they are, in any case,
  // where swscale does not know their colours.
  PictureMaker(bool planes, HostPool pool) : planes_(planes), pool_(std::move(pool)) {}

  // Takes the frame's content. Number and seconds are the caller's to set. Throws Error.
  VideoFrame make(Owned<AVFrame> frame, const Orientation&);
  // The same, in host memory and scaled to a stored size, by one thread.
  VideoFrame make_small(Owned<AVFrame> frame, const Orientation&, int width, int height);

 private:
  Owned<AVFrame> new_frame(AVPixelFormat, int width, int height);
  Owned<AVFrame> unpack(const AVFrame&);
  VideoFrame convert(Owned<AVFrame>);
  VideoFrame scale(Owned<AVFrame>, AVPixelFormat target, int width, int height);
  bool planes_;
  HostPool pool_;
  ColourSolver solver_;
  Owned<SwsContext> scaler_;
  struct Key {
    int width = 0, height = 0, format = -1, to_width = 0, to_height = 0, target = -1;
    VideoFormat colours;
    bool operator==(const Key&) const = default;
  } key_;
};

}  // namespace convoscope
