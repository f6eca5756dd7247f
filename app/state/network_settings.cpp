#include "app/state/network_settings.h"

#include <filesystem>
#include <utility>

#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

namespace fs = std::filesystem;

// As the window has its first layer: padded with as many zeros as keep the maps large, or with none.
LayerSettings first_of(const NetworkLayer& layer, const std::string& whose) {
  const Filter& bank = layer.bank;
  const std::string begins = "The network " + whose + " cannot be shown: its first layer ";
  const bool alone = bank.channels == 1;
  if (bank.channels != 3 && !alone)
    throw Error(begins + "takes " + std::to_string(bank.channels) +
                " channels. A picture has three: red, green and blue, or one, each of them alone.");
  if (layer.groups != 1 && !(alone && layer.groups == 3))
    throw Error(begins + "has " + std::to_string(layer.groups) + " groups. It has one, or three of one channel each.");
  const int full = layer.dilation * (bank.width / 2);
  if (layer.padding != full && layer.padding != 0)
    throw Error(begins + "is padded by " + std::to_string(layer.padding) + ". It is by " + std::to_string(full) +
                " or not at all.");
  for (const auto& [name, value, range] :
       {std::tuple{"stride", layer.stride, strides}, std::tuple{"dilation", layer.dilation, dilations}})
    if (value > range.high)
      throw Error(begins + "has the " + name + " " + std::to_string(value) + "; the most is " +
                  std::to_string(static_cast<int>(range.high)) + ".");
  LayerSettings first{.bank = custom_bank, .weights = bank, .stride = layer.stride, .dilation = layer.dilation};
  first.padded = layer.padding == full;
  first.depthwise = alone;
  first.pooled = layer.pool;
  return first;
}

}  // namespace

void load_layer_network(const std::string& name_or_path, LayerSettings& layer, std::vector<std::string>* remarks) {
  const NetworkKind* const kind = find_network_kind(name_or_path);
  std::vector<NetworkLayer> layers = kind ? kind->make() : load_network(name_or_path, remarks);
  LayerSettings shown = first_of(layers.front(), in_quotes(name_or_path));
  const fs::path path = fs::absolute(name_or_path).lexically_normal();
  shown.network = kind ? name_or_path : path.string();
  shown.weights.name = kind ? name_or_path : (path.has_filename() ? path : path.parent_path()).stem().string();
  layers.erase(layers.begin());
  shown.further = std::move(layers);
  layer = std::move(shown);
}

void drop_network(LayerSettings& layer) {
  layer.network.clear();
  layer.further = {};
  layer.pooled = layer.residual = false;
  layer.seen = -1;
}

void put_layers_behind(LayerSettings& layer, std::vector<Filter> banks, bool residual) {
  if (banks.empty()) return drop_network(layer);
  layer.network.clear();
  layer.pooled = false;
  layer.residual = residual;
  std::vector<NetworkLayer> further;
  for (Filter& bank : banks) {
    const bool relu = bank.relu;
    further.push_back(padded_layer(std::move(bank), relu));
  }
  layer.further = std::move(further);
}

std::vector<Filter> banks_behind(const LayerSettings& layer) {
  std::vector<Filter> banks;
  for (const NetworkLayer& one : layer.further) banks.push_back(one.bank);
  return banks;
}

std::vector<NetworkLayer> all_layers(const LayerSettings& layer) {
  const Filter& bank = layer.weights;
  NetworkLayer first{.bank = bank, .stride = layer.stride, .dilation = layer.dilation, .pool = layer.pooled};
  if (layer.padded) first.padding = layer.dilation * (bank.width / 2);
  if (layer.depthwise && bank.channels == 1 && bank.maps % 3 == 0) first.groups = 3;
  std::vector<NetworkLayer> layers{std::move(first)};
  layers.insert(layers.end(), layer.further.begin(), layer.further.end());
  return layers;
}

Filter& seen_bank_to_change(LayerSettings& layer) {
  const std::size_t seen = seen_layer(layer);
  return seen == 0 ? layer.weights : layer.further.change(seen - 1).bank;
}

std::size_t seen_layer(const LayerSettings& layer) {
  const std::size_t last = layer.further.size();
  return layer.seen < 0 ? last : std::min(static_cast<std::size_t>(layer.seen), last);
}

bool makes_a_frame(const LayerSettings& layer, PixelFormat format) {
  return !layer.further.empty() && seen_layer(layer) == layer.further.size() &&
         seen_bank(layer).maps == channels(format);
}

std::string own_strategy(const PaneSettings& pane, std::size_t layer) {
  return layer < pane.layers.size() ? pane.layers[layer] : std::string();
}

PaneSettings pane_of_layer(const PaneSettings& pane, std::size_t layer) {
  PaneSettings own = pane;
  if (std::string chosen = own_strategy(pane, layer); !chosen.empty()) {
    own.strategy = std::move(chosen);
    own.tuning.clear();
  }
  return own;
}

void choose_for_layer(PaneSettings& pane, std::size_t layer, std::string strategy) {
  if (layer >= pane.layers.size()) pane.layers.resize(layer + 1);
  pane.layers[layer] = std::move(strategy);
  while (!pane.layers.empty() && pane.layers.back().empty()) pane.layers.pop_back();
}

void forget_choices_for_layers(Settings& settings) {
  for (PaneSettings& pane : settings.group().panes) pane.layers.clear();
}

}  // namespace convoscope
