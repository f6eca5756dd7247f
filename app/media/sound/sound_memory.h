#pragma once
// What was heard a moment ago, before and after the filter, and the tones in it.
#include <cstdint>
#include <memory>
#include <vector>

#include "app/state/stats.h"

namespace convoscope {

// All calls from one thread. Frames are numbered as in the SoundRing that they are played from.
class SoundMemory {
 public:
  explicit SoundMemory(int rate);
  ~SoundMemory();
  SoundMemory(const SoundMemory&) = delete;
  SoundMemory& operator=(const SoundMemory&) = delete;

  // Left and right in turn, of frames from `first` on. Older ones than a second are forgotten.
  void keep_before(std::int64_t first, const float* samples, int frames);
  void keep_after(std::int64_t first, const float* samples, int frames);
  void keep_silence(std::int64_t first, int frames);  // of both
  // What has been heard when frame `next` is about to be. The spectrum is that of Hann's window over the last
  // 4,096 frames; a full-scale tone has 0 dB.
  void show_before(std::int64_t next, SoundScope&);

 private:
  static constexpr int window = 4096;
  struct Transform;

  void keep(std::vector<float>& into, std::int64_t first, const float* samples, int frames);
  float at(const std::vector<float>& of, std::int64_t frame) const;

  const int rate_;
  std::vector<float> before_, after_;
  std::vector<float> hann_;
  std::unique_ptr<Transform> transform_;
};

}  // namespace convoscope
