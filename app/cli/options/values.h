#pragma once
// Single values of the command line: each function reads one text and throws Error with a sentence that names the
// option, the text, and what would be right.
#include <algorithm>
#include <array>
#include <filesystem>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/arguments.h"

namespace convoscope {

// `word` when it is one of the candidates. `what`: "strategy", "border" …
std::string parse_choice(std::string_view what, const std::string& word, std::span<const std::string> candidates);

template <class Value, std::size_t Count>
std::vector<std::string> names_of(const std::array<Value, Count>& values) {
  std::vector<std::string> names;
  for (const Value value : values) names.emplace_back(to_string(value));
  return names;
}

template <class Value>
std::vector<std::string> words_of(std::initializer_list<Value> values) {
  std::vector<std::string> words;
  for (const Value value : values) words.emplace_back(to_string(value));
  return words;
}

// By its name, of all that there are.
template <class Value, std::size_t Count>
Value parse_named(std::string_view what, const std::string& word, const std::array<Value, Count>& all) {
  parse_choice(what, word, names_of(all));
  return *std::ranges::find(all, word, [](Value value) { return to_string(value); });
}

bool parse_switch(std::string_view option, const std::string& text);  // on, off
int parse_whole(std::string_view option, const std::string& text, int minimum, int maximum);
double parse_real(std::string_view option, const std::string& text, double minimum, double maximum);
double parse_seconds(std::string_view option, const std::string& text);                       // 12.5, 1:30, 1:02:03.5
Size parse_size(std::string_view option, const std::string& text, int minimum, int maximum);  // 1920x1080

Border parse_border(const std::string&);
PixelFormat parse_format(const std::string&);
View parse_view(const std::string&);
BackendChoice parse_backend(const std::string&);
RecordingCodec parse_codec(const std::string&);
RecordingQuality parse_quality(const std::string&);
RecordingContainer parse_container(const std::string&);
std::string_view to_string(RecordingQuality);
std::string_view to_string(RecordingContainer);
std::string_view to_string(RecordingCodec);
std::string_view to_string(View);
std::string_view to_string(BackendChoice);

std::string joined(std::span<const std::string> words);                        // "a, b"
std::vector<std::string> split_list(const std::string& text, char separator);  // throws nothing; parts are trimmed

// Every id of the ladder, in its order, whatever was built or is installed.
std::vector<std::string> strategy_ids(const Kind& = image_kind);

// key=value texts against the tunables of the strategies: a key that none of them has, or a value that is not among its
// choices, is refused.
Tuning parse_tuning(const std::vector<std::string>& texts, const std::vector<std::string>& strategies,
                    const Kind& = image_kind);
// The part of a tuning that concerns one strategy.
Tuning tuning_for(const std::string& strategy, const Tuning&, const Kind& = image_kind);

// What can be listed: "strategies", "cameras" …
std::string listing_word(std::string_view source);  // "cameras" of "camera"
std::vector<std::string> listing_words();

// An INPUT: what one of the sources takes, as far as that can be told before it is opened.
void check_input(const std::string& input);
void check_takes_size(const std::string& input, const std::string& size);  // of --size
// A file that is going to be written: the folder is there and writable, and the name ends in one of the extensions
// (any, when there are none).
void check_output(std::string_view option, const std::filesystem::path&, std::span<const std::string> extensions);

}  // namespace convoscope
