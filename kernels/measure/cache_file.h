#pragma once
// Small things that were measured and are worth remembering between runs: one JSON object a file in the cache folder,
// with a version of its own and one entry a key. Losing one costs only the measuring. Nothing here throws: a folder or
// file that cannot be used is a sentence in `problem` (null: not wanted), which names it and what is done instead.
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "kernels/contract/device.h"

namespace convoscope {

// Where caches are: see own_files.h, which says who may have written them. Empty when nothing can be kept.
std::filesystem::path cache_folder();

// Names what a measurement holds for: the device, its driver and toolkit, and this version of the program.
std::string device_key(const Device&);

// The entry of `key` in the file `name`; null when there is none.
nlohmann::json load_cache_entry(const std::string& name, const std::string& key, std::string* problem);
// Writes the file anew with this entry in it, all at once, so that two programs can share it. A broken file is
// replaced.
bool save_cache_entry(const std::string& name, const std::string& key, const nlohmann::json&, std::string* problem);

}  // namespace convoscope
