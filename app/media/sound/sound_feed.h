#pragma once
// From a file's sound to the card's ring: through the filter, and round a loop's seam without a hole.
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "app/media/play/player.h"
#include "app/media/sound/sound_filter.h"
#include "app/media/sound/sound_memory.h"
#include "app/media/sound/sound_output.h"
#include "app/media/sound/sound_player.h"
#include "app/media/sound/sound_reader.h"

namespace convoscope {

// All calls from one thread. Positions are seconds of the picture's time.
class SoundFeed {
 public:
  // What is fed from now on is heard through this card, which outlives it or the next call.
  void use(SoundOutput&);
  void set_loop(const SoundLoop&);
  const SoundLoop& loop() const { return loop_; }
  void choose(const SoundWork& work) { filter_.choose(work.settings, card_->rate(), work.gpu); }

  // Goes to where the picture will be when the first samples are heard. Returns when that is expected, in seconds of
  // the steady clock.
  double place(SoundReader&, const PlayClock&, double now);
  double speed() const { return speed_; }
  // As much as there is room for, or fits into `ahead` seconds. Until `interrupt` says so.
  void fill(SoundReader&, const Interrupt&, double ahead);

  // Of the frame of that number in the ring, which has been placed.
  double position_at(std::int64_t frame) const;
  // Whether that frame is one of those since place(); forgets the stretches before it.
  bool has_come_to(std::int64_t frame);
  bool is_at_end() const { return at_end_; }
  double ready() const;  // seconds of sound that wait to be heard

  void try_another_strategy() { filter_.try_another(); }
  const SoundFilterStats& filter_stats() const { return filter_.stats(); }
  void show_heard(double now, SoundScope&);  // at what is heard at this moment

 private:
  struct Stretch {  // from the frame of that number in the ring on, sound goes on from that position
    std::int64_t frame = 0;
    double position = 0;
  };

  int frames_to_seam() const;
  void give(const float* samples, int frames);
  void give_silence(int frames);
  void go_to_start(SoundReader&);

  SoundOutput* card_ = nullptr;
  SoundFilter filter_;
  std::unique_ptr<SoundMemory> memory_;
  std::deque<Stretch> stretches_;  // the first is being heard; the others follow at the loop's seams
  SoundLoop loop_;
  double speed_ = 1;
  std::vector<float> samples_;  // as they are in the file
  std::size_t given_ = 0;       // of them, to the filter
  std::int64_t next_ = 0;       // number in the ring of the frame that the filter is given next
  std::vector<float> made_;     // by the filter
  std::size_t played_ = 0;      // of them, to the ring
  bool at_end_ = false, filter_ended_ = false;
};

}  // namespace convoscope
