#pragma once
// The layers behind the first one: where they come from, and which is seen.
#include <string>
#include <vector>

#include "app/state/settings.h"

namespace convoscope {

// The network of the catalogue, or of a folder or file, instead of the layer and what it had behind it; what was done
// to it on the way is added to `remarks`, in sentences. Throws Error naming what is wrong; the layer is then as it was.
void load_layer_network(const std::string& name_or_path, LayerSettings&, std::vector<std::string>* remarks = nullptr);
void drop_network(LayerSettings&);  // the first layer stays

// Learnt ones behind the first, whose maps stay as large: no file has them. None: as above. `residual`: their maps are
// what the picture lacks.
void put_layers_behind(LayerSettings&, std::vector<Filter> banks, bool residual);
std::vector<Filter> banks_behind(const LayerSettings&);
std::vector<NetworkLayer> all_layers(const LayerSettings&);  // the first one, too

std::size_t seen_layer(const LayerSettings&);  // 0: the first
// Whether the maps that are seen are the last of several layers, one for each colour of a frame.
bool makes_a_frame(const LayerSettings&, PixelFormat);

std::string own_strategy(const PaneSettings&, std::size_t layer);  // that was chosen for it; empty: none was
// What a pane runs one of the layers with: as the pane says, or what was chosen for that one, as it is at first.
PaneSettings pane_of_layer(const PaneSettings&, std::size_t layer);
void choose_for_layer(PaneSettings&, std::size_t layer, std::string strategy);  // empty: as the pane says
void forget_choices_for_layers(Settings&);                                      // they were made for other layers
// Of the layer that is seen.
inline const Filter& seen_bank(const LayerSettings& layer) {
  const std::size_t seen = seen_layer(layer);
  return seen == 0 ? layer.weights : layer.further[seen - 1].bank;
}
Filter& seen_bank_to_change(LayerSettings&);  // as SharedVector::change()

}  // namespace convoscope
