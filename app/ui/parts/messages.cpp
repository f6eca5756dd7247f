// What the program has to say, in one queue at the foot of the stage, where it covers nothing: first what waits for an
// answer, then the newest message. What finds no place waits for one.
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "app/ui/keys/keys.h"
#include "app/ui/panels/panel.h"
#include "app/ui/panels/panels.h"
#include "app/ui/parts/message_queue.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/parts/wrapped_text.h"
#include "app/ui/stage/stage_places.h"
#include "app/ui/ui.h"
#include "app/ui/ui_state.h"

namespace convoscope::ui {
namespace {

constexpr int most_at_once = 3;
constexpr double hint_seconds = 30;

constexpr ImGuiWindowFlags card_flags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                        ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoFocusOnAppearing |
                                        ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoScrollWithMouse;

ImU32 ink_of(MessageLevel level) {
  return level == MessageLevel::error ? theme().error : level == MessageLevel::warning ? theme().warning : theme().dim;
}

struct Button {
  const char *id, *label;
  std::string tip;
  bool primary = false;
};

struct Box {
  std::string name;  // of its mark
  Icon icon = Icon::information;
  ImU32 ink = 0;
  std::string text;
  float opacity = 1;
  bool closes = true;
  std::vector<Button> buttons;
};

struct Pressed {
  bool closed = false;
  int button = -1;
};

float width_of(const Button& button) {
  return text_size(Font::strong, button.label).x + 2 * ImGui::GetStyle().FramePadding.x;
}

// Which of the buttons begin a new row.
std::vector<bool> rows_of(const std::vector<Button>& buttons, float width) {
  std::vector<bool> begins;
  float used = 0;
  for (const Button& button : buttons) {
    const float wanted = width_of(button) + px(6);
    begins.push_back(used > 0 && used + wanted > width);
    used = begins.back() ? wanted : used + wanted;
  }
  return begins;
}

struct Layout {
  Area area;
  std::string text;
  bool cut = false;
};

// As many lines as there is room for.
std::optional<Layout> lay_out(const Box& box, const Area& room) {
  const float width = std::min(px(520), room.width), text_width = width - px(box.closes ? 78 : 56);
  if (text_width < px(60)) return {};
  const std::string text = wrapped(Font::body, shortened(box.text, 600), text_width);
  const std::vector<bool> rows = rows_of(box.buttons, text_width);
  float buttons = 0;
  if (!rows.empty())
    buttons = (ImGui::GetFrameHeight() + px(6)) * static_cast<float>(1 + std::ranges::count(rows, true)) + px(4);
  const int all = count_lines(text);
  for (int lines = all; lines > 0; --lines) {
    const float height =
        std::max(std::ceil(static_cast<float>(lines) * ImGui::GetTextLineHeight()) + px(20), px(42)) + buttons;
    const std::optional<Area> place = place_at_foot(room, {width, height});
    if (place) return Layout{*place, first_lines(Font::body, text, lines, text_width), lines < all};
  }
  return {};
}

void draw_buttons(const Box& box, float left, float width, Pressed& pressed) {
  const std::vector<bool> begins = rows_of(box.buttons, width);
  ImGui::Dummy({0, px(2)});
  for (std::size_t i = 0; i < box.buttons.size(); ++i) {
    const Button& button = box.buttons[i];
    if (i > 0 && !begins[i])
      ImGui::SameLine(0, px(6));
    else
      ImGui::SetCursorPosX(left);
    if (text_button(button.id, button.label, button.tip, button.primary)) pressed.button = static_cast<int>(i);
  }
}

Pressed draw_box(int slot, const Box& box, const Layout& layout) {
  const Area& area = layout.area;
  const std::string id = message_window + std::to_string(slot);
  ImGui::SetNextWindowPos(area.from());
  ImGui::SetNextWindowSize({area.width, area.height});
  ImGui::PushStyleVar(ImGuiStyleVar_Alpha, std::max(box.opacity, 0.01f));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, px(8));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(px(12), px(8)));
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(px(6), px(6)));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, ImVec2(1, 1));
  ImGui::PushStyleColor(ImGuiCol_WindowBg, theme().light ? theme().raised : mix(theme().raised, theme().text, 0.04f));
  ImGui::Begin(id.c_str(), nullptr, card_flags);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  draw_icon(list, box.icon, {area.x + px(22), area.y + px(21)}, px(18), ImGui::GetColorU32(box.ink));
  const float above = (px(42) - static_cast<float>(count_lines(layout.text)) * ImGui::GetTextLineHeight()) / 2;
  ImGui::SetCursorPos({px(42), std::max(px(10), std::round(above))});  // one line lies beside the middle of the icon
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(px(6), 0));
  ImGui::TextUnformatted(layout.text.c_str());
  watch_text(list, ImGui::GetItemRectMin(), ImGui::GetItemRectSize(), layout.text);
  ImGui::PopStyleVar();
  if (layout.cut) tooltip(box.text);
  Pressed pressed;
  if (!box.buttons.empty()) draw_buttons(box, px(42), area.width - px(56), pressed);
  if (box.closes) {
    ImGui::SetCursorPos({area.width - px(34), px(8)});
    pressed.closed = icon_button((box.name + "/close").c_str(), Icon::close,
                                 "Dismiss" + keys_of("Close what is open, leave full screen"), false, 26);
    // Anywhere on the card will do.
    pressed.closed |= ImGui::IsWindowHovered() && ImGui::IsMouseClicked(0) && pressed.button < 0;
  }
  ImGui::End();
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(5);
  take_place(box.name, area);
  return pressed;
}

// Nothing while there is no room for it; the last of the buttons go first.
std::optional<Pressed> show(int slot, Box box, const Area& room) {
  std::optional<Layout> layout = lay_out(box, room);
  while (!layout && box.buttons.size() > 1) {
    box.buttons.pop_back();
    layout = lay_out(box, room);
  }
  return layout ? std::optional(draw_box(slot, box, *layout)) : std::nullopt;
}

void show_failure(const Stats& stats, Requests& requests, const Area& room) {
  const Box box{"failure",
                Icon::warning,
                theme().error,
                stats.source.error,
                1,
                false,
                {{"failure-retry", "Try again", "Open it again" + keys_of("Try the source again"), true},
                 {"failure-open", "Open another", "Choose another source" + keys_of("Open a file, URL or camera")},
                 {"failure-pattern", "Show the test pattern", ""}}};
  const std::optional<Pressed> pressed = show(0, box, room);
  if (!pressed) return;
  if (pressed->button == 0) requests.retry_source = true;
  if (pressed->button == 1) ui_state().focus_open_field = ui_state().reveal_source = true;
  if (pressed->button == 2) requests.open = SourceSettings().input;
}

// At the foot or, where something lies there, not yet: pushed up, it would lie over the pictures.
void show_hint(const Stats& stats, Settings& settings, const Area& stage) {
  const float height = stage.height / 2;
  const Area room{stage.x, stage.y + stage.height - height, stage.width, height};
  UiState& state = ui_state();
  if (state.hint_since && stats.now - *state.hint_since > hint_seconds) return put_hint_away(settings);
  const auto& [filter, strategy, sheet] = hinted_actions;
  const std::string text = "Press " + first_key_of(filter) + " for the next filter, " + first_key_of(strategy) +
                           " for the next strategy and " + first_key_of(sheet) + " for all keys.";
  const std::optional<Pressed> pressed = show(1, {"hint", Icon::information, theme().accent, text, 1, true, {}}, room);
  if (!pressed) return;
  ++state.messages_shown;
  if (!state.hint_since) state.hint_since = stats.now;
  draw_again_in(hint_seconds - (stats.now - *state.hint_since));
  if (pressed->closed || state.dismiss_messages) put_hint_away(settings);
}

void draw_queue(const Stats& stats, Settings& settings, Requests& requests, const Area& picture) {
  UiState& state = ui_state();
  const float margin = px(picture.width > px(400) ? 12 : 6);
  const Area room{picture.x + margin, picture.y + margin, picture.width - 2 * margin, picture.height - 2 * margin};
  forget_told_filter_error(stats.now);
  put_told_notices_away(stats, settings);
  if (!stats.source.error.empty()) show_failure(stats, requests, room);
  if (settings.show_hint) show_hint(stats, settings, room);
  for (const Said& said : what_to_say(stats, settings)) {
    if (state.messages_shown == most_at_once) break;
    const bool plain = said.level == MessageLevel::information;
    Box box{"message/" + shortened(said.subject, 60),
            said.notice ? Icon::information
            : plain     ? Icon::check
                        : Icon::warning,
            said.notice ? theme().accent : ink_of(said.level),
            said.text,
            said.opacity,
            true,
            {}};
    if (!said.session.empty())
      box.buttons = {
          {"message-session", "Open its session", "Open the session that is in this file, instead of this one"}};
    if (!said.source.empty())
      box.buttons = {{"message-source", "Open it", "Open " + said.source + " instead of the test pattern"}};
    if (!said.weights.empty()) box.buttons = {{"message-weights", "Read it", "Read the network in " + said.weights}};
    const std::optional<Pressed> pressed = show(2 + state.messages_shown, box, room);
    if (!pressed) break;  // the older ones come when it has gone
    note_shown(said, stats.now);
    ++state.messages_shown;
    if (pressed->button == 0) {
      if (!said.session.empty()) requests.load_session = said.session;
      if (!said.source.empty()) requests.open = said.source;
      if (!said.weights.empty()) requests.load_bank = said.weights;
    }
    if (pressed->closed || pressed->button == 0 || state.dismiss_messages) put_away(said, settings);
  }
}

}  // namespace

void draw_messages(const Stats& stats, Settings& settings, Requests& requests, const Area& picture) {
  UiState& state = ui_state();
  state.messages_shown = 0;
  if (covers_messages(settings))
    rest_messages(stats, settings);
  else
    draw_queue(stats, settings, requests, picture);
  state.dismiss_messages = false;
  if (state.reveal_source) {
    state.reveal_source = false;
    show_panel(settings, "source");
  }
}

}  // namespace convoscope::ui
