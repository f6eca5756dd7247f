#include "app/ui/results/curve_stroke.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace convoscope::ui {
namespace {

constexpr float quad_width = 0.5f;  // pixels: the edge of a peak that is as steep as a wall lies between two of them

// A row of quads from column to column, between edges that lie one below the other; each edge has its ink.
template <std::size_t edges>
class Strip {
 public:
  Strip(ImDrawList& list, std::size_t columns, const std::array<ImU32, edges>& inks) : list_(list), inks_(inks) {
    const int quads = static_cast<int>((columns - 1) * (edges - 1));
    list_.PrimReserve(6 * quads, static_cast<int>(columns * edges));
    first_ = list_._VtxCurrentIdx;
  }
  void add(float x, const std::array<float, edges>& y) {
    const ImVec2 white = ImGui::GetFontTexUvWhitePixel();
    for (std::size_t edge = 0; edge < edges; ++edge) list_.PrimWriteVtx({x, y[edge]}, white, inks_[edge]);
    for (unsigned edge = 0; added_ > 0 && edge + 1 < edges; ++edge) {
      const unsigned b = first_ + added_ * edges + edge, a = b - edges;
      for (const unsigned corner : {a, b, b + 1, a, b + 1, a + 1}) list_.PrimWriteIdx(static_cast<ImDrawIdx>(corner));
    }
    ++added_;
  }

 private:
  ImDrawList& list_;
  const std::array<ImU32, edges> inks_;
  unsigned first_ = 0, added_ = 0;
};

}  // namespace

std::vector<float> in_columns(std::span<const float> values, int columns, bool largest) {
  const std::size_t all = values.size(), most = static_cast<std::size_t>(std::max(columns, 1));
  if (all <= most) return {values.begin(), values.end()};
  std::vector<float> kept(most);
  for (std::size_t i = 0; i < most; ++i) {
    const std::span<const float> own = values.subspan(i * all / most, (i + 1) * all / most - i * all / most);
    kept[i] = largest ? *std::ranges::max_element(own) : *std::ranges::min_element(own);
  }
  return kept;
}

Inked inked(std::span<const ImVec2> points, float x, float radius) {
  Inked covered{HUGE_VALF, -HUGE_VALF};
  // Those before are too far left, as are all before them.
  auto b = std::ranges::lower_bound(points, x - radius, {}, &ImVec2::x);
  if (b == points.begin() && b != points.end()) ++b;
  for (; b != points.end() && (b - 1)->x <= x + radius; ++b) {
    const ImVec2 from = *(b - 1), to = *b;
    const float width = to.x - from.x, slope = width > 1e-4f ? (to.y - from.y) / width : 0;
    const float left = std::max(from.x - x, -radius), right = std::max(std::min(to.x - x, radius), left);
    // The pen is round: what it reaches highest of a slope lies beside its middle.
    const float beside = slope * radius / std::sqrt(1 + slope * slope);
    const auto reach = [&](float at) { return std::sqrt(std::max(radius * radius - at * at, 0.0f)); };
    const auto cover = [&](float above, float below, float y_above, float y_below) {
      covered.top = std::min(covered.top, y_above - reach(above));
      covered.bottom = std::max(covered.bottom, y_below + reach(below));
    };
    if (width > 1e-4f) {
      const float above = std::clamp(-beside, left, right), below = std::clamp(beside, left, right);
      cover(above, below, from.y + slope * (x + above - from.x), from.y + slope * (x + below - from.x));
    } else {
      cover(left, left, std::min(from.y, to.y), std::max(from.y, to.y));
    }
  }
  return covered;
}

// Its edges fade over a pixel.
void stroke(ImDrawList& list, std::span<const ImVec2> points, ImU32 ink, float thickness) {
  if (points.size() < 2) return;
  const float left = points.front().x, width = points.back().x - left;
  const int steps = std::max(static_cast<int>(std::ceil(width / quad_width)), 1);
  const float outside = thickness / 2 + 0.5f, inside = std::max(thickness / 2 - 0.5f, quad_width / 2);
  const ImU32 clear = ink & ~IM_COL32_A_MASK;
  Strip<4> strip(list, static_cast<std::size_t>(steps) + 1, {clear, ink, ink, clear});
  for (int i = 0; i <= steps; ++i) {
    const float x = left + width * static_cast<float>(i) / static_cast<float>(steps);
    const Inked all = inked(points, x, outside), full = inked(points, x, inside);
    strip.add(x, {all.top, full.top, full.bottom, all.bottom});
  }
}

void fill_down_to(ImDrawList& list, float foot, std::span<const ImVec2> points, ImU32 ink) {
  if (points.size() < 2) return;
  Strip<2> strip(list, points.size(), {ink, ink});
  for (const ImVec2& point : points) strip.add(point.x, {point.y, foot});
}

}  // namespace convoscope::ui
