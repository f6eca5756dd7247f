#pragma once
// Which local files an INPUT means, however it is written: as a path, as a file: address, as a sequence, as a folder or
// pattern of pictures, within another address, or as a playlist.
#include <filesystem>
#include <string>
#include <vector>

#include "kernels/files/descriptor.h"

namespace convoscope {

// The path of "file:///a%20b.mkv" and its like; anything else as it is. Percent-encoding is undone where the text as it
// stands names no file.
std::string local_path(const std::string& input);

// Those that are there, each once. Members of playlists too, also of playlists in playlists.
std::vector<std::filesystem::path> local_files(const std::string& input);

// Those of them that an earlier run has left as parts of its output: while these are open, no run overwrites them.
std::vector<Descriptor> held_parts(const std::string& input);

// By device and inode, so that links of both kinds are seen through; where one does not exist yet, by where it will be.
bool is_same_file(const std::filesystem::path&, const std::filesystem::path&);

// Throws Error: writing `output` would destroy what is being read. `what` names the output in the sentence.
void check_is_not_input(const std::string& what, const std::filesystem::path& output, const std::string& input);

}  // namespace convoscope
