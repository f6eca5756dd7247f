#pragma once
// What is heard, and what is done to it.
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "app/state/rolling_times.h"

namespace convoscope {

// What is heard right now, before and after the filter: left and right together, halved.
struct SoundScope {
  static constexpr int samples = 2048, bands = 192;
  static constexpr double lowest = 20, highest = 20000;  // Hz, of the bands: as many to every octave
  static constexpr float silence = -120;                 // dB of full scale
  std::array<float, samples> before{}, after{};          // oldest first
  // The largest of each band's tones, in dB of full scale; of a band below the transform's resolution, in between.
  std::array<float, bands> spectrum_before{}, spectrum_after{};
  bool present = false;  // something has been heard
};

// One of the signal ladder on the blocks that are heard.
struct SoundTrial {
  std::string strategy;
  RollingTimes times;
  bool right = false;  // within its tolerance of the sums in double, the last time
  double error = 0;    // the largest then, of full scale
  std::string reason;  // why it does not run; empty when it does
};

// What is done to what is heard.
struct SoundFilterStats {
  std::string strategy;  // id of the one at work; empty: none is
  std::string why_not;   // why the chosen one is not, and what is done instead; sentences
  int taps = 0;
  double block_ms = 0;       // that a block lasts: what is computed slower than this comes too late
  RollingTimes times;        // of a block: copied in, filtered, copied back
  std::int64_t late = 0;     // blocks that took longer than they last
  std::int64_t blocks = 0;   // since it was chosen, but for the first ones, which load code
  std::int64_t clipped = 0;  // samples that came out beyond full scale and are cut off, since the filter was chosen
  std::vector<SoundTrial> trials;  // while they are compared; in the ladder's order
};

// What is heard of the source.
struct SoundStats {
  bool has_sound = false;
  std::string why_not;       // why it is not heard, a plain sentence; empty while it is, or nothing wants to be heard
  std::string card;          // that plays it
  double ahead = 0;          // seconds, of the picture; less than 0: behind
  double missed = 0;         // seconds of silence since samples came too late
  double missed_lately = 0;  // of them, in the last seconds
  int jumps = 0;             // to where the picture is, the first time included
  int rate = 0;              // frames a second that the card plays; 0: none does
  SoundFilterStats filter;
  SoundScope scope;
};

}  // namespace convoscope
