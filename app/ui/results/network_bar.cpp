#include "app/ui/results/network_bar.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "app/state/network_settings.h"
#include "app/ui/actions/layer_actions.h"
#include "app/ui/actions/pane_actions.h"
#include "app/ui/actions/strategy_actions.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/format.h"
#include "app/ui/parts/lists.h"
#include "app/ui/parts/widgets.h"

namespace convoscope::ui {
namespace {

constexpr float bar_height = 14, widest_time = 56;

// "8 maps of 540 × 960, pooled"
std::string maps_of_layer(const LayerStats& layer) {
  const LayerExtents e = layer_extents(layer.work);
  return std::to_string(e.maps) + (e.maps == 1 ? " map of " : " maps of ") + std::to_string(e.out_height) + " × " +
         std::to_string(e.out_width) + (layer.pool ? ", pooled" : "");
}

std::string extents_of_layer(const LayerStats& layer) {
  const LayerExtents e = layer_extents(layer.work);
  return std::to_string(e.maps) + " × " + std::to_string(e.out_height) + " × " + std::to_string(e.out_width);
}

std::string time_text(const LayerStats& layer, double own) {
  return layer.times.count() > 0 ? format_milliseconds(own) : "–";
}

// `own`, `all`: milliseconds.
std::string tip_of_layer(const LayerStats& layer, std::size_t i, double own, double all) {
  const LayerExtents e = layer_extents(layer.work);
  return "Layer " + std::to_string(i + 1) + ": " + std::to_string(e.channels) +
         (e.channels == 1 ? " channel in, " : " channels in, ") + maps_of_layer(layer) + ". " +
         std::to_string(e.group_channels()) + " × " + std::to_string(e.filter) + " × " + std::to_string(e.filter) +
         " weights for each map" + (layer.work.filter.relu ? ", then ReLU" : "") + ". " + layer.strategy + ": " +
         time_text(layer, own) + (all > 0 ? ", " + format_number(100 * own / all, 2) + " % of all layers" : "") + ".";
}

// A part of the bar for each layer, as wide as its share of the time; alike while there are no times.
void draw_bar(const std::vector<LayerStats>& layers, const std::vector<double>& times, double all,
              LayerSettings& layer) {
  const Theme& t = theme();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 from = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x, height = px(bar_height), gap = px(2);
  const float room = std::max(width - gap * static_cast<float>(layers.size() - 1), 1.0f);
  const double least = 0.02;  // of the bar, so that each can be hit
  const double spread = 1 - least * static_cast<double>(layers.size());
  float x = from.x;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const double share = all > 0 ? times[i] / all : 1.0 / static_cast<double>(layers.size());
    const float part = std::max(room * static_cast<float>(least + spread * share), 1.0f);
    const std::string name = "network/part/" + std::to_string(i + 1);
    ImGui::SetCursorScreenPos({x, from.y});
    if (ImGui::InvisibleButton(name.c_str(), {part, height})) layer.seen = static_cast<int>(i);
    mark_item(name);
    if (ImGui::IsItemHovered())
      tooltip(tip_of_layer(layers[i], i, times[i], all) + "\nClick to see this layer's maps.");
    const ImU32 ink = layers[i].seen ? t.accent : t.shade[i % std::size(t.shade)];
    list.AddRectFilled({x, from.y}, {x + part, from.y + height}, ink, px(2));
    const std::string number = std::to_string(i + 1);
    if (const ImVec2 size = text_size(Font::small, number); size.x + px(4) < part)
      draw_text(list, Font::small, {x + (part - size.x) / 2, from.y + (height - size.y) / 2},
                layers[i].seen ? t.on_accent : t.text, number);
    x += part + gap;
  }
  ImGui::SetCursorScreenPos({from.x, from.y + height});
  ImGui::Dummy({width, px(4)});
}

// What runs it, and what else could: chosen for this layer alone, it is strong.
void draw_strategy_of_layer(const Stats& stats, const LayerStats& layer, std::size_t i, double time,
                            const std::string& tip, PaneSettings& pane) {
  const std::string name = "layer-strategy/" + std::to_string(i + 1), own = own_strategy(pane, i);
  // The time is whole at every width; what has no room beside it is left to the tooltip.
  const std::string took = time_text(layer, time), whole = layer.strategy + " · " + extents_of_layer(layer);
  const Font face = own.empty() ? Font::body : Font::strong;
  const ImVec2 from = ImGui::GetCursorScreenPos();
  const float room = ImGui::GetContentRegionAvail().x, time_width = std::ceil(text_size(Font::body, took).x);
  draw_text(*ImGui::GetWindowDrawList(), Font::body,
            {from.x + room - time_width, from.y + std::round((ImGui::GetFrameHeight() - font_size(Font::body)) / 2)},
            theme().text, took);
  const float width = std::max(room - std::max(time_width, px(widest_time)) - px(8), px(20));
  const std::string preview = text_size(face, whole).x <= combo_text_width(width) ? whole : layer.strategy;
  if (!begin_combo(("##" + name).c_str(), preview, width, face)) {
    tooltip(tip + "\nThe list has a strategy for this layer alone.");
    return;
  }
  if (list_entry("As the pane: " + pane.strategy, own.empty())) choose_for_layer(pane, i, {});
  mark_item(name + "/pane");
  for (const StrategyRow& row : stats.ladder) {
    if (!row.strategy || !row.available) continue;
    const std::string id(row.strategy->id);
    if (list_entry(id, own == id, {.also = title_here(stats, row)})) choose_for_layer(pane, i, id);
    mark_item(name + "/" + id);
    tooltip(title_here(stats, row));
  }
  ImGui::EndCombo();
}

}  // namespace

void draw_network_choices(Settings& settings) {
  const NetworkKind* const shown = shown_network(settings.layer);
  for (const NetworkKind& kind : network_kinds()) {
    const std::string id(kind.id);
    if (list_entry(std::string(kind.title) + "##network", shown == &kind)) choose_network(settings, id);
    mark_item("network/" + id);
    tooltip(std::string(kind.idea));
  }
}

void draw_network_layers(const Stats& stats, Settings& settings) {
  LayerSettings& layer = settings.layer;
  if (layer.further.empty()) return;
  heading("NETWORK");
  const PaneStats* const measured = stats_of(stats, settings.active());
  if (measured && !measured->problem.empty()) {
    text_coloured(theme().warning, measured->problem);
  } else if (measured && measured->layers.size() == layer.further.size() + 1) {
    std::vector<double> times;
    for (const LayerStats& one : measured->layers) times.push_back(one.times.median());
    const double all = std::accumulate(times.begin(), times.end(), 0.0);
    draw_bar(measured->layers, times, all, layer);
    for (std::size_t i = 0; i < measured->layers.size(); ++i) {
      const std::string tip = tip_of_layer(measured->layers[i], i, times[i], all);
      row_label(("Layer " + std::to_string(i + 1)).c_str(), tip);
      draw_strategy_of_layer(stats, measured->layers[i], i, times[i], tip, settings.active());
    }
    double products = 0;
    for (const LayerStats& one : measured->layers) products += layer_products(one.work);
    row_label("All layers", "The work of all layers for one frame.");
    ImGui::AlignTextToFramePadding();
    text_clipped(format_si(2 * products, "FLOP"), ImGui::GetContentRegionAvail().x, theme().text);
  } else {
    text_dim(std::to_string(layer.further.size() + 1) + " layers");
  }
  text_dim("The shape that is set above is the first layer's.");
  if (text_button("network-drop", "First layer alone", "Leaves out the layers behind it.")) drop_network(layer);
}

}  // namespace convoscope::ui
