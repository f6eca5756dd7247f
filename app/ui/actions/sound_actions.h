#pragma once
// What is done to the sound's filter, and how it is told.
#include <string>

#include "kernels/filter/signal_catalogue.h"

namespace convoscope::ui {

// As it is typed, but for a row of numbers: "low-pass:cutoff=800", "own taps".
std::string sound_filter_name(const SignalFilterSpec&);

}  // namespace convoscope::ui
