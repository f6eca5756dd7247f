#pragma once
// The sound's filter as the user states it.
#include <string>

#include "kernels/filter/signal_catalogue.h"

namespace convoscope {

// As parse_signal_filter() takes it; what is wrong with taps of one's own is said of taps. Throws Error.
SignalFilterSpec parse_sound_filter(const std::string& text);

}  // namespace convoscope
