#include "app/ui/parts/lists.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "app/ui/parts/key_codes.h"
#include "app/ui/parts/theme.h"

namespace convoscope::ui {
namespace {

constexpr double pause = 1.0;  // seconds; what is typed after it is another word

// For what was typed: in the frame in which it was, and in the next, where no entry began with it.
enum class Search { none, beginnings, anywhere };

struct List {
  std::string typed;
  double typed_at = 0;
  Search search = Search::none;  // until an entry is found
  bool takes = false;            // what is found, in this frame: Enter was pressed
  bool goes_in = false;          // to the list that it leads to, by Enter or Right
  bool shows = false;            // what the arrows have found is yet to be scrolled to
  ImGuiID found = 0, chosen = 0;
  std::vector<ImGuiID> entries, before;  // that can be taken: of this frame, and of the last
};

// Those that lead from one to the other, by their depth. That of the innermost has the keyboard.
List& list() {
  static std::map<int, List> of_depth;
  return of_depth[GImGui->BeginPopupStack.Size];
}

struct PressedKeys {
  int step = 0;
  bool enter = false, right = false, left = false;
};
PressedKeys& pressed_keys() {
  static PressedKeys pressed;
  return pressed;
}

// Home and End are steps that lead beyond every end.
constexpr int far = 1 << 20;
constexpr std::pair<int, int> key_steps[] = {{key::up, -1}, {key::down, 1}, {key::home, -far}, {key::end, far}};

// From what is found, else from what is chosen.
void go_to_neighbour(List& now, int step) {
  if (step == 0 || now.before.empty()) return;
  const auto at = std::ranges::find(now.before, now.found ? now.found : now.chosen);
  const int last = static_cast<int>(now.before.size()) - 1;
  const int from = at != now.before.end() ? static_cast<int>(at - now.before.begin()) : step > 0 ? -1 : last + 1;
  now.found = now.before[static_cast<std::size_t>(std::clamp(from + step, 0, last))];
  now.shows = true;
}

char small(char letter) { return static_cast<char>(std::tolower(static_cast<unsigned char>(letter))); }

bool begins_with(std::string_view label, std::string_view typed) {
  return label.size() >= typed.size() && std::equal(typed.begin(), typed.end(), label.begin(),
                                                    [](char one, char other) { return one == small(other); });
}

// What is to be done with a row, once it is known whether the keys have found it.
struct FoundRow {
  ImGuiID id = 0;
  bool able = false, finds = false, stands_out = false;
};

FoundRow begin_list_row(List& now, const std::string& label, const std::string& also, bool chosen) {
  FoundRow row{ImGui::GetID(label.c_str()), !(GImGui->CurrentItemFlags & ImGuiItemFlags_Disabled)};
  const auto has = [&](std::string_view text) {
    for (std::size_t at = 0; at < (now.search == Search::anywhere ? text.size() : 1); ++at)
      if (begins_with(text.substr(std::min(at, text.size())), now.typed)) return true;
    return false;
  };
  row.finds = now.search != Search::none && row.able && (has(label) || has(also));
  if (row.finds) {
    now.search = Search::none;
    now.found = row.id;
  }
  row.stands_out = now.found ? now.found == row.id : chosen;
  if (row.able) now.entries.push_back(row.id);
  if (chosen) now.chosen = row.id;
  return row;
}

void scroll_to(List& now, const FoundRow& row) {
  if (row.finds || (now.found == row.id && std::exchange(now.shows, false))) ImGui::SetScrollHereY(0.5f);
}

}  // namespace

bool is_menu_open() {
  if (!ImGui::GetCurrentContext()) return false;
  // One whose panel is not drawn any more stays in the stack, and is not seen.
  return std::ranges::any_of(GImGui->OpenPopupStack, [](const ImGuiPopupData& popup) {
    return popup.Window && (popup.Window->Active || popup.Window->WasActive);
  });
}

bool list_key(int pressed, int modifiers) {
  const bool leaves = pressed == key::escape || (pressed == 'Q' && modifiers == key::control);
  if (!is_menu_open() || leaves) return false;
  pressed_keys().enter |= pressed == key::enter || pressed == key::keypad_enter;
  pressed_keys().right |= pressed == key::right;
  pressed_keys().left |= pressed == key::left;
  for (const auto& [key, step] : key_steps)
    if (pressed == key) pressed_keys().step += step;
  return true;
}

void begin_list() {
  List& now = list();
  if (ImGui::IsWindowAppearing()) {
    now = {};
    pressed_keys() = {};
  }
  now.search = now.search == Search::beginnings ? Search::anywhere : Search::none;
  now.before = std::exchange(now.entries, {});
  const bool innermost = GImGui->BeginPopupStack.Size == GImGui->OpenPopupStack.Size;
  const PressedKeys pressed = innermost ? std::exchange(pressed_keys(), {}) : PressedKeys();
  now.takes = pressed.enter;
  now.goes_in = pressed.enter || pressed.right;
  go_to_neighbour(now, pressed.step);
  // What the mouse rests on has no say until it moves.
  if (pressed.step != 0 || pressed.right || pressed.left) GImGui->NavDisableMouseHover = true;
  if (pressed.left && (GImGui->CurrentWindow->Flags & ImGuiWindowFlags_ChildMenu))
    ImGui::ClosePopupToLevel(GImGui->BeginPopupStack.Size - 1, true);
  if (!innermost) return;
  for (const ImWchar character : ImGui::GetIO().InputQueueCharacters) {
    if (character < ' ' || character > '~') continue;  // no entry begins with another
    if (ImGui::GetTime() - now.typed_at > pause) now.typed.clear();
    now.typed_at = ImGui::GetTime();
    now.typed += small(static_cast<char>(character));
    now.search = Search::beginnings;
  }
}

bool list_row(const std::string& label, const std::string& also, bool chosen,
              const std::function<bool(bool stands_out)>& draw) {
  List& now = list();
  const FoundRow row = begin_list_row(now, label, also, chosen);
  const bool clicked = draw(row.stands_out);
  scroll_to(now, row);
  const bool taken = now.takes && row.able && now.found == row.id;
  if (taken) ImGui::CloseCurrentPopup();
  return clicked || taken;
}

bool begin_sublist(const char* name) {
  List& now = list();
  const FoundRow row = begin_list_row(now, name, {}, false);
  if (row.stands_out) draw_row_at_hand();
  if (row.stands_out && now.goes_in) ImGui::OpenPopup(name);
  const bool open = ImGui::BeginMenu(name);
  if (open) begin_list();
  return open;
}

void draw_row_at_hand() {
  // As large as under the mouse.
  const ImVec2 at = ImGui::GetCursorScreenPos(), spacing = ImGui::GetStyle().ItemSpacing;
  const float across = spacing.x / 2, down = spacing.y / 2;
  const ImVec2 to{at.x + ImGui::GetContentRegionAvail().x + across, at.y + ImGui::GetTextLineHeight() + down};
  ImGui::GetWindowDrawList()->AddRectFilled({at.x - across, at.y - down}, to, ImGui::GetColorU32(ImGuiCol_Header),
                                            px(3));
}

bool list_entry(const std::string& label, bool chosen, const ListRow& row) {
  return list_row(label, row.also, chosen, [&](bool stands_out) {
    // In a row that is higher, as a button beside it makes it, the text lies in the middle, as the button's icon does.
    ImGui::PushStyleVar(ImGuiStyleVar_SelectableTextAlign, ImVec2(0, row.size.y > 0 ? 0.5f : 0));
    const bool clicked = ImGui::Selectable(label.c_str(), stands_out, 0, row.size);
    ImGui::PopStyleVar();
    return clicked;
  });
}

}  // namespace convoscope::ui
