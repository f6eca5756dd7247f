#pragma once
// Where chroma sits, in swscale's words.
#include <string>

#include "app/media/ffmpeg/ffmpeg.h"
#include "kernels/convert/video_frame.h"

namespace convoscope {

// `end`: "src" or "dst". An axis that has all its chroma has no place for it to be told: swscale would move it by half
// a pixel all the same.
inline void place_chroma(SwsContext& scaler, const std::string& end, AVPixelFormat format, ChromaSite site) {
  const AVPixFmtDescriptor* kind = av_pix_fmt_desc_get(format);
  if (!kind) return;
  const auto centre = [](int shift) { return (128 << shift) - 128; };  // in 1/256 of a luma sample
  const auto last = [](int shift) { return (256 << shift) - 256; };
  const bool centred_x = site == ChromaSite::centre || site == ChromaSite::top || site == ChromaSite::bottom;
  const bool top = site == ChromaSite::top_left || site == ChromaSite::top;
  const bool bottom = site == ChromaSite::bottom_left || site == ChromaSite::bottom;
  const int x = centred_x ? centre(kind->log2_chroma_w) : 0;
  const int y = top ? 0 : bottom ? last(kind->log2_chroma_h) : centre(kind->log2_chroma_h);
  av_opt_set_int(&scaler, (end + "_h_chr_pos").c_str(), x, 0);
  av_opt_set_int(&scaler, (end + "_v_chr_pos").c_str(), y, 0);
}

}  // namespace convoscope
