#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/ui/filter_actions.h"
#include "app/ui/format.h"
#include "app/ui/keys.h"
#include "app/ui/panels.h"
#include "app/ui/ui_state.h"
#include "app/ui/weight_grid.h"
#include "app/ui/widgets.h"
#include "kernels/separability.h"

namespace convoscope::ui {
namespace {

void draw_kinds(FilterSpec& spec) {
  push_font(Font::strong);
  const bool open = begin_combo("##kind", display_name(spec), ImGui::GetContentRegionAvail().x - 2 * px(25 + 4));
  pop_font();
  if (open) {
    for (const FilterKind& kind : filter_kinds()) {
      if (ImGui::Selectable(std::string(kind.title).c_str(), spec.kind == kind.id)) choose_kind(spec, kind);
      mark_item("kind/" + std::string(kind.id));
      tooltip(std::string(kind.idea));
    }
    ImGui::EndCombo();
  } else if (const FilterKind* const kind = find_filter_kind(spec.kind)) {
    tooltip(std::string(kind->idea));
  }
  ImGui::SameLine(0, px(4));
  if (icon_button("previous-kind", Icon::minus, "Previous filter of the catalogue" + keys_of("Previous filter"), false,
                  25))
    choose_next_kind(spec, -1);
  ImGui::SameLine(0, px(4));
  if (icon_button("next-kind", Icon::plus, "Next filter of the catalogue" + keys_of("Next filter of the catalogue"),
                  false, 25))
    choose_next_kind(spec, 1);
}

// Few whole values are laid side by side; the rest gets a slider.
void draw_parameter(FilterSpec& spec, std::size_t index, const FilterParameter& parameter) {
  const std::string title(parameter.title);
  const std::string tip =
      title + (parameter.unit.empty() ? "" : ", in " + std::string(parameter.unit)) + ". Ctrl+click to type a number.";
  row_label(title.substr(0, title.find(" (")).c_str(), tip);  // what is in brackets explains
  const std::string id = "##" + std::string(parameter.id);
  const double now = index < spec.values.size() ? spec.values[index] : parameter.initial;
  if (is_whole(parameter)) {
    int value = static_cast<int>(now);
    if (ImGui::SliderInt(id.c_str(), &value, static_cast<int>(parameter.minimum), static_cast<int>(parameter.maximum),
                         "%d", ImGuiSliderFlags_AlwaysClamp) &&
        nearest_value(parameter, value) != now)
      set_parameter(spec, index, value);
  } else {
    auto value = static_cast<float>(now);
    const char* const format = parameter.step >= 0.1 ? "%.1f" : "%.2f";
    if (ImGui::SliderFloat(id.c_str(), &value, static_cast<float>(parameter.minimum),
                           static_cast<float>(parameter.maximum), format, ImGuiSliderFlags_AlwaysClamp))
      set_parameter(spec, index, std::round(value / parameter.step) * parameter.step);
  }
  mark_item("parameter/" + std::string(parameter.id));
}

void draw_epilogue(FilterSpec& spec) {
  Filter& filter = spec.filter;
  row_label("Gain, bias",
            "Output = gain · sum + bias · white. A bias of 0.5 shows negative sums as darker than mid-grey.");
  const float gap = px(6), switch_width = px(30 + 8) + text_size(Font::body, "|x|").x;
  const float each = std::max((ImGui::GetContentRegionAvail().x - switch_width - 2 * gap) / 2, px(10));
  float gain = filter.gain, bias = filter.bias;
  ImGui::SetNextItemWidth(each);
  if (ImGui::DragFloat("##gain", &gain, 0.01f, -1000, 1000, "×%.3g", ImGuiSliderFlags_AlwaysClamp) &&
      std::isfinite(gain))
    filter.gain = gain;
  mark_item("gain");
  ImGui::SameLine(0, gap);
  ImGui::SetNextItemWidth(each);
  if (ImGui::DragFloat("##bias", &bias, 0.005f, -1, 1, "%+.3g", ImGuiSliderFlags_AlwaysClamp) && std::isfinite(bias))
    filter.bias = bias;
  mark_item("bias");
  ImGui::SameLine(0, gap);
  toggle("absolute", "|x|", &filter.absolute, "The absolute value of the result" + keys_of("Absolute value"));
}

void draw_border(PaneSettings& pane) {
  row_label("Border",
            "What lies outside the picture. zero: black. replicate: the edge goes on. mirror: reflected at the edge. "
            "wrap: the other side.");
  constexpr const char* labels[] = {"zero", "replicate", "mirror", "wrap"};
  int chosen = static_cast<int>(pane.border);
  if (segmented("border", labels, &chosen, "")) pane.border = all_borders[static_cast<std::size_t>(chosen)];
}

void draw_tools(FilterSpec& spec, FilterHistory& history) {
  UiState& state = ui_state();
  const float side = 26, gap = px(2), group = px(9);
  const auto tool = [&](const char* id, Icon icon, const std::string& tip, float before) {
    if (before > 0) ImGui::SameLine(0, before);
    return icon_button(id, icon, tip, false, side);
  };
  const auto edit = [&](void (*change)(Filter&)) { state.filter_error = edit_weights(spec, change); };

  ImGui::BeginDisabled(history.undo_count() == 0);
  if (tool("undo", Icon::undo, "Undo" + keys_of("Undo"), 0)) history.undo(spec);
  ImGui::EndDisabled();
  ImGui::BeginDisabled(history.redo_count() == 0);
  if (tool("redo", Icon::redo, "Redo" + keys_of("Redo"), gap)) history.redo(spec);
  ImGui::EndDisabled();
  if (tool("copy", Icon::copy, "Copy the weights as text" + keys_of("Copy the weights as text"), group))
    ImGui::SetClipboardText(matrix_text(spec.filter).c_str());
  if (tool("paste", Icon::paste,
           "Paste a matrix: rows by ; or new lines, numbers by blanks or commas" + keys_of("Paste weights"), gap)) {
    const char* const text = ImGui::GetClipboardText();
    state.filter_error = paste_matrix(spec, text ? text : "");
  }
  if (tool("normalise", Icon::normalise,
           "Normalise: divide by the sum, so that brightness stays" + keys_of("Normalise the sum to 1"), group))
    edit(normalise);
  if (tool("transpose", Icon::transpose, "Transpose: swap rows and columns" + keys_of("Transpose"), gap))
    edit(transpose);
  if (tool("flip-horizontal", Icon::flip_horizontal, "Flip left and right" + keys_of("Flip left and right"), gap))
    edit(flip_horizontal);
  if (tool("flip-vertical", Icon::flip_vertical, "Flip top and bottom" + keys_of("Flip top and bottom"), gap))
    edit(flip_vertical);
  if (tool("rotate", Icon::rotate, "Rotate clockwise by 90°" + keys_of("Rotate clockwise"), gap))
    edit(rotate_clockwise);
  if (tool("shrink", Icon::minus, "Smaller" + keys_of("Smaller"), group)) state.filter_error = grow(spec, -1);
  if (tool("grow", Icon::plus, "Larger" + keys_of("Larger"), gap)) state.filter_error = grow(spec, 1);
}

void draw_summary(const Filter& filter) {
  double sum = 0;
  for (const float w : filter.weights) sum += w;
  std::string text =
      std::to_string(filter.width) + " × " + std::to_string(filter.height) + "  ·  sum " + format_number(sum, 4);
  const bool whole =
      filter.weights.size() == static_cast<std::size_t>(filter.width) * static_cast<std::size_t>(filter.height);
  const bool finite = std::ranges::all_of(filter.weights, [](float w) { return std::isfinite(w); });
  if (whole && finite && !filter.weights.empty() && !filter.is_magnitude()) {
    // A filter that is edited many times a second must not stall the window: a large one's rank is slow to find.
    constexpr std::size_t quick = 41 * 41;
    const int rank = filter.weights.size() <= quick || !ImGui::IsAnyItemActive()
                         ? filter_rank(filter.weights.data(), filter.width, filter.height)
                         : 0;
    if (rank > 0) text += "  ·  rank " + std::to_string(rank);
    if (rank == 1 && filter.width > 1 && filter.height > 1) text += ", separable";
  }
  push_font(Font::small);
  text_clipped(text, ImGui::GetContentRegionAvail().x, theme().dim);
  pop_font();
  tooltip("Rank 1 means separable: the filter is a column times a row, and two passes of " +
          std::to_string(filter.width) + " and " + std::to_string(filter.height) + " weights do the work of " +
          std::to_string(filter.width * filter.height) + ".");
}

void draw_file_row(Requests& requests) {
  UiState& state = ui_state();
  const float gap = px(4);
  ImGui::SetNextItemWidth(std::max(ImGui::GetContentRegionAvail().x - 2 * (px(25) + gap), px(20)));
  if (state.focus_filter_path) ImGui::SetKeyboardFocusHere();
  state.focus_filter_path = false;
  text_field("filter-path", "filter.json", state.filter_path,
             "The JSON file to load from or save to" + keys_of("Save or load: name the JSON file"));
  const bool named = state.filter_path[0] != 0;
  ImGui::BeginDisabled(!named);
  ImGui::SameLine(0, gap);
  if (icon_button("load-filter", Icon::folder, "Load the filter from this file", false, 25))
    requests.load_filter = state.filter_path.data();
  ImGui::SameLine(0, gap);
  if (icon_button("save-filter", Icon::save, "Save the filter to this file", false, 25))
    requests.save_filter = state.filter_path.data();
  ImGui::EndDisabled();
}

}  // namespace

void draw_filter_panel(const Stats&, Settings& settings, Requests& requests) {
  PaneSettings& pane = settings.active();
  FilterSpec& spec = pane.filter;
  UiState& state = ui_state();
  FilterHistory& history = state.history(settings.active());

  draw_kinds(spec);
  if (const FilterKind* const kind = find_filter_kind(spec.kind))
    for (std::size_t i = 0; i < kind->parameters.size(); ++i) draw_parameter(spec, i, kind->parameters[i]);
  draw_epilogue(spec);
  draw_border(pane);
  draw_tools(spec, history);
  if (!state.filter_error.empty()) text_coloured(theme().error, state.filter_error);
  draw_weight_grid(spec, ImGui::GetContentRegionAvail().x);
  draw_summary(spec.filter);
  draw_file_row(requests);
}

}  // namespace convoscope::ui
