#pragma once
// What is done to the sound's filter, and how it is told.
#include <string>

#include "app/ui/memory/filter_history.h"
#include "kernels/filter/signal_catalogue.h"

namespace convoscope::ui {

// As it is typed, but for a row of numbers: "low-pass:cutoff=800", "own taps".
std::string sound_filter_name(const SignalFilterSpec&);

// Own taps that are left for another kind are kept for as long as the program runs.
void choose_sound_kind(SignalFilterSpec&, const SignalFilterKind&);
// They are those that were left, or begin as what was chosen before, where those are few enough to be edited.
void choose_own_taps(SignalFilterSpec&, double rate);

// "the filter for sound is comb." What is as it was then is left out.
std::string sound_change(const SoundThen& before, const SoundSettings& now);

}  // namespace convoscope::ui
