#include "app/session/session_json.h"

#include <algorithm>
#include <iterator>
#include <type_traits>

#include "app/cli/options/values.h"
#include "app/session/fields.h"
#include "app/session/filter_fields.h"
#include "app/session/json_text.h"
#include "app/session/layer_fields.h"
#include "app/state/workbench.h"
#include "kernels/filter/banks/network_layers.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

using nlohmann::json;

constexpr std::size_t most_recent = 32, most_chosen = 64, longest_text = 4096;
constexpr Range any_time{0, 1e9}, side{0, 16384};
constexpr const char* animation_names[] = {"gif", "webp"};

std::string read_strategy(const json& value, const Kind& kind) {
  std::vector<std::string> known = strategy_ids(kind);
  known.emplace_back("source");
  return parse_choice("strategy", value.get<std::string>(), known);
}

Tuning read_tuning(const json& value, const std::string& strategy, const Kind& kind) {
  Tuning wished;
  for (const auto& [key, number] : value.items())
    if (number.is_number_integer()) wished[key] = number.get<int>();
  return tuning_for(strategy, wished, kind);  // what this version of the strategy still offers
}

// A choice that has a name.
template <class Visitor, class Enum, class Parse>
void name(Visitor& v, const char* key, Enum& value, Parse parse) {
  v.value(
      key, value, [](Enum one) { return std::string(to_string(one)); },
      [&](const json& text) { return parse(text.get<std::string>()); });
}
template <class Visitor, class Enum, std::size_t count>
void choice(Visitor& v, const char* key, Enum& value, const char* const (&names)[count]) {
  using Choice = std::remove_const_t<Enum>;
  v.value(
      key, value, [&](Choice one) { return std::string(names[static_cast<std::size_t>(one)]); },
      [&](const json& text) {
        const auto found = std::ranges::find(names, text.get<std::string>());
        if (found == std::end(names)) throw Error("not a choice");
        return static_cast<Choice>(found - std::begin(names));
      });
}

template <class Visitor, class Set>
void words(Visitor& v, const char* key, Set& value) {
  v.value(
      key, value, [](const std::set<std::string>& texts) { return json(texts); },
      [](const json& list) {
        auto texts = list.get<std::set<std::string>>();
        if (texts.size() > most_chosen) throw Error("too many");
        return texts;
      });
}

json pixel_json(const std::optional<PixelAddress>& pixel) { return pixel ? json{pixel->x, pixel->y} : json(); }
PixelAddress read_pixel(const json& value) {
  const PixelAddress pixel{value.at(0).get<int>(), value.at(1).get<int>()};
  if (pixel.x < 0 || pixel.y < 0 || pixel.x > side.high || pixel.y > side.high) throw Error("not in a picture");
  return pixel;
}

std::map<std::string, std::vector<int>> read_sweep_values(const json& value) {
  auto values = value.get<std::map<std::string, std::vector<int>>>();
  constexpr int largest = 1 << 20;
  for (const auto& [id, of_one] : values)
    if (values.size() > most_chosen || of_one.size() > most_chosen ||
        std::ranges::any_of(of_one, [](int each) { return each < 0 || each > largest; }))
      throw Error("not the numbers of a sweep");
  return values;
}

template <class V>
void machine_fields(V& v, typename V::template Subject<Settings>& s) {
  v.texts("recent", s.recent, most_recent);
  v.text("browser_folder", s.browser_folder, longest_text);
  name(v, "backend", s.backend, parse_backend);
  v.number("device", s.device, {0, 255});
  v.flag("vsync", s.vsync);
  v.number("volume", s.playback.volume, {0, 1});
  v.flag("muted", s.playback.muted);
  v.part("window", [&](auto& part) {
    part.number("width", s.window_width, side);
    part.number("height", s.window_height, side);
  });
  v.flag("panels_left", s.panels_left);
  v.flag("projector", s.projector);
  v.flag("light_theme", s.light_theme);
  v.flag("show_hint", s.show_hint);
  words(v, "dismissed", s.dismissed);
  v.number("ui_scale", s.ui_scale, {0, 8});
}

template <class V>
void pane_fields(V& v, typename V::template Subject<PaneSettings>& pane, const Kind& kind) {
  v.value(
      "strategy", pane.strategy, [](const std::string& id) { return json(id); },
      [&](const json& value) { return read_strategy(value, kind); });
  v.value(
      "tuning", pane.tuning, [](const Tuning& tuning) { return json(tuning); },
      [&](const json& value) { return read_tuning(value, pane.strategy, kind); });
  v.value(
      "layers", pane.layers, [](const std::vector<std::string>& layers) { return json(layers); },
      [&](const json& value) { return read_layer_strategies(value, kind); });
  v.value("type", pane.precision, pane_type_json, read_pane_type);
  v.value("filter", pane.filter, filter_json, read_filter);
  name(v, "border", pane.border, parse_border);
  v.number("frames", pane.frames, frames_around);
  v.flag("linked", pane.linked);
  v.part("card", [&](auto& part) {
    choice(part, "shape", pane.card.shape, card_shapes);
    part.number("x", pane.card.x, {0, 1});
    part.number("y", pane.card.y, {0, 1});
  });
}

template <class V, class Group>
void group_fields(V& v, Group& group, const Kind& kind) {
  v.list("panes", group.panes, max_panes, default_settings().group().panes[0],
         [&](auto& one, auto& pane) { pane_fields(one, pane, kind); });
  const Range positions{0, static_cast<double>(std::max<std::size_t>(group.panes.size(), 1)) - 1};
  v.number("active_pane", group.active_pane, positions);
  v.number("baseline_pane", group.baseline_pane, positions);
  name(v, "view", group.view, parse_view);
}

// Whatever was read, the positions are those of panes.
void settle_group(PaneGroup& group) {
  if (group.panes.empty()) group.panes = default_settings().group().panes;
  const int last = static_cast<int>(group.panes.size()) - 1;
  group.active_pane = std::clamp(group.active_pane, 0, last);
  group.baseline_pane = std::clamp(group.baseline_pane, 0, last);
}

std::string read_workbench(const json& value) {
  std::string id = value.get<std::string>();
  if (workbench_of(id).id != id) throw Error("not a workbench");
  return id;
}

// What is read is put into the panes that were shown, whatever workbench they were of.
const PaneGroup& group_of_file(const Settings& settings, const std::string&) { return settings.group(); }
PaneGroup& group_of_file(Settings& settings, const std::string& shown_before) {
  if (settings.workbench != shown_before) {
    settings.group() = std::move(settings.groups[shown_before]);
    settings.groups.erase(shown_before);
  }
  return settings.group();
}

// Files that name no workbench are about pictures. The workbench comes first: it says what strategies there are.
template <class V>
void workbench_fields(V& v, typename V::template Subject<Settings>& s) {
  const std::string shown_before = s.workbench;
  v.value(
      "workbench", s.workbench, [](const std::string& id) { return json(id); }, read_workbench);
  group_fields(v, group_of_file(s, shown_before), *workbench_of(s.workbench).kind);
  v.part("parked", [&](auto& part) {
    const PaneGroup initial{.panes = default_settings().group().panes};
    for (const Workbench& bench : workbenches) {
      const std::string id(bench.id);
      if (id == s.workbench)  // also where a file has one of before it was shown
        part.no_entry(id);
      else
        part.entry(id, s.groups, initial, [&](auto& one, auto& group) { group_fields(one, group, *bench.kind); });
    }
  });
  v.part("layer", [&](auto& part) { layer_fields(part, s.layer); });
  v.part("wall", [&](auto& part) {
    part.number("map", s.wall.map, {-1, most_maps - 1});
    part.number("gain", s.wall.gain, wall_gains);
    part.flag("colours", s.wall.colours);
    part.flag("frames", s.wall.frames);
  });
  v.part("learn", [&](auto& part) {
    choice(part, "task", s.learn.task, learn_tasks);
    part.value("target", s.learn.target, filter_json, read_filter);
    part.number("pane", s.learn.pane, {0, max_panes - 1});
    part.number("noise", s.learn.noise, learn_noises);
    part.number("rate", s.learn.rate, learn_rates);
    choice(part, "method", s.learn.method, descent_methods);
    part.number("layers", s.learn.layers, learn_layers);
    part.number("maps", s.learn.maps, hidden_maps);
  });
}

template <class V>
void view_fields(V& v, typename V::template Subject<Settings>& s) {
  v.number("blink_seconds", s.blink_seconds, blink_times);
  v.part("split", [&](auto& part) {
    part.number("angle", s.split.angle, {-360, 360});
    part.numbers("lines", s.split.lines, max_panes - 1, {0, 1});
  });
  v.part("difference", [&](auto& part) {
    auto& difference = s.difference;
    choice(part, "mode", difference.mode, difference_modes);
    part.number("first", difference.first, {0, max_panes - 1});
    part.number("second", difference.second, {0, max_panes - 1});
    part.number("gain", difference.gain, difference_gains);
    part.number("threshold", difference.threshold, difference_thresholds);
    part.flag("false_colour", difference.false_colour);
  });
  v.part("zoom", [&](auto& part) {
    part.number("scale", s.zoom.scale, {0.001, 10'000});
    part.number("x", s.zoom.centre_x, {0, 1});
    part.number("y", s.zoom.centre_y, {0, 1});
  });
  v.part("inspect", [&](auto& part) {
    auto& inspect = s.inspect;
    part.flag("magnifier", inspect.magnifier);
    part.flag("values", inspect.values);
    part.flag("histogram", inspect.histogram);
    part.flag("vectorscope", inspect.vectorscope);
    part.flag("explain", inspect.explain);
    part.flag("uses", inspect.uses);
    part.flag("tiles", inspect.tiles);
    part.flag("listing", inspect.listing);
    part.value("pinned", inspect.pinned, pixel_json,
               [](const json& value) { return value.is_null() ? std::optional<PixelAddress>() : read_pixel(value); });
  });
}

template <class V>
void session_fields(V& v, typename V::template Subject<Settings>& s) {
  v.text("source", s.source.input, longest_text);
  v.part("source_options", [&](auto& part) {
    part.number("width", s.source.width, side);
    part.number("height", s.source.height, side);
    part.number("rate", s.source.rate, {0, 1000});
    part.text("camera_format", s.source.camera_format, 64);
  });
  v.flag("paused", s.playback.paused);
  v.flag("loop", s.playback.loop);
  v.number("speed", s.playback.speed, {0.1, 4});
  v.number("loop_from", s.playback.loop_a, any_time);
  v.number("loop_to", s.playback.loop_b, any_time);
  v.part("sound", [&](auto& part) { sound_fields(part, s.sound); });
  name(v, "format", s.format, parse_format);
  workbench_fields(v, s);
  view_fields(v, s);
  v.part("recording", [&](auto& part) {
    auto& choices = s.recording;
    part.flag("panels", choices.with_panels);
    part.flag("render_panels", choices.render_panels);
    part.flag("source_size", choices.source_size);
    name(part, "codec", choices.codec, parse_codec);
    name(part, "container", choices.container, parse_container);
    name(part, "quality", choices.quality, parse_quality);
    part.number("rate", choices.rate, {0, 1000});
    part.text("folder", choices.folder, longest_text);
    part.text("name", choices.name, longest_text);
    part.flag("sound", choices.sound);
    part.flag("keep_last_seconds", choices.keep_last_seconds);
    choice(part, "animation", choices.animation, animation_names);
  });
  v.part("sweep", [&](auto& part) {
    part.flag("open", s.sweep.open);
    for (const Workbench& bench : workbenches)
      part.entry(std::string(bench.id), s.sweep.of, SweepChoices(), [](auto& one, auto& choices) {
        one.text("along", choices.along, longest_text);
        one.value(
            "values", choices.values, [](const auto& values) { return json(values); }, read_sweep_values);
        one.texts("strategies", choices.strategies, most_chosen);
      });
    part.flag("hold_view", s.sweep.hold_view);
  });
  v.flag("show_panels", s.show_panels);
  v.flag("show_overlay", s.show_overlay);
  words(v, "open_panels", s.open_panels);
  v.number("timing_window", s.timing_window, {2, 100'000});
}

json measured_json(const SessionFacts& facts) {
  json rows = json::array();
  for (const SessionFacts::Measured& row : facts.measured)
    rows.push_back({{"strategy", row.strategy},
                    {"filter", row.filter},
                    {"median_ms", row.median_ms},
                    {"interval_ms", {row.interval.low, row.interval.high}},
                    {"frames", row.frames}});
  return {{"device", facts.device}, {"width", facts.width}, {"height", facts.height}, {"panes", rows}};
}

// Files of earlier versions hold the open panels bit by bit.
void read_panel_bits(const json& object, Settings& settings) {
  const auto bits = object.find("open_sections");
  if (bits == object.end() || !bits->is_number_integer() || object.contains("open_panels")) return;
  constexpr const char* in_order[] = {"source", "filter", "strategy", "timing", "view", "recording", "inspect"};
  settings.open_panels.clear();
  for (std::size_t i = 0; i < std::size(in_order); ++i)
    if (bits->get<std::int64_t>() >> i & 1) settings.open_panels.insert(in_order[i]);
}

// Files of earlier versions hold a sweep of pictures alone.
void read_sweep_of_pictures(const json& object, Settings& settings) {
  const auto sweep = object.find("sweep");
  if (sweep == object.end() || !sweep->is_object() || sweep->contains("image")) return;
  if (const auto radii = sweep->find("radii"); radii == sweep->end() || !radii->is_array()) return;
  SweepChoices& pictures = settings.sweep.of["image"];
  std::vector<PixelAddress> sizes;
  FieldReader old(*sweep);
  old.numbers("radii", pictures.values["radius"], most_chosen, {0, 1000});
  old.texts("strategies", pictures.strategies, most_chosen);
  old.list("sizes", sizes, most_chosen, PixelAddress{1, 1}, [](auto& one, auto& size) {
    one.number("height", size.y, {1, side.high});
  });
  for (const PixelAddress& size : sizes) pictures.values["size"].push_back(size.y);
}

// Of a path without its folder, a folder's own too.
std::string name_of_path(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path.substr(path.find_last_of('/') + 1);
}

std::string passed_on(const std::string& input) {
  const std::size_t scheme = input.find("://");
  if (scheme == std::string::npos) return name_of_path(input);
  const std::size_t host = scheme + 3, path = std::min(input.find('/', host), input.size());
  const std::size_t at = input.rfind('@', path);
  return at == std::string::npos || at < host ? input : input.substr(0, host) + input.substr(at + 1);
}

}  // namespace

SessionFacts facts_of(const Stats& stats) {
  SessionFacts facts;
  const SourceStats& source = stats.source;
  if (source.seekable && !source.live) facts.position = std::max(source.position, 0.0);
  facts.device = stats.device.name;
  facts.width = source.width;
  facts.height = source.height;
  for (const PaneStats& pane : stats.panes)
    if (pane.kernel.count() > 0)
      facts.measured.push_back({pane.strategy, pane.filter, pane.kernel.median(),
                                pane.median_interval.value_or(Interval{}), pane.kernel.count()});
  return facts;
}

json machine_json(const Settings& settings) {
  FieldWriter writer;
  machine_fields(writer, settings);
  return std::move(writer.object);
}

json session_json(const Settings& settings, const SessionFacts& facts) {
  FieldWriter writer;
  writer.object["convoscope"] = "session";
  session_fields(writer, settings);
  writer.object["position"] = facts.position;
  writer.object["measured"] = measured_json(facts);
  return std::move(writer.object);
}

std::string read_machine(const json& object, Settings& settings) {
  FieldReader reader(object);
  machine_fields(reader, settings);
  return reader.skipped();
}

std::string read_session(const json& object, Settings& settings, double* position) {
  FieldReader reader(object);
  session_fields(reader, settings);
  read_panel_bits(object, settings);
  read_sweep_of_pictures(object, settings);
  for (auto& [id, group] : settings.groups) settle_group(group);
  if (!settings.layer.weights.is_bank()) settings.layer.weights = catalogue_bank(settings.layer);
  if (settings.wall.map >= seen_bank(settings.layer).maps) settings.wall.map = WallSettings().map;
  if (position) reader.number("position", *position, any_time);
  return reader.skipped();
}

std::string embedded_session(const Settings& settings, const SessionFacts& facts) {
  Settings shared = settings;
  shared.source.input = passed_on(settings.source.input);
  shared.recording.folder.clear();
  if (!find_network_kind(shared.layer.network)) shared.layer.network = name_of_path(shared.layer.network);
  return write_json(session_json(shared, facts), -1);
}

}  // namespace convoscope
