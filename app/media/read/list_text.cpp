#include "app/media/read/list_text.h"

#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <optional>

#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t list_beginning = 4096, largest_list = 8 << 20;
constexpr std::size_t most_names = 100'000;
constexpr std::size_t longest_hls_line = 4095;  // libavformat/internal.h: MAX_URL_SIZE, of which FFmpeg keeps the rest
constexpr std::string_view byte_order_mark = "\xef\xbb\xbf", blank = " \t\n\v\f\r";

std::string read_at_most(const fs::path& path, std::size_t most) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return "";
  std::ifstream file(path, std::ios::binary);
  std::string text(most, '\0');
  file.read(text.data(), static_cast<std::streamsize>(most));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, file.gcount())));
  return text;
}

// FFmpeg looks behind an ID3v2 tag (libavformat/id3v2.c: four bytes of seven bits each for its length).
std::size_t begin_of_list(std::string_view text) {
  constexpr std::size_t header = 10;
  std::size_t at = 0;
  while (text.size() - at > header && text.substr(at).starts_with("ID3")) {
    std::size_t length = header;
    for (std::size_t i = 6; i < header; ++i)
      length += (static_cast<unsigned char>(text[at + i]) & 0x7fu) << (7 * (header - 1 - i));
    at = std::min(text.size(), at + length);
  }
  return text.substr(at).starts_with(byte_order_mark) ? at + byte_order_mark.size() : at;
}

ListKind kind_of(std::string_view text) {
  return text.starts_with("#EXTM3U") ? ListKind::hls : text.starts_with("ffconcat") ? ListKind::concat : ListKind::none;
}

// A line ends at either character (libavformat/aviobuf.c, ff_get_line and read_string_to_bprint); an empty one between
// the two of a pair means nothing.
std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of("\r\n", at), text.size());
    if (end > at) lines.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

std::string_view without_blanks_before(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(blank), text.size()));
  return text;
}

// libavutil's quoting, av_get_token: '...' literally, a backslash before one character; ends at a blank.
std::string unquoted(std::string_view text) {
  std::string out;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\'') {
      quoted = !quoted;
    } else if (!quoted && text[i] == '\\' && i + 1 < text.size()) {
      out += text[++i];
    } else if (!quoted && blank.find(text[i]) != std::string_view::npos) {
      break;
    } else {
      out += text[i];
    }
  }
  return out;
}

struct Statement {
  std::string_view word, rest;
};

Statement statement_of(std::string_view line) {
  line = without_blanks_before(line);
  const std::size_t end = std::min(line.find_first_of(blank), line.size());
  return {line.substr(0, end), without_blanks_before(line.substr(end))};
}

// The values of URI in KEY=value,KEY="value" as ff_parse_key_value (libavformat/utils.c) takes them apart.
void add_attributes(std::string_view text, std::vector<std::string>& names) {
  std::size_t at = 0;
  const auto is_between = [&] { return text[at] == ',' || blank.find(text[at]) != std::string_view::npos; };
  while (true) {
    while (at < text.size() && is_between()) ++at;
    const std::size_t equals = text.find('=', at);
    if (at >= text.size() || equals == std::string_view::npos) return;
    const bool is_name = text.substr(at, equals - at) == "URI";
    std::string value;
    at = equals + 1;
    if (at < text.size() && text[at] == '"') {
      for (++at; at < text.size() && text[at] != '"'; ++at) {
        if (text[at] == '\\' && at + 1 < text.size()) ++at;
        value += text[at];
      }
      at = std::min(at + 1, text.size());
    } else {
      for (; at < text.size() && !is_between(); ++at) value += text[at];
    }
    if (is_name) names.push_back(value);
  }
}

// What the lines of an HLS playlist name (libavformat/hls.c, parse_playlist): keys, initialisation, other renditions
// and, where no # begins them, parts or other playlists. False where FFmpeg cuts a line off.
bool add_hls_names(const std::vector<std::string>& lines, std::vector<std::string>& names) {
  for (std::string_view line : lines) {
    const bool tag = line.starts_with('#');
    if (tag && !line.starts_with("#EXT-X-KEY:") && !line.starts_with("#EXT-X-MAP:") &&
        !line.starts_with("#EXT-X-MEDIA:"))
      continue;
    if (line.size() > longest_hls_line) return false;
    if (tag)
      add_attributes(line.substr(line.find(':') + 1), names);
    else if (const std::size_t last = line.find_last_not_of(blank); last != std::string_view::npos)
      names.emplace_back(line.substr(0, last + 1));
  }
  return true;
}

void add_concat_names(const std::vector<std::string>& lines, std::vector<std::string>& names) {
  for (const std::string& line : lines)
    if (const Statement statement = statement_of(line); statement.word == "file")
      if (std::string name = unquoted(statement.rest); !name.empty()) names.push_back(std::move(name));
}

}  // namespace

ListText read_list(const fs::path& path, ListKind otherwise) {
  ListText list;
  std::string text = read_at_most(path, list_beginning);
  list.kind = kind_of(std::string_view(text).substr(begin_of_list(text)));
  const bool tagged = text.starts_with("ID3") && begin_of_list(text) >= text.size();  // by more than what was read
  if (list.kind == ListKind::none && !tagged) list.kind = otherwise;
  if (list.kind == ListKind::none && !tagged) return list;
  text = read_at_most(path, largest_list + 1);
  const bool whole = text.size() <= largest_list;
  text.erase(0, begin_of_list(text));
  if (tagged) list.kind = kind_of(text);
  if (list.kind == ListKind::none) return list;
  if (!whole) {
    list.problem = "is larger than " + format_count(largest_list >> 20) + " MB, which is too long to be checked";
    return list;
  }
  if (text.find('\0') != std::string::npos) {
    list.problem = "holds bytes that belong to no text";
    return list;
  }
  list.lines = lines_of(text);
  if (list.kind == ListKind::concat)
    add_concat_names(list.lines, list.names);
  else if (!add_hls_names(list.lines, list.names))
    list.problem = "names something in more than " + format_count(longest_hls_line) +
                   " bytes, which is too long for FFmpeg to read whole";
  if (list.names.size() > most_names)
    list.problem = "names more than " + format_count(most_names) + " files, which are too many to be checked";
  if (!list.problem.empty()) {
    list.lines.clear();
    list.names.clear();
  }
  return list;
}

std::string unsafe_word(const ListText& list) {
  constexpr std::string_view known[] = {"ffconcat",
                                        "file",
                                        "duration",
                                        "inpoint",
                                        "outpoint",
                                        "stream",
                                        "stream_meta",
                                        "stream_codec",
                                        "stream_extradata",
                                        "chapter",
                                        "exact_stream_id",
                                        "file_packet_meta",
                                        "file_packet_metadata"};
  for (const std::string& line : list.lines) {
    const std::string_view word = statement_of(line).word;
    if (!word.empty() && word[0] != '#' && std::ranges::find(known, word) == std::end(known)) return std::string(word);
  }
  return "";
}

std::string script_with(const ListText& list, const std::function<std::string(const std::string&)>& address) {
  std::string script;
  for (const std::string& line : list.lines) {
    const Statement statement = statement_of(line);
    if (statement.word != "file") {
      script += line + '\n';
      continue;
    }
    script += "file '";
    for (const char c : address(unquoted(statement.rest)))
      script += c == '\'' ? std::string("'\\''") : std::string(1, c);
    script += "'\n";
  }
  return script;
}

}  // namespace convoscope
