// What the program has to say: notices that stay in a strip, messages that fade, a card when there is no picture.
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/ui/format.h"
#include "app/ui/keys.h"
#include "app/ui/panels.h"
#include "app/ui/ui_state.h"
#include "app/ui/widgets.h"

namespace convoscope::ui {
namespace {

constexpr double information_seconds = 5, warning_seconds = 10, fade_seconds = 0.8;
constexpr int max_messages = 5;

constexpr ImGuiWindowFlags card_flags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                        ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoFocusOnAppearing |
                                        ImGuiWindowFlags_NoNav | ImGuiWindowFlags_AlwaysAutoResize;

ImU32 ink_of(MessageLevel level) {
  return level == MessageLevel::error ? theme().error : level == MessageLevel::warning ? theme().warning : theme().dim;
}

// 1 while it is to be read, then down to 0. An error waits for a click.
float opacity(const Message& message, double now) {
  if (message.level == MessageLevel::error) return 1;
  const double age = now - message.seconds;
  const double shown = message.level == MessageLevel::warning ? warning_seconds : information_seconds;
  return static_cast<float>(std::clamp((shown + fade_seconds - age) / fade_seconds, 0.0, 1.0));
}

// An icon, a wrapped text and a cross. True when it is to go.
bool draw_card(const char* id, ImVec2 at, ImVec2 pivot, float width, Icon icon, ImU32 ink, const std::string& text,
               float alpha, float* height) {
  ImGui::SetNextWindowPos(at, ImGuiCond_Always, pivot);
  ImGui::SetNextWindowSizeConstraints({width, 0}, {width, px(240)});
  ImGui::PushStyleVar(ImGuiStyleVar_Alpha, std::max(alpha, 0.01f));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, px(8));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(px(14), px(10)));
  ImGui::PushStyleColor(ImGuiCol_WindowBg, theme().light ? theme().raised : mix(theme().raised, theme().text, 0.04f));
  ImGui::Begin(id, nullptr, card_flags);
  const ImVec2 window = ImGui::GetWindowPos();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  draw_icon(list, icon, {window.x + px(23), window.y + px(21)}, px(18), ImGui::GetColorU32(ink));
  ImGui::SetCursorPos({px(42), px(11)});
  ImGui::PushTextWrapPos(width - px(40));
  ImGui::TextUnformatted(shortened(text).c_str());
  ImGui::PopTextWrapPos();
  const float after = ImGui::GetCursorPosY();
  ImGui::SetCursorPos({width - px(34), px(7)});
  ImGui::PushID(id);
  const bool close = icon_button("close", Icon::close, "", false, 26);
  mark_item(std::string("close/") + id);
  ImGui::PopID();
  ImGui::SetCursorPosY(std::max(after, px(34)));
  ImGui::Dummy({0, 0});
  // Anywhere on the card will do.
  const bool clicked = ImGui::IsWindowHovered() && ImGui::IsMouseClicked(0);
  if (height) *height = ImGui::GetWindowHeight();
  ImGui::End();
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(3);
  return close || clicked;
}

float draw_notice(const char* id, const std::string& notice, const Area& picture, float y) {
  UiState& state = ui_state();
  if (notice.empty() || state.dismissed.contains(notice)) return y;
  const float width = std::min(px(560), picture.width - px(24));
  if (width < px(120)) return y;
  float height = 0;
  if (draw_card(id, {picture.x + picture.width - px(12), y}, {1, 0}, width, Icon::information, theme().accent, notice,
                1, &height))
    state.dismissed.insert(notice);
  return y + height + px(8);
}

void draw_toasts(const Stats& stats, const Area& picture) {
  UiState& state = ui_state();
  const float width = std::min(px(440), picture.width - px(24));
  if (width < px(100)) return;
  float y = picture.y + picture.height - px(12);
  int shown = 0;
  for (auto message = stats.messages.rbegin(); message != stats.messages.rend() && shown < max_messages; ++message) {
    const float alpha = opacity(*message, stats.now);
    // While the card in the middle tells why there is no picture, telling it twice helps nobody.
    if (alpha <= 0 || message->text == stats.source.error) continue;
    const std::string key = std::to_string(message->seconds) + message->text;
    if (state.dismissed.contains(key)) continue;
    const std::string id = "##message" + std::to_string(shown++);
    const Icon icon = message->level == MessageLevel::information ? Icon::check : Icon::warning;
    float height = 0;
    if (draw_card(id.c_str(), {picture.x + picture.width - px(12), y}, {1, 1}, width, icon, ink_of(message->level),
                  message->text, alpha, &height))
      state.dismissed.insert(key);
    y -= height + px(8);
    if (y < picture.y) break;
  }
}

void draw_failure(const SourceStats& source, const Settings& settings, Requests& requests, const Area& picture) {
  const float width = std::min(px(480), picture.width - px(24));
  if (width < px(120)) return;
  ImGui::SetNextWindowPos({picture.x + picture.width / 2, picture.y + picture.height / 2}, ImGuiCond_Always,
                          {0.5f, 0.5f});
  ImGui::SetNextWindowSizeConstraints({width, 0}, {width, std::max(picture.height - px(24), px(60))});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, px(10));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(px(24), px(20)));
  ImGui::PushStyleColor(ImGuiCol_WindowBg, theme().raised);
  ImGui::Begin("##failure", nullptr, card_flags);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  draw_icon(*ImGui::GetWindowDrawList(), Icon::warning, {at.x + px(11), at.y + px(12)}, px(22), theme().error);
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + px(34));
  push_font(Font::title);
  text_clipped("This source does not play", width - px(90), theme().text);
  pop_font();
  ImGui::Dummy({0, px(2)});
  text_coloured(theme().text, source.error);
  text_clipped(settings.source.input, width - px(48), theme().dim);
  ImGui::Dummy({0, px(4)});
  if (text_button("failure-retry", "Try again", "Open it again" + keys_of("Try the source again"), true))
    requests.retry_source = true;
  ImGui::SameLine();
  if (text_button("failure-open", "Open another", "Name another source" + keys_of("Open a file, URL or camera"))) {
    UiState& state = ui_state();
    state.focus_open_field = true;
    state.reveal_source = true;
  }
  ImGui::SameLine();
  if (text_button("failure-pattern", "Show the test pattern", "")) requests.open = "pattern";
  ImGui::End();
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(2);
}

}  // namespace

void draw_messages(const Stats& stats, Settings& settings, Requests& requests, const Area& picture) {
  if (!stats.source.error.empty()) draw_failure(stats.source, settings, requests, picture);
  float y = picture.y + px(12);
  y = draw_notice("##backend-notice", stats.backend_notice, picture, y);
  draw_notice("##interop-notice", stats.interop_notice, picture, y);
  draw_toasts(stats, picture);
  if (ui_state().reveal_source) {
    ui_state().reveal_source = false;
    settings.show_panels = true;
    settings.open_sections |= 1u;
  }
}

}  // namespace convoscope::ui
