#include "app/media/ffmpeg/media_input.h"

#include "kernels/text/error.h"

namespace convoscope {

const AVInputFormat* require_format(const char* name, const char* what) {
  const AVInputFormat* format = av_find_input_format(name);
  if (!format)
    throw Error(std::string("The FFmpeg on this machine cannot read ") + what + " (it has no '" + name +
                "'). Install FFmpeg with libavdevice, or choose a file.");
  return format;
}

std::string size_text(int width, int height) { return std::to_string(width) + "x" + std::to_string(height); }

std::string rate_text(double rate, const char* otherwise) { return rate > 0 ? std::to_string(rate) : otherwise; }

}  // namespace convoscope
