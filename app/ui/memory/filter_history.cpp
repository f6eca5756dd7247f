#include "app/ui/memory/filter_history.h"

#include <cstddef>
#include <cstring>
#include <utility>

namespace convoscope::ui {
namespace {

// By bytes: a NaN must equal itself here, or it would look like a change in every frame.
bool same_weights(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}

bool same_content(const Filter& f, const Filter& g) {
  return f.width == g.width && f.height == g.height && f.gain == g.gain && f.bias == g.bias &&
         f.absolute == g.absolute && f.name == g.name && f.maps == g.maps && f.channels == g.channels &&
         f.relu == g.relu && same_weights(f.weights, g.weights) && same_weights(f.weights_y, g.weights_y) &&
         same_weights(f.biases, g.biases);
}

// Those behind the first are shared with the step before while nobody changes them: they are not even looked at.
bool same_layer(const LayerSettings& a, const LayerSettings& b) {
  return a.bank == b.bank && a.depthwise == b.depthwise && a.stride == b.stride && a.dilation == b.dilation &&
         a.padded == b.padded && a.network == b.network && a.pooled == b.pooled && a.residual == b.residual &&
         a.further == b.further && same_content(a.weights, b.weights);
}

// A pane that was not there then had no choice.
const std::vector<std::string>& chosen_in(const LayersThen& then, std::size_t pane) {
  static const std::vector<std::string> none;
  return pane < then.chosen.size() ? then.chosen[pane] : none;
}

}  // namespace

bool same_filter(const FilterSpec& a, const FilterSpec& b) {
  return a.kind == b.kind && a.values == b.values && same_content(a.filter, b.filter);
}

bool same_then(const FilterThen& then, const PaneSettings& now) {
  return then.border == now.border && same_filter(then.filter, now.filter);
}

void put_filter_back(const FilterThen& then, PaneSettings& now) {
  now.filter = then.filter;
  now.border = then.border;
}

LayersThen::LayersThen(const Settings& settings) : layer(settings.layer) {
  for (const PaneSettings& pane : settings.group().panes) chosen.push_back(pane.layers);
}

bool same_layers(const LayersThen& then, const Settings& now) {
  for (std::size_t pane = 0; pane < now.group().panes.size(); ++pane)
    if (now.group().panes[pane].layers != chosen_in(then, pane)) return false;
  return same_layer(then.layer, now.layer);
}

// Of the layers all that makes them, so that none is left behind another network's first one. What is set beside them
// stays as it is.
void put_layers_back(const LayersThen& then, Settings& now) {
  LayerSettings layer = then.layer;
  layer.precision = now.layer.precision;
  layer.layout = now.layer.layout;
  layer.noise = now.layer.noise;
  const bool there = now.layer.seen <= static_cast<int>(layer.further.size());
  layer.seen = there ? now.layer.seen : -1;
  now.layer = std::move(layer);
  for (std::size_t pane = 0; pane < now.group().panes.size(); ++pane)
    now.group().panes[pane].layers = chosen_in(then, pane);
}

SoundThen::SoundThen(const SoundSettings& sound)
    : filtered(sound.filtered), filter(sound.filter), strategy(sound.strategy), block(sound.block) {}

bool same_sound(const SoundThen& then, const SoundSettings& now) {
  return then.filtered == now.filtered && then.strategy == now.strategy && then.block == now.block &&
         then.filter.kind == now.filter.kind && then.filter.values == now.filter.values &&
         same_weights(then.filter.taps, now.filter.taps);
}

void put_sound_back(const SoundThen& then, SoundSettings& now) {
  now.filtered = then.filtered;
  now.filter = then.filter;
  now.strategy = then.strategy;
  now.block = then.block;
}

}  // namespace convoscope::ui
