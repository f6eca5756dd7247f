#include "kernels/own/source_text.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace convoscope::own {
namespace {

bool begins_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || (c & 0x80); }
bool continues_name(char c) { return begins_name(c) || std::isdigit(static_cast<unsigned char>(c)); }

class Reader {
 public:
  explicit Reader(std::string_view source) : source_(source) {}

  std::vector<Token> read() {
    std::vector<Token> tokens;
    while (skip_blanks()) tokens.push_back(next());
    for (int i = 0; i < 3; ++i) tokens.push_back({Token::Kind::end, {}, at_});  // for those who look ahead
    return tokens;
  }

 private:
  bool begins(std::string_view text) const { return source_.substr(i_).starts_with(text); }

  void step(std::size_t count = 1) {
    for (; count > 0 && i_ < source_.size(); --count, ++i_) {
      ++at_.column;
      if (source_[i_] == '\n') at_ = {at_.line + 1, 1};
    }
  }

  // Of a comment or a text that begins here.
  void step_behind(std::string_view end, const char* what) {
    const std::size_t found = source_.find(end, i_);
    if (found == std::string_view::npos) throw SourceError(at_, std::string("this ") + what + " has no end");
    step(found + end.size() - i_);
  }

  bool skip_blanks() {  // whether there is more
    while (i_ < source_.size()) {
      if (begins("//")) {
        step(std::min(source_.find('\n', i_), source_.size()) - i_);
      } else if (begins("/*")) {
        step_behind("*/", "comment");
      } else if (std::isspace(static_cast<unsigned char>(source_[i_])) || begins("\\\n")) {
        step();
      } else {
        return true;
      }
    }
    return false;
  }

  Token quoted(char quote) {
    const Place place = at_;
    const std::size_t first = i_ + 1;
    std::size_t last = first;
    while (last < source_.size() && source_[last] != quote && source_[last] != '\n')
      last += source_[last] == '\\' ? 2 : 1;
    if (last >= source_.size() || source_[last] != quote) throw SourceError(place, "this text has no end");
    step(last + 1 - i_);
    return {Token::Kind::text, source_.substr(first, last - first), place};
  }

  Token next() {
    static constexpr std::array signs{"<<<", ">>>", "<=", ">=", "==", "!=", "&&", "||", "::"};
    const char c = source_[i_];
    if (c == '"' || c == '\'') return quoted(c);
    const Place place = at_;
    const std::size_t first = i_;
    Token::Kind kind = Token::Kind::sign;
    if (begins_name(c)) {
      kind = Token::Kind::name;
      while (i_ < source_.size() && continues_name(source_[i_])) step();
    } else if (std::isdigit(static_cast<unsigned char>(c))) {
      kind = Token::Kind::number;
      while (i_ < source_.size() && (continues_name(source_[i_]) || source_[i_] == '.' || source_[i_] == '\'')) step();
    } else {
      const auto sign = std::ranges::find_if(signs, [&](const char* one) { return begins(one); });
      step(sign == signs.end() ? 1 : std::string_view(*sign).size());
    }
    return {kind, source_.substr(first, i_ - first), place};
  }

  std::string_view source_;
  std::size_t i_ = 0;
  Place at_{1, 1};
};

}  // namespace

std::vector<Token> tokens_of(std::string_view source) { return Reader(source).read(); }

std::string line_of(std::string_view source, int line) {
  for (; line > 1; --line) {
    const std::size_t end = source.find('\n');
    if (end == std::string_view::npos) return {};
    source.remove_prefix(end + 1);
  }
  std::string text(source.substr(0, source.find('\n')));
  std::ranges::replace(text, '\t', ' ');
  std::erase(text, '\r');
  return text;
}

std::string with_caret(std::string_view file, std::string_view source, Place place, std::string_view what) {
  std::string text(file);
  if (place.line > 0) text += ":" + std::to_string(place.line);
  if (place.column > 0) text += ":" + std::to_string(place.column);
  text += ": error: " + std::string(what) + "\n";
  if (place.line < 1) return text;
  text += "  " + line_of(source, place.line) + "\n";
  if (place.column > 0) text += "  " + std::string(static_cast<std::size_t>(place.column) - 1, ' ') + "^\n";
  return text;
}

}  // namespace convoscope::own
