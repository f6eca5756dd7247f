#include <cmath>
#include <numbers>

#include "tests/ui/sample.h"

namespace convoscope::test {

Sample sound_sample() {
  Sample s = typical_sample();
  s.settings.sound = {.filtered = true, .scope = true, .compare = true};
  SoundStats& sound = s.stats.sound;
  sound.has_sound = true;
  sound.card = "ALSA default";
  sound.rate = 48000;
  SoundFilterStats& filter = sound.filter;
  filter.strategy = "cpu-fft";
  filter.taps = 513;
  filter.block_ms = 1000.0 * s.settings.sound.block / sound.rate;
  filter.times = times(0.41, 0.2);
  filter.blocks = 12'345;
  filter.late = 3;
  filter.trials = {{"cpu-direct", times(31.7, 0.1), true, 2.4e-7, ""},
                   {"cpu-parallel", times(1.93, 0.1), true, 1.9e-7, ""},
                   {"cpu-fft", times(0.41, 0.1), false, 0.0123, ""},
                   {"constant", RollingTimes(), false, 0, "No NVIDIA driver was found on this machine."}};
  SoundScope& scope = sound.scope;
  scope.present = true;
  for (std::size_t i = 0; i < SoundScope::samples; ++i) {
    const double t = static_cast<double>(i) / sound.rate;
    const double low = 0.5 * std::sin(2 * std::numbers::pi * 220 * t + 1);
    scope.after[i] = static_cast<float>(low);
    scope.before[i] = static_cast<float>(low + 0.3 * std::sin(2 * std::numbers::pi * 3700 * t));
  }
  for (std::size_t i = 0; i < SoundScope::bands; ++i) {
    const double ripple = 6 * std::sin(static_cast<double>(i) * 1.7), x = static_cast<double>(i) / SoundScope::bands;
    scope.spectrum_before[i] = static_cast<float>(-20 - 40 * x + ripple);
    scope.spectrum_after[i] = static_cast<float>(-20 - 40 * x + ripple - (x > 0.57 ? 74 * (x - 0.57) / 0.1 : 0));
  }
  return s;
}

}  // namespace convoscope::test
