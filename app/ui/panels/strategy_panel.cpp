#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "app/state/workbench.h"
#include "app/ui/actions/pane_actions.h"
#include "app/ui/actions/strategy_actions.h"
#include "app/ui/actions/workbench_actions.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/panels/panel.h"
#include "app/ui/panels/strategy_model.h"
#include "app/ui/parts/action_names.h"
#include "app/ui/parts/format.h"
#include "app/ui/parts/held_row.h"
#include "app/ui/parts/key_codes.h"
#include "app/ui/parts/key_names.h"
#include "app/ui/parts/lists.h"
#include "app/ui/parts/widgets.h"

namespace convoscope::ui {
namespace {

constexpr int max_rows = 9;  // of the ladder on screen at once

void draw_panes(const Stats& stats, Settings& settings) {
  const int count = static_cast<int>(settings.group().panes.size());
  row_label("Pane", "To run several strategies on the same frame, add panes and choose a strategy for each." +
                        keys_of("Pick a pane"));
  const ImVec2 first = ImGui::GetCursorScreenPos();
  const float end = first.x + ImGui::GetContentRegionAvail().x;
  const auto next = [&](float side) {  // beside the last one, or below where there is no room
    ImGui::SameLine(0, px(3));
    if (ImGui::GetCursorScreenPos().x + side <= end + 1) return;
    ImGui::NewLine();
    ImGui::SetCursorScreenPos({first.x, ImGui::GetCursorScreenPos().y});
  };
  const float side = px(count > 6 ? 20 : 25);
  for (int i = 0; i < count; ++i) {
    if (i > 0) next(side);
    const bool active = i == settings.group().active_pane;
    ImGui::PushID(i);
    if (ImGui::InvisibleButton("##pane", {side, px(25)})) settings.group().active_pane = i;
    ImGui::PopID();
    mark_item("pane/" + std::to_string(i + 1));
    const ImVec2 from = ImGui::GetItemRectMin(), to = ImGui::GetItemRectMax();
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.AddRectFilled(from, to,
                       active                   ? theme().accent
                       : ImGui::IsItemHovered() ? with_alpha(theme().text, 0.14f)
                                                : theme().field,
                       px(5));
    const std::string number = std::to_string(i + 1);
    const ImVec2 size = text_size(Font::strong, number);
    draw_text(list, Font::strong, {std::round((from.x + to.x - size.x) / 2), std::round((from.y + to.y - size.y) / 2)},
              active ? theme().on_accent : theme().dim, number);
    tooltip(settings.group().panes[static_cast<std::size_t>(i)].strategy);
  }
  if (count < static_cast<int>(max_panes)) {
    next(px(25));
    if (icon_button("add-pane", Icon::plus, with_keys(action::add_pane), false, 25)) add_pane(stats, settings);
  }
  if (count > 1) {
    next(px(25));
    if (icon_button("close-pane", Icon::close, "Close this pane" + keys_of(action::close_pane), false, 25))
      close_pane(settings, settings.group().active_pane);
  }
}

std::string group_title(Backend backend, const Stats& stats) {
  if (backend == Backend::cpu) return "CPU";
  if (stats.device.backend == Backend::cuda) return "CUDA  ·  " + stats.device.name;
  if (stats.device.backend == Backend::emulated) return "CUDA  ·  emulated, times mean nothing";
  return "CUDA  ·  not available here";
}

// Of a pane that computes in the active one's type: another type's time says nothing about what would be chosen here.
double median_of(const Stats& stats, const Settings& settings, std::string_view id) {
  for (const PaneSettings& pane : settings.group().panes) {
    const PaneStats* const measured = stats_of(stats, pane);
    if (!measured || measured->strategy != pane.strategy || measured->kernel.count() == 0) continue;
    if (own_type(pane, work_of(settings)) != own_type(settings.active(), work_of(settings))) continue;
    if (measured->runs == id || (pane.strategy == id && measured->substitute.empty())) return measured->kernel.median();
  }
  return 0;
}

// `why_not`: greyed for that reason; `choosable`: all the same, what comes `meanwhile` then stands in for it.
void draw_row(const char* id, const char* title, bool chosen, const std::string& why_not, bool choosable, double median,
              const std::string& tip, PaneSettings& pane, const char* meanwhile = "") {
  const Theme& t = theme();
  const float height = px(25), width = std::max(ImGui::GetContentRegionAvail().x, 1.0f);
  ImGui::PushID(id);
  const bool clicked = ImGui::InvisibleButton("##row", {width, height});
  ImGui::PopID();
  mark_item("strategy/" + std::string(id));
  if (clicked && choosable) choose_strategy(pane, id);
  const ImVec2 from = ImGui::GetItemRectMin(), to = ImGui::GetItemRectMax();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (chosen)
    list.AddRectFilled(from, to, t.accent_soft, px(5));
  else if (ImGui::IsItemHovered() && choosable)
    list.AddRectFilled(from, to, with_alpha(t.text, 0.07f), px(5));
  if (chosen) list.AddRectFilled({from.x, from.y + px(4)}, {from.x + px(3), to.y - px(4)}, t.accent, px(2));
  const std::string time = median > 0 ? format_milliseconds(median) : "";
  const float time_width = time.empty() ? 0 : text_size(Font::small, time).x + px(10);
  const Font face = chosen ? Font::strong : Font::body;
  const ImU32 refused = mix(t.dim, t.text, 0.25f);  // on the ink of what is chosen
  const ImU32 ink = chosen && why_not.empty() ? t.text
                    : chosen                  ? refused
                    : !why_not.empty()        ? with_alpha(t.faint, t.light ? 0.8f : 0.75f)
                                              : mix(t.dim, t.text, 0.5f);
  // Its name, as the cards and the command line have it, then what that means.
  const float room = width - px(18) - time_width;
  const std::string name = clipped(face, id, room);
  const float name_width =
      draw_text(list, face, {from.x + px(10), std::round(from.y + (height - font_size(face)) / 2)}, ink, name);
  const float left = room - name_width - px(8);
  const std::string shown = left > px(40) ? clipped(Font::small, title, left) : std::string();
  const float title_x = from.x + px(10) + name_width + px(8);
  if (!shown.empty())
    draw_text(list, Font::small, {title_x, std::round(from.y + (height - font_size(Font::small)) / 2)},
              why_not.empty() ? t.dim : ink, shown);
  if (!time.empty())
    draw_text(list, Font::small,
              {to.x - time_width + px(3), std::round(from.y + (height - font_size(Font::small)) / 2)}, t.accent, time);
  // Why not is read beside the title too, where it is another reason than that of the whole group.
  const float after = title_x - from.x + text_size(Font::small, shown).x + px(8);
  const float rest = width - after - time_width - px(8);
  const std::string why_beside = choosable && rest > px(40) ? clipped(Font::small, why_not, rest) : std::string();
  if (!why_beside.empty())
    draw_text(list, Font::small, {from.x + after, std::round(from.y + (height - font_size(Font::small)) / 2)},
              chosen ? refused : t.faint, why_beside);
  watch_tip(why_beside);
  // Of the chosen one it stands below the list already.
  const std::string tip_below =
      why_not.empty() ? chosen ? "" : tip : "Cannot run: " + why_not + (choosable ? meanwhile : "");
  watch_tip(name);
  const bool whole = name == id && shown == title;
  tooltip(whole ? tip_below : std::string(id) + ": " + title + (tip_below.empty() ? "" : "\n" + tip_below));
  watch_tip(shown);
}

void draw_ladder(const Stats& stats, Settings& settings) {
  UiState& state = ui_state();
  PaneSettings& pane = settings.active();
  int headings = 0;
  bool one_runs = false;
  for (std::size_t i = 0; i < stats.ladder.size(); ++i)
    if (i == 0 || stats.ladder[i].backend != stats.ladder[i - 1].backend) ++headings;
  for (std::size_t i = 0; i < stats.ladder.size(); ++i)
    one_runs = one_runs || (stats.ladder[i].available && why_unfit(i, stats, settings).empty());
  const char* const meanwhile =
      one_runs ? "\nIf you choose it, another one runs instead." : "\nNone of the others can run either.";
  const float rows = static_cast<float>(std::min<int>(static_cast<int>(stats.ladder.size()) + 1, max_rows));
  const float height = rows * px(26) + static_cast<float>(std::min(headings, 2)) * px(22) + px(10);
  ImGui::PushStyleColor(ImGuiCol_ChildBg, theme().raised);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(px(5), px(5)));
  const bool list_in_sight = ImGui::BeginChild("##ladder", {0, height}, true);
  begin_held_row(state.held_strategy);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(px(4), px(1)));
  draw_row("source", "Unfiltered", pane.strategy == "source", "", true, 0,
           "The picture as it comes from the source" + keys_of(action::show_source), pane);
  for (std::size_t i = 0; i < stats.ladder.size(); ++i) {
    const StrategyRow& row = stats.ladder[i];
    if (!row.strategy) continue;
    if (i == 0 || row.backend != stats.ladder[i - 1].backend) {
      ImGui::Dummy({0, px(3)});
      ImGui::SetCursorPosX(ImGui::GetCursorPosX() + px(10));
      heading(group_title(row.backend, stats).c_str());
    }
    const std::string id(row.strategy->id);
    const bool chosen = pane.strategy == id;
    ImGui::PushID(static_cast<int>(row.backend));
    const float top = ImGui::GetCursorScreenPos().y;
    const bool visible =
        top >= ImGui::GetWindowPos().y && top + px(25) <= ImGui::GetWindowPos().y + ImGui::GetWindowHeight();
    draw_row(id.c_str(), title_here(stats, row).c_str(), chosen, why_unfit(i, stats, settings), row.available,
             median_of(stats, settings, id), std::string(row.strategy->idea), pane, meanwhile);
    ImGui::PopID();
    // The chosen row comes into sight when it changes, and stays where it is when the user scrolls. Where only the
    // backend is another one, it is the row under the mouse that stays.
    const std::string shown = stats.backend + "/" + id;  // each backend has a list of its own
    if (chosen && state.shown_strategy != shown && list_in_sight) {
      if (visible || (state.held_strategy.held.row != 0 && state.shown_strategy.ends_with("/" + id))) {
        state.shown_strategy = shown;
      } else {
        ImGui::SetScrollHereY(0.7f);
        state.held_strategy.others_scroll = true;
      }
    }
  }
  end_held_row(state.held_strategy, 0);
  ImGui::PopStyleVar();
  end_inner_list();
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
  ImGui::Spacing();  // a row that the list cuts and the text below it are two things
  // It looks like a list that takes typed names, and what is typed here is commands.
  push_font(Font::small);
  text_coloured(theme().faint, first_key_of(action::next_strategy) + " and " + first_key_of(action::previous_strategy) +
                                   " go through the list. " + first_key_of(action::palette) +
                                   " finds a strategy by its name.");
  pop_font();
}

void draw_tunables(const Strategy& strategy, PaneSettings& pane) {
  float widest = 0;
  for (const Tunable& tunable : strategy.tunables)
    widest = std::max(widest, ImGui::CalcTextSize(std::string(tunable.title).c_str()).x);
  for (const Tunable& tunable : strategy.tunables) {
    const std::string title(tunable.title), id(tunable.id);
    row_label(title.c_str(), std::string(tunable.explanation), widest);
    const int value = Tuned(strategy, pane.tuning)[tunable.id];
    if (begin_combo(("##tunable/" + id).c_str(), std::to_string(value))) {
      for (const int choice : tunable.values) {
        if (list_entry(std::to_string(choice), choice == value)) pane.tuning[id] = choice;
        mark_item("tunable/" + id + "/" + std::to_string(choice));
      }
      ImGui::EndCombo();
    }
  }
}

std::string bytes_of(const KernelInfo& k) {
  std::string text = format_binary_bytes(static_cast<double>(k.static_shared_bytes + k.dynamic_shared_bytes));
  if (k.dynamic_shared_bytes > 0 && k.static_shared_bytes > 0)
    text += " (" + format_binary_bytes(static_cast<double>(k.dynamic_shared_bytes)) + " dynamic)";
  return text;
}

// For a GPU: what the emulator runs has no registers.
bool is_compiled(const KernelInfo& k) { return k.registers > 0; }

void draw_kernel(const KernelInfo& k) {
  text_clipped(k.name, ImGui::GetContentRegionAvail().x, theme().text);
  value_row("Grid × block",
            std::to_string(k.grid_x) + "×" + std::to_string(k.grid_y) + "×" + std::to_string(k.grid_z) + "  ×  " +
                std::to_string(k.block_x) + "×" + std::to_string(k.block_y) + "×" + std::to_string(k.block_z),
            "The blocks along x, y and z, and the threads of a block along x, y and z.");
  value_row("Shared memory", bytes_of(k) + " a block", "Fast on-chip memory that the threads of a block share.");
  if (!is_compiled(k)) return;
  value_row("Registers",
            std::to_string(k.registers) + " a thread" +
                (k.local_bytes > 0 ? ", spills " + format_binary_bytes(static_cast<double>(k.local_bytes)) : ""),
            "How many the compiler gave each thread. Many registers mean fewer resident warps.");
  value_row(
      "Occupancy",
      format_number(k.occupancy * 100, 3) + " %  ·  " + std::to_string(k.blocks_per_multiprocessor) + " blocks an SM",
      "How many warps are resident, as a share of those that a multiprocessor can hold.");
  value_row("Waves", format_number(k.waves, 3),
            "How many times the blocks fill the whole device. A little more than a whole number leaves most of the "
            "device idle at the end.");
}

void draw_kernels(const std::vector<KernelInfo>& kernels) {
  if (kernels.empty()) return;
  const bool compiled = std::ranges::all_of(kernels, is_compiled);
  heading(compiled ? "COMPILER AND DEVICE" : "LAUNCH");
  for (const KernelInfo& kernel : kernels) draw_kernel(kernel);
  if (!compiled) text_dim("Registers, occupancy and waves are known only on a GPU.");
}

void draw_substitute(const Stats& stats, Settings& settings, const PaneStats* measured) {
  PaneSettings& pane = settings.active();
  const std::string other = other_that_runs(stats, pane);
  if (!measured || measured->why_substitute.empty() || other.empty()) return;
  text_coloured(theme().warning, measured->why_substitute);
  const std::string choose = "Choose " + other;
  if (const std::optional<Precision> type = measured->takes_type) {
    const std::string give = offer_of_type(*type);
    if (text_button("give-type", give.c_str(), offer_explained(pane, *type))) choose_type(pane, settings.layer, *type);
    beside(text_button_width(choose.c_str()));
  } else if (const std::optional<PixelFormat> format = format_taken(stats, settings, pane)) {
    if (text_button("give-format", offer_of_format(*format).c_str(), offer_explained(pane, *format)))
      settings.format = *format;
    beside(text_button_width(choose.c_str()));
  }
  if (text_button("choose-what-runs", choose.c_str(),
                  "Chooses it for this pane. Otherwise " + pane.strategy + " runs again as soon as it can." +
                      keys_of(action::choose_what_runs)))
    choose_strategy(pane, other);
}

// What computes in place of the pane's own choice, whose settings are not its: of it is all that was compiled and
// modelled. Empty where that is the choice itself.
std::string other_than_chosen(const PaneSettings& pane, const PaneStats* measured) {
  if (!measured || measured->strategy != pane.strategy || measured->runs == pane.strategy) return {};
  return measured->runs;
}

void draw_strategy_panel(const Stats& stats, Settings& settings, Requests&) {
  draw_panes(stats, settings);
  draw_ladder(stats, settings);
  PaneSettings& pane = settings.active();
  const PaneStats* const measured = active_stats(stats, settings);
  draw_substitute(stats, settings, measured);
  if (measured && !measured->problem.empty()) text_coloured(theme().error, measured->problem);
  const StrategyRow* const row = find_row(stats, pane.strategy);
  const std::string runs = other_than_chosen(pane, measured);
  const bool instead = measured && !measured->substitute.empty();
  if (!runs.empty()) heading(("CHOSEN  ·  " + pane.strategy + (instead ? ", which does not run now" : "")).c_str());
  if (row) {
    text_dim(std::string(row->strategy->idea));
    push_font(Font::small);
    text_coloured(theme().faint, std::string(row->strategy->reading));
    pop_font();
    if (text_button("show-listing", "Read its source",
                    "Shows the kernel beside the picture" + keys_of(action::listing)))
      settings.inspect.listing = true;
    draw_tunables(*row->strategy, pane);
  } else if (pane.strategy != "source") {
    text_coloured(theme().error, "There is no strategy named '" + pane.strategy + "'. Choose one from the list.");
  }
  if (!measured || pane.strategy == "source") return;
  if (!runs.empty()) heading(((instead ? "RUNS INSTEAD  ·  " : "RUNS  ·  ") + runs).c_str());
  if (!measured->note.empty()) text_dim(measured->note);
  draw_kernels(measured->kernels);
  if (measured->cost.flop > 0) {
    const Problem problem = problem_of(pane, stats, settings);
    draw_advice(stats, settings, problem);
    heading("MODEL  ·  what theory says about one frame");
    draw_model(measured->cost, problem);
    draw_tile_table(measured->cost, problem);
  }
}

constexpr Control strategy_controls[] = {
    {"Pane"},
    {"Read its source", "kernel code listing"},
};

}  // namespace

extern const Panel strategy_panel{
    .id = "strategy",
    .title = "Strategy",
    .key = key::f(4),
    .keys = "F4",
    .action = "Strategy panel",
    .draw = draw_strategy_panel,
    .summary = [](const Stats&, const Settings& s) { return s.active().strategy; },
    .controls = strategy_controls,
};

}  // namespace convoscope::ui
