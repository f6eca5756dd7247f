#include "app/ui/windows/palette_text.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <iterator>
#include <sstream>
#include <string_view>
#include <utility>

#include "app/ui/parts/format.h"
#include "kernels/text/edit_distance.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope::ui {
namespace {

constexpr std::size_t most_offered = 5;

bool is_matrix(const std::string& text) {
  return text.find_first_not_of("0123456789.+-eE/,; \t[]") == std::string::npos &&
         text.find_first_of("0123456789") != std::string::npos && text.find_first_of(" ,;") != std::string::npos;
}

bool is_filter_spec(const std::string& text) {
  const std::size_t colon = text.find(':');
  return colon != std::string::npos && find_filter_kind(text.substr(0, colon));
}

bool is_path(const std::string& text) {
  if (text.find('/') != std::string::npos) return true;
  // clip.mp4
  const std::size_t dot = text.rfind('.');
  return dot != std::string::npos && dot > 0 && text.size() - dot >= 3 && text.size() - dot <= 6 &&
         std::isalpha(static_cast<unsigned char>(text[dot + 1]));
}

std::string from_home(const std::string& path) {
  const char* const home = std::getenv("HOME");
  return home && path.starts_with("~/") ? home + path.substr(1) : path;
}

std::vector<std::string> words_of(std::string_view text) {
  std::string plain(text);
  std::ranges::transform(plain, plain.begin(), [](unsigned char c) {
    return static_cast<char>(std::isalnum(c) || c == '-' ? std::tolower(c) : ' ');
  });
  std::istringstream in(plain);
  return {std::istream_iterator<std::string>(in), {}};
}

}  // namespace

bool has_words(std::string_view typed, std::string_view text) {
  const std::string all = lower_case(text);
  std::istringstream in(lower_case(typed));
  for (std::string word; in >> word;)
    if (all.find(word) == std::string::npos) return false;
  return true;
}

TypedText read_typed(const std::string& typed, const std::vector<OfferedSource>& sources) {
  const std::string text(trim(typed));
  TypedText read;
  if (is_matrix(text) || is_filter_spec(text)) {
    try {
      read.commands.push_back(
          {"Filter: " + text, "",
           [filter = parse_filter(text)](const Stats&, Settings& s, Requests&) { s.active().filter = filter; }});
    } catch (const Error& error) {
      read.problem = error.what();
    }
  } else if (names_no_file(sources, text) || is_path(text)) {
    read.commands.push_back(
        {"Open: " + text, "", [path = from_home(text)](const Stats&, Settings&, Requests& r) { r.open = path; }});
  }
  return read;
}

std::vector<std::size_t> nearest_commands(std::string_view typed, const std::vector<Command>& commands) {
  std::vector<std::pair<std::size_t, std::size_t>> near;  // distance, position
  const std::vector<std::string> wanted = words_of(typed);
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const std::vector<std::string> there = words_of(commands[i].name + ' ' + commands[i].also);
    std::size_t total = 0;
    bool all = !wanted.empty();
    for (const std::string& word : wanted) {
      std::size_t least = word.size();
      for (const std::string& other : there) least = std::min(least, edit_distance(word, other));
      total += least;
      all = all && word.size() > 2 && least <= (word.size() + 1) / 3;
    }
    if (all) near.emplace_back(total, i);
  }
  std::ranges::stable_sort(near, {}, [](const auto& each) { return each.first; });
  std::vector<std::size_t> found;
  for (const auto& [distance, position] : near)
    if (found.size() < most_offered) found.push_back(position);
  return found;
}

}  // namespace convoscope::ui
