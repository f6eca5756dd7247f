// The card of View::difference: which panes, how, and a legend for the colours.
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "app/difference.h"
#include "app/ui/cards.h"
#include "app/ui/format.h"
#include "app/ui/widgets.h"

namespace convoscope::ui {
namespace {

constexpr FalseColour grays{{{0, 0, 0}, {0.25f, 0.25f, 0.25f}, {0.5f, 0.5f, 0.5f}, {0.75f, 0.75f, 0.75f}, {1, 1, 1}}};

ImU32 ink(const std::array<float, 3>& c) { return ImGui::ColorConvertFloat4ToU32({c[0], c[1], c[2], 1}); }

// Differences in code values that the ends of the scale stand for; a squared scale has its middle elsewhere.
void draw_legend(const DifferenceSettings& difference, ImDrawList& list, ImVec2 from, float width) {
  const FalseColour& stops = difference.false_colour ? false_colours(difference.mode) : grays;
  const float height = px(12), step = width / 4;
  for (int i = 0; i < 4; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const float x = from.x + step * static_cast<float>(i);
    list.AddRectFilledMultiColor({x, from.y}, {x + step, from.y + height}, ink(stops[k]), ink(stops[k + 1]),
                                 ink(stops[k + 1]), ink(stops[k]));
  }
  list.AddRect(from, {from.x + width, from.y + height}, with_alpha(theme().text, 0.35f));
  const double end = 255 / std::max(difference.gain, 1e-6);
  const bool is_signed = difference.mode == DifferenceMode::signed_values;
  const double middle = is_signed ? 0 : difference.mode == DifferenceMode::squared ? end * std::sqrt(0.5) : end / 2;
  const std::string labels[] = {is_signed ? "−" + format_number(end, 3) : "0", format_number(middle, 3),
                                (is_signed ? "+" : "") + format_number(end, 3)};
  for (int i = 0; i < 3; ++i) {
    const float label_width = text_size(Font::small, labels[i]).x;
    const float x = from.x + (width - label_width) * static_cast<float>(i) / 2;
    draw_text(list, Font::small, {std::round(x), from.y + height + px(3)}, theme().dim, labels[i]);
  }
}

std::string settings_text(const DifferenceSettings& difference) {
  std::string text =
      std::string(difference_modes[static_cast<int>(difference.mode)]) + "  ·  gain " + format_number(difference.gain, 3) + "×";
  if (difference.threshold > 0) text += "  ·  above " + format_number(difference.threshold, 3);
  return text;
}

}  // namespace

void draw_difference_card(const Stats& stats, const Settings& settings, const UiLayout& layout, ImDrawList& list) {
  const Theme& t = theme();
  const Area area = picture_area(layout);
  const float margin = px(12), padding = px(13);
  const float width = std::min(px(318), area.width - 2 * margin), height = px(122);
  if (width < px(120) || area.height < height + 2 * margin) return;
  const ComparedPanes compared = compared_panes(settings.difference, static_cast<int>(settings.panes.size()));
  const ImVec2 from{area.x + margin, area.y + margin}, to{from.x + width, from.y + height};
  list.AddRectFilled(from, to, t.card, px(9));
  const float x = from.x + padding, room = width - 2 * padding;
  const auto line = [&](Font face, ImU32 colour, float y, const std::string& text) {
    push_font(face);
    const std::string shown = clipped(text, room);
    pop_font();
    draw_text(list, face, {x, from.y + y}, colour, shown);
  };
  const auto name = [&](int i) {
    return std::to_string(i + 1) + " " + pane_title(settings.panes[static_cast<std::size_t>(i)], stats);
  };
  line(Font::title, t.text, px(9), "Difference");
  line(Font::body, t.text, px(34), name(compared.first) + "  −  " + name(compared.second));
  line(Font::small, t.dim, px(56), settings_text(settings.difference));
  draw_legend(settings.difference, list, {x, from.y + px(80)}, room);
}

}  // namespace convoscope::ui
