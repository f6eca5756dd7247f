#pragma once
// Files that neither FFmpeg nor the door to still pictures opens, told by what they begin with: a person who opens one
// is better served by its name than by "damaged or cut off".
#include <string>

namespace convoscope {

// Throws Error that says what the file at `path` is, and what to do, where it is known; returns otherwise. `name`: as
// the user gave it.
void refuse_known_file(const std::string& path, const std::string& name);

}  // namespace convoscope
