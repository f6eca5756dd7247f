#pragma once
// Samples between the thread that decodes them and the one that the sound card calls, which neither waits nor
// allocates.
#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

namespace convoscope {

inline constexpr int sound_channels = 2;  // left and right, one after the other in memory

// One thread writes, another plays. A frame is a sample for each channel; frames are numbered from 0 as they are
// written.
class SoundRing {
 public:
  // `rate`: frames a second.
  SoundRing(int rate, int frames);

  // For the writer.
  int room() const;                              // frames
  void write(const float* samples, int frames);  // no more than there is room for
  void write_silence(int frames);
  std::int64_t written() const { return written_; }
  void drop();  // what was written and has not been played fades out and is skipped
  void set_volume(float volume) { volume_ = volume; }  // 0 to 1; fades, so that nothing clicks
  // Whether it is to be heard: fades, then keeps what is left for later.
  void set_running(bool running) { running_ = running; }

  struct Heard {
    std::int64_t frame = 0;  // the next one to be played
    double at = 0;           // when it will leave the sound card: seconds of a steady clock; 0: nothing was played yet
  };
  Heard heard() const;
  std::int64_t missed() const { return missed_; }  // frames of silence because nothing had been written

  // For the player. `at`: when the first of them leaves the sound card, as in Heard.
  void play(float* samples, int frames, double at);

 private:
  void fade_towards(float target);

  std::vector<float> samples_;
  const std::int64_t capacity_;  // frames
  const double rate_;
  const float step_;  // of the gain in a frame
  std::atomic<std::int64_t> written_{0}, read_{0}, skip_to_{0}, missed_{0};
  std::atomic<double> read_at_{0};
  std::atomic<unsigned> turn_{0};  // odd while read_ and read_at_ do not belong together
  std::atomic<float> volume_{1};
  std::atomic<bool> running_{false};

  // The player's alone.
  float gain_ = 0;
  std::array<float, sound_channels> last_{};  // what was played last: where samples end, it fades out
};

}  // namespace convoscope
