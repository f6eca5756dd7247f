#include "app/session/layer_fields.h"

#include <algorithm>
#include <cmath>

#include "app/state/network_settings.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

using nlohmann::json;

constexpr std::string_view custom = "custom";

// Of a larger bank a session keeps the first maps that fit: every session file, screenshot and recording has them, a
// weight is up to 30 bytes there, and a file of more than 16 MiB is not read again. The window's own banks are below.
constexpr std::size_t most_kept_weights = 65'536;
static_assert(most_maps * 3 * largest_bank_filter * largest_bank_filter <= most_kept_weights);

bool of_the_catalogue(const LayerSettings& layer) {
  const Filter& bank = layer.weights;
  if (!find_bank_kind(layer.bank) || bank.maps > most_maps || bank.width > largest_bank_filter ||
      bank.width != bank.height || bank.width % 2 == 0)
    return false;
  const Filter made = catalogue_bank(layer, bank.maps, bank.width);
  return bank.channels == made.channels && bank.weights == made.weights;
}

Filter without_last_maps(Filter bank) {
  const std::size_t of_a_map = bank.weights.size() / static_cast<std::size_t>(bank.maps);
  if (bank.weights.size() <= most_kept_weights) return bank;
  bank.maps = static_cast<int>(std::max<std::size_t>(most_kept_weights / of_a_map, 1));
  bank.weights.resize(of_a_map * static_cast<std::size_t>(bank.maps));
  return bank;
}

std::size_t biases_of(const KeptBank& bank) {
  return static_cast<std::size_t>(bank.id == custom && bank.weights.is_bank() ? bank.weights.maps : bank.maps);
}

Filter read_any_bank(const json& value) {
  Filter bank{.name = value.value("name", std::string(custom)),
              .width = value.at("width").get<int>(),
              .height = value.at("height").get<int>(),
              .weights = value.at("weights").get<std::vector<float>>(),
              .maps = value.at("maps").get<int>(),
              .channels = value.at("channels").get<int>(),
              .biases = value.value("biases", std::vector<float>()),
              .relu = value.value("relu", false)};
  validate_bank(bank);
  return bank;
}

}  // namespace

KeptBank kept_bank(const LayerSettings& layer) {
  KeptBank kept{.id = layer.bank, .biases = layer.weights.biases, .relu = layer.weights.relu};
  if (!layer.weights.is_bank()) return kept;
  if (of_the_catalogue(layer)) {
    kept.maps = layer.weights.maps;
    kept.frames = frames_seen(layer.weights);
    kept.size = layer.weights.width;
    return kept;
  }
  kept.id = custom;
  kept.weights = without_last_maps(layer.weights);
  if (kept.biases.size() > biases_of(kept)) kept.biases.resize(biases_of(kept));
  kept.weights.biases.clear();
  kept.weights.relu = false;
  return kept;
}

void take_bank(const KeptBank& kept, LayerSettings& layer) {
  if (kept.id == custom && kept.weights.is_bank()) {
    layer.bank = custom;
    layer.weights = kept.weights;
    layer.depthwise = kept.weights.channels == 1;
  } else {
    if (find_bank_kind(kept.id)) layer.bank = kept.id;
    if (!find_bank_kind(layer.bank)) layer.bank = LayerSettings().bank;
    layer.weights = {};
    layer.weights = catalogue_bank(layer, kept.maps, kept.size);
    if (!layer.depthwise) layer.weights = over_frames(layer.weights, kept.frames);
  }
  layer.weights.relu = kept.relu;
  layer.weights.biases.clear();
  if (kept.biases.size() == static_cast<std::size_t>(layer.weights.maps)) layer.weights.biases = kept.biases;
}

KeptNetwork read_network(const json& value) {
  const auto name = value.get<std::string>();
  if (name.empty()) return {};
  if (!find_network_kind(name) && !is_network_path(name)) throw Error("no network");
  LayerSettings layer;
  load_layer_network(name, layer);
  return {layer.network, std::move(layer.further), layer.pooled};
}

json weights_json(const Filter& bank) {
  if (!bank.is_bank()) return {};
  return {{"name", bank.name},   {"maps", bank.maps},     {"channels", bank.channels},
          {"width", bank.width}, {"height", bank.height}, {"weights", bank.weights}};
}

Filter read_bank_weights(const json& value) {
  if (value.is_null()) return {};
  Filter bank = read_any_bank(value);
  if (!bank.is_bank() || !is_for_pictures(bank)) throw Error("not for a picture");
  return bank;
}

std::string read_bank_id(const json& value) {
  std::string id = value.get<std::string>();
  if (id != custom && !find_bank_kind(id)) throw Error("not in the catalogue");
  return id;
}

int read_bank_size(const json& value) {
  const double size = value.get<double>();
  if (!(size >= 1 && size <= largest_bank_filter) || size != std::floor(size) || std::fmod(size, 2) == 0)
    throw Error("not the size of a filter");
  return static_cast<int>(size);
}

std::vector<float> read_biases(const json& value, const KeptBank& bank) {
  auto biases = value.get<std::vector<float>>();
  if (!biases.empty() && biases.size() != biases_of(bank)) throw Error("not one for each map");
  if (!std::ranges::all_of(biases, [](float bias) { return std::isfinite(bias); })) throw Error("not a number");
  return biases;
}

std::vector<std::string> read_layer_strategies(const json& value, const Kind& kind) {
  auto layers = value.get<std::vector<std::string>>();
  if (layers.size() > most_network_layers) throw Error("too many layers");
  for (const std::string& id : layers)
    if (!id.empty()) parse_choice("strategy", id, strategy_ids(kind));
  return layers;
}

json pane_type_json(const std::optional<Precision>& type) {
  return type ? json(std::string(to_string(*type))) : json();
}

std::optional<Precision> read_pane_type(const json& value) {
  if (value.is_null()) return std::nullopt;
  return parse_named("type", value.get<std::string>(), all_precisions);
}

json further_json(const SharedVector<NetworkLayer>& layers) {
  json all = json::array();
  std::size_t weights = 0;
  for (const auto& [bank, stride, padding, dilation, groups, pool] : layers) {
    json& one = all.emplace_back(weights_json(bank));
    one.update({{"biases", bank.biases}, {"relu", bank.relu}, {"pool", pool}});
    one.update({{"stride", stride}, {"padding", padding}, {"dilation", dilation}, {"groups", groups}});
    weights += bank.weights.size();
  }
  return weights > most_kept_weights ? json::array() : all;
}

std::vector<NetworkLayer> read_further(const json& value) {
  std::vector<NetworkLayer> layers;
  for (const json& one : value) {
    NetworkLayer& layer = layers.emplace_back();
    layer.bank = read_any_bank(one);
    layer.pool = one.at("pool").get<bool>();
    layer.stride = one.at("stride").get<int>();
    layer.padding = one.at("padding").get<int>();
    layer.dilation = one.at("dilation").get<int>();
    layer.groups = one.at("groups").get<int>();
  }
  if (!layers.empty()) validate_network(layers);  // whether the first one fits, the panes say
  return layers;
}

}  // namespace convoscope
