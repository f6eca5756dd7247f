#include "app/ui/windows/story_sum.h"

#include <algorithm>
#include <cmath>

namespace convoscope::ui {
namespace {

// NaN when it has not arrived.
double input_at(const PixelStory& story, int x, int y, int channel) {
  for (const PixelPatch& patch : story.inputs)
    if (const PixelValue value = patch.at(x, y); value.channels > 0) return value.values[channel];
  return std::nan("");
}

std::vector<StoryTerm> terms_of(const PixelStory& story, const std::vector<float>& weights, int channel) {
  const Problem& p = story.problem;
  const Filter& f = p.filter;
  std::vector<StoryTerm> terms;
  for (int dy = -f.ry(); dy <= f.ry(); ++dy)
    for (int dx = -f.rx(); dx <= f.rx(); ++dx) {
      const int x = story.pixel.x + dx, y = story.pixel.y + dy;
      const int sx = border_index(x, p.width, p.border), sy = border_index(y, p.height, p.border);
      const auto index = static_cast<std::size_t>((dy + f.ry()) * f.width + dx + f.rx());
      terms.push_back(
          {dx, dy, weights[index], sx < 0 || sy < 0 ? 0 : input_at(story, sx, sy, channel), sx != x || sy != y});
    }
  return terms;
}

double sum_of(const std::vector<StoryTerm>& terms) {
  double sum = 0;
  for (const StoryTerm& term : terms) sum += term.product();
  return sum;
}

}  // namespace

StorySum add_up(const PixelStory& story, int channel) {
  const Problem& p = story.problem;
  const Filter& f = p.filter;
  StorySum result;
  const std::size_t taps = static_cast<std::size_t>(f.width) * static_cast<std::size_t>(f.height);
  if (f.weights.size() != taps || (f.is_magnitude() && f.weights_y.size() != taps)) {
    result.complete = false;
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

}  // namespace convoscope::ui
