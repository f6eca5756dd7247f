#pragma once
// What a filter for sound is, and what is heard, as curves.
#include <imgui.h>

#include <array>

#include "app/state/stats.h"
#include "kernels/contract/data/filter.h"
#include "kernels/filter/signal_catalogue.h"

namespace convoscope::ui {

// The taps of a filter and how loud it leaves each tone, worked out once.
struct SoundCurves {
  SignalFilterSpec of;
  double rate = 0;
  Filter taps;
  std::array<float, SoundScope::bands> response{}, least{};  // dB, the most and the least within SoundScope's bands
};
const SoundCurves& curves_of(const SignalFilterSpec&, double rate);  // kept until it is asked for another one

void draw_taps(ImDrawList&, ImVec2 from, ImVec2 to, const Filter&);
// From `least` dB at the foot to `most` at the top, over SoundScope's bands.
struct Decibels {
  float least, most;
};
// Lines and their names. Returns where curves are drawn, beside and above the names.
struct PlotArea {
  ImVec2 from, to;
};
PlotArea draw_tones(ImDrawList&, ImVec2 from, ImVec2 to, const Decibels&);
// `largest`: of bands that share a column of pixels the largest is shown, else the least.
void draw_curve(ImDrawList&, ImVec2 from, ImVec2 to, const Decibels&, const std::array<float, SoundScope::bands>&,
                bool largest, ImU32 ink, float thickness, float fill);
// Of samples from −1 to 1, so that a tone stands still: from a zero on where it rises. `rate`: samples a second.
void draw_waveforms(ImDrawList&, ImVec2 from, ImVec2 to, const SoundScope&, bool filtered, int rate);

}  // namespace convoscope::ui
