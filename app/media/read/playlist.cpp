#include "app/media/read/playlist.h"

#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>

#include "app/files/paths.h"
#include "app/media/read/list_text.h"
#include "app/media/read/local_files.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t deepest = 8, most_members = 100'000;

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

struct Tree {
  std::vector<fs::path> members;
  std::set<fs::path> known;        // the same
  std::vector<fs::path> within;    // the playlists that lead to the one being read, and that itself
  std::optional<fs::path> circle;  // a playlist that leads back to itself
  std::optional<std::string> odd;  // that FFmpeg takes only where the playlist is trusted
  std::optional<fs::path> list_in_script;
  std::string problem;  // a sentence about what is not read whole
};

fs::path member_path(const std::string& name, const fs::path& playlist) {
  const fs::path member = local_path(name);
  return member.is_relative() ? playlist.parent_path() / member : member;
}

void note_problem(std::string& problem, const fs::path& list, const std::string& what) {
  if (problem.empty()) problem = "The playlist '" + printable(list.string()) + "' " + what + ".";
}

bool collect_members(const fs::path& playlist, Tree& tree) {  // false when it is no list
  const ListText list = read_list(playlist);
  if (list.kind == ListKind::none) return false;
  if (!list.problem.empty())
    note_problem(tree.problem, playlist, list.problem);
  else if (tree.within.size() >= deepest)
    note_problem(tree.problem, playlist, "lies in a playlist that lies in others, and so on: too deep to be checked");
  if (!tree.problem.empty()) return true;
  tree.within.push_back(playlist);
  for (const std::string& name : list.names) {
    if (name.empty() || is_address(name)) continue;
    if (list.kind == ListKind::concat && !tree.odd && !is_plain(name)) tree.odd = name;
    const fs::path member = member_path(name, playlist);
    std::error_code none;
    if (std::ranges::any_of(tree.within, [&](const fs::path& each) { return fs::equivalent(each, member, none); }))
      tree.circle = member;
    if (!tree.known.insert(member).second) continue;
    if (tree.members.size() >= most_members)
      note_problem(tree.problem, playlist, "and those in it name more files than can be checked");
    if (!tree.problem.empty()) break;
    tree.members.push_back(member);
    const bool is_list = tree.circle != member && collect_members(member, tree);
    if (is_list && list.kind == ListKind::concat && !tree.list_in_script) tree.list_in_script = member;
  }
  tree.within.pop_back();
  return true;
}

Tree tree_of(const fs::path& playlist) {
  Tree tree;
  collect_members(playlist, tree);
  return tree;
}

bool may_wait(const fs::path& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

// Of what FFmpeg is to open for a name in a script. Whole, so that nothing is left to be looked for.
std::string address_of(const std::string& name, const fs::path& playlist) {
  if (name.empty() || is_address(name) || name.starts_with("data:")) return name;
  const fs::path member = fs::absolute(member_path(name, playlist));
  std::error_code unknown;
  const fs::path target = fs::canonical(member, unknown);
  return "file:" + (unknown ? member : target).string();
}

void check_script(const ListText& list, const Tree& tree, const std::string& quoted) {
  if (tree.odd)  // FFmpeg's own error would pass for damage
    throw Error("The playlist " + quoted + " names '" + printable(*tree.odd) +
                "'. From a playlist that is not trusted, FFmpeg takes only names that begin in its folder, of letters, "
                "digits, '-', '_' and '.'." +
                trust_remedy);
  if (tree.list_in_script)
    throw Error("The playlist " + quoted + " names '" + printable(tree.list_in_script->string()) +
                "', which is a playlist, too. Only a trusted script may name others." + trust_remedy);
  if (const std::string word = unsafe_word(list); !word.empty())
    throw Error("The playlist " + quoted + " holds the word '" + printable(word) +
                "', which only a trusted script may use." + trust_remedy);
}

}  // namespace

bool is_address(const std::string& name) { return name.find("://") != std::string::npos && !name.starts_with("file:"); }

std::vector<fs::path> playlist_members(const fs::path& playlist) { return tree_of(playlist).members; }

bool is_below(const fs::path& file, const fs::path& playlist) {
  std::error_code error;
  const fs::path folder = fs::canonical(playlist, error).parent_path();
  if (error) return false;
  const fs::path target = fs::weakly_canonical(fs::absolute(file), error);
  if (error) return false;
  return std::mismatch(folder.begin(), folder.end(), target.begin(), target.end()).first == folder.end();
}

std::string why_outside(const std::string& playlist, const fs::path& member) {
  return "The playlist '" + printable(playlist) + "' names '" + printable(member.string()) +
         "', which lies outside of its folder." + trust_remedy;
}

std::string why_not_a_file(const std::string& playlist, const fs::path& member) {
  return "The playlist '" + printable(playlist) + "' names '" + printable(member.string()) +
         "', which is a pipe, a socket or a device, not a file. Copy the video into a file first.";
}

CheckedPlaylist check_playlist(const std::string& playlist, bool trusted) {
  const std::string quoted = "'" + printable(playlist) + "'";
  Tree tree = tree_of(playlist);
  if (tree.circle)  // FFmpeg would go round for ever
    throw Error("The playlist " + quoted + " leads back to '" + printable(tree.circle->string()) +
                "' and would never end. Remove that line from it with a text editor.");
  for (const fs::path& member : tree.members) {
    if (may_wait(member)) throw Error(why_not_a_file(playlist, member));
    if (!trusted && !is_below(member, playlist)) throw Error(why_outside(playlist, member));
  }
  if (!tree.problem.empty()) throw Error(tree.problem + " Choose another file.");
  CheckedPlaylist checked;
  if (const ListText list = read_list(playlist); list.kind == ListKind::concat) {
    if (!trusted) check_script(list, tree, quoted);
    checked.script = script_with(list, [&](const std::string& name) { return address_of(name, playlist); });
  }
  checked.members = std::move(tree.members);
  return checked;
}

fs::path missing_member(const std::string& input) {
  const fs::path playlist = local_path(input);
  if (read_list(playlist).kind != ListKind::concat) return {};
  std::error_code unknown;
  for (const fs::path& member : playlist_members(playlist))
    if (!fs::exists(member, unknown) && !unknown) return member;
  return {};
}

std::string why_not_playable_list(const std::string& playlist) {
  const std::string quoted = "'" + printable(playlist) + "'";
  const bool is_called_hls = fs::path(playlist).extension().string().starts_with(".m3u");
  const ListText list = read_list(playlist, is_called_hls ? ListKind::hls : ListKind::none);
  if (list.kind == ListKind::none) return {};
  if (const fs::path missing = missing_member(playlist); !missing.empty() && missing == playlist_members(playlist)[0])
    return "The playlist " + quoted + " begins with '" + printable(missing.string()) +
           "', which is not there. Put it there, or remove that line.";
  if (std::ranges::none_of(list.names, is_address)) return {};
  // FFmpeg knows the M3U8 that it plays by one of these words.
  const auto has = [&](const char* word) {
    return std::ranges::any_of(list.lines, [&](const std::string& line) { return line.starts_with(word); });
  };
  if (list.kind == ListKind::hls && !has("#EXT-X-TARGETDURATION") && !has("#EXT-X-STREAM-INF") &&
      !has("#EXT-X-MEDIA-SEQUENCE"))
    return quoted +
           " is no HLS playlist, the only kind of list of addresses that FFmpeg plays (#EXTM3U, "
           "#EXT-X-TARGETDURATION). Open one of the addresses in it.";
  return quoted +
         " names addresses, which FFmpeg does not follow from a file. Open one of them, or the list where it is "
         "served.";
}

}  // namespace convoscope
