#include "kernels/filter/banks/network_layers.h"

#include "kernels/filter/banks/bank_catalogue.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

void validate_numbers(const NetworkLayer& layer) {
  const struct {
    const char* name;
    int value, least, most;
  } numbers[] = {{"stride", layer.stride, 1, largest_layer_step},
                 {"padding", layer.padding, 0, largest_layer_step},
                 {"dilation", layer.dilation, 1, largest_layer_step},
                 {"number of groups", layer.groups, 1, layer.bank.maps}};
  for (const auto& [name, value, least, most] : numbers)
    if (value < least || value > most)
      throw Error("its " + std::string(name) + " is " + std::to_string(value) + "; it must be from " +
                  std::to_string(least) + " to " + std::to_string(most));
  if (layer.bank.maps % layer.groups != 0)
    throw Error("its " + counted(layer.bank.maps, "map") + " cannot be shared out among " +
                std::to_string(layer.groups) + " groups");
}

}  // namespace

NetworkLayer padded_layer(Filter bank, bool relu, bool pool) {
  const int padding = bank.width / 2;
  bank.relu = relu;
  return {.bank = std::move(bank), .padding = padding, .pool = pool};
}

void validate_layer_count(std::size_t layers) {
  if (layers == 0 || layers > most_network_layers)
    throw Error("The network has " + std::to_string(layers) + " layers; it must have from 1 to " +
                std::to_string(most_network_layers));
}

void validate_network(std::span<const NetworkLayer> layers) {
  validate_layer_count(layers.size());
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const NetworkLayer& layer = layers[i];
    const std::string whose = "Layer " + std::to_string(i + 1);
    try {
      validate_bank(layer.bank);
      validate_numbers(layer);
    } catch (const Error& failure) {
      throw Error(whose + ": " + failure.what());
    }
    if (i == 0) continue;
    const int seen = layer.bank.channels * layer.groups, made = layers[i - 1].bank.maps;
    if (seen != made)
      throw Error(whose + " takes " + counted(seen, "channel") + ", but layer " + std::to_string(i) + " makes " +
                  counted(made, "map"));
  }
}

}  // namespace convoscope
