#include "app/cli/stats_file.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/cli/commands/report.h"
#include "app/cli/commands/text_table.h"
#include "app/cli/options/values.h"
#include "kernels/contract/kind.h"
#include "kernels/files/output_file.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

using nlohmann::ordered_json;

struct NamedStep {
  const char* name;
  const RollingTimes& times;
};

std::vector<NamedStep> steps(const StepTimes& t) {
  return {{"decode", t.decode},   {"upload", t.upload}, {"convert", t.convert},
          {"interop", t.interop}, {"draw", t.draw},     {"frame", t.frame}};
}

ordered_json times_json(const RollingTimes& times) {
  return {{"median_ms", times.median()}, {"p05_ms", times.p05()}, {"p95_ms", times.p95()},
          {"p99_ms", times.p99()},       {"min_ms", times.min()}, {"count", times.count()}};
}

// Null where there are too few times for an interval, and where there is nothing to compare with.
void add_interval(ordered_json& out, const PaneStats& pane) {
  const auto& interval = pane.median_interval;
  out["median_low_ms"] = interval ? number_json(interval->low) : ordered_json(nullptr);
  out["median_high_ms"] = interval ? number_json(interval->high) : ordered_json(nullptr);
  out["speed_up"] = nullptr;
  if (const auto& speed_up = pane.speed_up)
    out["speed_up"] = {{"factor", number_json(speed_up->factor)},
                       {"low", number_json(speed_up->interval.low)},
                       {"high", number_json(speed_up->interval.high)},
                       {"seen", speed_up->seen}};
}

ordered_json health_json(const DeviceHealth& health) {
  if (!health.present) return {{"present", false}, {"absent_because", health.absent_because}};
  return {{"present", true},
          {"sm_clock_mhz", health.sm_clock_mhz},
          {"memory_clock_mhz", health.memory_clock_mhz},
          {"temperature_c", health.temperature_c},
          {"power_w", number_json(health.power_w)},
          {"throttling", health.throttling},
          {"clocks_moved", health.clocks_moved}};
}

ordered_json limits_json(const DeviceLimits& limits) {
  return {{"copy_bytes_per_second", number_json(limits.copy_bytes_per_second)},
          {"flop_per_second", number_json(limits.flop_per_second)},
          {"from_cache", limits.from_cache}};
}

ordered_json check_json(const CheckResult& check) {
  constexpr const char* states[] = {"none", "running", "right", "wrong", "impossible"};
  return {{"state", states[static_cast<int>(check.state)]},
          {"max_error", check.max_error},
          {"tolerance", check.tolerance},
          {"x", check.x},
          {"y", check.y},
          {"frames", check.frames},
          {"pixels", check.pixels}};
}

ordered_json pane_json(const PaneStats& pane) {
  ordered_json out{{"strategy", pane.strategy}, {"runs", pane.runs},     {"substitute", pane.substitute},
                   {"title", pane.title},       {"filter", pane.filter}, {"border", to_string(pane.border)}};
  out.update(times_json(pane.kernel));
  add_interval(out, pane);
  if (pane.doubt() != Doubt::none) out["doubt"] = why_doubtful(pane.doubt());
  out["problem"] = pane.problem;
  out["why_substitute"] = pane.why_substitute;
  out["note"] = pane.note;
  if (!pane.type.empty()) out["type"] = pane.type;
  out["check"] = check_json(pane.check);
  out["model"] = cost_json(pane.cost);
  const double seconds = pane.kernel.median() * 1e-3;
  out["gb_s"] = seconds > 0 ? pane.cost.dram_bytes / seconds * 1e-9 : 0.0;
  out["gflop_s"] = seconds > 0 ? pane.cost.flop / seconds * 1e-9 : 0.0;
  out["kernels"] = kernels_json(pane.kernels);
  for (const LayerStats& layer : pane.layers) {
    ordered_json one{{"strategy", layer.strategy}, {"shape", layer.work.kind->shape(layer.work)}};
    one["pooled"] = layer.pool;
    one.update(times_json(layer.times));
    out["layers"].push_back(std::move(one));
  }
  return out;
}

// PSNR is null where nothing differs, SSIM where the pictures are too small for it.
ordered_json difference_json(const DifferenceStats& difference) {
  const PictureDifference& found = difference.found;
  return {{"panes", {difference.first + 1, difference.second + 1}},
          {"frame", difference.frame},
          {"pixels", found.pixels},
          {"different", found.different},
          {"largest", found.largest},
          {"x", found.at.x},
          {"y", found.at.y},
          {"channel", found.channel},
          {"mean", found.mean},
          {"psnr", found.psnr},
          {"ssim", found.ssim}};
}

// Of each pane its planes of rows: a picture, or the maps of a layer.
ordered_json cells_json(const std::vector<std::vector<PixelPatch>>& panes) {
  ordered_json all = ordered_json::array();
  for (const std::vector<PixelPatch>& planes : panes) {
    ordered_json one = ordered_json::array();
    for (const PixelPatch& plane : planes) {
      ordered_json rows = ordered_json::array();
      for (int y = 0; y < plane.area.height; ++y) {
        ordered_json row = ordered_json::array();
        for (int x = 0; x < plane.area.width; ++x)
          row.push_back(number_json(static_cast<double>(plane.at(x, y).values[0])));
        rows.push_back(std::move(row));
      }
      one.push_back(std::move(rows));
    }
    all.push_back(std::move(one));
  }
  return all;
}

std::vector<std::string> times_row(const std::string& name, const RollingTimes& times) {
  if (times.count() == 0) return {name, "–", "–", "–", "0"};
  return {name, decimals(times.median(), 3), decimals(times.p95(), 3), decimals(times.min(), 3),
          format_count(times.count())};
}

ordered_json sound_json(const SoundStats& sound) {
  const SoundFilterStats& filter = sound.filter;
  ordered_json out{{"card", sound.card},     {"why_not", sound.why_not}, {"rate", sound.rate},
                   {"ahead_s", sound.ahead}, {"missed_s", sound.missed}, {"jumps", sound.jumps}};
  if (filter.strategy.empty()) return out;
  out["filter"] = times_json(filter.times);
  out["filter"].update({{"strategy", filter.strategy},
                        {"why_not", filter.why_not},
                        {"taps", filter.taps},
                        {"block_ms", filter.block_ms},
                        {"blocks", filter.blocks},
                        {"late", filter.late},
                        {"clipped", filter.clipped}});
  for (const SoundTrial& trial : filter.trials) {
    ordered_json one = times_json(trial.times);
    one.update({{"strategy", trial.strategy}, {"right", trial.right}, {"error", number_json(trial.error)}});
    if (!trial.reason.empty()) one["reason"] = trial.reason;
    out["filter"]["compared"].push_back(one);
  }
  return out;
}

}  // namespace

std::string stats_json(const Stats& stats) {
  ordered_json source{{"description", stats.source.description},
                      {"decoder", stats.source.decoder},
                      {"width", stats.source.width},
                      {"height", stats.source.height},
                      {"bits", stats.source.depth.bits},
                      {"bits_kept", std::min(stats.source.depth.bits, bits_kept)},
                      {"dynamic_range", range_name(stats.source.depth.range)},
                      {"rate", stats.source.rate},
                      {"duration", stats.source.duration},
                      {"frames", stats.source.frames},
                      {"cut_short", stats.source.cut_short},
                      {"position", stats.source.position},
                      {"frame_number", stats.source.frame_number}};
  ordered_json times, strategies = ordered_json::array();
  for (const NamedStep& step : steps(stats.steps)) times[step.name] = times_json(step.times);
  for (const PaneStats& pane : stats.panes) strategies.push_back(pane_json(pane));
  ordered_json out{{"source", stats.source.name},
                   {"source_details", source},
                   {"strategy", stats.panes.empty() ? "" : stats.panes[0].strategy},
                   {"runs", stats.panes.empty() ? "" : stats.panes[0].runs},
                   {"filter", stats.panes.empty() ? "" : stats.panes[0].filter},
                   {"backend", stats.backend},
                   {"backend_notice", stats.backend_notice},
                   {"interop_notice", stats.interop_notice},
                   {"device", device_json(stats.device)},
                   {"renderer", stats.renderer},
                   {"limits", limits_json(stats.limits)},
                   {"health", health_json(stats.health)},
                   {"frames_shown", stats.frames_shown},
                   {"frames_dropped", stats.frames_dropped},
                   {"frames_recorded", stats.frames_recorded},
                   {"frames_not_recorded", stats.frames_not_recorded},
                   {"stages", times},
                   {"strategies", strategies}};
  if (stats.difference.first >= 0) out["difference"] = difference_json(stats.difference);
  if (stats.source.numbers) out["numbers"] = cells_json(stats.inspect.cells);
  if (stats.sound.has_sound) out["sound"] = sound_json(stats.sound);
  return json_text(out);
}

void write_stats(const Stats& stats, const std::filesystem::path& path) {
  if (path == "-")
    std::fputs(stats_json(stats).c_str(), stdout);
  else
    write_file(path, stats_json(stats));
}

std::string timing_table(const Stats& stats) {
  std::string out = "Source    " + stats.source.name;
  if (!stats.source.description.empty()) out += "  (" + stats.source.description + ")";
  if (const std::string lost = depth_loss(stats.source.depth); !lost.empty()) out += "\nDepth     " + lost;
  out += "\nDevice    " + stats.device.name + " (" + stats.backend + ")\nRenderer  " + stats.renderer + "\nFrames    " +
         format_count(stats.frames_shown) + " shown, " + format_count(stats.frames_dropped) + " dropped\n\n";

  TextTable table({"Step", "median ms", "p95 ms", "min ms", "count"}, "lrrrr");
  for (const NamedStep& step : steps(stats.steps)) table.add(times_row(step.name, step.times));
  out += table.text() + "\n";

  TextTable panes({"Strategy", "median ms", "p95 ms", "min ms", "count", "GB/s", "GFLOP/s", "Filter"}, "lrrrrrrl");
  std::string problems;
  for (const PaneStats& pane : stats.panes) {
    std::vector<std::string> row = times_row(pane.name_and_type(), pane.kernel);
    const double seconds = pane.kernel.median() * 1e-3;
    row.push_back(seconds > 0 ? decimals(pane.cost.dram_bytes / seconds * 1e-9, 1) : "–");
    row.push_back(seconds > 0 ? decimals(pane.cost.flop / seconds * 1e-9, 1) : "–");
    row.push_back(pane.filter);
    panes.add(row);
    if (!pane.problem.empty()) problems += pane.strategy + ": " + pane.problem + "\n";
    if (!pane.why_substitute.empty()) problems += pane.why_substitute + "\n";
    if (pane.doubt() != Doubt::none) problems += pane.name_and_type() + ": " + why_doubtful(pane.doubt()) + "\n";
  }
  return out + panes.text() + problems;
}

}  // namespace convoscope
