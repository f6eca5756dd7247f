#pragma once
// One folder, read and sorted. Takes as long as the disk takes: for a thread that may wait.
#include <atomic>
#include <string>

#include "app/state/files.h"

namespace convoscope {

// `read` counts entries meanwhile. Ends early, with what it has, when `stop` is set.
FolderListing list_folder(const FolderQuestion&, const std::atomic<bool>& stop, std::atomic<std::size_t>& read);
// The whole of it, for who has to have it before he can go on; throws Error where it cannot be read.
FolderListing list_whole_folder(const std::string& folder);

PathFacts facts_about(const std::string& path);

}  // namespace convoscope
