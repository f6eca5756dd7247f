#include "app/ui/stage/pane_menu.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "app/ui/actions/command_table.h"
#include "app/ui/actions/layer_actions.h"
#include "app/ui/actions/strategy_actions.h"
#include "app/ui/actions/workbench_actions.h"
#include "app/ui/cards/cards.h"
#include "app/ui/explain/explanation.h"
#include "app/ui/menus/command_menus.h"
#include "app/ui/parts/action_names.h"
#include "app/ui/parts/lists.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/places/zoom.h"

namespace convoscope::ui {
namespace {

// The pixel under the cursor when the menu opened: the cursor is elsewhere when a row is clicked.
struct PaneMenu {
  std::optional<PixelAddress> pixel;
};
PaneMenu& pane_menu() {
  static PaneMenu menu;
  return menu;
}

// A list: its rows are found by their names and ids.
bool begin_submenu(const char* name) {
  const bool open = begin_sublist(name);
  if (!open) mark_item("menu/" + std::string(name));
  return open;
}

bool submenu_row(const std::string& name, const std::string& id, bool chosen, bool possible = true) {
  return found_row(name, id, id.c_str(), chosen, possible);
}

// The row that leads into it is the last item again.
void end_submenu(const char* name) {
  ImGui::EndMenu();
  mark_item("menu/" + std::string(name));
}

void draw_strategies(const Stats& stats, Settings& settings) {
  if (!begin_submenu("Strategy")) return;
  PaneSettings& pane = settings.active();
  if (submenu_row("Source, unfiltered", "source", pane.strategy == "source")) choose_strategy(pane, "source");
  for (std::size_t i = 0; i < stats.ladder.size(); ++i) {
    const StrategyRow& row = stats.ladder[i];
    if (!row.strategy || !why_unfit(i, stats, settings).empty()) continue;
    const std::string id(row.strategy->id);
    ImGui::PushID(static_cast<int>(i));
    if (submenu_row(title_here(stats, row), id, pane.strategy == id)) choose_strategy(pane, id);
    ImGui::PopID();
  }
  end_submenu("Strategy");
}

void draw_banks(LayerSettings& layer) {
  if (!begin_submenu("Bank")) return;
  for (const BankKind& kind : bank_kinds())
    if (submenu_row(std::string(kind.title), std::string(kind.id), layer.bank == kind.id)) choose_bank(layer, kind);
  end_submenu("Bank");
}

void draw_filters(Settings& settings) {
  if (has_bank(settings)) return draw_banks(settings.layer);
  if (!begin_submenu("Filter")) return;
  FilterSpec& spec = settings.active().filter;
  for (const FilterKind& kind : filter_kinds()) {
    const std::string why = why_no_filter(kind, settings);
    if (submenu_row(std::string(kind.title), std::string(kind.id), spec.kind == kind.id, why.empty()))
      choose_kind(spec, kind);
    if (!why.empty()) tooltip(why);
  }
  end_submenu("Filter");
}

void draw_pixel_rows(const Act& a) {
  const std::optional<PixelAddress>& pixel = pane_menu().pixel;
  if (menu_row("Explain this pixel", keys_to(action::explain), pixel.has_value())) explain_pixel(pixel, a.settings);
  if (menu_row("Magnifier on this pixel", keys_to(action::magnifier), pixel.has_value()))
    look_at_pixel(*pixel, a.stats, a.settings);
}

}  // namespace

void draw_pane_menu(const Stats& stats, Settings& settings, Requests& requests, const UiLayout& layout) {
  const ImGuiIO& io = ImGui::GetIO();
  constexpr const char* id = "##pane-menu";
  if (!io.WantCaptureMouse && ImGui::IsMouseReleased(1) &&
      picture_area(layout).contains(io.MousePos.x, io.MousePos.y) && !stats.render.running) {
    const int pane = pane_at(settings, layout, io.MousePos.x, io.MousePos.y);
    if (pane >= 0) settings.group().active_pane = pane;
    pane_menu().pixel = stats.inspect.under_cursor;
    ImGui::OpenPopup(id);
  }
  begin_menu_style();
  if (ImGui::BeginPopup(id)) {
    begin_list();
    const Act a{stats, settings, requests};
    push_font(Font::small);
    text_clipped(std::to_string(settings.group().active_pane + 1) + "  " + settings.active().strategy, px(280),
                 theme().dim);
    pop_font();
    ImGui::Separator();
    draw_strategies(stats, settings);
    draw_filters(settings);
    ImGui::Separator();
    draw_pixel_rows(a);
    ImGui::Separator();
    constexpr std::array panes{action::listing, action::add_pane, action::close_pane, action::link_pane,
                               action::next_label};
    for (const char* const action : panes) menu_action(action, a);
    ImGui::Separator();
    constexpr std::array looks{action::fit_the_picture, action::one_to_one, action::show_overlay, action::show_panels,
                               action::full_screen};
    for (const char* const action : looks) menu_action(action, a);
    ImGui::Separator();
    constexpr std::array files{action::screenshot, action::copy_picture, action::record, action::palette};
    for (const char* const action : files) menu_action(action, a);
    ImGui::EndPopup();
  }
  end_menu_style();
}

}  // namespace convoscope::ui
