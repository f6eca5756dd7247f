#include "app/media/write/file_output.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <new>

namespace convoscope {

const char* container_of(const std::string& path) {
  return ends_in(path, "mkv") ? "matroska" : ends_in(path, "mov") ? "mov" : "mp4";
}

bool ends_in(const std::string& path, const char* extension) {
  const std::size_t dot = path.find_last_of("./");
  if (dot == std::string::npos || path[dot] != '.') return false;
  std::string end = path.substr(dot + 1);
  std::transform(end.begin(), end.end(), end.begin(), [](unsigned char c) { return std::tolower(c); });
  return end == extension;
}

void copy_padded(const Image& rgba, AVFrame& to) {
  const auto row_bytes = static_cast<std::size_t>(rgba.width) * 4;
  for (int y = 0; y < to.height; ++y) {
    const auto* from = static_cast<const std::uint8_t*>(rgba.data) +
                       static_cast<std::size_t>(std::min(y, rgba.height - 1)) * rgba.pitch;
    std::uint8_t* row = to.data[0] + static_cast<std::ptrdiff_t>(y) * to.linesize[0];
    std::memcpy(row, from, row_bytes);
    if (to.width > rgba.width) std::memcpy(row + row_bytes, from + row_bytes - 4, 4);
  }
}

Owned<AVFrame> make_picture(int width, int height, AVPixelFormat format) {
  Owned<AVFrame> frame = make_frame();
  frame->width = width;
  frame->height = height;
  frame->format = format;
  if (av_frame_get_buffer(frame.get(), 0) < 0) throw std::bad_alloc();
  return frame;
}

}  // namespace convoscope
