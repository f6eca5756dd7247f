#include "app/ui/results/sound_plots.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "app/ui/parts/format.h"
#include "app/ui/parts/widgets.h"

namespace convoscope::ui {
namespace {

constexpr int shown_samples = SoundScope::samples / 2;  // the others are there to look for where to begin

double hertz_of(int band) {
  return SoundScope::lowest * std::pow(SoundScope::highest / SoundScope::lowest, (band + 0.5) / SoundScope::bands);
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
  for (int i = 0; i < shown_samples; ++i) {
    const float value = std::clamp(samples[static_cast<std::size_t>(first + i)], -1.0f, 1.0f);
    list.PathLineTo({from.x + (to.x - from.x) * static_cast<float>(i) / (shown_samples - 1), middle - value * height});
  }
  list.PathStroke(ink, 0, thickness);
}

void draw_ground(ImDrawList& list, ImVec2 from, ImVec2 to) {
  list.AddRectFilled(from, to, with_alpha(theme().text, 0.06f), px(4));
}

}  // namespace

const SoundCurves& curves_of(const SignalFilterSpec& spec, double rate) {
  static SoundCurves curves;
  if (curves.of == spec && curves.rate == rate) return curves;
  curves = {spec, rate, make_signal_filter(spec, rate), {}};
  for (int band = 0; band < SoundScope::bands; ++band) {
    const double hertz = hertz_of(band);
    const double gain = hertz < rate / 2 ? gain_at(curves.taps, hertz / rate) : 0;
    curves.response[static_cast<std::size_t>(band)] = static_cast<float>(20 * std::log10(std::max(gain, 1e-8)));
  }
  return curves;
}

// Where there are more taps than pixels, a column shows the least and the largest of its own.
void draw_taps(ImDrawList& list, ImVec2 from, ImVec2 to, const Filter& filter) {
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
}

void draw_tones(ImDrawList& list, ImVec2 from, ImVec2 to, const Decibels& range) {
  draw_ground(list, from, to);
  const ImU32 line = with_alpha(theme().text, 0.12f);
  const float height = to.y - from.y, width = to.x - from.x, text = font_size(Font::small);
  const float step = height < px(90) ? 40 : 20;
  float free_from = from.y;
  for (float decibels = std::floor(range.most / step) * step; decibels > range.least; decibels -= step) {
    const float y = from.y + (range.most - decibels) / (range.most - range.least) * height;
    list.AddLine({from.x, y}, {to.x, y}, line);
    if (y < free_from || y + text > to.y - text) continue;
    draw_text(list, Font::small, {from.x + px(3), y}, theme().faint,
              with_minus(format_number(static_cast<double>(decibels), 3)) + " dB");
    free_from = y + 2 * text;
  }
  const std::pair<double, const char*> tones[] = {{100, "100 Hz"}, {1000, "1 kHz"}, {10000, "10 kHz"}};
  for (const auto& [hertz, name] : tones) {
    const float x = from.x + place_of(hertz) * width, w = text_size(Font::small, name).x;
    list.AddLine({x, from.y}, {x, to.y}, line);
    const float at = x + px(3) + w < to.x ? x + px(3) : x - px(3) - w;
    draw_text(list, Font::small, {at, to.y - text - px(1)}, theme().faint, name);
  }
}

void draw_curve(ImDrawList& list, ImVec2 from, ImVec2 to, const Decibels& range,
                const std::array<float, SoundScope::bands>& values, ImU32 ink, float thickness, float fill) {
  const float width = to.x - from.x, height = to.y - from.y;
  const auto point = [&](std::size_t band) {
    const float share = (range.most - values[band]) / (range.most - range.least);
    return ImVec2(from.x + width * (static_cast<float>(band) + 0.5f) / SoundScope::bands,
                  from.y + std::clamp(share, 0.0f, 1.0f) * height);
  };
  list.PushClipRect(from, to, true);
  for (std::size_t band = 0; fill > 0 && band + 1 < values.size(); ++band) {
    const ImVec2 a = point(band), b = point(band + 1);
    list.AddQuadFilled(a, b, {b.x, to.y}, {a.x, to.y}, with_alpha(ink, fill));
  }
  for (std::size_t band = 0; band < values.size(); ++band) list.PathLineTo(point(band));
  list.PathStroke(ink, 0, thickness);
  list.PopClipRect();
}

void draw_waveforms(ImDrawList& list, ImVec2 from, ImVec2 to, const SoundScope& scope, bool filtered, int rate) {
  const Theme& t = theme();
  draw_ground(list, from, to);
  const float middle = (from.y + to.y) / 2;
  list.AddLine({from.x, middle}, {to.x, middle}, with_alpha(t.text, 0.15f));
  const double milliseconds = 1e3 * shown_samples / std::max(rate, 1);
  constexpr double tick = 5;  // ms
  for (double at = tick; at < milliseconds; at += tick) {
    const float x = from.x + static_cast<float>(at / milliseconds) * (to.x - from.x);
    list.AddLine({x, to.y - px(4)}, {x, to.y}, with_alpha(t.text, 0.3f));
  }
  draw_text(list, Font::small, {from.x + px(3), from.y + px(1)}, t.faint,
            "5 ms a mark, " + format_number(milliseconds, 3) + " ms");
  const int first = first_shown(filtered ? scope.after : scope.before);
  list.PushClipRect(from, to, true);
  if (filtered) draw_wave(list, from, to, scope.before, first, with_alpha(t.text, 0.45f), px(1));
  draw_wave(list, from, to, filtered ? scope.after : scope.before, first, t.accent, std::max(1.5f, px(2)));
  list.PopClipRect();
}

}  // namespace convoscope::ui
