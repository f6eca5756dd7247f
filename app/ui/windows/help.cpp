// The cheat sheet: every key, from the table that the keys themselves obey.
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "app/state/workbench.h"
#include "app/ui/actions/command_table.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/action_names.h"
#include "app/ui/parts/format.h"
#include "app/ui/parts/key_names.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/windows/everyday_words.h"
#include "app/ui/windows/page.h"
#include "app/ui/windows/pages.h"
#include "app/ui/windows/palette_text.h"
#include "kernels/text/number_text.h"

namespace convoscope::ui {
namespace {

constexpr std::size_t fewest_lines = 3;                    // of a group at the foot of a column
constexpr float line_height = 18, least_line_height = 15;  // as low as they must be for the page to hold them all
constexpr float between_groups = 8;
constexpr float behind_keys = 14;  // before what they do

struct Line {
  std::string keys, action;
  std::string why_not = {};  // it has no meaning in the workbench that is shown
};
struct Group {
  const char* title;
  std::vector<Line> lines;
};
// Of a group, what stands in one column.
struct Part {
  const char* title;
  std::span<const Line> lines;
  bool goes_on;  // begun in the column before
};
using HelpColumn = std::vector<Part>;

// Keys side by side that do the like: one line speaks for all of them.
struct Joined {
  std::vector<std::string_view> actions;
  const char *keys, *action;
};

const Joined* joined_with(const Binding& binding) {
  static const std::array all{
      Joined{{action::move_left, action::move_right, action::move_up, action::move_down},
             "Alt+arrows",
             "Move left, right, up or down"},
      Joined{{action::label_to_the_left, action::label_to_the_right, action::label_up, action::label_down},
             "Shift+Alt+arrows",
             "Label left, right, up or down"},
      Joined{{action::view_single, action::view_grid, action::view_split, action::view_difference, action::view_blink},
             "Shift+1 … 5",
             "View: single, grid … blink"},
      Joined{{workbench_action(workbenches[0]), workbench_action(workbenches[1]), workbench_action(workbenches[2])},
             "Ctrl+Shift+1 … 3",
             "Picture, Time or Layer"}};
  static_assert(workbenches.size() == 3);
  const auto found = std::ranges::find_if(all, [&](const Joined& one) {
    return std::ranges::find(one.actions, std::string_view(binding.action)) != one.actions.end();
  });
  return found == all.end() ? nullptr : &*found;
}

void add_line(std::vector<Line>& lines, Line added) {
  const auto known = std::ranges::find(lines, added.action, &Line::action);
  if (known == lines.end())
    lines.push_back(std::move(added));
  else if (known->keys != added.keys && !known->keys.ends_with(", " + added.keys))
    known->keys += ", " + added.keys;
}

// What the key does in the first other workbench in which it does something else.
std::optional<Line> line_elsewhere(const Binding& binding, const Settings& settings) {
  const std::string_view here = applies(binding, settings) ? action_in(settings, binding.action) : "";
  for (const Workbench& bench : workbenches) {
    if (bench.id == settings.workbench) continue;
    const Settings other = in_workbench(settings, bench.id);
    if (!applies(binding, other)) continue;
    const char* const action = action_in(other, binding.action);
    if (action == here) continue;
    return Line{binding.keys, "In the " + lower_case(workbench_action(bench)) + ": " + action, show_first(bench)};
  }
  return {};
}

// One line for each action, with all of its keys, or for those that are joined. Who searches finds each of them alone,
// and what has no meaning in this workbench, with the reason.
std::vector<Group> groups(const Settings& settings, bool searched) {
  std::vector<Group> made;
  for (const Binding& binding : bindings()) {
    const std::string why = why_not(binding, settings);
    const bool means_nothing = !applies(binding, settings) || (!why.empty() && !binding.applies);
    if (means_nothing && !searched) continue;
    if (made.empty() || std::string_view(made.back().title) != binding.group) made.push_back({binding.group, {}});
    std::vector<Line>& lines = made.back().lines;
    if (const Joined* const joined = searched ? nullptr : joined_with(binding)) {
      if (joined->actions.front() == binding.action) lines.push_back({joined->keys, joined->action});
      continue;
    }
    if (applies(binding, settings)) add_line(lines, {binding.keys, action_in(settings, binding.action), why});
    if (!searched || (applies(binding, settings) && !why.empty())) continue;
    if (std::optional<Line> line = line_elsewhere(binding, settings)) add_line(lines, std::move(*line));
  }
  made.push_back(
      {"Mouse",
       {{"Wheel", "Zoom about the cursor"},
        {"Drag", "Move the picture or the position"},
        {"Drag a weight", "Change its value"},
        {"Click", "Choose a pane or a weight"},
        {"Double click", has_bank(settings) ? "This map or all; type a weight" : "Full screen; type a weight"},
        {"Double click a slider", "Type its number"},
        {"Right click", "A menu of what is under the mouse"},
        {"Drop a file", "Play it; open the session in it"}}});
  return made;
}

// Where the actions of a column begin: behind its keys, as long as that leaves them room.
float keys_width(const HelpColumn& column, float width) {
  float keys = 0, actions = 0;
  for (const Part& part : column)
    for (const Line& line : part.lines) {
      keys = std::max(keys, text_size(Font::strong, line.keys).x);
      actions = std::max(actions, text_size(Font::body, line.action).x);
    }
  return std::min({std::ceil(keys) + px(behind_keys), px(132), std::max(std::floor(width - actions), px(60))});
}

void draw_part(const Part& part, ImVec2 at, float width, float keys_width, float row) {
  const Theme& t = theme();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  draw_text(list, Font::strong, at, t.accent, std::string(part.title) + (part.goes_on ? ", continued" : ""));
  for (const Line& line : part.lines) {
    at.y += row;
    const bool greyed = !line.why_not.empty();
    draw_text(list, Font::strong, at, greyed ? t.faint : t.text, line.keys);
    // Beside keys that are longer than most, the action begins later.
    const float before = std::max(keys_width, std::ceil(text_size(Font::strong, line.keys).x) + px(behind_keys));
    const std::string action = clipped(line.action, width - before);
    draw_text(list, Font::body, {at.x + before, at.y}, greyed ? t.faint : t.dim, action);
    ImGui::SetCursorScreenPos(at);
    ImGui::Dummy({std::max(width, 1.0f), row});
    tooltip(with_whole(line.action, action, line.why_not));
  }
}

float height_of(const Part& part, float row) { return static_cast<float>(part.lines.size() + 1) * row; }

// The lines that have every word of the text, in the keys, the action, the group's title or what else people call it.
std::vector<Group> found_groups(std::string_view text, const Settings& settings) {
  std::vector<Group> found;
  for (const Group& group : groups(settings, !trim(text).empty())) {
    Group some{group.title, {}};
    for (const Line& line : group.lines) {
      const std::string name = std::string(group.title) + ": " + line.action;
      if (has_words(text, name + " " + line.keys + " " + everyday_words_of(name))) some.lines.push_back(line);
    }
    if (!some.lines.empty()) found.push_back(std::move(some));
  }
  return found;
}

// Groups one after another into columns of `height`; a group goes on in the next column.
std::vector<HelpColumn> filled_columns(const std::vector<Group>& shown, float height, float row) {
  std::vector<HelpColumn> columns(1);
  float left = height;
  for (const Group& group : shown) {
    for (std::size_t done = 0; done < group.lines.size();) {
      if (!columns.back().empty()) left -= px(between_groups);
      const float lines = std::floor(left / row) - 1;
      const std::size_t room = lines > 0 ? static_cast<std::size_t>(lines) : 0;
      const std::size_t count = std::min(room, group.lines.size() - done);
      if (count < std::min(fewest_lines, group.lines.size() - done)) {
        columns.emplace_back();
        left = height;
        continue;
      }
      columns.back().push_back({group.title, std::span(group.lines).subspan(done, count), done > 0});
      left -= height_of(columns.back().back(), row);
      done += count;
    }
  }
  return columns;
}

// The lowest columns that are no more than `most` and fit into the height; more of that height where none do.
std::vector<HelpColumn> columns_of(const std::vector<Group>& shown, std::size_t most, float height, float row) {
  std::size_t rows = shown.size();
  for (const Group& group : shown) rows += group.lines.size();
  for (float low = row * static_cast<float>(std::max<std::size_t>(rows / most, 8)); low < height; low += row)
    if (std::vector<HelpColumn> columns = filled_columns(shown, low, row); columns.size() <= most) return columns;
  return filled_columns(shown, height, row);
}

// Side by side, and below each other as high as what is seen at once: no line is cut, and none is apart from its title.
void draw_columns(const std::vector<Group>& shown) {
  const ImVec2 room = ImGui::GetContentRegionAvail(), top = ImGui::GetCursorScreenPos();
  const auto beside = static_cast<std::size_t>(std::clamp(std::floor(room.x / px(330)), 1.0f, 4.0f));
  float height = 0, row = px(line_height);
  std::vector<HelpColumn> columns;
  const auto fill = [&] {
    height = std::max(std::floor(room.y), static_cast<float>(fewest_lines + 1) * row);
    columns = columns_of(shown, beside, height, row);
    return columns.size() <= beside;
  };
  while (!fill() && row > px(least_line_height)) --row;
  if (columns.size() > beside) {
    row = px(line_height);
    fill();
  }
  const float step = std::floor(room.x / static_cast<float>(beside));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    ImVec2 at{top.x + step * static_cast<float>(i % beside), top.y + height * static_cast<float>(i / beside)};
    const float keys = keys_width(columns[i], step - px(16));
    for (const Part& part : columns[i]) {
      draw_part(part, at, step - px(16), keys, row);
      at.y += height_of(part, row) + px(between_groups);
    }
  }
  // So that the last ones are scrolled to as a whole too.
  const std::size_t below = (columns.size() + beside - 1) / beside;
  if (below > 1) {
    ImGui::SetCursorScreenPos({top.x, top.y + height * static_cast<float>(below) - 1});
    ImGui::Dummy({1, 1});
  }
}

}  // namespace

void draw_help(Settings& settings) {
  if (!begin_page("help", "Keys and mouse", 1560, 876, &momentary().show_help, keys_of(action::help))) return;
  UiState& state = ui_state();
  if (page_is_opening()) {
    state.help_search.fill(0);
    ImGui::SetKeyboardFocusHere();
  }
  ImGui::SetNextItemWidth(std::min(px(360), ImGui::GetContentRegionAvail().x));
  text_field("help-search", "Search: a key or what it does", state.help_search, "");
  ImGui::Dummy({0, px(4)});
  ImGui::BeginChild("##help-columns");
  const std::vector<Group> shown = found_groups(state.help_search.data(), settings);
  if (shown.empty())
    text_dim("No key does this. Try a shorter word, or the command palette" + keys_of(action::palette) + ".");
  else
    draw_columns(shown);
  ImGui::EndChild();
  end_page();
}

}  // namespace convoscope::ui
