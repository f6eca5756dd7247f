// The unrolled input of a small layer, number by number.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/explain/parts.h"
#include "app/ui/explain/window.h"
#include "app/ui/parts/format.h"
#include "app/ui/parts/widgets.h"
#include "kernels/contract/data/layer.h"

namespace convoscope::ui {
namespace {

constexpr int most_unrolled_rows = 64, most_unrolled_columns = 64;

// Whatever lies in the padding is 0; empty where the input is not at hand.
std::optional<float> layer_input_at(const PixelExplanation& explained, int plane, int x, int y) {
  const Problem& p = *explained.problem;
  if (x < 0 || x >= p.width || y < 0 || y >= p.height) return 0.0f;
  for (const PixelPatch& patch : explained.inputs)
    if (patch.plane == plane)
      if (const PixelValue value = patch.at(x, y); value.channels > 0) return value.values[0];
  return {};
}

// Row by row: C · K² rows, a column for each place of a map. Empty where an input is missing.
std::vector<float> unrolled(const PixelExplanation& explained, const LayerExtents& e) {
  const int first = explained.output.sample * e.channels + e.first_channel(explained.output.channel);
  std::vector<float> values;
  for (int channel = 0; channel < e.group_channels(); ++channel)
    for (int tap = 0; tap < e.filter * e.filter; ++tap)
      for (int place = 0; place < e.out_height * e.out_width; ++place) {
        const std::optional<float> value =
            layer_input_at(explained, first + channel, e.input_index(place % e.out_width, tap % e.filter),
                           e.input_index(place / e.out_width, tap / e.filter));
        if (!value) return {};
        values.push_back(*value);
      }
  return values;
}

}  // namespace

void draw_unrolled_matrix(const PixelExplanation& explained) {
  const Problem& p = *explained.problem;
  if (!p.filter.is_bank() || p.layer.pass != Pass::forward) return;
  const LayerExtents e = layer_extents(p);
  const int rows = e.group_channels() * e.filter * e.filter, columns = e.out_height * e.out_width;
  if (rows > most_unrolled_rows || columns > most_unrolled_columns) return;
  const std::vector<float> values = unrolled(explained, e);
  if (values.empty()) return;
  std::vector<std::string> texts;
  float widest = 0;
  for (const float value : values) {
    texts.push_back(explained_number(value));
    widest = std::max(widest, text_size(Font::small, texts.back()).x);
  }
  const ImVec2 cell{widest + px(10), font_size(Font::small) + px(4)};
  if (cell.x * static_cast<float>(columns) > ImGui::GetContentRegionAvail().x) return;
  heading("U, NUMBER BY NUMBER");
  const Theme& t = theme();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 from = ImGui::GetCursorScreenPos();
  const ImVec2 size{cell.x * static_cast<float>(columns), cell.y * static_cast<float>(rows)};
  const int column_of_output = explained.output.y * e.out_width + explained.output.x;
  list.AddRectFilled(from, {from.x + size.x, from.y + size.y}, t.field);
  const ImVec2 lit{from.x + cell.x * static_cast<float>(column_of_output), from.y};
  list.AddRectFilled(lit, {lit.x + cell.x, lit.y + size.y}, mix(t.field, explain_inks().block, 0.35f));
  for (int i = 0; i < rows * columns; ++i) {
    const std::string& text = texts[static_cast<std::size_t>(i)];
    const float x = from.x + cell.x * static_cast<float>(i % columns + 1) - px(5) - text_size(Font::small, text).x;
    const float y = from.y + cell.y * static_cast<float>(i / columns) + px(2);
    draw_text(list, Font::small, {x, y}, i % columns == column_of_output ? t.text : t.dim, text);
  }
  for (int channel = 1; channel < e.group_channels(); ++channel) {
    const float y = from.y + cell.y * static_cast<float>(channel * e.filter * e.filter);
    list.AddLine({from.x, y}, {from.x + size.x, y}, t.line);
  }
  mark_area("story-unrolled", from, {from.x + size.x, from.y + size.y});
  ImGui::Dummy(size);
}

}  // namespace convoscope::ui
