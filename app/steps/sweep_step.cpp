#include "app/steps/sweep_step.h"

#include <filesystem>
#include <utility>

#include "app/files/paths.h"
#include "app/gl/draw_list_picture.h"
#include "app/measure/sweep/sweep_file.h"
#include "app/media/write/png.h"
#include "app/state/workbench.h"
#include "app/ui/keys/key_table.h"
#include "app/ui/results/sweep_plot.h"
#include "kernels/files/output_file.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

constexpr int picture_width = 1600, picture_height = 1000;

// Throws Error where there is none.
const Workbench& workbench_for(const SavedSweep& saved, const std::string& path) {
  const Kind& kind = *saved.rows[0].problem.kind;
  const Workbench& bench = workbench_of(kind.id);
  if (bench.kind != &kind)
    throw Error("The file '" + path + "' is a sweep of " + std::string(kind.id) + "s, which no workbench shows.");
  return bench;
}

}  // namespace

void SweepStep::obey(const Requests& asked, const Settings& settings, Stats& stats) {
  const auto whole = [&](const std::string& path) { return whole_path(path, stats.files.started_in); };
  try {
    if (asked.start_sweep && !sweep_.running()) sweep_.start(sweep_order(settings, stats), stats.sweep);
    if (asked.cancel_sweep) sweep_.cancel();
    if (asked.load_sweep) {
      SavedSweep saved = load_sweep(*asked.load_sweep);
      const Workbench& bench = workbench_for(saved, *asked.load_sweep);
      stats.sweep.loaded = std::move(saved.rows);
      stats.sweep.loaded_device = saved.device;
      stats.sweep.loaded_from = *asked.load_sweep;
      poster_.post(
          MessageLevel::information,
          "Overlaid the sweep of " + whole(*asked.load_sweep) + "." +
              (bench.id == settings.workbench ? "" : " It is shown in the " + std::string(bench.title) + " workbench."),
          "sweep");
    }
    if (asked.save_sweep) save(whole(*asked.save_sweep), settings, stats.sweep);
  } catch (const Error& error) {
    poster_.post(MessageLevel::error, error.what(), "sweep");
  }
}

void SweepStep::follow(const Settings& settings, SweepStats& stats) {
  if (const std::string end = sweep_.poll(stats); !end.empty())
    poster_.post(sweep_.failed() ? MessageLevel::error : MessageLevel::information, end, "sweep");
  stats.beside_view |= measuring() && !settings.sweep.hold_view;
}

// Without one of the three endings: all three, beside each other.
void SweepStep::save(const std::string& path, const Settings& settings, const SweepStats& stats) const {
  if (stats.rows.empty()) throw Error("There is no sweep to save yet. Start one first.");
  const Kind& measured = *stats.rows[0].problem.kind;  // whatever is shown meanwhile
  const std::string ending = std::filesystem::path(path).extension().string();
  const bool all = ending != ".csv" && ending != ".json" && ending != ".png";
  const auto is_wanted = [&](const char* kind) { return all || ending == kind; };
  const auto name = [&](const char* kind) { return all ? path + kind : path; };
  if (is_wanted(".json")) write_file(name(".json"), sweep_json(sweep_.device_line(), sweep_.row_lines()));
  if (is_wanted(".csv")) write_file(name(".csv"), sweep_csv(sweep_.row_lines()));
  if (is_wanted(".png")) {
    const SweepView shown = shown_sweep(stats, settings, measured);
    ReadBack::Pixels pixels = draw_list_picture(picture_width, picture_height, [&](ImDrawList& list) {
      draw_sweep_picture(list, {static_cast<float>(picture_width), static_cast<float>(picture_height)}, stats, shown);
    });
    write_png(name(".png"),
              {pixels.rgba.data(), pixels.width, pixels.height, static_cast<std::size_t>(pixels.width) * 4,
               PixelFormat::rgba8},
              {{"Software", "Convoscope"}, {"Description", "Sweep on " + stats.device}});
  }
  poster_.post(MessageLevel::information,
               "Saved the sweep as " + name(all ? ".json" : ending.c_str()) + (all ? ", .csv and .png." : "."),
               "sweep");
}

}  // namespace convoscope
