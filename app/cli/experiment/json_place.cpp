#include "app/cli/experiment/json_place.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "app/cli/options/values.h"
#include "kernels/files/json_parts.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

using nlohmann::json;

// The text once more, for the parser, which says how far it has come.
class CountedText {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountedText(const char* at, const char** latest) : at_(at), latest_(latest) {}
  reference operator*() const { return *at_; }
  CountedText& operator++() {
    *latest_ = ++at_;
    return *this;
  }
  CountedText operator++(int) {
    CountedText before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountedText& other) const { return at_ == other.at_; }

 private:
  const char* at_;
  const char** latest_;
};

// Notes the line of each key, and of each value of a list.
class LineWatcher final : public json::json_sax_t {
 public:
  LineWatcher(const std::string& text, const char* const& latest) : begin_(text.data()), latest_(latest) {}
  std::map<std::string, int> take() { return std::move(lines_); }

  bool key(string_t& key) override {
    levels_.back().path = levels_.back().object + (levels_.back().object.empty() ? "" : ".") + key;
    lines_.emplace(levels_.back().path, line());
    return true;
  }
  bool start_object(std::size_t) override { return begin(false); }
  bool end_object() override { return end(); }
  bool start_array(std::size_t) override { return begin(true); }
  bool end_array() override { return end(); }
  bool null() override { return value(); }
  bool boolean(bool) override { return value(); }
  bool number_integer(number_integer_t) override { return value(); }
  bool number_unsigned(number_unsigned_t) override { return value(); }
  bool number_float(number_float_t, const string_t&) override { return value(); }
  bool string(string_t&) override { return value(); }
  bool binary(binary_t&) override { return value(); }
  bool parse_error(std::size_t, const std::string&, const json::exception&) override { return false; }

 private:
  struct Level {
    bool list = false;
    std::string object;  // the way to this object or list
    std::string path;    // to what comes next in it
    int count = 0;       // values of a list so far
  };

  // A number ends where the next sign has been read, so the last one does not count.
  int line() {
    for (const char* const to = latest_ - 1; counted_ < to; ++counted_) lines_so_far_ += *counted_ == '\n';
    return 1 + lines_so_far_;
  }
  std::string place() {
    if (levels_.empty()) return "";
    Level& level = levels_.back();
    if (level.list) {
      level.path = level.object + "[" + std::to_string(level.count++) + "]";
      lines_.emplace(level.path, line());
    }
    return level.path;
  }
  bool value() {
    place();
    return true;
  }
  bool begin(bool list) {
    const std::string path = place();
    levels_.push_back({list, path, path});
    return true;
  }
  bool end() {
    levels_.pop_back();
    return true;
  }

  const char* begin_;
  const char* const& latest_;
  const char* counted_ = begin_;
  int lines_so_far_ = 0;
  std::vector<Level> levels_;
  std::map<std::string, int> lines_;
};

}  // namespace

JsonDocument::JsonDocument(const std::string& text, std::string whose)
    : root_(json_parts::parse(text, whose)), whose_(std::move(whose)) {
  const char* latest = text.data();
  LineWatcher watcher(text, latest);
  const CountedText begin(text.data(), &latest), end(text.data() + text.size(), &latest);
  json::sax_parse(begin, end, &watcher);
  lines_ = watcher.take();
}

int JsonDocument::line_of(const std::string& path) const {
  const auto found = lines_.find(path);
  return found == lines_.end() ? 1 : found->second;
}

void JsonPlace::refuse(const std::string& what) const {
  throw PlacedError(document_->whose() + ", line " + std::to_string(document_->line_of(path_)) +
                    (path_.empty() ? "" : ", " + path_) + ": " + what);
}

void JsonPlace::only(std::initializer_list<std::string_view> known) const {
  if (!value_->is_object()) refuse(std::string("It must be an object in braces, not ") + value_->type_name() + ".");
  const std::vector<std::string> words(known.begin(), known.end());
  for (const auto& [key, value] : value_->items())
    if (std::ranges::find(words, key) == words.end())
      JsonPlace(*document_, value, path_ + (path_.empty() ? "" : ".") + key).checked([&, &word = key] {
        parse_choice("key", word, words);
      });
}

bool JsonPlace::has(std::string_view key) const { return value_->is_object() && value_->contains(key); }

JsonPlace JsonPlace::at(std::string_view key) const {
  if (!value_->is_object()) refuse(std::string("It must be an object in braces, not ") + value_->type_name() + ".");
  if (!has(key)) refuse("The key " + in_quotes(key) + " is missing.");
  return {*document_, value_->at(std::string(key)), path_ + (path_.empty() ? "" : ".") + std::string(key)};
}

std::optional<JsonPlace> JsonPlace::find(std::string_view key) const {
  return has(key) ? std::optional(at(key)) : std::nullopt;
}

std::vector<JsonPlace> JsonPlace::list(std::size_t most) const {
  if (!value_->is_array()) refuse(std::string("It must be a list in brackets, not ") + value_->type_name() + ".");
  if (value_->empty()) refuse("The list is empty.");
  if (value_->size() > most)
    refuse("The list has " + std::to_string(value_->size()) + " entries; the most is " + std::to_string(most) + ".");
  std::vector<JsonPlace> places;
  for (std::size_t i = 0; i < value_->size(); ++i)
    places.push_back(JsonPlace(*document_, (*value_)[i], path_ + "[" + std::to_string(i) + "]"));
  return places;
}

std::vector<std::pair<std::string, JsonPlace>> JsonPlace::members() const {
  if (!value_->is_object()) refuse(std::string("It must be an object in braces, not ") + value_->type_name() + ".");
  std::vector<std::pair<std::string, JsonPlace>> all;
  for (const auto& [key, value] : value_->items()) all.emplace_back(key, at(key));
  return all;
}

std::string JsonPlace::text(std::size_t longest) const {
  if (!value_->is_string()) refuse(std::string("It must be text in quotes, not ") + value_->type_name() + ".");
  std::string text = value_->get<std::string>();
  if (trim(text).empty()) refuse("The text is empty.");
  if (text.size() > longest)
    refuse("The text has " + std::to_string(text.size()) + " bytes; the most is " + std::to_string(longest) + ".");
  return text;
}

int JsonPlace::whole(int least, int most) const {
  const bool number = value_->is_number();
  const double found = number ? value_->get<double>() : 0;
  if (!number || found != std::floor(found) || found < least || found > most)
    refuse("It must be a whole number from " + std::to_string(least) + " to " + std::to_string(most) + ", not " +
           (number ? number_text(found) : std::string(value_->type_name())) + ".");
  return static_cast<int>(found);
}

double JsonPlace::positive() const {
  const double found = value_->is_number() ? value_->get<double>() : 0;
  if (!(found > 0) || !std::isfinite(found))
    refuse("It must be a number above 0, not " +
           (value_->is_number() ? number_text(found) : std::string(value_->type_name())) + ".");
  return found;
}

}  // namespace convoscope
