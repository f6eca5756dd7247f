// The cheat sheet: every key, from the table that the keys themselves obey.
#include <imgui.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>
#include <sstream>
#include <string_view>
#include <vector>

#include "app/ui/keys/keys.h"
#include "app/ui/panels/panels.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/ui_state.h"
#include "app/ui/windows/page.h"

namespace convoscope::ui {
namespace {

constexpr std::size_t fewest_lines = 3;  // of a group at the foot of a column
constexpr float line_height = 18;

struct Line {
  std::string keys;
  const char* action;
};
struct Group {
  const char* title;
  std::vector<Line> lines;
  bool goes_on = false;  // begun in the column before
};

// One line for each action, with all of its keys.
const std::vector<Group>& groups() {
  static const std::vector<Group> table = [] {
    std::vector<Group> made;
    for (const KeyBinding& binding : key_bindings()) {
      if (made.empty() || std::string_view(made.back().title) != binding.group) made.push_back({binding.group, {}});
      std::vector<Line>& lines = made.back().lines;
      const auto known = std::ranges::find_if(
          lines, [&](const Line& line) { return std::string_view(line.action) == binding.action; });
      if (known == lines.end())
        lines.push_back({binding.keys, binding.action});
      else if (known->keys != binding.keys && !known->keys.ends_with(", " + std::string(binding.keys)))
        known->keys += ", " + std::string(binding.keys);
    }
    made.push_back({"Mouse",
                    {{"Wheel", "Zoom about the cursor"},
                     {"Drag", "Move the picture or the position"},
                     {"Drag a weight", "Change its value"},
                     {"Click", "Choose a pane or a weight"},
                     {"Double click", "Full screen; on a weight: type its value"},
                     {"Drop a file", "Play it; open the session in it"}}});
    return made;
  }();
  return table;
}

void draw_group(const Group& group, float width) {
  const Theme& t = theme();
  push_font(Font::strong);
  text_coloured(t.accent, std::string(group.title) + (group.goes_on ? ", continued" : ""));
  pop_font();
  const float keys_width = px(132), height = px(line_height);
  for (const Line& line : group.lines) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImDrawList& list = *ImGui::GetWindowDrawList();
    draw_text(list, Font::strong, at, t.text, line.keys);
    const std::string action = clipped(line.action, width - keys_width);
    draw_text(list, Font::body, {at.x + keys_width, at.y}, t.dim, action);
    ImGui::Dummy({std::max(width, 1.0f), height - ImGui::GetStyle().ItemSpacing.y});
  }
  ImGui::Dummy({0, px(4)});
}

float height_of(const Group& group) { return static_cast<float>(group.lines.size() + 1) * px(line_height) + px(14); }

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

// The lines that have every word of the text, in the keys, the action or the group's title.
std::vector<Group> found_groups(std::string_view text) {
  std::vector<Group> found;
  std::istringstream in(lower(text));
  const std::vector<std::string> words{std::istream_iterator<std::string>(in), {}};
  for (const Group& group : groups()) {
    Group some{group.title, {}};
    for (const Line& line : group.lines) {
      const std::string all = lower(std::string(group.title) + " " + line.keys + " " + line.action);
      if (std::ranges::all_of(words, [&](const std::string& word) { return all.find(word) != std::string::npos; }))
        some.lines.push_back(line);
    }
    if (!some.lines.empty()) found.push_back(std::move(some));
  }
  return found;
}

// Groups one after another into columns of `height`; a group goes on in the next column.
std::vector<std::vector<Group>> filled_columns(const std::vector<Group>& shown, float height) {
  std::vector<std::vector<Group>> columns(1);
  float left = height;
  for (const Group& group : shown) {
    for (std::size_t done = 0; done < group.lines.size();) {
      const float lines = (left - px(14)) / px(line_height) - 1;
      const std::size_t room = lines > 0 ? static_cast<std::size_t>(lines) : 0;
      std::size_t count = std::min(room, group.lines.size() - done);
      if (count < std::min(fewest_lines, group.lines.size() - done)) {
        columns.emplace_back();
        left = height;
        continue;
      }
      const auto from = group.lines.begin() + static_cast<std::ptrdiff_t>(done);
      columns.back().push_back({group.title, {from, from + static_cast<std::ptrdiff_t>(count)}, done > 0});
      left -= height_of(columns.back().back());
      done += count;
    }
  }
  return columns;
}

// The lowest columns that are no more than `most`.
std::vector<std::vector<Group>> columns_of(const std::vector<Group>& shown, std::size_t most) {
  for (float height = px(line_height) * 8;; height += px(line_height))
    if (std::vector<std::vector<Group>> columns = filled_columns(shown, height); columns.size() <= most) return columns;
}

}  // namespace

void draw_help(Settings& settings) {
  if (!begin_page("help", "Keys and mouse", 1560, 876, &settings.show_help, keys_of("This sheet"))) return;
  UiState& state = ui_state();
  if (page_is_opening()) {
    state.help_search.fill(0);
    ImGui::SetKeyboardFocusHere();
  }
  ImGui::SetNextItemWidth(std::min(px(360), ImGui::GetContentRegionAvail().x));
  text_field("help-search", "Search: a key or what it does", state.help_search, "");
  ImGui::Dummy({0, px(4)});
  ImGui::BeginChild("##help-columns");
  const std::vector<Group> shown = found_groups(state.help_search.data());
  if (shown.empty())
    text_dim("No key does this. Try a shorter word, or the command palette" + keys_of("Command palette") + ".");

  const float room = ImGui::GetContentRegionAvail().x;
  const auto columns = static_cast<std::size_t>(std::clamp(std::floor(room / px(330)), 1.0f, 4.0f));
  const float column_width = room / static_cast<float>(columns) - px(16);
  const ImVec2 top = ImGui::GetCursorPos();
  float x = top.x;
  for (const std::vector<Group>& column : columns_of(shown, columns)) {
    ImGui::SetCursorPos({x, top.y});
    ImGui::BeginGroup();
    for (const Group& group : column) draw_group(group, column_width);
    ImGui::EndGroup();
    x += column_width + px(16);
  }
  ImGui::EndChild();
  end_page();
}

}  // namespace convoscope::ui
