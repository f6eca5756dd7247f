#pragma once
// Files that name other files: M3U8, FFmpeg's concat scripts, DASH and IMF manifests. A playlist that somebody was
// given must not show what lies elsewhere on this machine.
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace convoscope {

// What a playlist comes to.
struct CheckedPlaylist {
  std::vector<std::filesystem::path> members;  // see playlist_members()
  // For FFmpeg instead of what is in the file: a concat script that names what was checked, and nothing else. FFmpeg
  // opens what a script names by itself, so that nobody would be asked about links, pipes and lists within it.
  std::optional<std::string> script;
};

// Throws Error when a member may not be opened: it lies outside of the playlist's folder or is named as FFmpeg takes it
// from trusted playlists only (unless `trusted`), or it is a pipe or a device, which would be waited for. And when the
// playlist cannot be read whole: it is too long, or lies too deep in others.
CheckedPlaylist check_playlist(const std::string& playlist, bool trusted);

// The local files that a playlist names, and those that they name, whether they are there or not; none when it is no
// playlist. What cannot be read whole, see above, is left out.
std::vector<std::filesystem::path> playlist_members(const std::filesystem::path&);

// True when `file` lies in the folder of `playlist` or below it, links seen through.
bool is_below(const std::filesystem::path& file, const std::filesystem::path& playlist);

// Why a member may not be opened, sentences.
std::string why_outside(const std::string& playlist, const std::filesystem::path& member);
std::string why_not_a_file(const std::string& playlist, const std::filesystem::path& member);
// What to do about the first of them, a sentence behind it.
inline constexpr const char* trust_remedy = " Start with --trust-playlists if you know where it comes from.";

// An address, and not that of a local file: "http://…".
bool is_address(const std::string& name);

// One of the files that FFmpeg's concat script `input` names, and that is not there: it ends before it. Empty where
// there is none, or it is no such script.
std::filesystem::path missing_member(const std::string& input);

// Of a list that FFmpeg has refused, why it is of no use although it is whole; empty where it is no list, or none that
// names addresses or begins with what is not there.
std::string why_not_playable_list(const std::string& playlist);

}  // namespace convoscope
