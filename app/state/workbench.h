#pragma once
// The workbenches: the window set up for one kind of problem each, and the problem that a pane works on there.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/state/network_settings.h"
#include "app/state/settings.h"
#include "kernels/contract/kind.h"
#include "kernels/filter/banks/bank_catalogue.h"
#include "kernels/kinds/layer.h"
#include "kernels/kinds/volume.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope {

struct Workbench {
  std::string_view id;  // of its kind
  const char* title;    // as the window says it
  const char* idea;     // a sentence
  const Kind* kind;
  bool over_frames = false;  // a filter reaches over the frames before and after: PaneSettings::frames
  bool has_bank = false;     // all panes have one bank of filters: Settings::layer
};

inline const std::array workbenches{
    Workbench{
        .id = "image", .title = "Picture", .idea = "One frame at a time through one filter.", .kind = &image_kind},
    Workbench{.id = "volume",
              .title = "Time",
              .idea = "The last frames together through a filter that reaches over the frames before and after.",
              .kind = &volume_kind,
              .over_frames = true},
    Workbench{.id = "layer",
              .title = "Layer",
              .idea = "The colours of a frame through a bank of filters: a convolutional layer.",
              .kind = &layer_kind,
              .has_bank = true},
};

// The first where no other has the id.
inline const Workbench& workbench_of(std::string_view id) {
  const auto found = std::ranges::find(workbenches, id, &Workbench::id);
  return found == workbenches.end() ? workbenches.front() : *found;
}
inline const Workbench& workbench_of(const Kind& kind) { return workbench_of(kind.id); }

// A bank file, or a network's, instead of the layer's own bank. One channel: each map sees one colour. What was done to
// its numbers is added to `remarks`, in sentences. Throws Error.
inline void load_layer_bank(const std::string& path, LayerSettings& layer,
                            std::vector<std::string>* remarks = nullptr) {
  if (is_network_path(path)) return load_layer_network(path, layer, remarks);
  Filter bank = load_bank(path, remarks);
  if (!is_for_pictures(bank))
    throw Error(
        "The bank " + in_quotes(path) + " is for " + std::to_string(bank.channels) +
        " channels. A picture has three: red, green and blue. Give a bank for three, for three of each of up to " +
        std::to_string(static_cast<int>(layer_frames.high)) +
        " frames, or one for a single channel, which goes over each of them alone.");
  drop_network(layer);
  layer.bank = custom_bank;
  layer.weights = std::move(bank);
  layer.depthwise = layer.weights.channels == 1;
}

// The panes of the picture workbench, wherever it is: shown, kept while another one is, or as it would begin. Asked for
// in every frame, so they are not copied: they last until the settings change.
inline const std::vector<PaneSettings>& picture_panes(const Settings& settings) {
  const auto kept = settings.groups.find(std::string(workbenches.front().id));
  if (kept != settings.groups.end()) return kept->second.panes;
  static const std::vector<PaneSettings> first = default_settings().group().panes;
  return first;
}
// The one that a layer learns from; where it was closed, the last one.
inline const PaneSettings& learnt_pane(const Settings& settings) {
  const std::vector<PaneSettings>& panes = picture_panes(settings);
  return panes[std::min(static_cast<std::size_t>(std::max(settings.learn.pane, 0)), panes.size() - 1)];
}

// What the panes of a workbench have in common. Refers to the settings.
struct Work {
  const Kind* kind = &image_kind;
  const LayerSettings* layer = nullptr;
  const WallSettings* wall = nullptr;
  int reach = 0;  // the longest of PaneSettings::frames
};
inline Work work_of(const Settings& settings) {
  Work work{workbench_of(settings.workbench).kind, &settings.layer, &settings.wall};
  for (const PaneSettings& pane : settings.group().panes) work.reach = std::max(work.reach, pane.frames);
  return work;
}

inline bool has_bank(const Work& work) { return workbench_of(*work.kind).has_bank; }
inline bool over_frames(const Work& work) { return workbench_of(*work.kind).over_frames; }

// What a pane's numbers are, in a workbench that has a bank.
inline Precision precision_of(const PaneSettings& pane, const LayerSettings& layer) {
  return pane.precision.value_or(layer.precision);
}
// "tf32", where a pane's numbers are others than the layer's; else empty. Where its time or its output stands beside
// another pane's, this does, too.
inline std::string own_type(const PaneSettings& pane, const Work& work) {
  if (!has_bank(work) || pane.strategy == "source") return {};
  const Precision own = precision_of(pane, *work.layer);
  return own == work.layer->precision ? std::string() : std::string(to_string(own));
}

// Whether the picture is planes of numbers, one below the other, which go into a layer as its channels.
inline bool takes_stacked_planes(const LayerSettings& layer, int height, PixelFormat format) {
  return layer.stacked > 1 && channels(format) == 1 && height % layer.stacked == 0;
}

// What a pane computes of a picture (of a volume: of pictures) of this size and format.
inline Problem problem_of(const PaneSettings& pane, const Work& work, int width, int height, PixelFormat format) {
  Problem problem{width, height, format, pane.border, {}, work.kind};
  if (over_frames(work)) {
    problem.filter = over_time(pane.filter.filter, pane.frames);
  } else if (has_bank(work)) {
    const LayerSettings& layer = *work.layer;
    const bool grey = channels(format) == 1;
    problem.format = PixelFormat::gray32f;
    problem.border = Border::zero;
    const int frames = frames_seen(layer.weights);
    problem.filter = grey && layer.weights.channels > 1 ? over_one_channel(layer.weights, frames) : layer.weights;
    problem.layer.channels = channels(format) * frames;
    if (takes_stacked_planes(layer, height, format)) {
      problem.height = height / layer.stacked;
      problem.filter = layer.weights;
      problem.layer.channels = layer.stacked;
    }
    problem.layer.maps = layer.weights.maps;
    problem.layer.stride = layer.stride;
    problem.layer.dilation = layer.dilation;
    problem.layer.padding = layer.padded ? layer.dilation * (layer.weights.width / 2) : 0;
    problem.layer.precision = precision_of(pane, layer);
    problem.layer.layout = layer.layout;
    problem.layer.groups = layer.depthwise && !grey ? problem.layer.channels : 1;
  } else {
    problem.filter = pane.filter.filter;
  }
  return problem;
}

// The filter that a pane works with, in words: "gaussian:radius=2", "box:radius=1, 3 frames", "edges 16×3×3×3".
inline std::string filter_text(const PaneSettings& pane, const Work& work) {
  if (has_bank(work)) {
    const Filter& bank = work.layer->weights;
    std::string text = work.layer->bank == custom_bank && !bank.name.empty() ? bank.name : work.layer->bank;
    const char* before = " ";
    for (const int extent : {bank.maps, bank.channels, bank.height, bank.width})
      text += std::exchange(before, "×") + std::to_string(extent);
    if (const std::size_t further = work.layer->further.size(); further > 0)
      text += ", " + std::to_string(further + 1) + " layers";
    const Layer numbers{.precision = precision_of(pane, *work.layer), .layout = work.layer->layout};
    // Another type than the layer's is said, also where it is the usual one.
    const std::string format = own_type(pane, work).empty() ? number_format(numbers) : whole_number_format(numbers);
    if (!format.empty()) text += ", " + format;
    return text;
  }
  std::string text = spec_text(pane.filter);
  if (over_frames(work)) text += ", " + std::to_string(2 * pane.frames + 1) + " frames";
  return text;
}

// The same panes in another workbench, to see what they would mean there.
inline Settings in_workbench(Settings settings, std::string_view id) {
  if (settings.workbench == id) return settings;
  PaneGroup panes = std::move(settings.group());
  settings.groups.erase(settings.workbench);
  settings.workbench = id;
  settings.group() = std::move(panes);
  return settings;
}

// The panes of the other one instead; those at hand stay as they are. A workbench that was never shown begins with one
// pane of its default strategy. Nothing where it is shown already or there is none of that id.
inline void show_workbench(Settings& settings, std::string_view id) {
  if (std::ranges::find(workbenches, id, &Workbench::id) == workbenches.end() || settings.workbench == id) return;
  settings.workbench = id;
  PaneGroup first;
  first.panes[0].filter = default_settings().group().panes[0].filter;
  PaneGroup& shown = settings.groups.try_emplace(settings.workbench, std::move(first)).first->second;
  for (PaneSettings& pane : shown.panes) pane.id = 0;  // the ids of before may be another pane's now
  settings.inspect.pinned.reset();
  if (workbench_of(id).has_bank && !settings.layer.weights.is_bank())
    settings.layer.weights = catalogue_bank(settings.layer);
}

}  // namespace convoscope
