#pragma once
// What the panel and the keys do to the bank of a convolutional layer. Weights and biases are those of the layer that
// is seen, all else is the first one's.
#include <span>
#include <string>

#include "app/state/settings.h"
#include "kernels/contract/strategy.h"
#include "kernels/filter/banks/bank_catalogue.h"

namespace convoscope::ui {

// "red", "green", "blue": of a bank for three colours, and of a depthwise one the colour that the map sees; of one for
// several frames "red, 2 frames before", too.
std::string colour_of(const Filter& bank, int map, int channel);
// "red": of a map, where the maps that are seen are the colours of a frame; else empty.
std::string colour_made(const Settings&, int map);
const BankKind* shown_kind(const LayerSettings&);  // null: a custom one
// Of the same shape, after a network of the usual one; ReLU stays, biases do not.
void choose_bank(LayerSettings&, const BankKind&);
void choose_next_bank(Settings&, int direction);         // or network: all that the list has
void choose_network(Settings&, const std::string& id);   // of the catalogue; all layers run what their pane says
const NetworkKind* shown_network(const LayerSettings&);  // null: none of the catalogue, or its first layer was edited
// A bank of the catalogue is made anew; of a custom one the weights that remain stay, about their centres, and new ones
// are 0. Biases and ReLU stay. The nearest that the window offers; a depthwise bank has as many maps for each colour.
// `frames`: that it sees; 0: as many as now.
void reshape_bank(LayerSettings&, int maps, int size, bool depthwise, int frames = 0);
void set_depthwise(LayerSettings&, bool);  // off again, it has as many maps as before

// One of its filters by itself; putting it back makes the bank a custom one, unless it is what it was. Returns why not.
Filter plane_of(const Filter& bank, int map, int channel);
std::string put_plane(LayerSettings&, int map, int channel, const Filter&);
void set_bias(LayerSettings&, int map, float bias);  // −1: of all maps

// "1 × 3 × 720 × 1280 → 16 maps of 720 × 1280", and a line "3 × 3 × 3 weights each: 796 MFLOP".
std::string layer_text(const Problem&);

}  // namespace convoscope::ui
