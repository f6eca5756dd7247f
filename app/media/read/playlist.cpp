#include "app/media/read/playlist.h"

#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>

#include "app/files/paths.h"
#include "app/media/read/local_files.h"
#include "kernels/contract/error.h"

namespace convoscope {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t beginning = 4096, largest = 4 << 20;
constexpr std::size_t most_members = 20'000;
constexpr std::size_t deepest = 8;

enum class PlaylistKind { none, m3u8, concat, manifest };

std::string read(const fs::path& path, std::size_t most) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return "";
  std::ifstream file(path, std::ios::binary);
  std::string text(most, '\0');
  file.read(text.data(), static_cast<std::streamsize>(most));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, file.gcount())));
  return text;
}

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

PlaylistKind kind_of_text(std::string_view text) {
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  if (text.starts_with("#EXTM3U")) return PlaylistKind::m3u8;
  if (text.starts_with("ffconcat")) return PlaylistKind::concat;
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const char* root : {"<mpd", "<compositionplaylist", "<assetmap"})
    if (lower.find(root) != std::string::npos) return PlaylistKind::manifest;
  return PlaylistKind::none;
}

// FFmpeg's quoting: '...' literally, a backslash before one character.
std::string unquoted(std::string_view text) {
  std::string out;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\'') {
      quoted = !quoted;
    } else if (!quoted && text[i] == '\\' && i + 1 < text.size()) {
      out += text[++i];
    } else if (!quoted && (text[i] == ' ' || text[i] == '\t')) {
      break;
    } else {
      out += text[i];
    }
  }
  return out;
}

void add_named(std::string_view line, PlaylistKind kind, std::vector<std::string>& names) {
  if (kind == PlaylistKind::concat) {
    if (line.starts_with("file ")) names.push_back(unquoted(line.substr(line.find_first_not_of(" \t", 4))));
    return;
  }
  if (!line.empty() && !line.starts_with('#')) names.emplace_back(line);
  constexpr std::string_view attribute = "URI=\"";  // keys, initialisation, other renditions
  for (std::size_t at = 0; line.starts_with('#') && (at = line.find(attribute, at)) != std::string_view::npos;) {
    at += attribute.size();
    names.emplace_back(line.substr(at, line.find('"', at) - at));
  }
}

std::vector<std::string> names_in(const std::string& text, PlaylistKind kind) {
  std::vector<std::string> names;
  std::istringstream lines(text.starts_with(byte_order_mark) ? text.substr(byte_order_mark.size()) : text);
  for (std::string line; std::getline(lines, line) && names.size() < most_members;) {
    line.erase(line.find_last_not_of(" \t\r") + 1);
    line.erase(0, std::min(line.find_first_not_of(" \t"), line.size()));
    if (line.starts_with("file") && line.size() > 4 && line[4] == '\t') line[4] = ' ';
    add_named(line, kind, names);
  }
  return names;
}

// What FFmpeg's concat takes from a playlist that is not trusted.
bool is_plain(std::string_view name) {
  bool begins = true;  // a part of the path
  for (const char c : name) {
    const bool separates = c == '/' || c == '.';
    if (separates ? begins : !(std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-')) return false;
    begins = c == '/';
  }
  return true;
}

bool is_address(const std::string& name) { return name.find("://") != std::string::npos && !name.starts_with("file:"); }

struct Tree {
  std::vector<fs::path> members;
  std::vector<fs::path> within;    // the playlists that lead to the one being read, and that itself
  std::optional<fs::path> circle;  // a playlist that leads back to itself
  std::optional<std::string> odd;  // that FFmpeg takes only where the playlist is trusted
};

void collect(const fs::path& playlist, Tree& tree) {
  if (tree.within.size() > deepest || tree.members.size() > most_members) return;
  const PlaylistKind kind = kind_of_text(read(playlist, beginning));
  if (kind != PlaylistKind::m3u8 && kind != PlaylistKind::concat) return;
  tree.within.push_back(playlist);
  for (const std::string& name : names_in(read(playlist, largest), kind)) {
    if (name.empty() || is_address(name)) continue;
    if (kind == PlaylistKind::concat && !tree.odd && !is_plain(name)) tree.odd = name;
    fs::path member = local_path(name);
    if (member.is_relative()) member = playlist.parent_path() / member;
    std::error_code none;
    if (std::ranges::any_of(tree.within, [&](const fs::path& each) { return fs::equivalent(each, member, none); }))
      tree.circle = member;
    if (std::ranges::find(tree.members, member) != tree.members.end()) continue;
    tree.members.push_back(member);
    if (tree.circle != member) collect(member, tree);
  }
  tree.within.pop_back();
}

Tree tree_of(const fs::path& playlist) {
  Tree tree;
  collect(playlist, tree);
  return tree;
}

bool may_wait(const fs::path& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

}  // namespace

std::vector<fs::path> playlist_members(const fs::path& playlist) { return tree_of(playlist).members; }

bool is_below(const fs::path& file, const fs::path& playlist) {
  std::error_code error;
  const fs::path folder = fs::canonical(playlist, error).parent_path();
  if (error) return false;
  const fs::path target = fs::weakly_canonical(fs::absolute(file), error);
  if (error) return false;
  return std::mismatch(folder.begin(), folder.end(), target.begin(), target.end()).first == folder.end();
}

void check_playlist(const std::string& playlist, bool trusted) {
  const std::string quoted = "'" + printable(playlist) + "'";
  const std::string remedy = " Start with --trust-playlists if you know where it comes from.";
  if (!trusted && kind_of_text(read(playlist, beginning)) == PlaylistKind::manifest)
    throw Error(quoted + " is a manifest, which may name any file of this machine." + remedy);
  const Tree tree = tree_of(playlist);
  if (tree.circle)  // FFmpeg would go round for ever
    throw Error("The playlist " + quoted + " leads back to '" + printable(tree.circle->string()) +
                "' and would never end. Remove that line from it with a text editor.");
  for (const fs::path& member : tree.members) {
    if (may_wait(member))
      throw Error("The playlist " + quoted + " names '" + printable(member.string()) +
                  "', which is a pipe, a socket or a device, not a file. Copy the video into a file first.");
    if (!trusted && !is_below(member, playlist))
      throw Error("The playlist " + quoted + " names '" + printable(member.string()) +
                  "', which lies outside of its folder." + remedy);
  }
  if (!trusted && tree.odd)  // FFmpeg's own error would pass for damage
    throw Error("The playlist " + quoted + " names '" + printable(*tree.odd) +
                "'. From a playlist that is not trusted, FFmpeg takes only names that begin in its folder, of letters, "
                "digits, '-', '_' and '.'." +
                remedy);
}

fs::path missing_member(const std::string& input) {
  const fs::path playlist = local_path(input);
  if (kind_of_text(read(playlist, beginning)) != PlaylistKind::concat) return {};
  std::error_code unknown;
  for (const fs::path& member : playlist_members(playlist))
    if (!fs::exists(member, unknown) && !unknown) return member;
  return {};
}

std::string why_not_playable_list(const std::string& playlist) {
  const std::string text = read(playlist, largest), quoted = "'" + printable(playlist) + "'";
  PlaylistKind kind = kind_of_text(text);
  if (fs::path(playlist).extension().string().starts_with(".m3u")) kind = PlaylistKind::m3u8;
  if (kind != PlaylistKind::m3u8 && kind != PlaylistKind::concat) return {};
  if (const fs::path missing = missing_member(playlist); !missing.empty() && missing == playlist_members(playlist)[0])
    return "The playlist " + quoted + " begins with '" + printable(missing.string()) +
           "', which is not there. Put it there, or remove that line.";
  if (std::ranges::none_of(names_in(text, kind), is_address)) return {};
  // FFmpeg knows the M3U8 that it plays by one of these words.
  const auto has = [&](const char* word) { return text.find(word) != std::string::npos; };
  if (kind == PlaylistKind::m3u8 && !has("#EXT-X-TARGETDURATION") && !has("#EXT-X-STREAM-INF") &&
      !has("#EXT-X-MEDIA-SEQUENCE"))
    return quoted +
           " is no HLS playlist, the only kind of list of addresses that FFmpeg plays (#EXTM3U, "
           "#EXT-X-TARGETDURATION). Open one of the addresses in it.";
  return quoted +
         " names addresses, which FFmpeg does not follow from a file. Open one of them, or the list where it is "
         "served.";
}

}  // namespace convoscope
