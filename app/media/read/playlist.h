#pragma once
// Files that name other files: M3U8, FFmpeg's concat scripts, DASH and IMF manifests. A playlist that somebody was
// given must not show what lies elsewhere on this machine.
#include <filesystem>
#include <string>
#include <vector>

namespace convoscope {

// The local files that a playlist names, and those that they name, whether they are there or not; none when it is no
// playlist.
std::vector<std::filesystem::path> playlist_members(const std::filesystem::path&);

// True when `file` lies in the folder of `playlist` or below it, links seen through.
bool is_below(const std::filesystem::path& file, const std::filesystem::path& playlist);

// Throws Error when a member may not be opened: it lies outside of the playlist's folder (unless `trusted`), or it is a
// pipe or a device, which would be waited for.
void check_playlist(const std::string& playlist, bool trusted);

// One of the files that FFmpeg's concat script `input` names, and that is not there: it ends before it. Empty where
// there is none, or it is no such script.
std::filesystem::path missing_member(const std::string& input);

// Of a list that FFmpeg has refused, why it is of no use although it is whole; empty where it is no list, or none that
// names addresses or begins with what is not there.
std::string why_not_playable_list(const std::string& playlist);

}  // namespace convoscope
