#include "app/ui/weights/bank_grid.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/ui/actions/layer_actions.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/weights/weight_grid.h"

namespace convoscope::ui {
namespace {

constexpr float grid_side = 24, least_grid_side = 3, between_grids = 4, number_width = 20, entry_padding = 4;
constexpr int rows_in_sight = 6;

struct BankLayout {
  float side = 0, step = 0;  // of a small grid, and to the next
  int across = 1;            // beside each other, of a map; where it sees very many channels they go on below
  ImVec2 entry;              // of a map, with its number
  int columns = 1, rows = 1;
};

BankLayout bank_layout(const Filter& bank, float width) {
  BankLayout made;
  const float around = px(number_width + 2 * entry_padding - between_grids), room = width - around;
  const int channels = std::max(bank.channels, 1);
  made.across = std::clamp(static_cast<int>(room / px(least_grid_side)), 1, channels);
  made.step = std::min(px(grid_side + between_grids), room / static_cast<float>(made.across));
  made.side = std::max(made.step - px(between_grids), px(least_grid_side));  // of many channels they are small
  made.step = std::max(made.step, made.side);
  made.entry.x = around + static_cast<float>(made.across) * made.step;
  made.entry.y = static_cast<float>((channels - 1) / made.across) * made.step + made.side + px(2 * entry_padding);
  made.columns = std::max(static_cast<int>(width / made.entry.x), 1);
  made.rows = (bank.maps + made.columns - 1) / made.columns;
  made.entry.x = std::floor(width / static_cast<float>(made.columns));  // the columns fill the width
  return made;
}

float largest_of(const Filter& bank) {
  float most = 0;
  for (const float weight : bank.weights)
    if (std::isfinite(weight)) most = std::max(most, std::fabs(weight));
  return most;
}

void draw_small_grid(const Filter& bank, int map, int channel, float largest, ImVec2 from, float side) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(from, {from.x + side, from.y + side}, theme().field);
  const auto first = static_cast<std::size_t>((map * bank.channels + channel) * bank.width * bank.height);
  const auto edge = [side](int i, int count) {
    return std::round(side * static_cast<float>(i) / static_cast<float>(count));
  };
  for (int row = 0; row < bank.height; ++row)
    for (int column = 0; column < bank.width; ++column) {
      const float weight = bank.weights[first + static_cast<std::size_t>(row * bank.width + column)];
      if (weight == 0) continue;
      list.AddRectFilled({from.x + edge(column, bank.width), from.y + edge(row, bank.height)},
                         {from.x + edge(column + 1, bank.width), from.y + edge(row + 1, bank.height)},
                         weight_tint(weight, largest));
    }
}

void draw_map_entry(const Filter& bank, bool of_picture, int map, float largest, ImVec2 from, const BankLayout& layout,
                    BankChoice& chosen) {
  const Theme& t = theme();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const bool at_hand = map == chosen.map;
  if (at_hand) list.AddRectFilled(from, {from.x + layout.entry.x, from.y + layout.entry.y}, t.accent_soft, px(4));
  const std::string number = std::to_string(map + 1);
  const ImVec2 size = text_size(Font::small, number);
  draw_text(list, Font::small,
            {from.x + px(number_width) - px(4) - size.x, std::round(from.y + (layout.entry.y - size.y) / 2)},
            at_hand ? t.text : t.dim, number);
  for (int channel = 0; channel < bank.channels; ++channel) {
    const float side = layout.side;
    const ImVec2 at{
        from.x + px(number_width) + px(entry_padding) + static_cast<float>(channel % layout.across) * layout.step,
        from.y + px(entry_padding) + static_cast<float>(channel / layout.across) * layout.step};
    ImGui::SetCursorScreenPos(at);
    ImGui::PushID(map * bank.channels + channel);
    if (ImGui::InvisibleButton("##weights", {side, side})) {
      chosen.map = map;
      chosen.channel = channel;
    }
    ImGui::PopID();
    const bool hovered = ImGui::IsItemHovered();
    // There may be thousands: only what is asked for has a text.
    const auto seen = [&] { return of_picture ? colour_of(bank, map, channel) : std::to_string(channel + 1); };
    if (watching_items()) mark_item("bank/" + number + "/" + seen());
    if (hovered)
      tooltip("Map " + number + ", " + (of_picture ? seen() : "which sees map " + seen() + " of the previous layer") +
              ". Click to edit these weights below.");
    if (!ImGui::IsItemVisible()) continue;
    draw_small_grid(bank, map, channel, largest, at, side);
    const bool edited = at_hand && channel == chosen.channel;
    if (edited || hovered)
      list.AddRect({at.x - 1, at.y - 1}, {at.x + side + 1, at.y + side + 1},
                   edited ? t.accent : with_alpha(t.text, 0.45f), 0, 0, px(edited ? 2 : 1));
  }
}

}  // namespace

void draw_bank_grid(const Filter& bank, bool of_picture, BankChoice& chosen, float width) {
  const BankLayout whole = bank_layout(bank, width);
  const bool scrolls = whole.rows > rows_in_sight;
  const float bar = scrolls ? ImGui::GetStyle().ScrollbarSize : 0;
  const BankLayout layout = bank_layout(bank, width - bar);
  const float height = layout.entry.y * static_cast<float>(std::min(layout.rows, rows_in_sight));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::BeginChild("##bank-grids", {width, height}, false, ImGuiWindowFlags_NoNavInputs);
  ImGui::PopStyleVar();
  const ImVec2 from = ImGui::GetCursorScreenPos();
  const float largest = largest_of(bank);
  for (int map = 0; map < bank.maps; ++map)
    draw_map_entry(bank, of_picture, map, largest,
                   {from.x + layout.entry.x * static_cast<float>(map % layout.columns),
                    from.y + layout.entry.y * static_cast<float>(map / layout.columns)},
                   layout, chosen);
  // All of the rows are there to scroll to.
  ImGui::SetCursorScreenPos({from.x, from.y + layout.entry.y * static_cast<float>(layout.rows)});
  ImGui::Dummy({0, 0});
  end_inner_list();
}

}  // namespace convoscope::ui
