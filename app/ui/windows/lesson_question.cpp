#include "app/ui/windows/lesson_question.h"

#include <imgui.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "app/ui/parts/widgets.h"
#include "app/ui/parts/wrapped_text.h"
#include "app/ui/windows/lesson_text.h"

namespace convoscope::ui {
namespace {

void draw_choices(LessonCard::Question& question, const std::string& id) {
  for (std::size_t i = 0; i < question.choices.size(); ++i) {
    const std::string name = id + "/" + static_cast<char>('a' + i);
    if (ImGui::RadioButton(("##" + name).c_str(), question.chosen == static_cast<int>(i))) {
      question.chosen = static_cast<int>(i);
      question.said.clear();
    }
    mark_item(name);
    ImGui::SameLine(0, px(8));
    const float at = ImGui::GetCursorPosX();
    ImGui::Indent(at - ImGui::GetCursorStartPos().x);
    draw_lesson_line(question.choices[i], theme().text);
    ImGui::Unindent(at - ImGui::GetCursorStartPos().x);
  }
}

// True: Enter was pressed.
bool draw_field(LessonCard::Question& question, const std::string& id) {
  if (!question.waits && std::exchange(question.again, false)) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(std::max(lesson_measure() - text_button_width("Check") - px(8), px(60)));
  const bool entered = text_field((id + "/typed").c_str(), question.takes.c_str(), question.typed,
                                  "Type " + question.takes, ImGuiInputTextFlags_EnterReturnsTrue);
  return entered;
}

// Types for the user what he has chosen in the window.
void draw_own_strategy(LessonCard::Question& question, const std::string& id, const Settings& settings) {
  const std::string& mine = settings.active().strategy;
  if (text_button((id + "/pane").c_str(), "Take the active pane's", "Types the id of the strategy: " + mine)) {
    const std::size_t count = std::min(mine.size(), question.typed.size() - 1);
    std::memcpy(question.typed.data(), mine.data(), count);
    question.typed[count] = '\0';
  }
}

void draw_hints(LessonCard::Question& question, const std::string& id) {
  for (std::size_t i = 0; i < std::min(question.hints_shown, question.hints.size()); ++i)
    draw_lesson_line("Hint: " + question.hints[i], theme().dim);
  if (question.hints_shown >= question.hints.size()) {
    if (!question.solution_shown)
      question.solution_shown =
          text_button((id + "/give-up").c_str(), "Solution", "Shows it; the question stays unsolved");
    else
      draw_lesson_blocks(id + "/solution", question.solution);
    return;
  }
  if (text_button((id + "/hint").c_str(), question.hints_shown == 0 ? "Hint" : "Another hint",
                  "Says a little more, without the answer"))
    ++question.hints_shown;
}

}  // namespace

void draw_lesson_question(LessonCard::Question& question, LessonCard& card, const Stats&, const Settings& settings) {
  const std::string id = "question/" + std::to_string(question.number);
  ImGui::PushID(id.c_str());
  ImGui::Separator();
  push_font(Font::strong);
  draw_lesson_line("Question " + std::to_string(question.number), theme().accent);
  pop_font();
  draw_lesson_blocks(id, question.asks);
  ImGui::BeginDisabled(question.waits || question.right);
  bool entered = false;
  if (question.choice)
    draw_choices(question, id);
  else
    entered = draw_field(question, id);
  const bool answered = question.choice ? question.chosen >= 0 : question.typed[0] != '\0';
  if (!question.right) {
    if (!question.choice) ImGui::SameLine(0, px(8));
    ImGui::BeginDisabled(!answered);
    if (text_button((id + "/check").c_str(), "Check", "Says whether the answer is right", answered) || entered)
      if (answered) card.wishes.answer = question.number;
    ImGui::EndDisabled();
  }
  if (question.strategy && !question.right) draw_own_strategy(question, id, settings);
  ImGui::EndDisabled();
  if (question.waits) draw_lesson_line("The answer is being worked out here.", theme().dim);
  if (!question.said.empty() && !question.waits) {
    draw_lesson_line(question.said, question.right ? theme().good : theme().error);
    mark_area(id + "/said", ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
  }
  if (question.right)
    draw_lesson_blocks(id + "/solution", question.solution);
  else
    draw_hints(question, id);
  ImGui::PopID();
  ImGui::Dummy({0, px(6)});
}

}  // namespace convoscope::ui
