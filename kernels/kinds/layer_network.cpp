#include "kernels/kinds/layer_network.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "kernels/kinds/layer.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

std::string made_text(const Shape& maps) {
  return counted(maps.channels(), "map") + " of " + std::to_string(maps.height()) + " × " +
         std::to_string(maps.width());
}

Problem problem_behind(const Problem& before, const Shape& seen, const NetworkLayer& layer) {
  Problem next = before;
  next.width = seen.width();
  next.height = seen.height();
  next.filter = layer.bank;
  next.layer.channels = seen.channels();
  next.layer.maps = layer.bank.maps;
  next.layer.stride = layer.stride;
  next.layer.padding = layer.padding;
  next.layer.dilation = layer.dilation;
  next.layer.groups = layer.groups;
  return next;
}

}  // namespace

Shape maps_of(const LayerProblem& layer) { return layer_kind.outputs(layer.problem)[0]; }

Shape pooled(const Shape& maps) {
  Shape smaller = maps;
  smaller.extent[3] /= 2;
  smaller.extent[4] /= 2;
  return smaller;
}

std::vector<LayerProblem> layer_problems(const Problem& first, bool pool, std::span<const NetworkLayer> further) {
  if (further.size() + 1 > most_network_layers)
    throw Error("The network has " + std::to_string(further.size() + 1) + " layers; the most is " +
                std::to_string(most_network_layers));
  if (const std::string why = layer_kind.invalid(first); !further.empty() && !why.empty())
    throw Error("Layer 1: " + why);
  std::vector<LayerProblem> layers{{first, pool}};
  for (const NetworkLayer& layer : further) {
    const Shape made = maps_of(layers.back());
    const std::string number = std::to_string(layers.size()), next = std::to_string(layers.size() + 1);
    const Shape seen = layers.back().pool ? pooled(made) : made;
    if (seen.height() < 1 || seen.width() < 1)
      throw Error("Layer " + number + " makes " + made_text(made) + ", too small to be halved by pooling");
    if (const int wanted = layer.bank.channels * layer.groups; wanted != seen.channels())
      throw Error("Layer " + next + " takes " + counted(wanted, "channel") + ", but layer " + number + " makes " +
                  made_text(made));
    layers.push_back({problem_behind(first, seen, layer), layer.pool});
    if (const std::string why = layer_kind.invalid(layers.back().problem); !why.empty())
      throw Error("Layer " + next + " does not fit " + made_text(seen) + ": " + why);
  }
  return layers;
}

double largest_input(std::span<const LayerProblem> before) {
  double largest = 1;
  for (const auto& [problem, pool] : before) {
    largest *= layer_absolute_sum(problem);
    double bias = 0;
    for (const float one : problem.filter.biases) bias = std::max(bias, std::abs(static_cast<double>(one)));
    largest += bias;
  }
  return largest;
}

}  // namespace convoscope
