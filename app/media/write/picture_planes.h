#pragma once
// How a picture lies in memory when a recorder takes it, and the loan of such memory from OpenGL to the recorder.
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace convoscope {

enum class PictureLayout {
  yuv420,  // three planes, BT.709 limited, chroma sited left; both sides even, the last column or row repeated
  bgr0,    // one plane, for recordings without loss
};

// Top row first. Pitches and offsets in bytes, multiples of 64 (chroma: of 32).
struct PicturePlanes {
  PictureLayout layout = PictureLayout::yuv420;
  int width = 0, height = 0;  // of the coded picture
  std::size_t pitch[3] = {}, offset[3] = {}, bytes = 0;
};

inline PicturePlanes planes_of(PictureLayout layout, int width, int height) {
  const auto up = [](int value, int unit) { return static_cast<std::size_t>((value + unit - 1) / unit * unit); };
  PicturePlanes planes{layout, width, height};
  if (layout == PictureLayout::bgr0) {
    planes.pitch[0] = up(width * 4, 64);
    planes.bytes = planes.pitch[0] * static_cast<std::size_t>(height);
    return planes;
  }
  planes.width = (width + 1) / 2 * 2;
  planes.height = (height + 1) / 2 * 2;
  const auto rows = static_cast<std::size_t>(planes.height);
  planes.pitch[0] = up(planes.width, 64);
  planes.pitch[1] = planes.pitch[2] = planes.pitch[0] / 2;
  planes.offset[1] = planes.pitch[0] * rows;
  planes.offset[2] = planes.offset[1] + planes.pitch[1] * rows / 2;
  planes.bytes = planes.offset[2] + planes.pitch[2] * rows / 2;
  return planes;
}

// Borrowed until the borrower sets `in_use` to false and notifies it, from any thread.
struct LentPicture {
  const std::uint8_t* bytes = nullptr;
  double seconds = 0;    // of the recording
  double position = 0;   // of the source
  bool in_step = false;  // the source has played on at normal pace since the picture before
  std::atomic<bool>* in_use = nullptr;

  void give_back() const {
    *in_use = false;
    in_use->notify_all();
  }
};

}  // namespace convoscope
