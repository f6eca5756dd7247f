#pragma once
// Small files of the program's own (settings, sessions), read and replaced as a whole. A FIFO, a folder or a device in
// the place of one neither hangs nor is waited for.
#include <filesystem>
#include <optional>
#include <string>

namespace convoscope {

struct FileText {
  std::optional<std::string> text;
  std::string problem;  // "is a folder", "cannot be read: Permission denied"; empty when it was read or is not there
};
FileText read_small_file(const std::filesystem::path&);

// Writes beside the file and renames, so that whatever ends the program leaves the old one or the new one; through a
// link, so that the link stays. Makes missing folders, for the user alone. Returns why not; empty when it is done.
std::string replace_file(const std::filesystem::path&, const std::string& text);

// For the user alone. Why not; empty when they are there.
std::string make_folders(const std::filesystem::path&);

// Renames the file to "<path>.<word>", or with a number behind that when it is taken. Empty when it cannot be done.
std::filesystem::path put_aside(const std::filesystem::path&, const char* word);
std::filesystem::path copy_aside(const std::filesystem::path&, const char* word);  // the same, and the file stays

}  // namespace convoscope
