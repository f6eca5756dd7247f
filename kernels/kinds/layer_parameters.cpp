// By what a layer can be swept.
#include <algorithm>

#include "kernels/kinds/frames.h"
#include "kernels/kinds/layer.h"

namespace convoscope {
namespace {

constexpr int swept_maps[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256};
// A depthwise layer of three channels takes some of them.
constexpr int usual_maps[] = {4, 8, 16, 24, 32, 48, 64};
constexpr int swept_channels[] = {1, 3, 8, 16, 32, 64, 128, 256}, usual_channels[] = {3, 8, 16, 32, 64};
constexpr int swept_filters[] = {1, 3, 5, 7, 9, 11}, usual_filters[] = {1, 3, 5, 7};
constexpr int passes[] = {0, 1, 2};
constexpr std::string_view pass_names[] = {to_string(Pass::forward), to_string(Pass::to_input),
                                           to_string(Pass::to_weights)};
constexpr int types[] = {0, 1, 2};
constexpr std::string_view type_names[] = {to_string(Precision::f32), to_string(Precision::tf32),
                                           to_string(Precision::f16)};

// The numbers of a bank that is still to be filled.
void put_bank(Problem& p, int maps, int channels, int size) {
  p.layer.maps = maps;
  p.layer.channels = channels;
  p.filter = {.name = {}, .width = size, .height = size, .maps = maps};
  p.filter.channels = channels / std::max(p.layer.groups, 1);
}

void put_maps(Problem& p, int maps) { put_bank(p, maps, p.layer.channels, p.filter.width); }

// A depthwise layer stays one.
void put_channels(Problem& p, int channels) {
  if (p.layer.groups == p.layer.channels && p.layer.groups > 1) p.layer.groups = channels;
  put_bank(p, p.layer.maps, channels, p.filter.width);
}

// Padding that keeps the maps as large as the input still does.
void put_filter(Problem& p, int size) {
  if (p.layer.padding == p.layer.dilation * (p.filter.width / 2)) p.layer.padding = p.layer.dilation * (size / 2);
  put_bank(p, p.layer.maps, p.layer.channels, size);
}

}  // namespace

constinit const SweepParameter layer_parameters[6] = {
    {.id = "M",
     .title = "maps",
     .unit = "maps",
     .idea = "M: how many feature maps come out, one for each filter of the bank. The weights are random.",
     .least = 1,
     .most = largest_layer_number,
     .offered = swept_maps,
     .usual = usual_maps,
     .value = [](const Problem& p) { return p.layer.maps; },
     .put = put_maps},
    {.id = "C",
     .title = "channels",
     .unit = "channels",
     .idea = "C: how many channels go in, and how many planes of weights each filter has.",
     .least = 1,
     .most = largest_layer_number,
     .offered = swept_channels,
     .usual = usual_channels,
     .value = [](const Problem& p) { return p.layer.channels; },
     .put = put_channels},
    {.id = "K",
     .title = "filter width",
     .unit = "pixels",
     .idea = "K: the filters are K by K. Padding that keeps the maps as large as the input grows with it.",
     .least = 1,
     .most = largest_layer_number,
     .offered = swept_filters,
     .usual = usual_filters,
     .value = [](const Problem& p) { return p.filter.width; },
     .put = put_filter},
    picture_size,
    {.id = "pass",
     .title = "pass",
     .unit = {},
     .idea = "What is computed: the maps, or the gradients to the input or to the weights.",
     .least = 0,
     .most = 2,
     .offered = passes,
     .usual = passes,
     .value = [](const Problem& p) { return static_cast<int>(p.layer.pass); },
     .put = [](Problem& p, int pass) { p.layer.pass = static_cast<Pass>(pass); },
     .words = pass_names},
    {.id = "type",
     .title = "type",
     .unit = {},
     .idea =
         "What the numbers are: float32, float32 of which products see 11 significant bits or more (tf32), or float16.",
     .least = 0,
     .most = 2,
     .offered = types,
     .usual = types,
     .value = [](const Problem& p) { return static_cast<int>(p.layer.precision); },
     .put = [](Problem& p, int type) { p.layer.precision = static_cast<Precision>(type); },
     .words = type_names},
};

}  // namespace convoscope
