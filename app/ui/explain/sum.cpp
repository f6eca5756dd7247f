#include "app/ui/explain/sum.h"

#include <algorithm>
#include <cmath>

#include "app/state/workbench.h"
#include "kernels/kinds/layer.h"

namespace convoscope::ui {
namespace {

bool is_of_a_bank(const Problem& p) { return workbench_of(*p.kind).has_bank; }

// NaN when it has not arrived.
double input_at(const PixelExplanation& explained, int plane, int x, int y, int channel) {
  for (const PixelPatch& patch : explained.inputs)
    if (patch.plane == plane)
      if (const PixelValue value = patch.at(x, y); value.channels > 0) return value.values[channel];
  return std::nan("");
}

ExplainedTerm term_at(const PixelExplanation& explained, int plane, int x, int y, int channel) {
  const Problem& p = *explained.problem;
  const int sx = border_index(x, p.width, p.border), sy = border_index(y, p.height, p.border);
  ExplainedTerm term{.plane = plane, .x = x, .y = y};
  term.input = sx < 0 || sy < 0 ? 0 : input_at(explained, plane, sx, sy, channel);
  term.outside = sx < 0 || sy < 0 || sx != x || sy != y;
  return term;
}

std::vector<ExplainedTerm> terms_of(const PixelExplanation& explained, const std::vector<float>& weights, int channel) {
  const Filter& f = explained.problem->filter;
  const float* weight = weights.data();
  std::vector<ExplainedTerm> terms;
  for (const int plane : planes_of(explained))
    for (int dy = -f.ry(); dy <= f.ry(); ++dy)
      for (int dx = -f.rx(); dx <= f.rx(); ++dx) {
        terms.push_back(term_at(explained, plane, explained.output.x + dx, explained.output.y + dy, channel));
        terms.back().dx = dx;
        terms.back().dy = dy;
        terms.back().weight = *weight++;
      }
  return terms;
}

std::vector<ExplainedTerm> terms_of_layer(const PixelExplanation& explained) {
  const LayerExtents e = layer_extents(*explained.problem);
  const OutputIndex& at = explained.output;
  const float* weight = explained.problem->filter.weights.data() + e.weight_index(at.channel, 0, 0, 0);
  std::vector<ExplainedTerm> terms;
  for (const int plane : planes_of(explained))
    for (int i = 0; i < e.filter; ++i)
      for (int j = 0; j < e.filter; ++j) {
        terms.push_back(term_at(explained, plane, e.input_index(at.x, j), e.input_index(at.y, i), 0));
        terms.back().dx = j * e.dilation;
        terms.back().dy = i * e.dilation;
        terms.back().weight = *weight++;
      }
  return terms;
}

double sum_of(const std::vector<ExplainedTerm>& terms) {
  double sum = 0;
  for (const ExplainedTerm& term : terms) sum += term.product();
  return sum;
}

bool has_all_weights(const Problem& p) {
  const Filter& f = p.filter;
  if (is_of_a_bank(p))
    return p.layer.pass == Pass::forward &&
           f.weights.size() == static_cast<std::size_t>(f.maps) * f.channels * f.taps();
  const auto taps = static_cast<std::size_t>(f.taps());
  return f.weights.size() == taps && (!f.is_magnitude() || f.weights_y.size() == taps);
}

ExplainedSum add_up_layer(const PixelExplanation& explained) {
  const Filter& f = explained.problem->filter;
  ExplainedSum result;
  result.terms = terms_of_layer(explained);
  result.sum = result.magnitude = sum_of(result.terms);
  const auto map = static_cast<std::size_t>(explained.output.channel);
  result.scaled = result.sum + (map < f.biases.size() ? static_cast<double>(f.biases[map]) : 0.0);
  result.value = result.stored = f.relu ? std::max(result.scaled, 0.0) : result.scaled;
  return result;
}

}  // namespace

ExplainedSum add_up(const PixelExplanation& explained, int channel) {
  const Problem& p = *explained.problem;
  const Filter& f = p.filter;
  ExplainedSum result;
  if (!has_all_weights(p)) {
    result.complete = false;
    return result;
  }
  if (is_of_a_bank(p)) {
    result = add_up_layer(explained);
    result.complete = std::isfinite(result.sum);
    return result;
  }
  const bool gray = p.format == PixelFormat::gray32f;
  channel = gray ? 0 : std::clamp(channel, 0, 2);
  result.terms = terms_of(explained, f.weights, channel);
  result.sum = result.magnitude = sum_of(result.terms);
  if (f.is_magnitude()) {
    result.terms_y = terms_of(explained, f.weights_y, channel);
    result.sum_y = sum_of(result.terms_y);
    result.magnitude = std::hypot(result.sum, result.sum_y);
  }
  result.scaled = static_cast<double>(f.gain) * result.magnitude + static_cast<double>(f.bias) * white_level(p.format);
  result.value = f.absolute ? std::abs(result.scaled) : result.scaled;
  result.stored = gray ? result.value : std::clamp(std::nearbyint(result.value), 0.0, 255.0);
  result.complete = std::isfinite(result.magnitude);
  return result;
}

const ExplainedSum& KeptExplainedSum::of(const PixelExplanation& explained, int channel) {
  const OutputIndex& at = explained.output;
  const std::array<int, 4> output{at.x, at.y, at.channel, at.sample};
  if (problem_ == explained.problem && output_ == output && channel_ == channel && inputs_ == explained.inputs)
    return sum_;
  problem_ = explained.problem;
  output_ = output;
  channel_ = channel;
  inputs_ = explained.inputs;
  return sum_ = add_up(explained, channel);
}

std::vector<int> planes_of(const PixelExplanation& explained) {
  const Problem& p = *explained.problem;
  if (!is_of_a_bank(p)) return run_of_planes(0, p.filter.depth);
  const LayerExtents e = layer_extents(p);
  return run_of_planes(explained.output.sample * e.channels + e.first_channel(explained.output.channel),
                       e.group_channels());
}

std::string plane_name(const PixelExplanation& explained, int plane) {
  const Problem& p = *explained.problem;
  if (is_of_a_bank(p)) {
    const int channel = plane % p.layer.channels;
    constexpr const char* colours[] = {", red", ", green", ", blue"};
    return "Channel " + std::to_string(channel + 1) +
           (p.layer.channels == 3 && !explained.sees_maps ? colours[channel] : "");
  }
  if (p.filter.depth == 1) return {};
  const int away = plane - p.filter.rt();
  if (away == 0) return "This frame";
  const std::string frames = std::abs(away) == 1 ? "The frame" : std::to_string(std::abs(away)) + " frames";
  return frames + (away < 0 ? " before" : " after");
}

}  // namespace convoscope::ui
