#pragma once
#include <string_view>

namespace convoscope {

// How the description of a source begins whose pictures are drawn from its sound (SourceStats::description).
inline constexpr std::string_view waveform_description = "waveform of one second of sound";

}  // namespace convoscope
