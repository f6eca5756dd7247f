// The page of what has been said since the program started, the newest first: to be read again, copied and answered.
#include <imgui.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <string>

#include "app/ui/actions/offers.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/notices/message_queue.h"
#include "app/ui/parts/action_names.h"
#include "app/ui/parts/key_names.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/parts/wrapped_text.h"
#include "app/ui/windows/page.h"
#include "app/ui/windows/pages.h"

namespace convoscope::ui {
namespace {

std::string time_of_day(std::time_t at) {
  std::tm local{};
  std::array<char, 16> text{};
  localtime_r(&at, &local);
  return {text.data(), std::strftime(text.data(), text.size(), "%H:%M:%S", &local)};
}

std::string times_said(const PastMessage& past) { return past.count > 1 ? std::to_string(past.count) + " times" : ""; }

std::string line_of_past(const PastMessage& past) {
  const std::string count = times_said(past);
  return time_of_day(past.at) + "  " + past.text + (count.empty() ? "" : "  (" + count + ")") + "\n";
}

void draw_past(const PastMessage& past, int number, Settings& settings, Requests& requests) {
  const Theme& t = theme();
  const std::string name = "past/" + std::to_string(number);
  const float side = px(24), left = ImGui::GetCursorPosX(), times = text_size(Font::small, "00:00:00").x + px(10);
  const float width = std::max(ImGui::GetContentRegionAvail().x - times - side - px(10), px(60));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  draw_text(list, Font::small, {at.x, at.y + px(2)}, t.faint, time_of_day(past.at));
  if (const std::string count = times_said(past); !count.empty())
    draw_text(list, Font::small, {at.x, at.y + px(18)}, t.faint, count);
  ImGui::SetCursorPosX(left + times);
  ImGui::BeginGroup();
  ImGui::PushStyleColor(ImGuiCol_Text, past.level == MessageLevel::error     ? t.error
                                       : past.level == MessageLevel::warning ? t.warning
                                                                             : t.text);
  ImGui::TextUnformatted(wrapped(Font::body, shortened(past.text, 2000), width).c_str());
  ImGui::PopStyleColor();
  for (std::size_t i = 0; i < past.buttons.size(); ++i) {
    const MessageButton& button = past.buttons[i];
    const float end = ImGui::GetItemRectMax().x + px(6) + text_button_width(label_of(button.offer));
    if (i > 0 && end <= at.x + times + width) ImGui::SameLine(0, px(6));
    if (!text_button((name + "/" + label_of(button.offer)).c_str(), label_of(button.offer), tip_of(button))) continue;
    accept_offer(button, settings, requests);
    momentary().show_messages = false;
  }
  ImGui::EndGroup();
  const float bottom = std::max(ImGui::GetItemRectMax().y, at.y + px(past.count > 1 ? 34 : 24));
  ImGui::SetCursorScreenPos({at.x + times + width + px(6), at.y - px(2)});
  if (icon_button((name + "/copy").c_str(), Icon::copy, "Copy this message", false, 24))
    ImGui::SetClipboardText(line_of_past(past).c_str());
  ImGui::SetCursorScreenPos({at.x, bottom + px(6)});
  ImGui::Dummy({0, 0});
}

}  // namespace

void draw_past_messages(Settings& settings, Requests& requests) {
  if (!begin_page("messages", "Messages so far", 640, 560, &momentary().show_messages, keys_of(action::messages)))
    return;
  const std::vector<PastMessage> past = ui_state().past_messages.all;
  if (past.empty()) {
    text_dim("There have been no messages since the program started.");
  } else if (text_button("past/copy-all", "Copy all", "Copy all messages as text, the newest first")) {
    std::string text;
    for (auto each = past.rbegin(); each != past.rend(); ++each) text += line_of_past(*each);
    ImGui::SetClipboardText(text.c_str());
  }
  ImGui::Dummy({0, px(4)});
  ImGui::BeginChild("##past-messages");
  int number = 0;
  for (auto each = past.rbegin(); each != past.rend(); ++each) draw_past(*each, ++number, settings, requests);
  ImGui::EndChild();
  end_page();
}

}  // namespace convoscope::ui
