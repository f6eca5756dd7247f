#include "app/inspect/inspector.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "app/inspect/pane_tensors.h"
#include "app/panes/shown_pictures.h"
#include "app/ui/memory/ui_state.h"

namespace convoscope {
namespace {

// The patches of nine panes and the source, and the window of the largest filter, on a side cut in two by the border.
constexpr std::size_t pixels_capacity = std::size_t{512} << 10;
// Of a small layer all inputs are fetched, so that its unrolled matrix can be written out.
constexpr std::size_t most_whole_inputs = 4096;

void copy(const PatchDownload::Patch& from, PixelPatch& to) {
  to.area = from.area;
  to.format = from.format;
  to.pixels.assign(from.pixels, from.pixels + static_cast<std::size_t>(from.area.width) *
                                                  static_cast<std::size_t>(from.area.height));
}

bool same_place(const MapPlace& a, const MapPlace& b) { return a.map == b.map && a.x == b.x && a.y == b.y; }

std::shared_ptr<const Problem> with_weights_as_multiplied(Problem problem) {
  for (float& weight : problem.filter.weights) weight = as_multiplied(weight, problem.layer.precision);
  return std::make_shared<const Problem>(std::move(problem));
}

bool wanted(const InspectSettings& inspect) { return inspect.magnifier || inspect.values || inspect.explain; }

}  // namespace

Inspector::Inspector(Compute& compute) : download_(compute, pixels_capacity) {}

void Inspector::observe(PaneSet& panes, const Settings& settings, std::span<const PaneStats> rows,
                        InspectStats& stats) {
  if (asked_ && download_.arrived()) take_arrived(stats);
  if (!wanted(settings.inspect) || !stats.pixel) {
    stats.values.clear();
    stats.patches.clear();
    stats.map_values.clear();
  }
  if (!settings.inspect.explain || !settings.inspect.pinned) stats.explained.reset();
  if (!asked_ && wanted(settings.inspect) && stats.pixel) {
    ask(panes, settings, rows, stats);
    if (asked_ && download_.arrived()) take_arrived(stats);  // on the CPU it is there at once
  }
  stats.values.resize(stats.patches.size());
  for (std::size_t i = 0; i < stats.patches.size(); ++i)
    stats.values[i] = stats.pixel ? stats.patches[i].at(stats.pixel->x, stats.pixel->y) : PixelValue{};
}

void Inspector::take_arrived(InspectStats& stats) {
  const auto patches = download_.patches();
  stats.patches.resize(static_cast<std::size_t>(pictures_asked_));
  for (std::size_t i = 0; i < stats.patches.size(); ++i) copy(patches[i], stats.patches[i]);
  std::size_t next = stats.patches.size();
  stats.map_values.resize(maps_.size());
  maps_of_.resize(maps_.size(), 0);
  for (std::size_t i = 0; i < maps_.size(); ++i) {
    const MapAsked& asked = maps_[i];
    InspectStats::MapValue& known = stats.map_values[i];
    const bool same = std::exchange(maps_of_[i], asked.pane) == asked.pane && same_place(known.place, asked.place);
    if (!asked.waits || !same) known = {};
    if (!asked.comes) continue;
    known.place = asked.place;
    std::memcpy(&known.value, patches[next++].pixels, sizeof(float));
  }
  if (explanation_asked_) {
    explained_.inputs.resize(patches.size() - next);
    for (std::size_t i = 0; i < explained_.inputs.size(); ++i) {
      copy(patches[next + i], explained_.inputs[i]);
      explained_.inputs[i].plane = planes_asked_[i];
    }
    stats.explained = explained_;
  }
  asked_ = explanation_asked_ = false;
}

void Inspector::ask(PaneSet& panes, const Settings& settings, std::span<const PaneStats> rows,
                    const InspectStats& stats) {
  const std::span<const Image> outputs = panes.outputs();
  if (outputs.empty()) return;
  const Image& in = outputs.front();
  const PixelAddress at = *stats.pixel;
  const PixelArea around = clipped(grown(PixelArea{at.x, at.y, 1, 1}, patch_radius, patch_radius), in.width, in.height);
  if (around.empty()) return;
  download_.begin();
  for (pictures_asked_ = 0; pictures_asked_ < static_cast<int>(outputs.size()); ++pictures_asked_)
    if (!download_.add(outputs[static_cast<std::size_t>(pictures_asked_)], around)) break;
  if (shows_source_behind_panes(settings, ui::flick_pane(settings)) && download_.add(panes.input().image(), around))
    ++pictures_asked_;
  maps_.clear();
  for (int i = 0; i < panes.size() && static_cast<std::size_t>(i) < rows.size(); ++i)
    ask_for_map(panes, panes.runner(i), rows[static_cast<std::size_t>(i)], at);
  // A picture that is still to come has no explained yet: the one before, which is shown, keeps its own.
  const int explained = explained_pane(settings);
  if (settings.inspect.explain && settings.inspect.pinned && explained < panes.size() &&
      static_cast<std::size_t>(explained) < rows.size() && panes.runner(explained).is_current() &&
      can_be_read(panes, panes.runner(explained)))
    ask_for_explanation(panes.runner(explained), rows[static_cast<std::size_t>(explained)], explained, at);
  download_.end();
  asked_ = true;
}

void Inspector::ask_for_map(const PaneSet& panes, const PaneRunner& runner, const PaneStats& row,
                            const PixelAddress& at) {
  MapAsked& asked = maps_.emplace_back();
  asked.pane = row.id;
  if (!row.wall || row.wall->frames || !runner.view() || !runner.strategy()) return;
  const MapPlace place = place_on_wall(*row.wall, at.x, at.y);
  if (place.map < 0) return;
  asked.place = place;
  asked.waits = !can_be_read(panes, runner);
  if (asked.waits) return;
  const auto [maps, memory] = output_of(runner);
  if (place.map >= maps.shape.planes() || place.x >= maps.shape.width() || place.y >= maps.shape.height()) return;
  asked.comes = download_.add(plane_of(maps, place.map), {place.x, place.y, 1, 1}, memory);
}

void Inspector::ask_for_explanation(const PaneRunner& runner, const PaneStats& row, int pane, const PixelAddress& at) {
  explained_.pane = pane;
  explained_.pixel = at;
  explained_.output = {at.x, at.y};
  explained_.wall.reset();
  explained_.explanation = {};
  explained_.not_described.clear();
  planes_asked_.clear();
  const Strategy* const strategy = runner.strategy();
  if (!strategy) {
    explained_.strategy.clear();
    explained_.not_described = runner.why_not().empty()
                                   ? "This pane shows the picture as it comes from the source: nothing is computed."
                                   : "Nothing was computed here: " + runner.why_not();
    explanation_asked_ = true;
    return;
  }
  const Strategy& runs = *runner.runs();
  explained_.strategy = strategy_name(std::string(strategy->id), std::string(runs.id));
  const ProblemOf asked{&runner, row.id, runner.version()};
  if (std::exchange(problem_of_, asked) != asked) explained_.problem = with_weights_as_multiplied(runner.problem());
  if (row.wall) {
    const MapPlace place = place_on_wall(*row.wall, at.x, at.y);
    const bool none = place.map < 0 || row.wall->frames;
    explanation_asked_ = none;
    explained_.not_described = row.wall->frames
                                   ? "The maps are hidden, since the layer is shown as a frame. Show all maps, "
                                     "and click a place in one to see how it was made."
                               : none ? "There is no feature map here: click one to see how it was made."
                                      : "";
    if (none) return;
    explained_.wall = row.wall;
    explained_.sees_maps = !row.layers.empty() && !row.layers.front().seen;
    explained_.output = {.x = place.x, .y = place.y, .channel = place.map};
  }
  const Shape shape = explained_.problem->kind->outputs(*explained_.problem)[0];
  const OutputIndex& output = explained_.output;
  if (output.x < 0 || output.y < 0 || output.x >= shape.width() || output.y >= shape.height() ||
      output.channel >= shape.channels())
    return;
  if (runs.explains)
    explained_.explanation = runner.explain(output);
  else
    explained_.not_described =
        std::string(runs.id) + (runs.calls_library ? " calls a library, which" : "") +
        " does not say which block and thread make a pixel. The products below follow from the definition.";
  ask_for_inputs(runner);
  explanation_asked_ = true;
}

// What the output is made from, of every plane.
void Inspector::ask_for_inputs(const PaneRunner& runner) {
  const Problem& p = *explained_.problem;
  const std::vector<PlacedTensor> inputs = inputs_of(runner);
  const OutputIndex& at = explained_.output;
  const bool whole = p.filter.is_bank() && p.kind->inputs(p)[0].elements() <= most_whole_inputs;
  for (const PlaneArea& source : p.kind->sources(p, {0, at.channel, {at.x, at.y, 1, 1}})) {
    const auto& [tensor, memory] = inputs[static_cast<std::size_t>(source.tensor)];
    const Image plane = plane_of(tensor, source.plane);
    if (whole) {
      if (download_.add(plane, {0, 0, plane.width, plane.height}, memory)) planes_asked_.push_back(source.plane);
      continue;
    }
    const PixelArea& window = source.area;
    for (const Run& rows : border_runs(window.y, window.height, plane.height, p.border))
      for (const Run& columns : border_runs(window.x, window.width, plane.width, p.border))
        if (download_.add(plane, {columns.first, rows.first, columns.count, rows.count}, memory))
          planes_asked_.push_back(source.tensor + source.plane);  // of several tensors each has one plane
  }
}

}  // namespace convoscope
