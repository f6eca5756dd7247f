#pragma once
// The layer of a session: its bank by id and size where the catalogue can make it again, else by its weights.
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "app/cli/options/values.h"
#include "app/session/fields.h"
#include "app/state/settings.h"

namespace convoscope {

struct KeptBank {
  std::string id;
  int maps = first_maps, size = first_bank_filter;  // of one of the catalogue
  int frames = 1;                                   // the same
  Filter weights;                                   // of any other; no bank: there are none
  std::vector<float> biases;
  bool relu = false;
};
KeptBank kept_bank(const LayerSettings&);
// A custom bank says for how many channels it is, and with that whether the layer is depthwise. What is not there is as
// it was.
void take_bank(const KeptBank&, LayerSettings&);

// The layers behind it by the network that they are of: a name of the catalogue or a path.
struct KeptNetwork {
  std::string name;
  SharedVector<NetworkLayer> further;
  bool pooled = false;
};
KeptNetwork read_network(const nlohmann::json&);  // opens its file; throws Error

// What the JSON of a bank's values is, and back: these throw Error.
nlohmann::json weights_json(const Filter&);
Filter read_bank_weights(const nlohmann::json&);
std::string read_bank_id(const nlohmann::json&);
int read_bank_size(const nlohmann::json&);
std::vector<float> read_biases(const nlohmann::json&, const KeptBank&);
// A pane's for each layer: none where it is empty.
std::vector<std::string> read_layer_strategies(const nlohmann::json&, const Kind&);
// A pane's own type: null where it has none.
nlohmann::json pane_type_json(const std::optional<Precision>&);
std::optional<Precision> read_pane_type(const nlohmann::json&);
// Of layers behind it that no network has: each with all that it is, as far as there is room.
nlohmann::json further_json(const SharedVector<NetworkLayer>&);
std::vector<NetworkLayer> read_further(const nlohmann::json&);

template <class V>
void layer_fields(V& v, typename V::template Subject<LayerSettings>& layer) {
  KeptBank bank = kept_bank(layer);  // while it still fits the rest
  v.number("stride", layer.stride, strides);
  v.number("dilation", layer.dilation, dilations);
  v.flag("padded", layer.padded);
  v.flag("depthwise", layer.depthwise);
  const auto named = [&](const char* key, auto& value, const auto& all) {
    v.value(
        key, value, [](const auto& one) { return nlohmann::json(std::string(to_string(one))); },
        [&](const nlohmann::json& text) { return parse_named(key, text.get<std::string>(), all); });
  };
  named("type", layer.precision, all_precisions);
  named("layout", layer.layout, all_layouts);
  const auto as_it_is = [](const auto& value) { return nlohmann::json(value); };
  v.value("bank", bank.id, as_it_is, read_bank_id);
  v.number("maps", bank.maps, {1, most_maps});
  v.value("size", bank.size, as_it_is, read_bank_size);
  v.number("frames", bank.frames, layer_frames);
  v.value("weights", bank.weights, weights_json, read_bank_weights);
  v.value("biases", bank.biases, as_it_is, [&](const nlohmann::json& value) { return read_biases(value, bank); });
  v.flag("relu", bank.relu);
  KeptNetwork network{layer.network, layer.further, layer.pooled};
  v.value(
      "network", network, [](const KeptNetwork& kept) { return nlohmann::json(kept.name); }, read_network);
  SharedVector<NetworkLayer> own;
  if (layer.network.empty()) own = layer.further;
  v.value("further", own, further_json, read_further);
  v.flag("pooled", network.pooled);
  v.flag("residual", layer.residual);
  v.number("noise", layer.noise, layer_noises);
  v.number("seen", layer.seen, {-1, most_network_layers - 1});
  if constexpr (!std::is_const_v<std::remove_reference_t<decltype(layer)>>) {
    take_bank(bank, layer);
    layer.network = std::move(network.name);
    layer.further = std::move(layer.network.empty() ? own : network.further);
    layer.pooled = network.pooled && !layer.further.empty();
  }
}

}  // namespace convoscope
