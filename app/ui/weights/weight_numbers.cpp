#include "app/ui/weights/weight_numbers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "app/ui/parts/format.h"
#include "app/ui/parts/widgets.h"

namespace convoscope::ui {
namespace {

// The most figures that fit into the cell, in a size that fits. A minus takes none of them away: numbers that are
// opposite to each other are told alike.
void draw_number(ImDrawList& list, ImVec2 from, float cell, float weight, ImU32 ink) {
  float size = 0;
  const auto extent_of = [&](const std::string& text) {
    return font(Font::body)->CalcTextSizeA(size, FLT_MAX, 0, text.c_str());
  };
  std::string text;
  for (int figures = 3; figures >= 0 && text.empty(); --figures) {
    // What fits in no other way is written as small as can be read.
    size = std::max(figures > 0 ? std::min(px(13.5f), std::round(cell * 0.44f)) : 0.0f, px(9));
    if (extent_of(format_weight(std::abs(weight), std::max(figures, 1))).x <= cell - px(figures > 0 ? 4 : 1))
      text = format_weight(weight, std::max(figures, 1));
  }
  if (text.empty()) text = shortest_weight(weight);
  ImVec2 extent = extent_of(text);
  const float room = cell - px(1);
  // Much smaller, a minus would fade: the 0 before the point goes first.
  if (const std::size_t point = text.find("0."); extent.x > 1.1f * room && point != std::string::npos && weight < 0) {
    text.erase(point, 1);
    extent = extent_of(text);
  }
  if (extent.x > room) {
    size *= room / extent.x;
    extent = extent_of(text);
  }
  const ImVec2 at{std::round(from.x + (cell - extent.x) / 2), std::round(from.y + (cell - extent.y) / 2)};
  list.AddText(font(Font::body), size, at, ink, text.c_str());
  watch_text(list, at, extent, text);
}

void draw_alike(ImDrawList& list, ImVec2 from, float cell, const std::string& text, float size, ImU32 ink) {
  const ImVec2 extent = font(Font::body)->CalcTextSizeA(size, FLT_MAX, 0, text.c_str());
  const ImVec2 at{std::round(from.x + (cell - extent.x) / 2), std::round(from.y + (cell - extent.y) / 2)};
  list.AddText(font(Font::body), size, at, ink, text.c_str());
  watch_text(list, at, extent, text);
}

std::string fixed_weight(float weight, int decimals) {
  if (weight == 0) return "0";
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f", decimals, static_cast<double>(weight));
  const bool is_none = std::strtod(text.data(), nullptr) == 0;
  return is_none ? text.data() + (text[0] == '-') : with_minus(text.data());
}

}  // namespace

// As many decimals as tell all weights, or as the cells have room for in the smallest text that can be read.
WeightWriting writing_of(std::span<const float> weights, float largest, float cell) {
  constexpr int most_decimals = 4;
  constexpr float exact = 1e-3f;  // of the largest weight
  int decimals = 0;
  for (const float weight : weights) {
    if (!std::isfinite(weight)) return {};
    const auto rounded = [&] {
      const float scale = std::pow(10.0f, static_cast<float>(decimals));
      return std::round(weight * scale) / scale;
    };
    while (decimals < most_decimals && std::abs(rounded() - weight) > exact * largest) ++decimals;
  }
  const float least = px(9), most = std::max(std::min(px(13.5f), std::round(cell * 0.44f)), least);
  const float room = cell - px(3);
  for (; decimals >= 0; --decimals) {
    float widest = 0;  // in the largest text
    for (const float weight : weights)
      widest =
          std::max(widest, font(Font::body)->CalcTextSizeA(most, FLT_MAX, 0, fixed_weight(weight, decimals).c_str()).x);
    const float size = widest <= room ? most : std::floor(most * room / widest);
    if (size < least) continue;
    const double seen = 0.5 * std::pow(10.0, -decimals);
    const auto there = std::ranges::count_if(weights, [](float weight) { return weight != 0; });
    const auto vanishing =
        std::ranges::count_if(weights, [&](float weight) { return weight != 0 && std::abs(weight) < seen; });
    if (3 * vanishing > there) break;
    return {decimals, size};
  }
  return {};
}

void draw_weight(ImDrawList& list, ImVec2 from, float cell, float weight, const WeightWriting& written, ImU32 ink) {
  if (written.decimals)
    draw_alike(list, from, cell, fixed_weight(weight, *written.decimals), written.size, ink);
  else
    draw_number(list, from, cell, weight, ink);
}

}  // namespace convoscope::ui
