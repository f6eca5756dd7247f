#include "app/frame_bench.h"

#include <cstdio>

#include "app/app.h"
#include "app/cli/commands/report.h"
#include "app/cli/commands/text_table.h"
#include "app/cli/exit_codes.h"
#include "app/files/sentence.h"
#include "kernels/files/output_file.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

using nlohmann::ordered_json;

struct Step {
  const char* name;
  const char* clock;  // what it is timed by
  const RollingTimes& times;
};

// In the order of a frame's way. Steps overlap: decoding runs on a thread of its own.
std::vector<Step> steps_of(const Stats& stats) {
  const StepTimes& t = stats.steps;
  const char* device = stats.device.backend == Backend::cuda ? "CUDA events" : "clock";
  return {{"decode", "decoder's thread", t.decode}, {"upload", device, t.upload},
          {"convert", device, t.convert},           {"strategy", device, stats.panes.at(0).kernel},
          {"interop", device, t.interop},           {"draw", "GL timer", t.draw},
          {"read_back", "GL timer", t.read_back},   {"frame", "swap to swap", t.frame}};
}

// What the program adds on the device to the strategy, in every frame that is shown.
double beyond_strategy_ms(const StepTimes& t) { return t.convert.median() + t.interop.median() + t.draw.median(); }

ordered_json report_json(const Stats& stats, const Invocation& invocation) {
  const PaneStats& pane = stats.panes.at(0);
  ordered_json rows = ordered_json::array();
  for (const Step& step : steps_of(stats))
    rows.push_back({{"stage", step.name},
                    {"timed_by", step.clock},
                    {"median_ms", step.times.median()},
                    {"p05_ms", step.times.percentile(5)},
                    {"p95_ms", step.times.p95()},
                    {"min_ms", step.times.min()},
                    {"count", step.times.count()}});
  return {{"device", device_json(stats.device)},
          {"backend", stats.backend},
          {"renderer", stats.renderer},
          {"interop_notice", stats.interop_notice},
          {"input", stats.source.name},
          {"decoder", stats.source.decoder},
          {"width", stats.source.width},
          {"height", stats.source.height},
          {"window", {invocation.window_width, invocation.window_height}},
          {"strategy", pane.strategy},
          {"note", pane.note},
          {"filter", pane.filter},
          {"border", to_string(pane.border)},
          {"format", to_string(invocation.settings.format)},
          {"frames", stats.frames_shown},
          {"cut_short", stats.source.cut_short},
          {"beyond_strategy_ms", beyond_strategy_ms(stats.steps)},
          {"stages", rows}};
}

void print_table(const Stats& stats) {
  const PaneStats& pane = stats.panes.at(0);
  const std::string strategy =
      pane.substitute.empty() ? pane.strategy : pane.substitute + " in place of " + pane.strategy;
  std::printf("%s, %d × %d; %s, %s, %s; %s; drawn by %s\n\n", stats.source.name.c_str(), stats.source.width,
              stats.source.height, stats.device.name.c_str(), strategy.c_str(), pane.filter.c_str(),
              frames_text(stats.frames_shown).c_str(), stats.renderer.c_str());
  TextTable table({"Step", "median ms", "p05", "p95", "min", "count", "timed by"}, "lrrrrrl");
  for (const Step& step : steps_of(stats)) {
    const RollingTimes& t = step.times;
    if (t.count() == 0) {
      table.add({step.name, "–", "–", "–", "–", "0", step.clock});
      continue;
    }
    table.add({step.name, significant(t.median(), 4), significant(t.percentile(5), 4), significant(t.p95(), 4),
               significant(t.min(), 4), format_count(t.count()), step.clock});
  }
  std::fputs(table.text().c_str(), stdout);
  std::printf("\nBeyond the strategy (convert, interop, draw): %s ms a frame\n",
              significant(beyond_strategy_ms(stats.steps), 3).c_str());
  if (!pane.note.empty()) std::printf("%s: %s\n", pane.strategy.c_str(), pane.note.c_str());
}

}  // namespace

int run_frame_bench(const Invocation& invocation, const StopSignal& stop) {
  App app(invocation, stop);
  const int exit_code = app.run();
  if (exit_code == exit_failed) return exit_code;
  if (stop) throw Stopped();
  const Stats& stats = app.stats();
  if (stats.panes.empty()) throw Error("No frame arrived, so there is nothing to report.");
  if (!stats.panes[0].problem.empty())
    throw Error("The strategy '" + stats.panes[0].strategy + "' did not run: " + stats.panes[0].problem);
  print_table(stats);
  if (invocation.json_file) write_file(*invocation.json_file, json_text(report_json(stats, invocation)));
  // It plays in a loop, so the number of frames that were asked for says nothing about the input.
  if (stats.source.cut_short) return exit_cut_short;
  return exit_code;
}

}  // namespace convoscope
