#pragma once
// Machine code that was compiled before, a file for each in the cache folder. Nothing here throws: what cannot be read
// or written is compiled again.
#include <optional>
#include <string>

namespace convoscope::jit {

// `key`: everything that the machine code depends on, whole; a file that holds another key is not taken.
std::optional<std::string> load_cubin(const std::string& key);
// Keeps the newest few hundred files.
void save_cubin(const std::string& key, const std::string& cubin);

}  // namespace convoscope::jit
