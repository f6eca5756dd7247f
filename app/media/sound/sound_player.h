#pragma once
// The sound of what plays, heard in step with its picture: a thread decodes ahead and keeps to the picture's clock.
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <thread>

#include "app/media/play/player.h"
#include "app/media/sound/sound_output.h"
#include "app/state/settings.h"
#include "app/state/stats.h"

namespace convoscope {

// What is played again and again, in seconds of the source: from `start` to `end`, after which the picture is at once
// at the start again.
struct SoundLoop {
  double start = 0, end = 0;  // no loop where there is nothing between them
};

// What is done to what is heard. `gpu`: the number of the one that CUDA strategies run on, where one is at work.
struct SoundWork {
  SoundSettings settings;
  std::optional<int> gpu;
  bool operator==(const SoundWork&) const = default;
};

// All calls from one thread; none of them waits for the disk, the decoder or the sound card.
class SoundPlayer {
 public:
  using OpenOutput = std::function<std::unique_ptr<SoundOutput>()>;  // throws Error
  explicit SoundPlayer(OpenOutput open_output = open_sound_card);
  ~SoundPlayer();
  SoundPlayer(const SoundPlayer&) = delete;
  SoundPlayer& operator=(const SoundPlayer&) = delete;

  // The sound of this from now on, or of nothing. A sound card that was missing is looked for again, and by retry().
  void open(const SourceSettings&);
  void close();
  void retry();
  // Where the picture is, and how loud: 0 to 1, 0 being off. To be said with every frame.
  void follow(const PlayClock&, double volume, const SoundLoop& = {}, const SoundWork& = {});
  void report(SoundStats&) const;

 private:
  struct Thread;
  std::shared_ptr<Thread> shared_;
  std::shared_ptr<std::atomic<bool>> left_;
  std::thread thread_;  // uses shared_ alone; joined by the destructor, or by StuckThreads later
};

}  // namespace convoscope
