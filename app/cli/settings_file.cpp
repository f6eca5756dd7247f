#include "app/cli/settings_file.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "app/cli/values.h"
#include "kernels/error.h"
#include "kernels/number_text.h"

namespace convoscope {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr std::uintmax_t largest_file = 16 << 20;  // anything larger is not ours
constexpr std::size_t most_recent = 32;

json filter_json(const FilterSpec& spec) {
  if (spec.kind != "custom") return spec_text(spec);
  const Filter& filter = spec.filter;
  json out{{"name", filter.name}, {"width", filter.width}, {"height", filter.height},    {"weights", filter.weights},
           {"gain", filter.gain}, {"bias", filter.bias},   {"absolute", filter.absolute}};
  if (filter.is_magnitude()) out["weights_y"] = filter.weights_y;
  return out;
}

json panes_json(const Settings& settings) {
  json panes = json::array();
  for (const PaneSettings& pane : settings.panes)
    panes.push_back({{"strategy", pane.strategy},
                     {"tuning", pane.tuning},
                     {"filter", filter_json(pane.filter)},
                     {"border", to_string(pane.border)},
                     {"linked", pane.linked}});
  return panes;
}

json to_json(const Settings& settings) {
  const json panes = panes_json(settings);
  return {{"recent", settings.recent},
          {"panes", panes},
          {"active_pane", settings.active_pane},
          {"view", to_string(settings.view)},
          {"blink_seconds", settings.blink_seconds},
          {"split", {{"angle", settings.split.angle}, {"lines", settings.split.lines}}},
          {"difference",
           {{"mode", static_cast<int>(settings.difference.mode)},
            {"first", settings.difference.first},
            {"second", settings.difference.second},
            {"gain", settings.difference.gain},
            {"threshold", settings.difference.threshold},
            {"false_colour", settings.difference.false_colour}}},
          {"baseline_pane", settings.baseline_pane},
          {"format", to_string(settings.format)},
          {"speed", settings.playback.speed},
          {"loop", settings.playback.loop},
          {"vsync", settings.vsync},
          {"window", {{"width", settings.window_width}, {"height", settings.window_height}}},
          {"show_panels", settings.show_panels},
          {"panels_left", settings.panels_left},
          {"projector", settings.projector},
          {"show_overlay", settings.show_overlay},
          {"open_sections", settings.open_sections},
          {"light_theme", settings.light_theme},
          {"ui_scale", settings.ui_scale},
          {"recording",
           {{"panels", settings.recording.with_panels},
            {"source_size", settings.recording.source_size},
            {"codec", to_string(settings.recording.codec)},
            {"sound", settings.recording.sound},
            {"keep_last_seconds", settings.recording.keep_last_seconds},
            {"webp", settings.recording.animation == AnimationFormat::webp}}},
          {"timing_window", settings.timing_window}};
}

// Reads one value after another and remembers the names of those it had to skip.
class Reader {
 public:
  explicit Reader(const json& object) : object_(object) {}

  void read(const char* key, bool& value) {
    if (const json* found = find(key)) found->is_boolean() ? void(value = found->get<bool>()) : skip(key);
  }
  template <class Number>
  void read(const char* key, Number& value, double minimum, double maximum) {
    const json* found = find(key);
    if (!found) return;
    const double number = found->is_number() ? found->get<double>() : std::nan("");
    const bool whole = !std::is_integral_v<Number> || number == std::floor(number);
    if (number >= minimum && number <= maximum && whole)
      value = static_cast<Number>(number);
    else
      skip(key);
  }
  // For names: `parse` throws Error for an unknown one.
  template <class Value, class Parse>
  void read_text(const char* key, Value& value, Parse parse) {
    const json* found = find(key);
    if (!found) return;
    try {
      if (!found->is_string()) throw Error("not a text");
      value = parse(found->get<std::string>());
    } catch (const Error&) {
      skip(key);
    }
  }
  // Null when it is absent or of another type.
  const json* read_part(const char* key, json::value_t type) {
    const json* found = find(key);
    if (!found || found->type() == type) return found;
    skip(key);
    return nullptr;
  }
  void skip(const std::string& key) { skipped_ += (skipped_.empty() ? "" : ", ") + key; }
  const std::string& skipped() const { return skipped_; }

 private:
  const json* find(const char* key) const {
    const auto found = object_.find(key);
    return found == object_.end() ? nullptr : &*found;
  }
  const json& object_;
  std::string skipped_;
};

FilterSpec read_filter(const json& value) {
  if (value.is_string()) {
    const std::string text = value.get<std::string>();
    // Only names of the catalogue: a remembered path must not make the start depend on a file.
    const std::string kind = text.substr(0, text.find(':'));
    if (!find_filter_kind(kind)) throw Error("not in the catalogue");
    return parse_filter(text);
  }
  Filter filter;
  filter.name = value.value("name", "custom");
  filter.width = value.at("width").get<int>();
  filter.height = value.at("height").get<int>();
  filter.weights = value.at("weights").get<std::vector<float>>();
  if (value.contains("weights_y")) filter.weights_y = value.at("weights_y").get<std::vector<float>>();
  filter.gain = value.value("gain", 1.0f);
  filter.bias = value.value("bias", 0.0f);
  filter.absolute = value.value("absolute", false);
  validate(filter);
  return {.kind = "custom", .values = {}, .filter = filter};
}

void read_pane(const json& value, PaneSettings& pane, Reader& parent) {
  if (!value.is_object()) return parent.skip("panes");
  Reader reader(value);
  std::vector<std::string> known = strategy_ids();
  known.emplace_back("source");
  reader.read_text("strategy", pane.strategy,
                   [&](const std::string& id) { return parse_choice("strategy", id, known); });
  reader.read_text("border", pane.border, parse_border);
  reader.read("linked", pane.linked);
  if (const json* tuning = reader.read_part("tuning", json::value_t::object)) {
    Tuning wished;
    for (const auto& [key, number] : tuning->items())
      if (number.is_number_integer()) wished[key] = number.get<int>();
    pane.tuning = tuning_for(pane.strategy, wished);  // what this version of the strategy still offers
  }
  if (value.contains("filter")) {
    try {
      pane.filter = read_filter(value["filter"]);
    } catch (const Error&) {
      reader.skip("filter");
    } catch (const json::exception&) {
      reader.skip("filter");
    }
  }
  if (!reader.skipped().empty()) parent.skip("panes: " + reader.skipped());
}

// How panes are compared.
void read_comparison(Settings& settings, Reader& reader) {
  const double last = static_cast<double>(settings.panes.size()) - 1;
  reader.read("blink_seconds", settings.blink_seconds, blink_times.low, blink_times.high);
  reader.read("baseline_pane", settings.baseline_pane, 0, last);
  if (const json* split = reader.read_part("split", json::value_t::object)) {
    Reader part(*split);
    part.read("angle", settings.split.angle, -360, 360);
    if (const json* lines = part.read_part("lines", json::value_t::array))
      for (const json& line : *lines)
        if (line.is_number() && settings.split.lines.size() + 1 < max_panes)
          settings.split.lines.push_back(std::clamp(line.get<double>(), 0.0, 1.0));
    if (!part.skipped().empty()) reader.skip("split: " + part.skipped());
  }
  if (const json* difference = reader.read_part("difference", json::value_t::object)) {
    Reader part(*difference);
    int mode = 0;
    part.read("mode", mode, 0, 2);
    settings.difference.mode = static_cast<DifferenceMode>(mode);
    part.read("first", settings.difference.first, 0, max_panes - 1);
    part.read("second", settings.difference.second, 0, max_panes - 1);
    part.read("gain", settings.difference.gain, difference_gains.low, difference_gains.high);
    part.read("threshold", settings.difference.threshold, difference_thresholds.low,
              difference_thresholds.high);
    part.read("false_colour", settings.difference.false_colour);
    if (!part.skipped().empty()) reader.skip("difference: " + part.skipped());
  }
}

Settings read_settings(const json& object, std::string& skipped) {
  Settings settings = default_settings();
  Reader reader(object);
  if (const json* recent = reader.read_part("recent", json::value_t::array))
    for (const json& entry : *recent)
      if (entry.is_string() && settings.recent.size() < most_recent) settings.recent.push_back(entry);
  if (const json* panes = reader.read_part("panes", json::value_t::array); panes && !panes->empty()) {
    const PaneSettings initial = settings.panes[0];
    settings.panes.clear();
    for (const json& entry : *panes) {
      if (settings.panes.size() == max_panes) break;
      read_pane(entry, settings.panes.emplace_back(initial), reader);
    }
  }
  reader.read("active_pane", settings.active_pane, 0, static_cast<double>(settings.panes.size()) - 1);
  reader.read_text("view", settings.view, parse_view);
  read_comparison(settings, reader);
  reader.read_text("format", settings.format, parse_format);
  reader.read("speed", settings.playback.speed, 0.1, 4);
  reader.read("loop", settings.playback.loop);
  reader.read("vsync", settings.vsync);
  if (const json* window = reader.read_part("window", json::value_t::object)) {
    Reader size(*window);
    size.read("width", settings.window_width, 0, 16384);
    size.read("height", settings.window_height, 0, 16384);
    if (!size.skipped().empty()) reader.skip("window: " + size.skipped());
  }
  reader.read("show_panels", settings.show_panels);
  reader.read("panels_left", settings.panels_left);
  reader.read("projector", settings.projector);
  reader.read("show_overlay", settings.show_overlay);
  reader.read("open_sections", settings.open_sections, 0, 0xffff);
  reader.read("light_theme", settings.light_theme);
  reader.read("ui_scale", settings.ui_scale, 0, 8);
  if (const json* part = reader.read_part("recording", json::value_t::object)) {
    RecordingChoices& choices = settings.recording;
    Reader recording(*part);
    bool webp = false;
    recording.read("panels", choices.with_panels);
    recording.read("source_size", choices.source_size);
    recording.read_text("codec", choices.codec, parse_codec);
    recording.read("sound", choices.sound);
    recording.read("keep_last_seconds", choices.keep_last_seconds);
    recording.read("webp", webp);
    choices.animation = webp ? AnimationFormat::webp : AnimationFormat::gif;
    if (!recording.skipped().empty()) reader.skip("recording: " + recording.skipped());
  }
  reader.read("timing_window", settings.timing_window, 2, 100'000);
  skipped = reader.skipped();
  return settings;
}

void say(std::string* message, const std::string& text) {
  if (message) *message = text;
}

}  // namespace

std::string view_as_json(const Settings& settings) {
  const std::string& input = settings.source.input;
  const json view{{"source", input.substr(input.find_last_of('/') + 1)},
                  {"view", to_string(settings.view)},
                  {"format", to_string(settings.format)},
                  {"panes", panes_json(settings)}};
  return view.dump(-1, ' ', false, json::error_handler_t::replace);
}

Settings default_settings() {
  Settings settings;
  settings.panes.resize(1);
  settings.panes[0].filter = parse_filter("gaussian");
  return settings;
}

fs::path settings_path() {
  const auto variable = [](const char* name) -> fs::path {
    const char* value = std::getenv(name);
    return value ? value : "";
  };
  fs::path folder = variable("XDG_CONFIG_HOME");
  if (folder.is_relative()) {  // the specification: a relative one counts as unset
    folder = variable("HOME");
    if (folder.empty()) return {};
    folder /= ".config";
  }
  return folder / "convoscope" / "settings.json";
}

Settings load_settings(std::string* message) { return load_settings(settings_path(), message); }

Settings load_settings(const fs::path& path, std::string* message) {
  say(message, "");
  std::error_code error;
  if (path.empty() || !fs::exists(path, error)) return default_settings();
  const std::string name = "The settings file " + in_quotes(path.string());
  const std::uintmax_t size = fs::is_regular_file(path, error) ? fs::file_size(path, error) : largest_file + 1;
  std::ifstream file(path, std::ios::binary);
  if (error || !file || size > largest_file) {
    say(message, name + " cannot be read; the program starts with its own settings.");
    return default_settings();
  }
  // Without exceptions: a file broken by hand is nothing special.
  const json object = json::parse(file, nullptr, false);
  if (!object.is_object()) {
    say(message, name + " is not valid JSON; the program starts with its own settings. Mend it or delete it.");
    return default_settings();
  }
  std::string skipped;
  Settings settings = read_settings(object, skipped);
  if (!skipped.empty()) say(message, name + " has values that make no sense and were skipped: " + skipped + ".");
  return settings;
}

bool save_settings(const Settings& settings, std::string* message) {
  return save_settings(settings, settings_path(), message);
}

bool save_settings(const Settings& settings, const fs::path& path, std::string* message) {
  say(message, "");
  if (path.empty()) {
    say(message, "The settings are not kept: neither XDG_CONFIG_HOME nor HOME is set.");
    return false;
  }
  const auto failed = [&](const std::string& why) {
    say(message, "The settings cannot be kept in " + in_quotes(path.string()) + ": " + why + ".");
    return false;
  };
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error) return failed(error.message());
  // Another process's half-written file must not be taken for ours.
  fs::path beside = path;
  beside += "." + std::to_string(getpid()) + ".new";
  std::ofstream file(beside, std::ios::binary | std::ios::trunc);
  // File names may hold bytes that are not UTF-8.
  file << to_json(settings).dump(2, ' ', false, json::error_handler_t::replace) << '\n';
  file.close();
  if (!file) {
    fs::remove(beside, error);
    return failed("the folder cannot be written to");
  }
  fs::rename(beside, path, error);
  if (!error) return true;
  const std::string why = error.message();
  fs::remove(beside, error);
  return failed(why);
}

}  // namespace convoscope
