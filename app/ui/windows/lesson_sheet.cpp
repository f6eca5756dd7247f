// The sheet of lessons: the list, and the step at hand.
#include "app/ui/windows/lesson_sheet.h"

#include <imgui.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

#include "app/ui/actions/panel_actions.h"
#include "app/ui/memory/lesson_card.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/action_names.h"
#include "app/ui/parts/key_names.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/places/sheets.h"
#include "app/ui/windows/lesson_question.h"
#include "app/ui/windows/lesson_text.h"

namespace convoscope::ui {
namespace {

constexpr double seconds_pointed = 5, seconds_between_looks = 0.1;
constexpr float row_height = 44;

bool was_watching = false;  // marks, before something was pointed at

std::string questions_text(int solved, int questions) {
  return std::to_string(solved) + " of " + std::to_string(questions) + " questions solved";
}

void draw_entry(LessonCard& card, const LessonCard::Entry& entry, int number) {
  const Theme& t = theme();
  const float width = std::max(ImGui::GetContentRegionAvail().x, px(40)), height = px(row_height);
  const std::string id = "lesson/" + entry.name;
  if (ImGui::InvisibleButton(("##" + id).c_str(), {width, height})) card.wishes.begin = entry.name;
  mark_item(id);
  tooltip(entry.about);
  const ImVec2 from = ImGui::GetItemRectMin(), to = ImGui::GetItemRectMax();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (ImGui::IsItemHovered()) list.AddRectFilled(from, to, t.field, px(5));
  const std::string time = entry.minutes > 0 ? std::to_string(entry.minutes) + " min" : "";
  const float right = text_size(Font::small, time).x + px(16);
  draw_clipped(list, Font::body, {from.x + px(8), from.y + px(4)}, t.text, std::to_string(number) + "  " + entry.title,
               width - right - px(12));
  draw_text(list, Font::small, {to.x - right + px(8), from.y + px(6)}, t.faint, time);
  draw_clipped(list, Font::small, {from.x + px(8), from.y + px(24)}, entry.done ? t.good : t.dim,
               (entry.done ? "done, " : "") + questions_text(entry.solved, entry.questions), width - px(16));
}

void draw_list(LessonCard& card) {
  if (card.entries.empty()) return draw_lesson_line("The lessons are being read.", theme().dim);
  draw_lesson_line("Each takes some minutes, and they may be taken in any order. The first needs no GPU.", theme().dim);
  int number = 0;
  for (const LessonCard::Entry& entry : card.entries) draw_entry(card, entry, ++number);
}

// The panel that it heads is opened; in the next frame it is known where that lies.
void point_at(LessonCard& card, const std::string& mark, Settings& settings) {
  settings.show_panels = true;
  constexpr std::string_view section = "section/";
  std::string panel = mark.starts_with(section) ? mark.substr(section.size()) : "timing";
  std::ranges::transform(panel, panel.begin(), [](unsigned char c) { return std::tolower(c); });
  show_panel(settings, panel);
  if (card.pointed.empty()) was_watching = watching_items();
  if (!watching_items()) watch_items(true);
  card.pointed = mark;
  card.pointed_until = ImGui::GetTime() + seconds_pointed;
}

void draw_tasks(LessonCard& card, const LessonCard::Step& step, Settings& settings) {
  if (!step.look.empty()) draw_lesson_line("Look: " + step.look, theme().text);
  if (!step.act.empty()) draw_lesson_line("Do: " + step.act, theme().text);
  if (!step.session.empty() &&
      text_button("lesson-session", "Set the window up", "Shows the panes and filters that this step speaks of", true))
    card.wishes.session = true;
  if (!step.show.empty()) {
    if (!step.session.empty()) beside(text_button_width("Show me"));
    if (text_button("lesson-show", "Show me", "Points at the control for a moment"))
      point_at(card, step.show, settings);
  }
  ImGui::Dummy({0, px(4)});
}

void draw_step(LessonCard& card, const Stats& stats, Settings& settings) {
  LessonCard::Step& step = card.steps[static_cast<std::size_t>(card.step)];
  push_font(Font::strong);
  draw_lesson_line(step.title, theme().text);
  pop_font();
  ImGui::Dummy({0, px(2)});
  if (!step.loaded) {
    draw_lesson_line("The numbers of this step are being worked out.", theme().dim);
    return;
  }
  draw_lesson_blocks("text", step.text);
  if (step.awaits_times) draw_lesson_line("… is being measured on this machine.", theme().dim);
  draw_tasks(card, step, settings);
  for (LessonCard::Question& question : step.questions) draw_lesson_question(question, card, stats, settings);
}

bool is_solved(const LessonCard::Step& step) {
  return step.loaded && std::ranges::all_of(step.questions, &LessonCard::Question::right);
}

void draw_progress(const LessonCard& card) {
  const auto count = static_cast<float>(card.steps.size());
  const float width = ImGui::GetContentRegionAvail().x, height = px(3);
  const ImVec2 from = ImGui::GetCursorScreenPos();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(from, {from.x + width, from.y + height}, theme().field);
  list.AddRectFilled(from, {from.x + width * static_cast<float>(card.step + 1) / count, from.y + height},
                     theme().accent);
  ImGui::Dummy({width, height + px(2)});
}

void draw_buttons(LessonCard& card) {
  const int last = static_cast<int>(card.steps.size()) - 1;
  draw_progress(card);
  ImGui::BeginDisabled(card.step == 0);
  if (text_button("lesson-back", "Back", with_keys(action::lesson_back))) card.wishes.step = card.step - 1;
  ImGui::EndDisabled();
  ImGui::SameLine(0, px(8));
  const bool solved = is_solved(card.steps[static_cast<std::size_t>(card.step)]);
  const char* const next = card.step == last ? "Finish" : solved ? "Next" : "Skip";
  if (text_button(
          "lesson-next", next,
          solved ? with_keys(action::lesson_next) : "Leaves what is open, and goes on" + keys_of(action::lesson_next),
          solved)) {
    card.wishes.step = card.step + 1;
    card.wishes.list = card.step == last;
  }
  beside(text_button_width("All lessons"));
  if (text_button("lesson-list", "All lessons", "The list of lessons. This one goes on where it is left"))
    card.wishes.list = true;
  if (!card.has_own_state) return;
  beside(text_button_width("My own again"));
  if (text_button("lesson-own", "My own again", "Shows again what was shown before the lesson's first set-up"))
    card.wishes.own_state = true;
}

float height_of_buttons(const LessonCard& card) {
  const float line = ImGui::GetFrameHeight() + px(8), room = ImGui::GetContentRegionAvail().x;
  float width = text_button_width("Back") + text_button_width("Finish") + text_button_width("All lessons") + px(24);
  if (card.has_own_state) width += text_button_width("My own again") + px(8);
  return px(22) + line * std::ceil(std::max(width / std::max(room, 1.0f), 1.0f));
}

}  // namespace

void draw_lesson_sheet(const Stats& stats, Settings& settings, const Area& sheet) {
  LessonCard& card = lesson_card();
  if (!card.open) return;
  const bool lists = card.name.empty();
  const bool has_step = !lists && !card.steps.empty();
  std::string title = lists ? "Lessons" : card.title;
  if (has_step) title = std::to_string(card.step + 1) + " of " + std::to_string(card.steps.size()) + "  " + card.title;
  if (!begin_sheet("lesson", title.c_str(), sheet, card.open, "Close the lessons" + keys_of(action::lessons), "lesson"))
    return;
  const float below = has_step ? height_of_buttons(card) : 0;
  ImGui::BeginChild("##lesson-content", {0, -std::max(below, 1.0f)});
  if (std::exchange(card.to_top, false)) ImGui::SetScrollY(0);
  if (!card.problem.empty()) {
    draw_lesson_line(card.problem, theme().error);
    if (text_button("lesson-list", "All lessons", "The list of lessons")) card.wishes.list = true;
  } else if (lists) {
    draw_list(card);
  } else if (has_step) {
    draw_step(card, stats, settings);
  } else {
    draw_lesson_line("The lesson is being read.", theme().dim);
  }
  ImGui::EndChild();
  if (has_step && card.problem.empty()) draw_buttons(card);
  end_sheet();
  draw_again_in(seconds_between_looks);  // for what a process answers
}

void draw_pointed_at() {
  LessonCard& card = lesson_card();
  if (card.pointed.empty()) return;
  const double left = card.pointed_until - ImGui::GetTime();
  if (left <= 0) {
    card.pointed.clear();
    if (!was_watching) watch_items(false);
    return;
  }
  draw_again_in(0.05);
  const ItemRectangle* const at = item_rectangle(card.pointed);
  if (!at) return;
  const float pulse = 0.5f + 0.5f * std::cos(static_cast<float>(left) * 6), grow = px(3) + px(3) * pulse;
  const ImVec2 from{at->from.x - grow, at->from.y - grow}, to{at->to.x + grow, at->to.y + grow};
  ImGui::GetForegroundDrawList()->AddRect(from, to, theme().accent, px(6), 0, px(3));
}

}  // namespace convoscope::ui
