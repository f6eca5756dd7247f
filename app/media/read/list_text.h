#pragma once
// The text of a list as FFmpeg reads it: where its lines end, and which files and addresses they name.
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace convoscope {

enum class ListKind { none, hls, concat };

struct ListText {
  ListKind kind = ListKind::none;
  std::vector<std::string> lines;  // without their ends
  std::vector<std::string> names;  // as they are written, quotes and backslashes undone
  std::string problem;             // why it is not read, the end of a sentence that begins with its name
};

// Of anything but a regular file that begins as a list does, nothing. Nothing is left out of what is read: a list that
// is too long, or that holds what is no text, has a problem and neither lines nor names. `otherwise`: of which kind a
// file is taken to be whose beginning does not tell.
ListText read_list(const std::filesystem::path&, ListKind otherwise = ListKind::none);

// The first word of a concat script that FFmpeg takes only where the script is trusted, or that is not known here:
// option and its like. Empty where there is none.
std::string unsafe_word(const ListText&);

// The same concat script, whose files are what `address` says of their names.
std::string script_with(const ListText&, const std::function<std::string(const std::string&)>& address);

}  // namespace convoscope
