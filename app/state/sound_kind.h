#pragma once
// The kind of problem that what is heard is: two channels, filtered by one row of taps.
#include "kernels/kinds/signal.h"

namespace convoscope {

inline const Kind& sound_kind = signal_kind;

}  // namespace convoscope
