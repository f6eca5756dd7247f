// What the program has to say, in one queue at the foot of the stage, where it covers nothing: first what waits for an
// answer, which keeps its place, then the newest message. What finds no place waits for one, and is counted.
#include "app/ui/notices/messages.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "app/files/picture_limit.h"
#include "app/ui/actions/offers.h"
#include "app/ui/actions/panel_actions.h"
#include "app/ui/actions/window_actions.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/notices/message_queue.h"
#include "app/ui/notices/waiting_messages.h"
#include "app/ui/parts/action_names.h"
#include "app/ui/parts/format.h"
#include "app/ui/parts/key_names.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/parts/wrapped_text.h"
#include "app/ui/places/stage_places.h"
#include "app/ui/ui.h"

namespace convoscope::ui {
namespace {

constexpr int most_at_once = 3;
constexpr float largest_share = 0.5f;  // of the stage's height, of several together
constexpr double hint_seconds = 30;

ImU32 ink_of(MessageLevel level) {
  return level == MessageLevel::error ? theme().error : level == MessageLevel::warning ? theme().warning : theme().dim;
}

struct Button {
  std::string id;
  const char* label = "";
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
  bool waits() const { return !buttons.empty(); }  // for an answer
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
  float buttons = 0;  // height of their rows, at the foot
};

// As many lines as `place` has room for.
template <class Place>
std::optional<Layout> lay_out(const Box& box, float width, const Place& place) {
  const float text_width = width - px(box.closes ? 78 : 56);
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
    if (const std::optional<Area> area = place(ImVec2(width, height)))
      return Layout{*area, first_lines(Font::body, text, lines, text_width), lines < all, buttons};
  }
  return {};
}

// Where its buttons were in the last frame: what it says grows and shrinks above them. What has come to lie there gives
// way, mostly, in the next frame.
std::optional<Layout> kept_layout(const Box& box, const Area& room) {
  constexpr int patience = 2;  // frames
  const float slack = px(6);   // a narrower stage has narrower margins
  const Area within{room.x - slack, room.y - slack, room.width + 2 * slack, room.height + 2 * slack};
  const auto kept = ui_state().kept_boxes.find(box.name);
  if (!box.waits() || kept == ui_state().kept_boxes.end()) return {};
  const Area before = kept->second.area;
  int& crossed = kept->second.frames_crossed;
  const auto anchored = [&](bool free) {
    return lay_out(box, before.width, [&](ImVec2 size) {
      const Area area{before.x, before.y + before.height - size.y, size.x, size.y};
      const bool fits = lies_in(area, within) && (free ? is_free(area) : size.y <= before.height);
      return fits ? std::optional(area) : std::nullopt;
    });
  };
  std::optional<Layout> layout = anchored(true);
  crossed = layout ? 0 : crossed + 1;
  if (!layout && crossed <= patience) layout = anchored(false);
  return layout;
}

bool keeps_told_place(const Box& box) { return !box.waits() && box.name.starts_with("message/"); }

// One without a button stays as well, for as long as nothing else has to lie there.
std::optional<Layout> told_layout(const Box& box, const Area& room) {
  const auto told = ui_state().told_places.find(box.name);
  if (!keeps_told_place(box) || told == ui_state().told_places.end()) return {};
  const Area before = told->second;
  give_back(before);
  return lay_out(box, before.width, [&](ImVec2 size) {
    const Area area{before.x, before.y + before.height - size.y, size.x, size.y};
    return lies_in(area, room) && is_free(area) ? std::optional(area) : std::nullopt;
  });
}

// A new message goes before older ones that stay; those of this frame lie where they are drawn.
void give_told_places_back() {
  for (const auto& [name, area] : ui_state().told_places)
    if (!ui_state().told_in_frame.contains(name)) give_back(area);
}

// Nothing with a button appears under the mouse, where a click may be on its way, unless there is no other place.
std::optional<Layout> new_layout(const Box& box, const Area& room) {
  const auto at_foot = [&](ImVec2 size) { return place_at_foot(room, size); };
  const float width = std::min(px(520), room.width), side = px(8);
  if (box.waits()) {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const Area under_mouse{mouse.x - side / 2, mouse.y - side / 2, side, side};
    keep_free(under_mouse);
    const std::optional<Layout> beside = lay_out(box, width, at_foot);
    give_back(under_mouse);
    if (beside) return beside;
  }
  return lay_out(box, width, at_foot);
}

void draw_buttons(const Box& box, float left, float width, Pressed& pressed) {
  const std::vector<bool> begins = rows_of(box.buttons, width);
  for (std::size_t i = 0; i < box.buttons.size(); ++i) {
    const Button& button = box.buttons[i];
    if (i > 0 && !begins[i])
      ImGui::SameLine(0, px(6));
    else
      ImGui::SetCursorPosX(left);
    if (text_button(button.id.c_str(), button.label, button.tip, button.primary)) pressed.button = static_cast<int>(i);
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
  // On this ground a button of a panel's ink would look like a word.
  ImGui::PushStyleColor(ImGuiCol_Button, with_alpha(theme().text, 0.14f));
  ImGui::PushStyleColor(ImGuiCol_ButtonHovered, with_alpha(theme().text, 0.24f));
  ImGui::PushStyleColor(ImGuiCol_ButtonActive, with_alpha(theme().text, 0.32f));
  ImGui::Begin(id.c_str(), nullptr, message_flags);
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
  ImGui::SetCursorPosY(area.height - layout.buttons);
  if (!box.buttons.empty()) draw_buttons(box, px(42), area.width - px(56), pressed);
  if (box.closes) {
    ImGui::SetCursorPos({area.width - px(34), px(8)});
    pressed.closed =
        icon_button((box.name + "/close").c_str(), Icon::close, "Dismiss" + keys_of(action::close), false, 26);
    // Anywhere on the card will do, unless a button was meant.
    pressed.closed |= !box.waits() && ImGui::IsWindowHovered() && ImGui::IsMouseClicked(0);
  }
  ImGui::End();
  ImGui::PopStyleColor(4);
  ImGui::PopStyleVar(5);
  take_place(box.name, area);
  return pressed;
}

// Nothing while there is no room for it; the last of the buttons go first. Several take no more of the stage together
// than their share of its height.
std::optional<Pressed> show(int slot, Box box, const Area& room) {
  float& height = ui_state().messages_height;
  const auto fits = [&](const std::optional<Layout>& layout) {
    return layout && (height <= 0 || height + layout->area.height <= largest_share * room.height);
  };
  std::optional<Layout> layout = kept_layout(box, room);
  const bool stays = layout.has_value();  // also where another one has grown meanwhile
  if (!layout) layout = told_layout(box, room);
  if (!layout) layout = new_layout(box, room);
  if (!layout) {
    give_told_places_back();
    layout = new_layout(box, room);
  }
  while (!layout && box.buttons.size() > 1) {
    box.buttons.pop_back();
    layout = new_layout(box, room);
  }
  if (!stays && !fits(layout)) return {};
  height += layout->area.height + px(8);
  if (keeps_told_place(box)) ui_state().told_in_frame[box.name] = layout->area;
  if (box.waits()) {
    KeptBox& kept = ui_state().kept_boxes[box.name];
    kept = {layout->area, slot, true, kept.frames_crossed};
  }
  return draw_box(slot, box, *layout);
}

constexpr int failure_slot = 0, hint_slot = 1, first_slot = 2;

bool show_failure(const Stats& stats, Requests& requests, const Area& room) {
  const std::optional<std::int64_t> pixels = pixels_to_allow(stats.source.error);
  Box box{"failure", Icon::warning, theme().error, stats.source.error, 1, false, {}};
  if (pixels)
    box.buttons.push_back({"failure-allow", label_of(Offer::open_anyway), tip_of_allowing(*pixels), true});
  else
    box.buttons.push_back({"failure-retry", "Try again", "Open it again" + keys_of(action::retry_source), true});
  box.buttons.push_back({"failure-open", "Open another", "Choose another source" + keys_of(action::open_source)});
  box.buttons.push_back({"failure-pattern", "Show the test pattern", ""});
  const std::optional<Pressed> pressed = show(failure_slot, box, room);
  if (!pressed) return false;
  if (pressed->button == 0) requests.retry_source = true, requests.allow_pixels = pixels;
  if (pressed->button == 1) ui_state().focus_open_field = ui_state().reveal_source = true;
  if (pressed->button == 2) requests.open = SourceSettings().input;
  return true;
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
  const std::optional<Pressed> pressed =
      show(hint_slot, {"hint", Icon::information, theme().accent, text, 1, true, {}}, room);
  if (!pressed) return;
  ++state.messages_shown;
  if (!state.hint_since) state.hint_since = stats.now;
  draw_again_in(hint_seconds - (stats.now - *state.hint_since));
  if (pressed->closed || state.dismiss_messages) put_hint_away(settings);
}

Box box_of(const Said& said) {
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
  for (const MessageButton& button : said.buttons) {
    const bool first = box.buttons.empty();
    box.buttons.push_back({box.name + "/" + label_of(button.offer), label_of(button.offer), tip_of(button), first});
  }
  return box;
}

// Of the windows of messages: that which the box has, or one that none has which keeps its place.
int slot_of(const Box& box) {
  const auto& kept = ui_state().kept_boxes;
  if (const auto own = kept.find(box.name); box.waits() && own != kept.end()) return own->second.slot;
  int slot = first_slot;
  const auto is_taken = [&](int wanted) {
    return std::ranges::any_of(kept, [&](const auto& each) { return each.second.slot == wanted; });
  };
  while (is_taken(slot)) ++slot;
  return slot;
}

// Those that wait for an answer come first: what has its place already, then the older of them.
std::vector<Said> in_order(std::vector<Said> said) {
  const auto rank = [](const Said& each) {
    if (each.buttons.empty()) return 2;
    return ui_state().kept_boxes.contains("message/" + shortened(each.subject, 60)) ? 0 : 1;
  };
  std::ranges::stable_sort(said, {}, rank);
  return said;
}

void draw_queue(const Stats& stats, Settings& settings, Requests& requests, const Area& picture) {
  UiState& state = ui_state();
  const Area room = room_for_messages(picture);
  forget_told_filter_error(stats.now);
  put_told_notices_away(stats, settings);
  const std::vector<Said> all = in_order(what_to_say(stats, settings));
  std::size_t told = 0;
  int plain_slot = first_slot + most_at_once;  // behind those of the boxes that keep their places
  const auto say = [&](const Said& said) {
    const Box box = box_of(said);
    const std::optional<Pressed> pressed = show(box.waits() ? slot_of(box) : plain_slot++, box, room);
    if (!pressed) return false;
    note_shown(said, stats.now);
    ++state.messages_shown, ++told;
    if (pressed->button >= 0) accept_offer(said.buttons[static_cast<std::size_t>(pressed->button)], settings, requests);
    if (pressed->closed || pressed->button >= 0 || state.dismiss_messages) put_away(said, settings);
    return true;
  };
  const bool fails = !stats.source.error.empty(), failed_before = state.kept_boxes.contains("failure");
  std::size_t next = 0;
  bool failure_told = fails && failed_before && show_failure(stats, requests, room);
  for (; next < all.size() && state.kept_boxes.contains(box_of(all[next]).name) && !all[next].buttons.empty(); ++next)
    if (state.messages_shown < most_at_once) say(all[next]);
  if (fails && !failed_before) failure_told = show_failure(stats, requests, room);
  if (settings.show_hint) show_hint(stats, settings, room);
  for (; next < all.size() && state.messages_shown < most_at_once; ++next)
    if (!say(all[next])) break;  // the older ones come when it has gone
  show_waiting(all.size() - told + (fails && !failure_told ? 1 : 0), room);
}

}  // namespace

void keep_message_places(const Area& picture) {
  if (covers_messages()) return;
  UiState& state = ui_state();
  for (const auto& [name, box] : state.kept_boxes) keep_free(box.area);
  for (const auto& [name, area] : state.told_places) keep_free(area);
  keep_place_of_waiting(room_for_messages(picture));
}

void draw_messages(const Stats& stats, Settings& settings, Requests& requests, const Area& picture) {
  UiState& state = ui_state();
  state.messages_shown = 0;
  state.messages_height = 0;
  for (const auto& [name, box] : state.kept_boxes) give_back(box.area);
  note_past_messages(stats);
  for (auto& [name, box] : state.kept_boxes) box.drawn = false;
  if (covers_messages()) {
    rest_messages(stats, settings);
  } else {
    draw_queue(stats, settings, requests, picture);
    state.told_places = std::exchange(state.told_in_frame, {});
  }
  if (!covers_messages()) std::erase_if(state.kept_boxes, [](const auto& box) { return !box.second.drawn; });
  state.dismiss_messages = false;
  if (state.reveal_source) {
    state.reveal_source = false;
    show_panel(settings, "source");
  }
}

}  // namespace convoscope::ui
