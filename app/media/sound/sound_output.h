#pragma once
// The sound card, as PortAudio finds it.
#include <memory>
#include <string>

#include "app/media/sound/sound_ring.h"

namespace convoscope {

// Plays what is written into its ring, from the beginning to its end. All calls from one thread.
class SoundOutput {
 public:
  virtual ~SoundOutput() = default;
  virtual SoundRing& ring() = 0;
  virtual int rate() const = 0;          // frames a second
  virtual double latency() const = 0;    // seconds from asking for samples to their being heard, as it says itself
  virtual std::string name() const = 0;  // of the device
  virtual bool lost() const = 0;         // it was unplugged, or its server has gone
};

// The system's default card, which may take a second. Throws Error, a plain sentence, when there is none or it cannot
// be opened.
std::unique_ptr<SoundOutput> open_sound_card();
// Takes sound at the pace of a card, for who looks at it where none can be heard. Its name is empty. Throws
// std::system_error where there is no thread for it.
std::unique_ptr<SoundOutput> open_silent_output();

}  // namespace convoscope
