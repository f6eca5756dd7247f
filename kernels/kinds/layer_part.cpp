// A part of one feature map is a layer of its own, of one map of the channels that it sees, without padding: the zeros
// that the border puts around the input are among its inputs.
#include <algorithm>

#include "kernels/kinds/layer.h"

namespace convoscope {
namespace {

// X's columns (or rows) under a row of outputs.
int span_of(const LayerExtents& e, int outputs) { return (outputs - 1) * e.stride + (e.filter - 1) * e.dilation + 1; }

Problem layer_of_part(const Problem& problem, const PlaneArea& part) {
  const LayerExtents e = layer_extents(problem);
  const int map = part.plane % e.maps;
  Problem own;
  own.width = span_of(e, part.area.width);
  own.height = span_of(e, part.area.height);
  own.format = problem.format;
  own.border = problem.border;
  own.kind = problem.kind;
  own.layer = {.channels = e.group_channels(), .stride = e.stride, .dilation = e.dilation};
  own.layer.precision = problem.layer.precision;
  own.filter.width = own.filter.height = e.filter;
  own.filter.maps = 1;
  own.filter.channels = e.group_channels();
  own.filter.relu = problem.filter.relu;
  const auto first = problem.filter.weights.begin() + e.weight_index(map, 0, 0, 0);
  own.filter.weights.assign(first, first + e.group_channels() * e.filter * e.filter);
  if (!problem.filter.biases.empty()) own.filter.biases = {problem.filter.biases[static_cast<std::size_t>(map)]};
  return own;
}

}  // namespace

std::vector<PlaneArea> layer_sources(const Problem& problem, const PlaneArea& part) {
  std::vector<PlaneArea> sources;
  if (problem.layer.pass != Pass::forward) return sources;
  const LayerExtents e = layer_extents(problem);
  const int sample = part.plane / e.maps, first = e.first_channel(part.plane % e.maps);
  const PixelArea under{e.input_index(part.area.x, 0), e.input_index(part.area.y, 0), span_of(e, part.area.width),
                        span_of(e, part.area.height)};
  for (int c = first; c < first + e.group_channels(); ++c) sources.push_back({0, sample * e.channels + c, under});
  return sources;
}

std::vector<double> layer_reference_of_part(const Problem& problem, const PlaneArea& part,
                                            std::span<const Tensor> sources) {
  const Problem own = layer_of_part(problem, part);
  const Shape shape = in_planes(layer_kind.inputs(own)[0]);
  std::vector<float> x;
  x.reserve(shape.elements());
  for (const Tensor& plane : sources)
    for (int row = 0; row < own.height; ++row) {
      const float* const from = row_of<const float>(plane, 0, 0, row);
      x.insert(x.end(), from, from + own.width);
    }
  const Tensor in = tensor_of_rows(x.data(), shape, shape.row_bytes());
  return layer_reference(own, {&in, 1});
}

}  // namespace convoscope
