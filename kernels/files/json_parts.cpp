#include "kernels/files/json_parts.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "kernels/files/output_file.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"
#include "kernels/threads/stop.h"

namespace convoscope::json_parts {
namespace {

const json& need(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) throw Error("the key '" + std::string(key) + "' is missing");
  return *found;
}

// Finds a key that an object has twice. On a way of its own through the text: the parser that asks a function about
// each part looks through all of an object's members whenever one of them ends.
struct KeyWatcher final : json::json_sax_t {
  std::optional<std::string> twice;

  bool key(string_t& key) override {
    if (!keys_.back().insert(key).second) twice = key;
    return !twice;
  }
  bool start_object(std::size_t) override {
    keys_.emplace_back();
    return true;
  }
  bool end_object() override {
    keys_.pop_back();
    return true;
  }
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t, const std::string&, const json::exception&) override { return false; }

 private:
  std::vector<std::set<std::string>> keys_;  // of the objects that have begun and not ended
};

// `byte`: counted from 1, as the parser does.
std::string place_in(const std::string& text, std::size_t byte) {
  const std::string_view before = std::string_view(text).substr(0, byte > 0 ? byte - 1 : 0);
  const std::size_t start = before.rfind('\n') + 1;  // 0 where there is none
  return "line " + std::to_string(1 + std::ranges::count(before, '\n')) + ", column " +
         std::to_string(before.size() - start + 1);
}

constexpr std::size_t read_at_once = 1 << 20;  // bytes between two looks for the end
constexpr int deepest = 64;                    // a list of lists in an object is 3 deep

// The parser needs memory for every bracket that is open, so a file of nothing else would take gigabytes.
void check_depth(const std::string& text, const std::string& whose) {
  bool quoted = false;
  long long depth = 0, most = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i % read_at_once == 0) end_reading_if_asked();
    const char c = text[i];
    if (c == '"') quoted = !quoted;
    if (quoted && c == '\\') ++i;
    if (quoted) continue;
    if (c == '[' || c == '{') most = std::max(most, ++depth);
    if (c == ']' || c == '}') --depth;
  }
  if (most <= deepest) return;
  if (depth > 0) throw Error(whose + " is not valid JSON: it ends within " + counted(depth, "list") + " or objects.");
  throw Error(whose + " has lists within lists, " + format_count(most) + " deep; the most is " +
              std::to_string(deepest) + ".");
}

// Text for the parser, which takes seconds for the largest files: it gives up when it is asked to.
class WatchedText {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  explicit WatchedText(const char* at) : at_(at) {}
  reference operator*() const { return *at_; }
  WatchedText& operator++() {
    if (reinterpret_cast<std::uintptr_t>(++at_) % read_at_once == 0) end_reading_if_asked();
    return *this;
  }
  WatchedText operator++(int) { return std::exchange(*this, ++WatchedText(*this)); }
  bool operator==(const WatchedText&) const = default;

 private:
  const char* at_;
};

}  // namespace

std::string read_file(const std::string& path, const std::string& what, std::uintmax_t most_bytes) {
  std::error_code failed;
  const std::filesystem::file_status status = std::filesystem::status(path, failed);
  if (!std::filesystem::exists(status))
    throw Error("Cannot read the " + what + " " + in_quotes(path) + ": there is no such file");
  if (std::filesystem::is_directory(status))
    throw Error("Cannot read the " + what + " " + in_quotes(path) + ": it is a folder");
  if (!std::filesystem::is_regular_file(status))
    throw Error("Cannot read the " + what + " " + in_quotes(path) + ": it is not a regular file");
  const std::uintmax_t size = std::filesystem::file_size(path, failed);
  if (!failed && size > most_bytes)
    throw Error("The " + what + " " + in_quotes(path) + " has " + format_count(static_cast<long long>(size)) +
                " bytes; the most is " + format_count(static_cast<long long>(most_bytes)));
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error("Cannot read the " + what + " " + in_quotes(path) + ": no permission to open it");
  std::string text;
  if (!failed) text.reserve(size);
  while (file && text.size() <= most_bytes) {
    end_reading_if_asked();
    const std::size_t done = text.size();
    text.resize(done + read_at_once);
    file.read(text.data() + done, read_at_once);
    text.resize(done + static_cast<std::size_t>(file.gcount()));
  }
  if (file.bad()) throw Error("Cannot read the " + what + " " + in_quotes(path) + ": reading failed");
  return text;
}

json parse(const std::string& text, const std::string& path, const std::string& what) {
  return parse(text, "The " + what + " " + in_quotes(path));
}

json parse(const std::string& text, const std::string& whose) {
  if (trim(text).empty()) throw Error(whose + " is empty");
  check_depth(text, whose);
  const WatchedText begin(text.data()), end(text.data() + text.size());
  try {
    json whole = json::parse(begin, end);
    KeyWatcher keys;
    json::sax_parse(begin, end, &keys);
    if (keys.twice) throw Error(whose + " has " + in_quotes(*keys.twice) + " twice. Leave one of them out.");
    return whole;
  } catch (const json::parse_error& failure) {
    for (const char* const name : {"NaN", "Infinity"})  // as Python writes them
      if (text.compare(std::max<std::size_t>(failure.byte, 1) - 1, std::string_view(name).size(), name) == 0)
        throw Error(whose + " cannot be used: the number in " + place_in(text, failure.byte) + " is " + name +
                    "; a weight must be a finite number.");
    throw Error(whose + " is not valid JSON: it has a mistake in " + place_in(text, failure.byte) + ".");
  } catch (const json::exception& failure) {  // "… number overflow parsing '1e400'"
    const std::string_view said = failure.what();
    const std::size_t from = said.find('\'') + 1, to = said.rfind('\'');
    const std::size_t at = from > 0 && to > from ? text.find(said.substr(from, to - from)) : std::string::npos;
    throw Error(whose + " holds a number that is too large" +
                (at == std::string::npos ? "" : ", in " + place_in(text, at + 1)) + ".");
  }
}

void only_keys(const json& object, std::initializer_list<std::string_view> known) {
  if (!object.is_object()) throw Error(std::string("it must hold one JSON object, not ") + object.type_name());
  for (const auto& [key, value] : object.items()) {
    if (std::ranges::find(known, key) != known.end()) continue;
    std::string list;
    for (const std::string_view& one : known)
      list += (list.empty() ? "" : &one == known.end() - 1 ? " and " : ", ") + std::string(one);
    throw Error("the key " + in_quotes(key) + " is unknown; the known ones are " + list);
  }
}

int whole_number(const json& object, const char* key, const std::string& must_be) {
  const json& value = need(object, key);
  if (!value.is_number()) throw Error("'" + std::string(key) + "' must be a whole number, not " + value.type_name());
  const double number = value.get<double>();
  if (number != std::floor(number) || std::abs(number) > 1e6)
    throw Error("'" + std::string(key) + "' is " + number_text(number) + "; it must be " + must_be);
  return static_cast<int>(number);
}

float to_float(const json& value, const std::string& what) {
  if (!value.is_number()) throw Error(what + " must be a number, not " + value.type_name());
  const double number = value.get<double>();
  if (!(std::abs(number) <= 3.4028235e38))
    throw Error(what + " is " + number_text(number) + ", which is " + beyond_float);
  return static_cast<float>(number);
}

std::vector<float> read_weights(const json& object, const char* key, int width) {
  const json& list = need(object, key);
  if (!list.is_array()) throw Error("'" + std::string(key) + "' must be a list of numbers, not " + list.type_name());
  std::vector<float> weights;
  const auto add = [&](const json& value) {
    weights.push_back(
        to_float(value, std::string("number ") + std::to_string(weights.size() + 1) + " of '" + key + "'"));
  };
  std::size_t row_number = 0;
  for (const json& entry : list) {
    ++row_number;
    if (!entry.is_array()) {
      add(entry);
      continue;
    }
    if (entry.size() != static_cast<std::size_t>(std::max(width, 0)))
      throw Error("row " + std::to_string(row_number) + " of '" + key + "' has " +
                  counted(std::ssize(entry), "number") + ", but 'width' is " + std::to_string(width));
    for (const json& value : entry) add(value);
  }
  return weights;
}

std::string text_or(const json& object, const char* key, const std::string& otherwise) {
  const auto found = object.find(key);
  if (found == object.end()) return otherwise;
  if (!found->is_string()) throw Error("'" + std::string(key) + "' must be text, not " + found->type_name());
  return found->get<std::string>();
}

bool switch_or(const json& object, const char* key, bool otherwise) {
  const auto found = object.find(key);
  if (found == object.end()) return otherwise;
  if (!found->is_boolean()) throw Error("'" + std::string(key) + "' must be true or false, not " + found->type_name());
  return found->get<bool>();
}

json to_json(float value) {
  const double shortest = parse_number(number_text(value), "a weight");
  return static_cast<float>(shortest) == value ? shortest : static_cast<double>(value);
}

json to_json(const std::vector<float>& weights) {
  json list = json::array();
  for (const float w : weights) list.push_back(to_json(w));
  return list;
}

void write(const std::string& path, const json& object) {
  write_file(path, object.dump(-1, ' ', false, json::error_handler_t::replace) + "\n");
}

}  // namespace convoscope::json_parts
