#include "kernels/contract/data/layer.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/contract/data/half.h"
#include "kernels/contract/strategy.h"

namespace convoscope {

LayerExtents layer_extents(const Problem& p) {
  const Layer& l = p.layer;
  return {.samples = l.samples,
          .channels = l.channels,
          .maps = l.maps,
          .groups = l.groups,
          .height = p.height,
          .width = p.width,
          .out_height = layer_outputs(p.height, p.filter.height, l),
          .out_width = layer_outputs(p.width, p.filter.width, l),
          .filter = p.filter.width,
          .stride = l.stride,
          .padding = l.padding,
          .dilation = l.dilation};
}

double layer_terms(const Problem& p) {
  const LayerExtents e = layer_extents(p);
  const double taps = static_cast<double>(e.filter) * e.filter;
  switch (p.layer.pass) {
    case Pass::forward:
      return e.group_channels() * taps;
    case Pass::to_input:
      return e.group_maps() * taps;
    case Pass::to_weights:
      break;
  }
  return static_cast<double>(e.samples) * e.out_height * e.out_width;
}

double layer_products(const Problem& p) {
  const LayerExtents e = layer_extents(p);
  return static_cast<double>(e.samples) * e.maps * e.out_height * e.out_width * e.group_channels() * e.filter *
         e.filter;
}

double unrolled_expansion(const Problem& p) {
  const LayerExtents e = layer_extents(p);
  return static_cast<double>(e.filter) * e.filter * e.out_height * e.out_width /
         (static_cast<double>(e.height) * e.width);
}

int layer_roundings(const Problem& p) {
  const LayerExtents e = layer_extents(p);
  return p.layer.pass == Pass::to_weights ? e.out_width + e.samples * e.out_height : static_cast<int>(layer_terms(p));
}

float as_multiplied(float value, Precision precision) {
  if (precision == Precision::f32) return value;
  return precision == Precision::tf32 ? round_to_tf32(value) : from_half(to_half(value));
}

std::string whole_number_format(const Layer& layer) {
  return std::string(to_string(layer.precision)) + " " + std::string(to_string(layer.layout));
}

std::string number_format(const Layer& layer) {
  const bool usual = layer.precision == Precision::f32 && layer.layout == Layout::nchw;
  return usual ? std::string() : whole_number_format(layer);
}

std::string float_planes_reason(const Problem& p) {
  if (p.layer.precision != Precision::f16 && p.layer.layout == Layout::nchw) return {};
  return "It takes float32 numbers in planes (f32 or tf32, nchw); this layer's are " + number_format(p.layer);
}

double layer_absolute_sum(const Problem& p) {
  if (p.layer.pass == Pass::to_weights) return layer_terms(p);
  const LayerExtents e = layer_extents(p);
  std::vector<double> sums(static_cast<std::size_t>(p.layer.pass == Pass::forward ? e.maps : e.channels));
  const float* weight = p.filter.weights.data();
  for (int m = 0; m < e.maps; ++m)
    for (int c = 0; c < e.group_channels(); ++c) {
      const int output = p.layer.pass == Pass::forward ? m : e.first_channel(m) + c;
      for (int tap = 0; tap < e.filter * e.filter; ++tap)
        sums[static_cast<std::size_t>(output)] += std::abs(static_cast<double>(*weight++));
    }
  return *std::ranges::max_element(sums);
}

}  // namespace convoscope
