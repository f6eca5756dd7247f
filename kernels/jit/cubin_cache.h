#pragma once
// Machine code that was compiled before, a file for each in a folder that nobody else can write (own_files.h), since it
// is run. Nothing here throws: what cannot be read or written is compiled again.
#include <cstddef>
#include <optional>
#include <string>

namespace convoscope::jit {

// `key`: everything that the machine code depends on, whole; a file that holds another key is not taken.
std::optional<std::string> load_cubin(const std::string& key);
// Keeps the newest files, as many and as large together as these say.
inline constexpr std::size_t most_cubins = 300, most_cubin_bytes = std::size_t{64} << 20;
void save_cubin(const std::string& key, const std::string& cubin);

}  // namespace convoscope::jit
