#include "app/cli/options/values.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <system_error>
#include <utility>

#include "app/files/paths.h"
#include "app/media/read/local_files.h"
#include "app/media/sources/source.h"
#include "kernels/files/output_file.h"
#include "kernels/text/edit_distance.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

namespace fs = std::filesystem;

std::string plain(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", number);
  return text;
}

// from_chars, for its independence of the locale; all of the text must be used.
template <class Number>
bool read(std::string_view text, Number& number) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

const std::vector<std::string> format_names{"rgba8", "gray32f"};
const std::vector<std::string> view_names{"single", "grid", "split", "difference", "blink"};
const std::vector<std::string> codec_names{"auto", "h264", "hevc", "ffv1"};
const std::vector<std::string> quality_names{"small", "good", "best"}, container_names{"mkv", "mp4"};

template <class Enum>
Enum parse_enum(std::string_view what, const std::string& word, const std::vector<std::string>& names) {
  parse_choice(what, word, names);
  return static_cast<Enum>(std::find(names.begin(), names.end(), word) - names.begin());
}

// The emulated list first: it has every CUDA row's texts also where nvcc was missing.
const Strategy* describe_strategy(std::string_view id, const Kind& kind) {
  for (Backend backend : {Backend::cpu, Backend::emulated, Backend::cuda})
    if (const Strategy* strategy = find_strategy(backend, id, kind)) return strategy;
  return nullptr;
}

const Tunable* find_tunable(const Strategy* strategy, std::string_view id) {
  if (strategy)
    for (const Tunable& tunable : strategy->tunables)
      if (tunable.id == id) return &tunable;
  return nullptr;
}

}  // namespace

std::string parse_choice(std::string_view what, const std::string& word, std::span<const std::string> candidates) {
  if (std::find(candidates.begin(), candidates.end(), word) != candidates.end()) return word;
  const std::string near = nearest_word(word, candidates);
  constexpr std::size_t most = 32;  // what a person reads
  const auto named = candidates.first(std::min(most, candidates.size()));
  const std::string others =
      candidates.size() > most ? " and " + std::to_string(candidates.size() - most) + " more" : std::string();
  throw Error(
      "There is no " + std::string(what) + " " + in_quotes(word) + ". " +
      (near.empty() ? "Choose one of: " + joined(named) + others + "." : "Did you mean " + in_quotes(near) + "?"));
}

bool parse_switch(std::string_view option, const std::string& text) {
  if (text == "on" || text == "off") return text == "on";
  throw Error(std::string(option) + " takes on or off, not " + in_quotes(text) + ".");
}

int parse_whole(std::string_view option, const std::string& text, int minimum, int maximum) {
  long long number = 0;
  if (!read(text, number) || number < minimum || number > maximum)
    throw Error(std::string(option) + " takes a whole number from " + std::to_string(minimum) + " to " +
                std::to_string(maximum) + ", not " + in_quotes(text) + ".");
  return static_cast<int>(number);
}

double parse_real(std::string_view option, const std::string& text, double minimum, double maximum) {
  double number = 0;
  if (!read(text, number) || !(number >= minimum && number <= maximum))
    throw Error(std::string(option) + " takes a number from " + plain(minimum) + " to " + plain(maximum) + ", not " +
                in_quotes(text) + ".");
  return number;
}

double parse_seconds(std::string_view option, const std::string& text) {
  constexpr int too_late = 10'000'000;
  double total = 0;
  const std::vector<std::string> parts = split_list(text, ':');
  bool good = parts.size() <= 3;
  for (std::size_t i = 0; good && i < parts.size(); ++i) {
    double part = 0;
    good = read(parts[i], part) && part >= 0;
    if (good && i > 0 && part >= 60)
      throw Error(std::string(option) + " " + in_quotes(text) + " is no time: what stands behind a colon is below 60.");
    total = total * 60 + part;
  }
  if (!good)
    throw Error(std::string(option) + " takes a time as seconds or [hours:]minutes:seconds, like 12.5 or 1:30, not " +
                in_quotes(text) + ".");
  if (total >= too_late)
    throw Error(std::string(option) + " " + in_quotes(text) + " is too late: times are below " +
                std::to_string(too_late) + " seconds (115 days).");
  return total;
}

Size parse_size(std::string_view option, const std::string& text, int minimum, int maximum) {
  const std::size_t cross = text.find_first_of("xX");
  long long width = 0, height = 0;
  if (cross == std::string::npos || !read(std::string_view(text).substr(0, cross), width) ||
      !read(std::string_view(text).substr(cross + 1), height))
    throw Error(std::string(option) + " takes a width and a height in pixels, like 1920x1080, not " + in_quotes(text) +
                ".");
  if (width < minimum || height < minimum || width > maximum || height > maximum)
    throw Error(std::string(option) + " " + in_quotes(text) + " is out of range: width and height go from " +
                std::to_string(minimum) + " to " + std::to_string(maximum) + " pixels.");
  return {static_cast<int>(width), static_cast<int>(height)};
}

Border parse_border(const std::string& word) { return parse_named("border", word, all_borders); }
PixelFormat parse_format(const std::string& word) { return parse_enum<PixelFormat>("format", word, format_names); }
View parse_view(const std::string& word) { return parse_enum<View>("view", word, view_names); }
BackendChoice parse_backend(const std::string& word) {
  return parse_enum<BackendChoice>("backend", word, {backend_names.begin(), backend_names.end()});
}
RecordingQuality parse_quality(const std::string& word) {
  return parse_enum<RecordingQuality>("quality", word, quality_names);
}
RecordingContainer parse_container(const std::string& word) {
  return parse_enum<RecordingContainer>("container", word, container_names);
}
std::string_view to_string(RecordingQuality quality) { return quality_names[static_cast<std::size_t>(quality)]; }
std::string_view to_string(RecordingContainer container) {
  return container_names[static_cast<std::size_t>(container)];
}
RecordingCodec parse_codec(const std::string& word) { return parse_enum<RecordingCodec>("codec", word, codec_names); }
std::string_view to_string(RecordingCodec codec) { return codec_names[static_cast<std::size_t>(codec)]; }
std::string_view to_string(View view) { return view_names[static_cast<std::size_t>(view)]; }
std::string_view to_string(BackendChoice backend) { return backend_names[static_cast<std::size_t>(backend)]; }

std::vector<std::string> split_list(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    std::string part = text.substr(begin, end - begin);
    part.erase(0, part.find_first_not_of(" \t\n"));
    part.erase(part.find_last_not_of(" \t\n") + 1);
    parts.push_back(std::move(part));
    begin = end + 1;
  }
  return parts;
}

std::vector<std::string> strategy_ids(const Kind& kind) {
  std::vector<std::string> ids;
  for (Backend backend : {Backend::cpu, Backend::emulated, Backend::cuda})
    for (const Strategy* strategy : strategies(backend, kind))
      if (std::find(ids.begin(), ids.end(), strategy->id) == ids.end()) ids.emplace_back(strategy->id);
  return ids;
}

Tuning parse_tuning(const std::vector<std::string>& texts, const std::vector<std::string>& strategies,
                    const Kind& kind) {
  std::vector<std::string> known;
  for (const std::string& id : strategies)
    if (const Strategy* strategy = describe_strategy(id, kind))
      for (const Tunable& tunable : strategy->tunables) known.emplace_back(tunable.id);
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());

  Tuning tuning;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    int value = 0;
    if (equals == std::string::npos || equals == 0 || !read(std::string_view(text).substr(equals + 1), value))
      throw Error("--tune takes NAME=NUMBER, like block_width=16, not " + in_quotes(text) + ".");
    const std::string key = text.substr(0, equals);
    if (known.empty())
      throw Error("--tune " + in_quotes(text) + " has no meaning here: the chosen strategies have nothing to tune.");
    parse_choice("tunable", key, known);
    std::string choices;
    bool taken = false;
    for (const std::string& id : strategies)
      if (const Tunable* tunable = find_tunable(describe_strategy(id, kind), key)) {
        if (std::find(tunable->values.begin(), tunable->values.end(), value) != tunable->values.end()) taken = true;
        choices.clear();
        for (int choice : tunable->values) choices += (choices.empty() ? "" : ", ") + std::to_string(choice);
      }
    if (!taken) throw Error("--tune " + in_quotes(text) + " is not possible: " + key + " is one of " + choices + ".");
    tuning[key] = value;
  }
  return tuning;
}

Tuning tuning_for(const std::string& id, const Tuning& tuning, const Kind& kind) {
  Tuning own;
  for (const auto& [key, value] : tuning) {
    const Tunable* tunable = find_tunable(describe_strategy(id, kind), key);
    if (tunable && std::find(tunable->values.begin(), tunable->values.end(), value) != tunable->values.end())
      own[key] = value;
  }
  return own;
}

std::string joined(std::span<const std::string> words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

std::string listing_word(std::string_view source) { return std::string(source) + (source.ends_with("s") ? "" : "s"); }

std::vector<std::string> listing_words() {
  std::vector<std::string> words{"strategies", "filters", "banks", "workbenches", "sources"};
  for (const Source* const source : sources())
    if (source->choices) words.push_back(listing_word(source->kind.id));
  words.emplace_back("devices");
  words.emplace_back("tiles");
  return words;
}

void check_input(const std::string& given) {
  const std::string input = local_path(given);
  if (input.empty()) throw Error("The INPUT is empty. Give one of: " + input_forms(known_sources()) + ".");
  SourceSettings source;
  source.input = input;
  if (const std::string why = why_not_opened(source); !why.empty()) throw Error(why);
}

void check_takes_size(const std::string& input, const std::string& size) {
  if (source_for(input).takes_size) return;
  std::vector<std::string> others;
  for (const Source* const source : sources())
    if (source->takes_size) others.emplace_back(source->kind.id);
  throw Error("--size " + in_quotes(size) + " is for sources that can be asked for a size: " + joined(others) + ". " +
              in_quotes(input) + " has a size of its own, so leave --size out.");
}

void check_output(std::string_view option, const fs::path& path, std::span<const std::string> extensions) {
  const std::string name = in_quotes(path.string()), what = std::string(option);
  if (path.empty()) throw Error(what + " needs the name of a file.");
  std::error_code error;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (fs::is_directory(path, error)) throw Error(what + " " + name + " is a folder. Give the name of a file.");
  if (!fs::is_directory(folder, error))
    throw Error(what + " " + name + " cannot be written: there is no folder " + in_quotes(folder.string()) + ".");
  if (is_named_pipe(path.string()))
    throw Error(what + " " + name + " is a named pipe, which would wait for its reader. Give the name of a file" +
                (option == "OUTPUT" ? ", or - for y4m on standard output." : "."));
  // An existing file is overwritten (a device is written to), a new one needs the folder.
  const bool exists = fs::exists(path, error);
  if (access((exists ? path : folder).c_str(), W_OK) != 0)
    throw Error(what + " " + name + " cannot be written: " +
                (errno == EROFS ? "the file system is read-only." : "you have no permission."));
  check_can_be_replaced(path.string());
  if (extensions.empty()) return;
  const auto lower = [](std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
  };
  const std::string extension = lower(path.extension().string()), whole = path.filename().string();
  if (std::ranges::find(extensions, lower(whole)) != extensions.end())
    throw Error(what + " " + name + " is an ending without a name. Put one in front of it, like out" + whole + ".");
  if (std::find(extensions.begin(), extensions.end(), extension) == extensions.end())
    throw Error(what + " " + name + " must end in " + joined(extensions) + ".");
}

}  // namespace convoscope
