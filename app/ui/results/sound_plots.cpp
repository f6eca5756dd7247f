#include "app/ui/results/sound_plots.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/ui/parts/format.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/results/curve_stroke.h"

namespace convoscope::ui {
namespace {

constexpr int shown_samples = SoundScope::samples / 2;  // the others are there to look for where to begin

double hertz_of(double band) {
  return SoundScope::lowest * std::pow(SoundScope::highest / SoundScope::lowest, band / SoundScope::bands);
}

float place_of(double hertz) {
  return static_cast<float>(std::log(hertz / SoundScope::lowest) / std::log(SoundScope::highest / SoundScope::lowest));
}

// Where what is heard crosses zero upwards, nearest to the middle of what is kept.
int first_shown(const std::array<float, SoundScope::samples>& samples) {
  constexpr int last = SoundScope::samples - shown_samples;
  for (int i = last; i > 0; --i)
    if (samples[static_cast<std::size_t>(i - 1)] <= 0 && samples[static_cast<std::size_t>(i)] > 0) return i;
  return last;
}

void draw_wave(ImDrawList& list, ImVec2 from, ImVec2 to, const std::array<float, SoundScope::samples>& samples,
               int first, ImU32 ink, float thickness) {
  const float middle = (from.y + to.y) / 2, height = (to.y - from.y) / 2;
  std::vector<ImVec2> points;
  for (int i = 0; i < shown_samples; ++i) {
    const float sample = samples[static_cast<std::size_t>(first + i)];
    const float value = sample >= -1 ? std::min(sample, 1.0f) : std::isnan(sample) ? 0.0f : -1.0f;
    points.emplace_back(from.x + (to.x - from.x) * static_cast<float>(i) / (shown_samples - 1),
                        middle - value * height);
  }
  stroke(list, points, ink, thickness);
}

constexpr std::pair<double, const char*> named_tones[] = {{100, "100 Hz"}, {1000, "1 kHz"}, {10000, "10 kHz"}};

// Levels that are worth a line, from the top: how many dB, and where.
void for_each_level(ImVec2 from, ImVec2 to, const Decibels& range, const std::function<void(float, float)>& each) {
  const float height = to.y - from.y, step = height < px(90) || range.most - range.least > 160 ? 40 : 20;
  for (float decibels = std::floor(range.most / step) * step; decibels > range.least; decibels -= step)
    each(decibels, from.y + (range.most - decibels) / (range.most - range.least) * height);
}

float name_height() { return font_size(Font::small) + px(3); }

void draw_ground(ImDrawList& list, ImVec2 from, ImVec2 to) {
  list.AddRectFilled(from, to, with_alpha(theme().text, 0.06f), px(4));
}

// Beside a notch's foot the square of the gain is a parabola: the gain where that of a look and its neighbours has its.
template <class Gain>
double foot_between(std::span<const double> gains, std::ptrdiff_t look, const Gain& gain) {
  const auto middle = static_cast<std::size_t>(look);
  if (middle == 0 || middle + 1 >= gains.size()) return gains[middle];
  const double left = gains[middle - 1] * gains[middle - 1], right = gains[middle + 1] * gains[middle + 1],
               bend = left - 2 * gains[middle] * gains[middle] + right;
  if (gains[middle - 1] < gains[middle] || gains[middle + 1] < gains[middle] || !(bend > 0)) return gains[middle];
  return gain(static_cast<double>(look) + 0.5 * (left - right) / bend);
}

}  // namespace

const SoundCurves& curves_of(const SignalFilterSpec& spec, double rate) {
  static SoundCurves curves;
  if (curves.of == spec && curves.rate == rate) return curves;
  curves = {spec, rate, make_signal_filter(spec, rate), {}, {}};
  constexpr std::size_t looks = 8;  // within a band, which may hold several of a comb's teeth
  const auto gain = [&](double look) {
    const double hertz = hertz_of((look + 0.5) / looks);
    return hertz < rate / 2 ? gain_at(curves.taps, hertz / rate) : 0;
  };
  std::array<double, SoundScope::bands * looks> gains;
  for (std::size_t look = 0; look < gains.size(); ++look) gains[look] = gain(static_cast<double>(look));
  const auto decibels = [](double of) { return static_cast<float>(20 * std::log10(std::max(of, 1e-8))); };
  for (std::size_t band = 0; band < SoundScope::bands; ++band) {
    const auto first = gains.begin() + static_cast<std::ptrdiff_t>(band * looks);
    const auto [least, most] = std::minmax_element(first, first + looks);
    curves.response[band] = decibels(*most);
    curves.least[band] = decibels(std::min(*least, foot_between(gains, least - gains.begin(), gain)));
  }
  return curves;
}

// Where there are more taps than pixels, a column shows the least and the largest of its own.
void draw_taps(ImDrawList& list, ImVec2 from, ImVec2 to, const Filter& filter) {
  to.y -= name_height();
  draw_ground(list, from, to);
  const auto [least, most] = std::ranges::minmax(filter.weights);
  const float high = std::max(most, 0.0f), low = std::min(least, 0.0f), range = std::max(high - low, 1e-30f);
  const float inset = px(3), height = to.y - from.y - 2 * inset, zero = from.y + inset + height * high / range;
  const float width = to.x - from.x - 2 * inset, each = width / static_cast<float>(filter.width);
  const auto bar = [&](float x, float end, float value) {
    if (value == 0) return;
    const float y = zero - value / range * height;
    list.AddRectFilled({x, std::min(y, zero)}, {end, std::max(y, zero)}, value < 0 ? theme().negative : theme().accent);
  };
  if (each >= px(2)) {
    for (int i = 0; i < filter.width; ++i) {
      const float x = from.x + inset + each * static_cast<float>(i);
      bar(x, x + std::max(each - px(1), 1.0f), filter.weights[static_cast<std::size_t>(i)]);
    }
  } else {
    const int columns = std::max(static_cast<int>(width), 1);
    for (int column = 0; column < columns; ++column) {
      const auto first = static_cast<std::size_t>(static_cast<long>(column) * filter.width / columns);
      const auto last = static_cast<std::size_t>(static_cast<long>(column + 1) * filter.width / columns);
      const auto [down, up] =
          std::minmax_element(filter.weights.begin() + static_cast<std::ptrdiff_t>(first),
                              filter.weights.begin() + static_cast<std::ptrdiff_t>(std::max(last, first + 1)));
      const float x = from.x + inset + static_cast<float>(column);
      bar(x, x + 1, std::max(*up, 0.0f));
      bar(x, x + 1, std::min(*down, 0.0f));
    }
  }
  list.AddLine({from.x + inset, zero}, {to.x - inset, zero}, with_alpha(theme().text, 0.25f));
  // An output is where the middle one is.
  const std::string radius = std::to_string(filter.rx());
  const float after = text_size(Font::small, "+" + radius).x;
  draw_text(list, Font::small, {from.x + inset, to.y + px(1)}, theme().dim, "−" + radius);
  draw_text(list, Font::small, {to.x - inset - after, to.y + px(1)}, theme().dim, "+" + radius);
}

// All names of tones lie in the middle below their lines, all levels beside theirs, where no curve comes.
PlotArea draw_tones(ImDrawList& list, ImVec2 from, ImVec2 to, const Decibels& range) {
  const float text = font_size(Font::small), gap = px(4);
  to.y -= name_height();
  const auto name_of = [&](float decibels) {
    return (decibels > 0 ? "+" : "") + with_minus(format_number(static_cast<double>(decibels), 3)) +
           (decibels == 0 ? " dB" : "");
  };
  float widest = 0;
  for_each_level(from, to, range, [&](float decibels, float) {
    widest = std::max(widest, text_size(Font::small, name_of(decibels)).x);
  });
  const float left = from.x, width = to.x - (left + widest + gap);
  from.x = left + widest + gap;
  draw_ground(list, from, to);
  const ImU32 line = with_alpha(theme().text, 0.12f);
  const auto beside = [&](float y) { return std::clamp(y - text / 2, from.y, std::max(to.y - text, from.y)); };
  const float zero = beside(from.y + range.most / (range.most - range.least) * (to.y - from.y));
  float free_y = from.y;
  for_each_level(from, to, range, [&](float decibels, float y) {
    list.AddLine({from.x, y}, {to.x, y}, line);
    const float at = beside(y);
    if (decibels != 0 && (at < free_y || std::abs(at - zero) < text)) return;
    const std::string name = name_of(decibels);
    draw_text(list, Font::small, {left + widest - text_size(Font::small, name).x, at}, theme().dim, name);
    free_y = at + text;
  });
  float free_x = left;
  for (const auto& [hertz, name] : named_tones) {
    const float x = from.x + place_of(hertz) * width, w = text_size(Font::small, name).x;
    list.AddLine({x, from.y}, {x, to.y}, line);
    const float at = std::min(x - w / 2, to.x - w);
    if (at < free_x) continue;
    draw_text(list, Font::small, {at, to.y + px(1)}, theme().dim, name);
    free_x = at + w + gap;
  }
  return {from, to};
}

void draw_curve(ImDrawList& list, ImVec2 from, ImVec2 to, const Decibels& range,
                const std::array<float, SoundScope::bands>& values, bool largest, ImU32 ink, float thickness,
                float fill) {
  const float width = to.x - from.x, height = to.y - from.y;
  const std::vector<float> shown = in_columns(values, static_cast<int>(width), largest);
  std::vector<ImVec2> points;
  for (const float value : shown) {
    const float share = (range.most - value) / (range.most - range.least);
    const float kept = share >= 0 ? std::min(share, 1.0f) : std::isnan(share) ? 1.0f : 0.0f;
    const float at = (static_cast<float>(points.size()) + 0.5f) / static_cast<float>(shown.size());
    points.emplace_back(from.x + width * at, from.y + kept * height);
  }
  list.PushClipRect(from, to, true);
  if (fill > 0) fill_down_to(list, to.y, points, with_alpha(ink, fill));
  stroke(list, points, ink, thickness);
  list.PopClipRect();
}

void draw_waveforms(ImDrawList& list, ImVec2 from, ImVec2 to, const SoundScope& scope, bool filtered, int rate) {
  const Theme& t = theme();
  to.y -= name_height();
  draw_ground(list, from, to);
  const float middle = (from.y + to.y) / 2;
  list.AddLine({from.x, middle}, {to.x, middle}, with_alpha(t.text, 0.15f));
  const double milliseconds = 1e3 * shown_samples / std::max(rate, 1);
  constexpr double tick = 5;  // ms
  for (double at = tick; at < milliseconds; at += tick) {
    const float x = from.x + static_cast<float>(at / milliseconds) * (to.x - from.x);
    list.AddLine({x, to.y - px(4)}, {x, to.y}, with_alpha(t.text, 0.3f));
  }
  const int first = first_shown(filtered ? scope.after : scope.before);
  list.PushClipRect(from, to, true);
  if (filtered) draw_wave(list, from, to, scope.before, first, with_alpha(t.text, 0.45f), px(1));
  draw_wave(list, from, to, filtered ? scope.after : scope.before, first, t.accent, std::max(1.5f, px(2)));
  list.PopClipRect();
  draw_text(list, Font::small, {from.x, to.y + px(1)}, t.dim, "5 ms a mark, " + format_number(milliseconds, 3) + " ms");
}

}  // namespace convoscope::ui
