#include "app/ui/story/story_sum.h"

#include <algorithm>
#include <cmath>

#include "app/state/workbench.h"
#include "kernels/kinds/layer.h"

namespace convoscope::ui {
namespace {

bool is_of_a_bank(const Problem& p) { return workbench_of(*p.kind).has_bank; }

// NaN when it has not arrived.
double input_at(const PixelStory& story, int plane, int x, int y, int channel) {
  for (const PixelPatch& patch : story.inputs)
    if (patch.plane == plane)
      if (const PixelValue value = patch.at(x, y); value.channels > 0) return value.values[channel];
  return std::nan("");
}

StoryTerm term_at(const PixelStory& story, int plane, int x, int y, int channel) {
  const Problem& p = *story.problem;
  const int sx = border_index(x, p.width, p.border), sy = border_index(y, p.height, p.border);
  StoryTerm term{.plane = plane, .x = x, .y = y};
  term.input = sx < 0 || sy < 0 ? 0 : input_at(story, plane, sx, sy, channel);
  term.outside = sx < 0 || sy < 0 || sx != x || sy != y;
  return term;
}

std::vector<StoryTerm> terms_of(const PixelStory& story, const std::vector<float>& weights, int channel) {
  const Filter& f = story.problem->filter;
  const float* weight = weights.data();
  std::vector<StoryTerm> terms;
  for (const int plane : planes_of(story))
    for (int dy = -f.ry(); dy <= f.ry(); ++dy)
      for (int dx = -f.rx(); dx <= f.rx(); ++dx) {
        terms.push_back(term_at(story, plane, story.output.x + dx, story.output.y + dy, channel));
        terms.back().dx = dx;
        terms.back().dy = dy;
        terms.back().weight = *weight++;
      }
  return terms;
}

std::vector<StoryTerm> terms_of_layer(const PixelStory& story) {
  const LayerExtents e = layer_extents(*story.problem);
  const OutputIndex& at = story.output;
  const float* weight = story.problem->filter.weights.data() + e.weight_index(at.channel, 0, 0, 0);
  std::vector<StoryTerm> terms;
  for (const int plane : planes_of(story))
    for (int i = 0; i < e.filter; ++i)
      for (int j = 0; j < e.filter; ++j) {
        terms.push_back(term_at(story, plane, e.input_index(at.x, j), e.input_index(at.y, i), 0));
        terms.back().dx = j * e.dilation;
        terms.back().dy = i * e.dilation;
        terms.back().weight = *weight++;
      }
  return terms;
}

double sum_of(const std::vector<StoryTerm>& terms) {
  double sum = 0;
  for (const StoryTerm& term : terms) sum += term.product();
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

StorySum add_up_layer(const PixelStory& story) {
  const Filter& f = story.problem->filter;
  StorySum result;
  result.terms = terms_of_layer(story);
  result.sum = result.magnitude = sum_of(result.terms);
  const auto map = static_cast<std::size_t>(story.output.channel);
  result.scaled = result.sum + (map < f.biases.size() ? static_cast<double>(f.biases[map]) : 0.0);
  result.value = result.stored = f.relu ? std::max(result.scaled, 0.0) : result.scaled;
  return result;
}

}  // namespace

StorySum add_up(const PixelStory& story, int channel) {
  const Problem& p = *story.problem;
  const Filter& f = p.filter;
  StorySum result;
  if (!has_all_weights(p)) {
    result.complete = false;
    return result;
  }
  if (is_of_a_bank(p)) {
    result = add_up_layer(story);
    result.complete = std::isfinite(result.sum);
    return result;
  }
  const bool gray = p.format == PixelFormat::gray32f;
  channel = gray ? 0 : std::clamp(channel, 0, 2);
  result.terms = terms_of(story, f.weights, channel);
  result.sum = result.magnitude = sum_of(result.terms);
  if (f.is_magnitude()) {
    result.terms_y = terms_of(story, f.weights_y, channel);
    result.sum_y = sum_of(result.terms_y);
    result.magnitude = std::hypot(result.sum, result.sum_y);
  }
  result.scaled = static_cast<double>(f.gain) * result.magnitude + static_cast<double>(f.bias) * white_level(p.format);
  result.value = f.absolute ? std::abs(result.scaled) : result.scaled;
  result.stored = gray ? result.value : std::clamp(std::nearbyint(result.value), 0.0, 255.0);
  result.complete = std::isfinite(result.magnitude);
  return result;
}

const StorySum& KeptStorySum::of(const PixelStory& story, int channel) {
  const OutputIndex& at = story.output;
  const std::array<int, 4> output{at.x, at.y, at.channel, at.sample};
  if (problem_ == story.problem && output_ == output && channel_ == channel && inputs_ == story.inputs) return sum_;
  problem_ = story.problem;
  output_ = output;
  channel_ = channel;
  inputs_ = story.inputs;
  return sum_ = add_up(story, channel);
}

std::vector<int> planes_of(const PixelStory& story) {
  const Problem& p = *story.problem;
  if (!is_of_a_bank(p)) return run_of_planes(0, p.filter.depth);
  const LayerExtents e = layer_extents(p);
  return run_of_planes(story.output.sample * e.channels + e.first_channel(story.output.channel), e.group_channels());
}

std::string plane_name(const PixelStory& story, int plane) {
  const Problem& p = *story.problem;
  if (is_of_a_bank(p)) {
    const int channel = plane % p.layer.channels;
    constexpr const char* colours[] = {", red", ", green", ", blue"};
    return "Channel " + std::to_string(channel + 1) +
           (p.layer.channels == 3 && !story.sees_maps ? colours[channel] : "");
  }
  if (p.filter.depth == 1) return {};
  const int away = plane - p.filter.rt();
  if (away == 0) return "This frame";
  const std::string frames = std::abs(away) == 1 ? "The frame" : std::to_string(std::abs(away)) + " frames";
  return frames + (away < 0 ? " before" : " after");
}

}  // namespace convoscope::ui
