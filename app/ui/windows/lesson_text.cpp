#include "app/ui/windows/lesson_text.h"

#include <imgui.h>

#include <algorithm>
#include <cctype>

#include "app/ui/parts/widgets.h"
#include "app/ui/parts/wrapped_text.h"
#include "kernels/text/number_text.h"

namespace convoscope::ui {
namespace {

constexpr float widest_line = 520;  // some 70 letters

bool is_made_of_numbers(std::string_view line) {
  return std::ranges::all_of(line, [](unsigned char c) { return std::isdigit(c) || c == ' ' || c == '-' || c == '.'; });
}

// Columns are parted by two blanks or more; between numbers one is enough.
std::vector<std::string> cells_of(std::string_view line) {
  const std::size_t least = is_made_of_numbers(line) && line.find("   ") == std::string_view::npos ? 1 : 2;
  std::vector<std::string> cells{""};
  for (std::size_t i = 0; i < line.size(); ++i) {
    const std::size_t end = std::min(line.find_first_not_of(' ', i), line.size());
    if (end - i >= least && !cells.back().empty()) {
      cells.emplace_back();
      i = end - 1;
    } else {
      cells.back() += line[i];
    }
  }
  return cells;
}

// Numbers to the right, words to the left, each column as wide as its widest cell.
void draw_rows(const std::vector<std::vector<std::string>>& rows) {
  std::vector<float> widths;
  for (const std::vector<std::string>& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths.resize(std::max(widths.size(), i + 1), 0);
      if (row.size() > 1) widths[i] = std::max(widths[i], text_size(Font::body, row[i]).x);
    }
  const float line = ImGui::GetTextLineHeight() + px(3), pad = px(8), gap = px(14);
  const ImVec2 from = ImGui::GetCursorScreenPos();
  const float height = line * static_cast<float>(rows.size()) + 2 * pad;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(from, {from.x + lesson_measure(), from.y + height}, theme().field, px(4));
  for (std::size_t y = 0; y < rows.size(); ++y) {
    float x = from.x + pad;
    const float top = from.y + pad + line * static_cast<float>(y);
    for (std::size_t i = 0; i < rows[y].size(); ++i) {
      const std::string& text = rows[y][i];
      const float indent =
          is_made_of_numbers(text) && rows[y].size() > 1 ? widths[i] - text_size(Font::body, text).x : 0;
      const float room = from.x + lesson_measure() - pad - x - indent;
      draw_clipped(list, Font::body, {x + indent, top}, theme().text, text, room);
      x += widths[i] + gap;
    }
  }
  ImGui::Dummy({lesson_measure(), height});
}

void draw_code(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  for (const std::string_view line : split(trim(text), '\n'))
    if (line.starts_with("convoscope ")) {  // a command, which may be long
      const std::string broken = wrapped(line, lesson_measure() - px(16));
      for (const std::string_view part : split(broken, '\n')) rows.push_back({std::string(part)});
    } else {
      rows.push_back(cells_of(line));
    }
  draw_rows(rows);
}

}  // namespace

float lesson_measure() { return std::max(std::min(ImGui::GetContentRegionAvail().x, px(widest_line)), px(40)); }

void draw_lesson_line(const std::string& text, unsigned int ink) {
  ImGui::PushStyleColor(ImGuiCol_Text, ink);
  ImGui::TextUnformatted(wrapped(text, lesson_measure()).c_str());
  ImGui::PopStyleColor();
}

void draw_lesson_blocks(const std::string& id, const std::vector<LessonCard::Block>& blocks) {
  using Kind = LessonCard::Block::Kind;
  ImGui::PushID(id.c_str());
  for (const LessonCard::Block& block : blocks) {
    switch (block.kind) {
      case Kind::paragraph:
        draw_lesson_line(block.text, theme().text);
        break;
      case Kind::item:
        ImGui::Indent(px(14));
        ImGui::GetWindowDrawList()->AddCircleFilled(
            {ImGui::GetCursorScreenPos().x - px(8), ImGui::GetCursorScreenPos().y + ImGui::GetTextLineHeight() / 2},
            px(2), theme().dim);
        draw_lesson_line(block.text, theme().text);
        ImGui::Unindent(px(14));
        break;
      case Kind::code:
        draw_code(block.text);
        break;
      case Kind::table:
        draw_rows(block.rows);
        break;
    }
    if (block.kind != Kind::item) ImGui::Dummy({0, px(2)});
  }
  ImGui::PopID();
}

}  // namespace convoscope::ui
