#include "app/ui/actions/layer_actions.h"

#include <algorithm>
#include <array>
#include <functional>

#include "app/state/network_settings.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/format.h"

namespace convoscope::ui {
namespace {

constexpr std::array colour_names{"red", "green", "blue"};
constexpr int colour_count = static_cast<int>(colour_names.size());
constexpr const char* edited = ", edited";  // behind the name of what it was

std::size_t weight_at(const Filter& bank, int map, int channel, int row, int column) {
  return static_cast<std::size_t>(((map * bank.channels + channel) * bank.height + row) * bank.width + column);
}

std::size_t weight_count(const Filter& bank) {
  return static_cast<std::size_t>(bank.maps) * static_cast<std::size_t>(bank.channels) *
         static_cast<std::size_t>(bank.width) * static_cast<std::size_t>(bank.height);
}

int maps_a_colour(const Filter& bank) { return std::max(bank.maps / colour_count, 1); }

// That a map of a depthwise bank sees: the first third of them red.
int colour_seen(const Filter& bank, int map) { return std::min(map / maps_a_colour(bank), colour_count - 1); }

struct Plane {
  int map = -1, channel = 0;  // −1: none
};

// Which filter of the bank before was this one: of the same map, or the as many-th of its colour, for the same colour.
Plane plane_before(const Filter& before, const Filter& after, int map, int channel) {
  if (before.channels == 1 && after.channels == 1) {
    const int colour = colour_seen(after, map), of_colour = map - colour * maps_a_colour(after);
    if (of_colour >= maps_a_colour(before)) return {};
    return {colour * maps_a_colour(before) + of_colour, 0};
  }
  if (map >= before.maps) return {};
  // The newest frame stays the newest.
  if (after.channels == 1) return {map, before.channels - colour_count + colour_seen(after, map)};
  const int of_newest = channel - after.channels;
  if (before.channels == 1) return of_newest + colour_count == colour_seen(before, map) ? Plane{map, 0} : Plane{};
  return before.channels + of_newest < 0 ? Plane{} : Plane{map, before.channels + of_newest};
}

Filter kept_weights(const Filter& before, int maps, int channels, int size) {
  Filter after;
  after.name = before.name;
  after.width = after.height = size;
  after.maps = maps;
  after.channels = channels;
  after.weights.assign(weight_count(after), 0.0f);
  const int shift = before.width / 2 - size / 2;
  for (int map = 0; map < maps; ++map)
    for (int channel = 0; channel < channels; ++channel) {
      const Plane from = plane_before(before, after, map, channel);
      if (from.map < 0 || from.map >= before.maps) continue;
      for (int row = 0; row < size; ++row)
        for (int column = 0; column < size; ++column) {
          const int y = row + shift, x = column + shift;
          if (y < 0 || x < 0 || y >= before.height || x >= before.width) continue;
          after.weights[weight_at(after, map, channel, row, column)] =
              before.weights[weight_at(before, from.map, from.channel, y, x)];
        }
    }
  return after;
}

}  // namespace

std::string colour_of(const Filter& bank, int map, int channel) {
  const int colour = bank.channels > 1 ? channel : colour_seen(bank, map);
  const std::string name = colour_names[static_cast<std::size_t>(colour) % colour_names.size()];
  const int before = bank.channels > 1 ? (bank.channels - 1 - channel) / colour_count : 0;
  return before == 0 ? name : name + ", " + std::to_string(before) + (before == 1 ? " frame before" : " frames before");
}

std::string colour_made(const Settings& settings, int map) {
  const LayerSettings& layer = settings.layer;
  const bool each_alone = layer.further.empty() && layer.depthwise && layer.weights.maps == colour_count;
  if (channels(settings.format) != colour_count || !(each_alone || makes_a_frame(layer, settings.format))) return {};
  return map >= 0 && map < colour_count ? colour_names[static_cast<std::size_t>(map)] : "";
}

const BankKind* shown_kind(const LayerSettings& layer) { return find_bank_kind(layer.bank); }

void choose_bank(LayerSettings& layer, const BankKind& kind) {
  const bool of_network = !layer.network.empty();
  drop_network(layer);
  layer.bank = kind.id;
  layer.weights.biases.clear();
  if (of_network) {  // which also said whether there is ReLU
    const LayerSettings usual;
    layer.stride = usual.stride, layer.dilation = usual.dilation;
    layer.padded = usual.padded, layer.depthwise = usual.depthwise;
    layer.weights = catalogue_bank(layer);
    return;
  }
  reshape_bank(layer, std::min(layer.weights.maps, most_maps), std::min(layer.weights.width, largest_bank_filter),
               layer.depthwise);
}

void choose_next_bank(Settings& settings, int direction) {
  const auto banks = bank_kinds();
  const auto networks = network_kinds();
  const auto bank_count = std::ssize(banks), count = bank_count + std::ssize(networks);
  if (count == 0) return;
  const NetworkKind* const network = shown_network(settings.layer);
  const auto bank = std::ranges::find(banks, settings.layer.bank, &BankKind::id);
  const std::ptrdiff_t now = network               ? bank_count + (network - networks.data())
                             : bank != banks.end() ? bank - banks.begin()
                             : direction > 0       ? -1
                                                   : count;
  const std::ptrdiff_t next = (now + direction + count) % count;
  if (next < bank_count)
    choose_bank(settings.layer, banks[static_cast<std::size_t>(next)]);
  else
    choose_network(settings, std::string(networks[static_cast<std::size_t>(next - bank_count)].id));
}

void reshape_bank(LayerSettings& layer, int maps, int size, bool depthwise, int frames) {
  const int most = std::max(most_maps, layer.weights.maps);  // a file may have brought more
  maps = std::clamp(maps, 1, most);
  if (depthwise) maps = std::min((maps + colour_count - 1) / colour_count, most / colour_count) * colour_count;
  if (frames < 1) frames = frames_seen(layer.weights);
  const int channels = depthwise ? 1 : colour_count * frames;
  const Filter before = std::move(layer.weights);
  const BankKind* const kind = shown_kind(layer);
  // Those of the catalogue have a centre.
  size = std::clamp(kind ? size / 2 * 2 + 1 : size, 1, std::max(largest_bank_filter, before.width));
  const bool as_it_was = maps == before.maps && channels == before.channels && size == before.width;
  layer.weights = !kind       ? kept_weights(before, maps, channels, size)
                  : depthwise ? kind->make(maps, 1, size)
                              : over_frames(kind->make(maps, colour_count, size), frames);
  if (!as_it_was && shown_network(layer)) layer.weights.name += edited;
  layer.weights.relu = before.relu;
  layer.weights.biases = before.biases;
  const bool alike = std::ranges::adjacent_find(before.biases, std::not_equal_to()) == before.biases.end();
  if (!before.biases.empty())
    layer.weights.biases.resize(static_cast<std::size_t>(maps), alike ? before.biases.front() : 0.0f);
  layer.depthwise = depthwise;
}

void set_depthwise(LayerSettings& layer, bool depthwise) {
  RoundedMaps& rounded = ui_state().rounded_maps;
  const int maps = layer.weights.maps;
  const bool back = !depthwise && rounded.wished > 0 && rounded.maps == maps;
  reshape_bank(layer, back ? rounded.wished : maps, layer.weights.width, depthwise);
  rounded = depthwise ? RoundedMaps{maps, layer.weights.maps} : RoundedMaps{};
}

void choose_network(Settings& settings, const std::string& id) {
  load_layer_network(id, settings.layer);
  forget_choices_for_layers(settings);
  settings.wall.frames =
      makes_a_frame(settings.layer, settings.format);  // its maps alone do not look like what it makes
}

const NetworkKind* shown_network(const LayerSettings& layer) {
  return layer.weights.name == layer.network ? find_network_kind(layer.network) : nullptr;
}

Filter plane_of(const Filter& bank, int map, int channel) {
  Filter plane;
  plane.name = "custom";
  plane.width = bank.width;
  plane.height = bank.height;
  const auto from = bank.weights.begin() + static_cast<std::ptrdiff_t>(weight_at(bank, map, channel, 0, 0));
  plane.weights.assign(from, from + bank.width * bank.height);
  return plane;
}

std::string put_plane(LayerSettings& layer, int map, int channel, const Filter& plane) {
  const Filter& bank = seen_bank(layer);
  if (plane.width != bank.width || plane.height != bank.height)
    return "The matrix is " + std::to_string(plane.width) + " × " + std::to_string(plane.height) +
           "; the filters of this bank are " + std::to_string(bank.width) + " × " + std::to_string(bank.height) + ".";
  if (plane.gain != 1 || plane.bias != 0 || plane.absolute || plane.is_magnitude())
    return "The filters of a bank have weights alone: no gain, bias, absolute value or second set of weights.";
  const auto at = static_cast<std::ptrdiff_t>(weight_at(bank, map, channel, 0, 0));
  if (std::equal(plane.weights.begin(), plane.weights.end(), bank.weights.begin() + at)) return {};
  std::ranges::copy(plane.weights, seen_bank_to_change(layer).weights.begin() + at);
  if (seen_layer(layer) > 0) {
    layer.network.clear();  // its file has other weights
    return {};
  }
  if (shown_kind(layer))
    layer.weights.name = layer.bank + edited;
  else if (shown_network(layer))
    layer.weights.name += edited;
  layer.bank = custom_bank;
  return {};
}

void set_bias(LayerSettings& layer, int map, float bias) {
  Filter& bank = seen_bank_to_change(layer);
  std::vector<float>& biases = bank.biases;
  const auto maps = static_cast<std::size_t>(bank.maps);
  biases.resize(maps, 0.0f);
  if (map < 0)
    biases.assign(maps, bias);
  else
    biases[static_cast<std::size_t>(map)] = bias;
  if (seen_layer(layer) > 0)
    layer.network.clear();
  else if (std::ranges::all_of(biases, [](float each) { return each == 0; }))
    biases.clear();
}

std::string layer_text(const Problem& problem) {
  const LayerExtents e = layer_extents(problem);
  const auto size = [](int height, int width) { return std::to_string(height) + " × " + std::to_string(width); };
  return std::to_string(e.samples) + " × " + std::to_string(e.channels) + " × " + size(e.height, e.width) + " → " +
         std::to_string(e.maps) + (e.maps == 1 ? " map of " : " maps of ") + size(e.out_height, e.out_width) + "\n" +
         std::to_string(e.group_channels()) + " × " + size(e.filter, e.filter) +
         " weights each: " + format_si(2 * layer_products(problem), "FLOP");
}

}  // namespace convoscope::ui
