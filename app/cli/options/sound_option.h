#pragma once
// --sound SPEC and --sound-strategy ID: what is done to what is heard.
#include "app/cli/options/options.h"

namespace convoscope {

void add_sound(CLI::App&, Texts&, const char* group);
void read_sound(const Texts&, Settings&);  // throws Error
// An id of the signal ladder; throws Error.
std::string parse_sound_strategy(const std::string&);

}  // namespace convoscope
