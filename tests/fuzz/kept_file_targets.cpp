// What the program wrote itself, in files that anybody may have changed since: settings, sessions, sweeps, caches.
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "app/cli/options/values.h"
#include "app/measure/sweep/sweep_file.h"
#include "app/media/write/png.h"
#include "app/session/json_text.h"
#include "app/session/kept_file.h"
#include "app/session/session_file.h"
#include "app/session/session_json.h"
#include "app/state/workbench.h"
#include "kernels/choose/auto_memory.h"
#include "kernels/jit/cubin_cache.h"
#include "kernels/measure/device_limits.h"
#include "kernels/text/error.h"
#include "tests/fuzz/target.h"
#include "tests/state/everything.h"

namespace convoscope::fuzz {
namespace {

namespace fs = std::filesystem;

void check_group(const PaneGroup& group, std::string_view workbench) {
  const auto panes = static_cast<int>(group.panes.size());
  const auto is_pane = [&](int position) { return position >= 0 && position < panes; };
  if (panes < 1 || panes > static_cast<int>(max_panes)) throw Failure{"so many panes: " + std::to_string(panes)};
  if (!is_pane(group.active_pane) || !is_pane(group.baseline_pane)) throw Failure{"a pane that is not there"};
  const std::vector<std::string> known = strategy_ids(*workbench_of(workbench).kind);
  for (const PaneSettings& pane : group.panes) {
    if (pane.frames < frames_around.low || pane.frames > frames_around.high) throw Failure{"so many frames"};
    if (pane.strategy != "source" && pane.strategy != "auto" && std::ranges::find(known, pane.strategy) == known.end())
      throw Failure{"a strategy of another workbench"};
    try {
      validate(pane.filter.filter);
    } catch (const Error& error) {
      throw Failure{std::string("a filter was taken that is none: ") + error.what()};
    }
  }
}

void check_layer(const Settings& settings) {
  const LayerSettings& layer = settings.layer;
  try {
    validate_bank(layer.weights);
  } catch (const Error& error) {
    throw Failure{std::string("a bank was taken that is none: ") + error.what()};
  }
  if (!layer.weights.is_bank() || !is_for_pictures(layer.weights) || layer.depthwise != (layer.weights.channels == 1))
    throw Failure{"a bank that does not fit its layer"};
  if (layer.bank != "custom" && !find_bank_kind(layer.bank)) throw Failure{"a bank that is in no catalogue"};
  if (layer.stride < 1 || layer.stride > 4 || layer.dilation < 1 || layer.dilation > 4) throw Failure{"such steps"};
  if (settings.wall.map < -1 || settings.wall.map >= seen_bank(layer).maps) throw Failure{"a map that is not there"};
}

// What the rest of the program relies on, whatever a file says.
void check_settings(const Settings& settings) {
  if (workbench_of(settings.workbench).id != settings.workbench) throw Failure{"no such workbench"};
  if (!settings.groups.contains(settings.workbench)) throw Failure{"a workbench without panes"};
  for (const auto& [id, group] : settings.groups) {
    if (workbench_of(id).id != id) throw Failure{"'" + id + "' is no workbench"};
    check_group(group, id);
  }
  check_layer(settings);
  for (const double value :
       {settings.playback.speed, settings.zoom.scale, settings.zoom.centre_x, settings.zoom.centre_y,
        settings.split.angle, settings.difference.gain, settings.blink_seconds, static_cast<double>(settings.ui_scale),
        settings.source.rate, settings.wall.gain})
    if (!std::isfinite(value)) throw Failure{"a setting that is no number"};
}

void check_written_again(const Settings& settings) {
  Settings again;
  read_machine(read_json(write_json(machine_json(settings), 1)).value, again);
  read_session(read_json(write_json(session_json(settings, {}), 1)).value, again);
  if (session_json(again, {}) != session_json(settings, {}))
    throw Failure{"the session changes when it is saved and read again: " + write_json(session_json(settings, {}), -1)};
  if (machine_json(again) != machine_json(settings))
    throw Failure{"the settings change when they are saved and read again: " + write_json(machine_json(settings), -1)};
}

void read_settings(const std::string& input, const Place& place) {
  const Place file = place / "settings.json";
  write_file(file, input);
  KeptFile kept(file, "settings");
  const nlohmann::json object = kept.read();
  kept.settle();
  Settings settings = default_settings();
  read_machine(object, settings);
  read_session(object, settings);
  check_settings(settings);
  check_written_again(settings);
  kept.write(machine_json(settings));
  for (const auto& entry : fs::directory_iterator(place)) fs::remove_all(entry);  // what settle() has put aside
}

void open_session_named(const Place& file, const std::string& input) {
  write_file(file, input);
  try {
    const Restored restored = open_session(file, default_settings());
    check_settings(restored.settings);
    check_written_again(restored.settings);
    embedded_session(restored.settings, {});
  } catch (const Error&) {
  }
}

// A bank that is kept with its weights.
Settings with_a_bank() {
  Settings settings = everything_set();
  settings.layer.bank = "custom";
  settings.layer.weights.weights[4] = 2.5f;
  return settings;
}

std::vector<std::string> kept_settings(const Place&) {
  const Settings all = everything_set();
  nlohmann::json both = machine_json(all);
  both.update(session_json(all, {}));
  return {write_json(machine_json(all), 1), write_json(session_json(all, {}), 1), write_json(both, 1),
          write_json(session_json(with_a_bank(), {}), 1), write_json(session_json(default_settings(), {}), 1)};
}
std::vector<std::string> sessions(const Place&) {
  return {write_json(session_json(everything_set(), {}), 1), write_json(session_json(with_a_bank(), {}), 1),
          write_json(session_json(default_settings(), {}), 1)};
}

std::vector<std::string> screenshots(const Place& place) {
  std::vector<std::string> files;
  std::vector<Rgba8> pixels(6 * 4);
  const Image picture{pixels.data(), 6, 4, 6 * sizeof(Rgba8)};
  for (const Settings& settings : {everything_set(), default_settings()}) {
    write_png(place / "seed.png", picture, {{session_key, embedded_session(settings, {})}});
    files.push_back(read_file(place / "seed.png"));
  }
  return files;
}

// Recordings of two pictures. One of either container has every setting; nothing where ffmpeg cannot make them.
std::vector<std::string> recordings(const Place& place) {
  std::vector<std::string> files;
  for (const Settings& settings : {everything_set(), default_settings()})
    for (const char* name : {"seed.mkv", "seed.mp4", "seed.mov"}) {
      const std::string path = place / name;
      std::string session = embedded_session(settings, {});
      for (std::size_t at = 0; (at = session.find('\'', at)) != std::string::npos; at += 4)
        session.replace(at, 1, "'\\''");  // for the shell
      const std::string command =
          "ffmpeg -nostdin -v quiet -y -f lavfi -i color=s=16x16:r=5:d=0.4 -c:v mpeg4 -metadata " +
          std::string(session_key) + "='" + session + "' -movflags use_metadata_tags '" + path + "'";
      if (std::system(command.c_str()) == 0) files.push_back(read_file(path));
    }
  return files;
}

// Chunk by chunk: length, name, data, CRC of name and data; else nearly every change ends at the checksum.
void mend_png(std::string& png) {
  const auto byte = [&](std::size_t at) { return static_cast<std::uint32_t>(static_cast<unsigned char>(png[at])); };
  for (std::size_t at = 8; at + 12 <= png.size();) {
    const std::size_t length = byte(at) << 24 | byte(at + 1) << 16 | byte(at + 2) << 8 | byte(at + 3);
    if (at + 12 + length > png.size()) return;
    const auto* named = reinterpret_cast<const unsigned char*>(png.data()) + at + 4;
    const auto crc = static_cast<std::uint32_t>(::crc32(0, named, static_cast<unsigned>(length + 4)));
    for (std::size_t i = 0; i < 4; ++i) png[at + 8 + length + i] = static_cast<char>(crc >> (24 - 8 * i));
    at += 12 + length;
  }
}

void read_sweep(const std::string& input, const Place& place) {
  write_file(place / "sweep.json", input);
  try {
    for (const SweepRow& row : load_sweep(place / "sweep.json").rows)
      if (!std::isfinite(row.median_ms)) throw Failure{"a time that is no number"};
  } catch (const Error&) {
  }
  sweep_row(input);
  sweep_device_name(input);
  std::vector<std::string> lines(1);
  for (const char c : input) c == '\n' ? static_cast<void>(lines.emplace_back()) : lines.back().push_back(c);
  sweep_csv(lines);
  sweep_json(lines[0], lines);
}

const Device device = [] {
  Device some;
  some.name = "a device";
  some.multiprocessors = 2;
  return some;
}();
constexpr const char* problem_key = "a problem";

std::vector<std::string> caches(const Place& place) {
  remember_choice(problem_key, {"cpu-direct", 1.5, "cpu-parallel", 2, 3, 4});
  save_limits(device, {1e9, 1e10, false});
  return {read_file(place / "convoscope/auto.json"), read_file(place / "convoscope/limits.json")};
}

void read_caches(const std::string& input, const Place& place) {
  for (const char* name : {"auto.json", "limits.json"}) write_file(place / "convoscope" / name, input);
  std::string problem;
  if (const auto choice = recall_choice(problem_key, &problem); choice && std::isnan(choice->median_ms))
    throw Failure{"a time that is no number"};
  const DeviceLimits limits = load_limits(device, &problem);
  if (!(limits.copy_bytes_per_second >= 0) || !(limits.flop_per_second >= 0)) throw Failure{"a limit that is none"};
  if (!problem.empty() && !problem.ends_with('.')) throw Failure{"this is no sentence: " + problem};
  if (!remember_choice(problem_key, {"cpu-direct", 1, "", 0, 1, 0}, &problem) || !recall_choice(problem_key))
    throw Failure{"a broken cache is not replaced: " + problem};
}

constexpr const char* cubin_key = "sm_80\nextern \"C\" __global__ void kernel() {}\n";
fs::path cubin_file(const Place& place) { return *fs::directory_iterator(place / "convoscope/specialised"); }
std::vector<std::string> cubins(const Place& place) {
  jit::save_cubin(cubin_key, std::string("\x7f"
                                         "ELF machine code"));
  return {read_file(cubin_file(place))};
}
void read_cubin(const std::string& input, const Place& place) {
  write_file(cubin_file(place), input);
  const std::optional<std::string> code = jit::load_cubin(cubin_key);
  const std::string key = std::string(cubin_key) + '\0';
  if (code && input.find(key) == std::string::npos) throw Failure{"machine code of another kernel was taken"};
  if (code && !input.ends_with(*code)) throw Failure{"machine code that was not in the file"};
}

}  // namespace

std::vector<Target> kept_file_targets() {
  const auto session = [](const std::string& input, const Place& place) {
    open_session_named(place / "session.json", input);
  };
  const auto screenshot = [](const std::string& input, const Place& place) {
    open_session_named(place / "screenshot.png", input);
  };
  const auto recording = [](const std::string& input, const Place& place) {
    open_session_named(place / "recording.mkv", input);
  };
  const auto rows = [](const Place&) {
    const std::string row =
        R"({"strategy":"cpu-direct","filter":"box:radius=1","rx":1,"width":64,"height":64,)"
        R"("format":"rgba8","backend":"cpu","median_ms":1.5,"p05_ms":1.4,"p95_ms":1.6,"verified":true})";
    return std::vector<std::string>{row, sweep_json(R"({"device":{"name":"a device"}})", {row, row})};
  };
  return {
      {.name = "settings", .ending = ".json", .seeds = kept_settings, .run = read_settings, .json = true},
      {.name = "session", .ending = ".json", .seeds = sessions, .run = session, .json = true},
      {.name = "png", .ending = ".png", .seeds = screenshots, .run = screenshot, .mend = mend_png},
      {.name = "recording",
       .ending = ".recording",
       .seeds = recordings,
       .run = recording,
       .words = {session_key, "moov", "udta", "meta", "keys", "ilst", "mdta", "data", "hdlr", "mvhd", "trak", "moof",
                 "\x12\x54\xC3\x67", "\x73\x73", "\x67\xC8", "\x45\xA3", "\x44\x87", "\x1F\x43\xB6\x75"}},
      {.name = "sweep", .ending = ".json", .seeds = rows, .run = read_sweep, .json = true},
      {.name = "cache", .ending = ".json", .seeds = caches, .run = read_caches, .json = true},
      {.name = "cubin", .ending = ".cubin", .seeds = cubins, .run = read_cubin, .words = {cubin_key, "ELF", "cubin"}},
  };
}

}  // namespace convoscope::fuzz
