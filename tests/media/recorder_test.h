#pragma once
// Pictures for a recorder, and what FFmpeg says of its files.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <string>
#include <thread>
#include <vector>

#include "app/media/write/recorder.h"
#include "tests/media/media_test.h"

namespace convoscope::test {

// A picture that shows `code` as the coded clips do, in the recorder's layout.
inline void draw_coded(int code, const PicturePlanes& planes, int width, std::uint8_t* bytes) {
  for (int y = 0; y < planes.height; ++y)
    for (int x = 0; x < planes.width; ++x) {
      const int grey = code >> (8 * std::min(x, width - 1) / width) & 1 ? 220 : 30;
      std::uint8_t* row = bytes + static_cast<std::size_t>(y) * planes.pitch[0];
      if (planes.layout == PictureLayout::bgr0) {
        std::fill_n(row + 4 * static_cast<std::size_t>(x), 3, static_cast<std::uint8_t>(grey));
        continue;
      }
      row[x] = static_cast<std::uint8_t>(std::lround(16 + 219 * grey / 255.0));
      for (int plane = 1; plane < 3; ++plane)
        bytes[planes.offset[plane] + static_cast<std::size_t>(y / 2) * planes.pitch[plane] +
              static_cast<std::size_t>(x / 2)] = 128;
    }
}

// Lends pictures as the tap does, from a few buffers; to be declared before the recorder that borrows them.
class Lender {
 public:
  explicit Lender(const RecordingSettings& settings) : width_(settings.width) {}
  // `position`: of the source, whose time is the recording's unless it is given.
  bool lend(Recorder& recorder, int code, double seconds, bool wait = true, double position = -1) {
    for (std::size_t i = 0;; i = (i + 1) % in_use_.size()) {
      if (!wait && i == in_use_.size() - 1 && in_use_[i]) return false;
      if (in_use_[i]) {
        if (i == in_use_.size() - 1) std::this_thread::sleep_for(std::chrono::microseconds(200));
        continue;
      }
      bytes_[i].resize(recorder.planes().bytes);
      draw_coded(code, recorder.planes(), width_, bytes_[i].data());
      if (noisy)
        for (std::uint8_t& byte : bytes_[i])
          byte = static_cast<std::uint8_t>((state_ = state_ * 1664525 + 1013904223) >> 24);
      return recorder.add({bytes_[i].data(), seconds, position < 0 ? seconds : position, in_step, &in_use_[i]});
    }
  }
  bool all_given_back() const {
    return std::none_of(in_use_.begin(), in_use_.end(), [](const std::atomic<bool>& one) { return one.load(); });
  }
  bool noisy = false, in_step = true;

 private:
  int width_;
  std::uint32_t state_ = 1;
  std::array<std::vector<std::uint8_t>, 4> bytes_;
  std::array<std::atomic<bool>, 4> in_use_{};
};

inline RecordingSettings settings_for(const std::string& path, int width = 128, int height = 64) {
  RecordingSettings settings;
  settings.path = path;
  settings.width = width;
  settings.height = height;
  settings.rate = 25;
  settings.metadata = {{"title", "convoscope test"}, {"comment", "constant, gaussian:radius=4"}};
  return settings;
}

inline std::string probe(const std::string& path, const std::string& what) {
  std::string text = output_of("ffprobe -v error -count_frames -select_streams v -show_entries " + what +
                               " -of csv=p=0 '" + path + "'");
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

}  // namespace convoscope::test
