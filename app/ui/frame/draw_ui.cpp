#include <imgui.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "app/panes/pane_ids.h"
#include "app/state/network_settings.h"
#include "app/ui/actions/learn_actions.h"
#include "app/ui/actions/pane_actions.h"
#include "app/ui/actions/panel_actions.h"
#include "app/ui/actions/strategy_actions.h"
#include "app/ui/actions/workbench_actions.h"
#include "app/ui/cards/cards.h"
#include "app/ui/cards/filtering_mark.h"
#include "app/ui/cards/scopes_card.h"
#include "app/ui/cards/sound_card.h"
#include "app/ui/cards/substitute_notice.h"
#include "app/ui/explain/explanation.h"
#include "app/ui/files/file_browser.h"
#include "app/ui/files/save_dialog.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/notices/feedback.h"
#include "app/ui/notices/message_queue.h"
#include "app/ui/notices/messages.h"
#include "app/ui/panels/panels.h"
#include "app/ui/parts/marks.h"
#include "app/ui/parts/text_undo.h"
#include "app/ui/parts/tooltips.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/places/stage_places.h"
#include "app/ui/places/wall_overlay.h"
#include "app/ui/stage/inspect.h"
#include "app/ui/stage/number_cells.h"
#include "app/ui/stage/overlay.h"
#include "app/ui/stage/pane_menu.h"
#include "app/ui/stage/picture_mouse.h"
#include "app/ui/windows/lesson_sheet.h"
#include "app/ui/windows/pages.h"
#include "app/ui/windows/palette_place.h"

namespace convoscope {
void draw_ui(const Stats& stats, Settings& settings, Requests& requests, const UiLayout& layout) {
  ui::ui_state().draw_again_in = std::numeric_limits<double>::infinity();
  ui::follow_the_mouse_to_tooltips(ui::momentary().show_palette ? ui::palette_window : nullptr);
  if (settings.group().panes.empty()) settings.group().panes.resize(1);
  settings.group().active_pane =
      std::clamp(settings.group().active_pane, 0, static_cast<int>(settings.group().panes.size()) - 1);
  name_panes(settings.group().panes);
  ui::follow_workbench(settings);
  if (ui::has_bank(settings)) settings.wall.map = std::clamp(settings.wall.map, -1, seen_bank(settings.layer).maps - 1);
  // The one that is seen is the one that is edited, also where a session brings it.
  if (ui::has_bank(settings) && settings.wall.map >= 0) ui::ui_state().bank_choice.map = settings.wall.map;
  std::optional<FilterSpec> unseen;  // the filter that no pane shows
  if (ui::is_all_unfiltered(settings)) unseen = settings.active().filter;
  const int active = settings.active().id;
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  // The window's size and the settings are those of layout_ui(), unless a key has changed them since: then this frame's
  // picture and panels still agree with each other through `layout`.
  const ui::Geometry geometry = ui::geometry(settings, size.x, size.y);

  ui::forget_left_text_undo();
  ui::begin_marks();
  ui::clear_places();
  const ui::Area stage = ui::picture_area(layout);
  ui::keep_message_places(stage);
  ui::use_picture(stats, settings, requests, layout);
  ui::pin_by_click(stats, settings, layout);
  ui::follow_explanation(settings);
  ui::draw_number_cells(stats, settings, layout);
  ui::draw_map_numbers(stats, settings, layout);
  ui::draw_explained_areas(stats, settings, layout);  // on the picture, below all that lies over it
  // Each finds a place beside those before it: first what has one of its own, then what was asked for by a key.
  if (!settings.show_panels) ui::draw_hidden_transport(stats, settings, requests, stage);
  const bool inspection_first = ui::inspection_comes_first(settings, layout);
  if (inspection_first) ui::draw_inspection(stats, settings, layout);
  ui::draw_difference_card(stats, settings, layout);
  ui::draw_scopes(stats, settings, stage);
  ui::draw_sound_card(stats, settings, stage);
  if (!inspection_first) ui::draw_inspection(stats, settings, layout);
  ui::draw_overlay(stats, settings, layout);
  ui::draw_substitute_notices(stats, settings, layout);
  // A field that is not drawn any more has no claim to Tab.
  if (!settings.show_panels || !ui::is_open(settings, "source")) ui::ui_state().open_field.active = false;
  if (settings.show_panels) {
    ui::draw_side_panel(stats, settings, requests, geometry.panel);
    ui::draw_transport(stats, settings, requests, geometry.transport);
  }
  ui::draw_lesson_sheet(stats, settings, geometry.lesson);
  ui::draw_sweep_window(stats, settings, requests, geometry.sweep);
  ui::draw_explained_window(stats, settings, geometry.explain);
  ui::draw_listing_window(stats, settings, geometry.listing);
  ui::draw_recording_mark(stats, stage);
  ui::keep_free(ui::palette_area());
  ui::draw_messages(stats, settings, requests, stage);
  ui::draw_filtering_marks(stats, settings, layout);
  if (!ui::covers_messages()) ui::draw_feedback(stats, stage);
  ui::draw_help(settings);
  ui::draw_settings(stats, settings, requests);
  ui::draw_past_messages(settings, requests);
  ui::draw_palette(stats, settings, requests);
  ui::draw_pane_menu(stats, settings, requests, layout);
  ui::draw_save_dialog(stats, settings, requests);
  ui::draw_file_browser(stats, settings, requests);
  ui::draw_pointed_at();
  ui::draw_render(stats, requests);
  if (std::exchange(ui::ui_state().slider_click.taken_back, false))
    ui::take_back(settings, ui::is_one_go(settings, stats.learn, requests));
  ui::give_feedback(std::exchange(ui::ui_state().typed_number.remark, {}), stats.now);
  ui::give_feedback(std::exchange(ui::ui_state().grid.remark, {}), stats.now);
  if (unseen && active == settings.active().id)
    ui::give_feedback(ui::show_changed_filter(*unseen, settings), stats.now);
  ui::spread_links(settings);
  ui::follow_workbench(settings);
  bool& stopped = ui::ui_state().learning_stopped;
  if (const std::string why = ui::stop_what_cannot_learn(settings); !why.empty()) {
    stopped = true;
    ui::give_feedback("The layer stopped learning. " + why, stats.now);
  }
  stopped = stopped && !ui::why_not_learning(settings).empty();
  const bool one_go = ui::is_one_go(settings, stats.learn, requests);
  ui::observe_history(settings, !ImGui::IsAnyItemActive() && !ui::slider_awaits_click(), one_go);
  ui::end_marks();
}

}  // namespace convoscope
