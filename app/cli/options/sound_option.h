#pragma once
// --sound SPEC and --sound-strategy ID: what is done to what is heard.
#include "app/cli/options/options.h"

namespace convoscope {

Options sound_options();
// An id of the signal ladder; throws Error.
std::string parse_sound_strategy(const std::string&);

}  // namespace convoscope
