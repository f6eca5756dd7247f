#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "app/ui/actions/filter_actions.h"
#include "app/ui/actions/strategy_actions.h"
#include "app/ui/actions/workbench_actions.h"
#include "app/ui/files/file_browser.h"
#include "app/ui/files/save_dialog.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/menus/command_menus.h"
#include "app/ui/panels/panel.h"
#include "app/ui/parts/action_names.h"
#include "app/ui/parts/format.h"
#include "app/ui/parts/key_codes.h"
#include "app/ui/parts/key_names.h"
#include "app/ui/parts/lists.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/weights/weight_grid.h"
#include "kernels/choose/advice.h"
#include "kernels/filter/separability.h"

namespace convoscope::ui {
namespace {

void draw_kinds(Settings& settings) {
  FilterSpec& spec = settings.active().filter;
  const float width = ImGui::GetContentRegionAvail().x - 2 * (px(25) + px(4));
  if (begin_combo("##kind", display_name(spec), width, Font::strong)) {
    for (const FilterKind& kind : filter_kinds()) {
      const bool chosen = spec.kind == kind.id;
      const std::string why_not = why_no_filter(kind, settings);
      ImGui::BeginDisabled(!why_not.empty());
      if (list_entry(std::string(kind.title), chosen)) choose_kind(spec, kind);
      ImGui::EndDisabled();
      if (chosen && ImGui::IsWindowAppearing()) ImGui::SetScrollHereY(0.5f);
      mark_item("kind/" + std::string(kind.id));
      tooltip(why_not.empty() ? std::string(kind.idea) : why_not);
    }
    ImGui::EndCombo();
  } else if (const FilterKind* const kind = find_filter_kind(spec.kind)) {
    tooltip(std::string(kind->idea));
  }
  ImGui::SameLine(0, px(4));
  if (icon_button("previous-kind", Icon::minus, "Previous filter of the catalogue" + keys_of(action::previous_filter),
                  false, 25))
    choose_next_filter(settings, -1);
  ImGui::SameLine(0, px(4));
  if (icon_button("next-kind", Icon::plus, with_keys(action::next_filter), false, 25)) choose_next_filter(settings, 1);
}

// What the slider shows: a number, or what stands in its place. There is no room for the rule beside a whole number,
// of which there are two in a row.
std::string shown_value(const FilterParameter& parameter, double value) {
  if (is_word(parameter, value)) return std::string(parameter.word);
  if (!is_automatic(parameter, value)) return parameter.step >= 0.1 ? "%.1f" : "%.2f";
  return is_whole(parameter) ? "auto" : "auto: " + std::string(automatic_rule(parameter));
}

// Few whole values are laid side by side; the rest gets a slider. "auto" is no text of a whole number that ImGui would
// let somebody type over.
void draw_value(FilterSpec& spec, std::size_t index, const FilterParameter& parameter, float width = 0) {
  const std::string id = "parameter/" + std::string(parameter.id);
  const double now = index < spec.values.size() ? spec.values[index] : parameter.initial;
  const bool automatic = is_automatic(parameter, now);
  if (is_whole(parameter) && !automatic) {
    int value = static_cast<int>(now);
    if (slider(id.c_str(), &value, static_cast<int>(parameter.minimum), static_cast<int>(parameter.maximum), "%d", 0,
               width) &&
        nearest_value(parameter, value) != now)
      set_parameter(spec, index, value);
  } else {
    auto value = static_cast<float>(now);
    if (slider(id.c_str(), &value, static_cast<float>(parameter.minimum), static_cast<float>(parameter.maximum),
               shown_value(parameter, now).c_str(), 0, width))
      set_parameter(spec, index, std::round(value / parameter.step) * parameter.step);
  }
}

std::string with_unit(const FilterParameter& parameter) {
  return std::string(parameter.title) + (parameter.unit.empty() ? "" : ", in " + std::string(parameter.unit)) + ". ";
}

constexpr const char* typing_tip = "Double-click or Ctrl+click to type a number.";

void draw_parameter(FilterSpec& spec, std::size_t index, const FilterParameter& parameter) {
  const std::string title(parameter.title);
  const std::string word = parameter.word.empty() ? std::string()
                                                  : " --filter " + spec.kind + ":" + std::string(parameter.id) + "=" +
                                                        std::string(parameter.word) + " takes OpenCV's own weights.";
  row_label(title.substr(0, title.find(" (")).c_str(),
            with_unit(parameter) + typing_tip + word);  // what is in brackets explains
  draw_value(spec, index, parameter);
}

// "Radius x, y": two that belong together, where there is but one row for them.
void draw_two_parameters(FilterSpec& spec, std::span<const FilterParameter> both) {
  const std::string first(both[0].title), second(both[1].title);
  row_label((first + ", " + second.substr(second.rfind(' ') + 1)).c_str(),
            with_unit(both[0]) + with_unit(both[1]) + typing_tip);
  const float gap = px(6), each = std::floor((ImGui::GetContentRegionAvail().x - gap) / 2);
  draw_value(spec, 0, both[0], each);
  ImGui::SameLine(0, gap);
  draw_value(spec, 1, both[1], each);
}

// Which parameter each row shows, −1 for none: one of the same name stays where it was, the others take the rows that
// are free, and new ones after these.
std::vector<int> parameters_of_rows(const std::vector<std::string>& rows, std::span<const FilterParameter> parameters) {
  std::vector<int> shown(rows.size(), -1), others;
  for (int i = 0; i < static_cast<int>(parameters.size()); ++i) {
    const auto same = std::ranges::find(rows, parameters[static_cast<std::size_t>(i)].id);
    (same == rows.end() ? others.emplace_back() : shown[static_cast<std::size_t>(same - rows.begin())]) = i;
  }
  auto next = others.begin();
  for (int& row : shown)
    if (row < 0 && next != others.end()) row = *next++;
  shown.insert(shown.end(), next, others.end());
  return shown;
}

// Of a filter that an edit has made a custom one, no more of them than there were rows before: the weights stay where
// they are under the mouse. The others come below.
void draw_parameters(FilterSpec& spec, bool above) {
  const FilterKind* const kind = find_filter_kind(spec.kind);
  if (!kind) return;
  std::vector<std::string>& rows = ui_state().parameter_rows;
  if (!is_custom(spec)) {
    rows.clear();
    for (const FilterParameter& each : kind->parameters) rows.emplace_back(each.id);
  }
  if (rows.size() == 1 && kind->parameters.size() == 2) {
    if (above) draw_two_parameters(spec, kind->parameters);
    return;
  }
  const std::vector<int> shown = parameters_of_rows(rows, kind->parameters);
  for (std::size_t i = above ? 0 : rows.size(); i < (above ? rows.size() : shown.size()); ++i) {
    if (shown[i] < 0)
      ImGui::Dummy({0, ImGui::GetFrameHeight()});
    else
      draw_parameter(spec, static_cast<std::size_t>(shown[i]), kind->parameters[static_cast<std::size_t>(shown[i])]);
  }
}

void draw_epilogue(FilterSpec& spec) {
  Filter& filter = spec.filter;
  row_label(
      "Gain, bias",
      "The output is gain · sum + bias · white. With a bias of 0.5, negative sums are shown darker than mid-grey.");
  const float gap = px(6), switch_width = toggle_width("|x| abs");
  const float each = std::max((ImGui::GetContentRegionAvail().x - switch_width - 2 * gap) / 2, px(10));
  float gain = filter.gain, bias = filter.bias;
  ImGui::SetNextItemWidth(each);
  if (drag_number("gain", &gain, 0.01f, -1000, 1000, "×%.4g") && std::isfinite(gain)) filter.gain = gain;
  ImGui::SameLine(0, gap);
  ImGui::SetNextItemWidth(each);
  if (drag_number("bias", &bias, 0.005f, -1, 1, "%+.3g") && std::isfinite(bias)) filter.bias = bias;
  ImGui::SameLine(0, gap);
  toggle("absolute", "|x| abs", &filter.absolute, "Shows the absolute value of the result" + keys_of(action::absolute));
}

void draw_border(PaneSettings& pane) {
  row_label("Border",
            "What the filter reads beyond the edge of the picture. With zero it is black, with replicate the pixel at "
            "the edge, repeated. With mirror it is a reflection that does not repeat that pixel; OpenCV calls it "
            "reflect 101. With wrap it is the opposite side.");
  constexpr const char* labels[] = {"zero", "replicate", "mirror", "wrap"};
  int chosen = static_cast<int>(pane.border);
  if (segmented("border", labels, &chosen, "")) pane.border = all_borders[static_cast<std::size_t>(chosen)];
}

void draw_frames(PaneSettings& pane, const Stats& stats, const Settings& settings) {
  row_label("Frames",
            "How many frames before the one shown, and how many after it, go into the result. All of them have the "
            "same weight.");
  slider("frames", &pane.frames, static_cast<int>(frames_around.low), static_cast<int>(frames_around.high),
         pane.frames == 0 ? "none" : "± %d");
  const Problem problem = problem_of(pane, stats, settings);
  const int held = 2 * pane.frames + 1;
  const double bytes =
      static_cast<double>(held) * problem.width * problem.height * static_cast<double>(bytes_per_pixel(problem.format));
  push_font(Font::small);
  text_coloured(theme().dim, "The ring holds " + std::to_string(held) + (held == 1 ? " frame" : " frames") + " of " +
                                 std::to_string(problem.width) + " × " + std::to_string(problem.height) + ": " +
                                 format_bytes(bytes) + ".");
  pop_font();
  if (const std::string why = why_invalid(pane, stats, settings); !why.empty()) text_coloured(theme().warning, why);
}

void draw_tools(const Stats& stats, Settings& settings) {
  FilterSpec& spec = settings.active().filter;
  UiState& state = ui_state();
  // In one row where that makes them not too small, else those that belong together stay so.
  constexpr float largest = 26, smallest = 22;
  constexpr int tools = 11, groups = 4;
  const float gap = px(2), group = px(6), room = ImGui::GetContentRegionAvail().x;
  const float right = ImGui::GetCursorScreenPos().x + room;
  const float gaps = (groups - 1) * group + (tools - groups) * gap;
  float side = largest;
  while (side >= smallest && tools * px(side) + gaps > room) --side;
  if (side < smallest) side = largest;
  const auto tool = [&](const char* id, Icon icon, const std::string& tip, float before, int together = 1) {
    const float width = px(side) * static_cast<float>(together) + gap * static_cast<float>(together - 1);
    if (before > 0 && ImGui::GetItemRectMax().x + before + width <= right) ImGui::SameLine(0, before);
    return icon_button(id, icon, tip, false, side);
  };
  const auto edit = [&](void (*change)(Filter&)) { state.filter_error = edit_weights(spec, change); };

  ImGui::BeginDisabled(!can_undo(settings));
  if (tool("undo", Icon::undo, undo_tip(action::undo), 0)) give_feedback(undo(settings), stats.now);
  ImGui::EndDisabled();
  ImGui::BeginDisabled(!can_redo(settings));
  if (tool("redo", Icon::redo, undo_tip(action::redo), gap)) give_feedback(redo(settings), stats.now);
  ImGui::EndDisabled();
  if (tool("copy", Icon::copy, with_keys(action::copy_weights), group, 2))
    ImGui::SetClipboardText(filter_text(spec.filter).c_str());
  if (tool("paste", Icon::paste,
           "Paste a matrix: rows separated by ; or new lines, numbers by spaces or commas" +
               keys_of(action::paste_weights),
           gap)) {
    const char* const text = ImGui::GetClipboardText();
    state.filter_error = paste_matrix(spec, text ? text : "");
  }
  if (tool("normalise", Icon::normalise,
           "Normalise: divide the weights by their sum, so that the brightness stays the same" +
               keys_of(action::normalise),
           group, 5))
    edit(normalise);
  if (tool("transpose", Icon::transpose, "Transpose: swap rows and columns" + keys_of(action::transpose), gap))
    edit(transpose);
  if (tool("flip-horizontal", Icon::flip_horizontal, with_keys(action::flip_horizontal), gap)) edit(flip_horizontal);
  if (tool("flip-vertical", Icon::flip_vertical, with_keys(action::flip_vertical), gap)) edit(flip_vertical);
  if (tool("rotate", Icon::rotate, "Rotate clockwise by 90°" + keys_of(action::rotate), gap)) edit(rotate_clockwise);
  if (tool("shrink", Icon::minus, with_keys(action::smaller_radius), group, 2)) state.filter_error = grow(spec, -1);
  if (tool("grow", Icon::plus, with_keys(action::larger_radius), gap)) state.filter_error = grow(spec, 1);
}

// A weight from here on makes one code value of its pixel as much as all there is from black to white.
constexpr double saturating_weight = 255;

double largest_weight(const Filter& filter) {
  double largest = 0;
  for (const std::vector<float>* weights : {&filter.weights, &filter.weights_y})
    for (const float w : *weights)
      if (std::isfinite(w)) largest = std::max(largest, std::abs(static_cast<double>(w)));
  return largest;
}

bool saturates(const Filter& filter) {
  return largest_weight(filter) * std::abs(static_cast<double>(filter.gain)) >= saturating_weight;
}

void draw_what_saturates(const Filter& filter) {
  if (!saturates(filter)) return;
  push_font(Font::small);
  text_coloured(theme().warning, "A weight of " + format_number(largest_weight(filter), 3) +
                                     " turns a single code value into black or white: the picture saturates.");
  pop_font();
  mark_item("saturates");
  tooltip(
      "Outputs below black are shown black, those above white are shown white. A filter keeps the brightness when its "
      "weights are normalised: their sum is 1 then.");
}

void draw_summary(const Filter& filter) {
  double sum = 0;
  for (const float w : filter.weights) sum += w;
  std::string text = std::to_string(filter.width) + " × " + std::to_string(filter.height) + "  ·  sum " +
                     with_minus(format_number(sum, 4));
  const bool whole =
      filter.weights.size() == static_cast<std::size_t>(filter.width) * static_cast<std::size_t>(filter.height);
  const bool finite = std::ranges::all_of(filter.weights, [](float w) { return std::isfinite(w); });
  // Beside a huge weight the others vanish in float32, and a rank would be of that one alone.
  if (whole && finite && !filter.weights.empty() && !filter.is_magnitude() && !saturates(filter)) {
    // A filter that is edited many times a second must not stall the window: a large one's rank is slow to find.
    constexpr std::size_t quick = 41 * 41;
    const int rank = filter.weights.size() <= quick || !ImGui::IsAnyItemActive()
                         ? filter_rank(filter.weights.data(), filter.width, filter.height)
                         : 0;
    if (rank > 0) text += "  ·  rank " + std::to_string(rank);
    if (rank == 1 && filter.width > 1 && filter.height > 1)
      text += ", separable: " + std::to_string(filter.width * filter.height) + " → " +
              std::to_string(filter.width + filter.height) + " ×";
  }
  push_font(Font::small);
  text_clipped(text, ImGui::GetContentRegionAvail().x, theme().dim);
  pop_font();
  tooltip("A filter of rank 1 is separable: it is a column times a row, and two passes of " +
          std::to_string(filter.width) + " and " + std::to_string(filter.height) + " weights do the work of " +
          std::to_string(filter.width * filter.height) + ". " + separable_saving(filter.width, filter.height) + ".");
}

void draw_file_row(const Stats& stats, const Settings& settings) {
  if (text_button("load-filter", "Load …", "Load a filter from a JSON file" + keys_of(action::load_filter)))
    open_browser(FileBrowser::Purpose::filter);
  ImGui::SameLine(0, px(8));
  if (text_button("save-filter", "Save …", "Save this filter as a JSON file" + keys_of(action::save_filter)))
    open_save_dialog(Saved::filter, stats, settings);
}

// Of the source's pane, where none that filters follows it: what is edited here would change no picture. With no other
// pane it would, as the source then gives way to what filters.
bool is_of_no_picture(const Settings& settings) {
  const PaneSettings& active = settings.active();
  return active.strategy == "source" && !is_all_unfiltered(settings) &&
         std::ranges::none_of(settings.group().panes, [&](const PaneSettings& pane) {
           return pane.strategy != "source" && pane.linked && active.linked;
         });
}

void draw_what_shows_it_not(const Settings& settings) {
  if (!is_of_no_picture(settings)) return;
  text_coloured(
      theme().warning,
      "This pane shows the source, and no pane has this filter. Go to another pane by its number, such as 2, to "
      "edit its filter.");
  mark_item("filter-of-no-picture");
}

void draw_filter_panel(const Stats& stats, Settings& settings, Requests& requests) {
  PaneSettings& pane = settings.active();
  FilterSpec& spec = pane.filter;

  draw_what_shows_it_not(settings);
  draw_kinds(settings);
  draw_parameters(spec, true);
  draw_epilogue(spec);
  draw_border(pane);
  if (over_frames(work_of(settings))) draw_frames(pane, stats, settings);
  draw_tools(stats, settings);
  draw_weight_grid(spec, ImGui::GetContentRegionAvail().x);
  draw_weights_menu({stats, settings, requests});
  draw_parameters(spec, false);
  draw_summary(spec.filter);
  draw_what_saturates(spec.filter);
  draw_file_row(stats, settings);
}

constexpr Control filter_controls[] = {
    {"Gain, bias", "brightness"},
    {"|x| abs", "absolute value"},
    {"Border", "edge"},
    {"Frames", "reach time", [](const Settings& s) { return over_frames(work_of(s)); }},
    {"Load …"},
    {"Save …"},
};

}  // namespace

extern const Panel filter_panel{
    .id = "filter",
    .title = "Filter",
    .key = key::f(3),
    .keys = "F3",
    .action = "Filter panel",
    .draw = draw_filter_panel,
    .summary =
        [](const Stats&, const Settings& s) {
          return is_of_no_picture(s) ? std::string("Source, unfiltered") : work_text(s.active(), s);
        },
    .applies = has_filter,
    .controls = filter_controls,
};

}  // namespace convoscope::ui
