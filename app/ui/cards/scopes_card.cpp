// Histogram and vectorscope of the pane under the cursor, as the GPU has counted them.
#include "app/ui/cards/scopes_card.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "app/ui/parts/format.h"
#include "app/ui/parts/tooltips.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/places/on_screen.h"
#include "app/ui/places/stage_places.h"

namespace convoscope::ui {
namespace {

constexpr std::array<ImU32, 3> channel_colours{IM_COL32(240, 80, 70, 255), IM_COL32(70, 190, 90, 255),
                                               IM_COL32(80, 140, 250, 255)};

void draw_histogram(ImDrawList& list, ImVec2 from, ImVec2 to, const InspectStats& inspect, bool gray) {
  const Theme& t = theme();
  list.AddRectFilled(from, to, with_alpha(t.text, 0.06f), px(4));
  std::uint32_t highest = 1;  // black and white may fill whole letterboxes: they leave the graph at the top
  for (const auto& bins : inspect.histogram)
    for (std::size_t i = 1; i + 1 < bins.size(); ++i) highest = std::max(highest, bins[i]);
  const float width = to.x - from.x, height = to.y - from.y - px(2);
  const auto point = [&](const std::vector<std::uint32_t>& bins, std::size_t i) {
    const float share = std::sqrt(static_cast<float>(bins[i]) / static_cast<float>(highest));
    return ImVec2(from.x + width * (static_cast<float>(i) + 0.5f) / 256, to.y - std::min(share, 1.0f) * height);
  };
  list.PushClipRect(from, to, true);
  for (std::size_t c = gray ? 3 : 0; c < 4; ++c) {
    const auto& bins = inspect.histogram[c];
    if (bins.size() != 256) continue;
    const ImU32 ink = c < 3 ? channel_colours[c] : t.text;
    if (c < 3 || gray)
      for (std::size_t i = 0; i < 256; ++i) {
        const ImVec2 p = point(bins, i);
        list.AddRectFilled({p.x - width / 512, p.y}, {p.x + width / 512, to.y}, with_alpha(ink, 0.18f));
      }
    for (std::size_t i = 0; i < 256; ++i) list.PathLineTo(point(bins, i));
    list.PathStroke(with_alpha(ink, c < 3 ? 0.9f : 0.75f), 0, std::max(1.0f, px(1.25f)));
  }
  list.PopClipRect();
  if (!hovers_background(from, to)) return;
  const auto bin =
      static_cast<std::size_t>(std::clamp((ImGui::GetIO().MousePos.x - from.x) / width, 0.0f, 0.999f) * 256);
  // Of feature maps: the values that the bin stands for, after the gain.
  const std::string value = inspect.histogram_of_maps
                                ? with_minus(format_number((static_cast<double>(bin) - 127.5) / 127.5, 2))
                                : std::to_string(bin);
  std::string text = "Value " + value + ", pixels counted:";
  constexpr std::array names{"red", "green", "blue", "luma"};
  for (std::size_t c = gray ? 3 : 0; c < 4; ++c)
    if (inspect.histogram[c].size() == 256)
      text += std::string("\n") +
              (inspect.histogram_of_maps ? "values"
               : gray                    ? "grey"
                                         : names[c]) +
              "  " + format_count(inspect.histogram[c][bin]);
  tooltip_beside(text, from, to);
}

ImU32 chroma_colour(float cb, float cr, float alpha) {  // −1 … 1 each, at middle luma
  const float y = 0.55f, r = y + 0.7874f * cr, b = y + 0.9278f * cb, g = (y - 0.2126f * r - 0.0722f * b) / 0.7152f;
  return ImGui::ColorConvertFloat4ToU32(
      {std::clamp(r, 0.0f, 1.0f), std::clamp(g, 0.0f, 1.0f), std::clamp(b, 0.0f, 1.0f), alpha});
}

void draw_targets(ImDrawList& list, ImVec2 centre, float radius) {
  constexpr std::array<std::array<float, 3>, 6> colours{
      {{1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 1, 1}, {0, 0, 1}, {1, 0, 1}}};
  for (const auto& c : colours) {
    const float y = 0.2126f * c[0] + 0.7152f * c[1] + 0.0722f * c[2];
    const float cb = (c[2] - y) / 0.9278f, cr = (c[0] - y) / 0.7874f;
    const ImVec2 at{centre.x + cb * radius, centre.y - cr * radius};
    list.AddRect({at.x - px(4), at.y - px(4)}, {at.x + px(4), at.y + px(4)}, chroma_colour(cb, cr, 0.9f));
  }
}

void draw_vectorscope(ImDrawList& list, ImVec2 from, float side, const std::vector<std::uint32_t>& counts) {
  const Theme& t = theme();
  const ImVec2 to{from.x + side, from.y + side}, centre{from.x + side / 2, from.y + side / 2};
  list.AddRectFilled(from, to, with_alpha(t.text, 0.06f), px(4));
  list.AddLine({from.x, centre.y}, {to.x, centre.y}, with_alpha(t.text, 0.15f));
  list.AddLine({centre.x, from.y}, {centre.x, to.y}, with_alpha(t.text, 0.15f));
  list.AddCircle(centre, side * 0.46f, with_alpha(t.text, 0.2f), 48);
  constexpr int bins = vectorscope_bins, shown = bins / 2;  // two by two counters to a square: enough to look at
  if (counts.size() != static_cast<std::size_t>(bins) * bins) return;
  std::array<float, static_cast<std::size_t>(shown) * shown> sums{};
  float highest = 1;
  for (int y = 0; y < bins; ++y)
    for (int x = 0; x < bins; ++x) {
      float& sum = sums[static_cast<std::size_t>(y / 2 * shown + x / 2)];
      sum += static_cast<float>(counts[static_cast<std::size_t>(y * bins + x)]);
      highest = std::max(highest, sum);
    }
  const float cell = side / shown;
  for (int y = 0; y < shown; ++y)
    for (int x = 0; x < shown; ++x) {
      const float sum = sums[static_cast<std::size_t>(y * shown + x)];
      if (sum == 0) continue;
      const float cb = (static_cast<float>(x) + 0.5f) / shown * 2 - 1,
                  cr = (static_cast<float>(y) + 0.5f) / shown * 2 - 1;
      const float strength = 0.25f + 0.75f * std::log1p(sum) / std::log1p(highest);
      const ImVec2 at{from.x + cell * static_cast<float>(x), to.y - cell * static_cast<float>(y + 1)};
      list.AddRectFilled(at, {at.x + cell, at.y + cell}, chroma_colour(cb, cr, strength));
    }
  draw_targets(list, centre, side / 2);
  if (!hovers_background(from, to)) return;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const float cb = (mouse.x - centre.x) / (side / 2), cr = (centre.y - mouse.y) / (side / 2);
  const auto square = [&](float chroma) {
    return std::clamp(static_cast<int>((chroma + 1) / 2 * shown), 0, shown - 1);
  };
  const float count = sums[static_cast<std::size_t>(square(cr) * shown + square(cb))];
  const auto number = [](float chroma) { return with_minus(format_number(static_cast<double>(chroma), 2)); };
  tooltip_beside("Blue difference (Cb) " + number(cb) + ", red difference (Cr) " + number(cr) + "\n" +
                     format_count(static_cast<std::int64_t>(count)) + " pixels counted",
                 from, to);
}

}  // namespace

void draw_scopes(const Stats& stats, const Settings& settings, const Area& picture) {
  const InspectStats& inspect = stats.inspect;
  const bool histogram = settings.inspect.histogram && !inspect.histogram[0].empty();
  const bool vectorscope =
      settings.inspect.vectorscope && !inspect.vectorscope.empty() && !inspect.histogram_of_maps;  // they have no hue
  if (!histogram && !vectorscope) return;
  const float padding = px(11), plot = px(132), wide = px(256), gap = px(10);
  const float width =
      (histogram ? wide : 0) + (vectorscope ? plot : 0) + (histogram && vectorscope ? gap : 0) + 2 * padding;
  const float height = px(20) + plot + 2 * padding, margin = px(12);
  const Area room{picture.x + margin, picture.y + margin, picture.width - 2 * margin, picture.height - 2 * margin};
  const std::optional<Area> place = place_near(room, {width, height}, room.to());
  if (!place) return;
  const ImVec2 from = place->from(), to = place->to();
  const Theme& t = theme();
  ImDrawList& list = *ImGui::GetBackgroundDrawList();
  list.AddRectFilled(from, to, t.card, px(9));
  take_place("scopes", *place);
  const std::string every = inspect.histogram_step > 1
                                ? "  ·  one pixel in each " + std::to_string(inspect.histogram_step) + " × " +
                                      std::to_string(inspect.histogram_step)
                                : "";
  draw_clipped(list, Font::small, {from.x + padding, from.y + padding - px(2)}, t.dim,
               pane_title(stats, settings, inspect.histogram_pane) +
                   (inspect.histogram_of_maps ? "  ·  values × gain, from −1 to 1" : "") + every,
               width - 2 * padding);
  const float y = from.y + padding + px(18);
  float x = from.x + padding;
  if (histogram) {
    draw_histogram(list, {x, y}, {x + wide, y + plot}, inspect,
                   settings.format == PixelFormat::gray32f || inspect.histogram_of_maps);
    x += wide + gap;
  }
  if (vectorscope) draw_vectorscope(list, {x, y}, plot, inspect.vectorscope);
}

}  // namespace convoscope::ui
