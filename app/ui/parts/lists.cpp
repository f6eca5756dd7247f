#include "app/ui/parts/lists.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>
#include <vector>

#include "app/ui/keys/keys.h"

namespace convoscope::ui {
namespace {

constexpr double pause = 1.0;  // seconds; what is typed after it is another word

// For what was typed: in the frame in which it was, and in the next, where no entry began with it.
enum class Search { none, beginnings, anywhere };

struct List {
  std::string typed;
  double typed_at = 0;
  Search search = Search::none;       // until an entry is found
  bool enter = false, takes = false;  // Enter was pressed; what is found is taken in this frame
  int step = 0;                       // that the arrows ask for
  bool shows = false;                 // what they have found is yet to be scrolled to
  ImGuiID found = 0, chosen = 0;
  std::vector<ImGuiID> entries, before;  // that can be taken: of this frame, and of the last
};

List& list() {
  static List only;
  return only;
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
  list().enter |= pressed == key::enter || pressed == key::keypad_enter;
  for (const auto& [key, step] : key_steps)
    if (pressed == key) list().step += step;
  return true;
}

void begin_list() {
  List& now = list();
  if (ImGui::IsWindowAppearing()) now = {};
  now.takes = std::exchange(now.enter, false);
  now.search = now.search == Search::beginnings ? Search::anywhere : Search::none;
  now.before = std::exchange(now.entries, {});
  go_to_neighbour(now, std::exchange(now.step, 0));
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
  const ImGuiID id = ImGui::GetID(label.c_str());
  const bool able = !(GImGui->CurrentItemFlags & ImGuiItemFlags_Disabled);
  const auto has = [&](std::string_view text) {
    for (std::size_t at = 0; at < (now.search == Search::anywhere ? text.size() : 1); ++at)
      if (begins_with(text.substr(std::min(at, text.size())), now.typed)) return true;
    return false;
  };
  const bool finds = now.search != Search::none && able && (has(label) || has(also));
  if (finds) {
    now.search = Search::none;
    now.found = id;
  }
  const bool clicked = draw(now.found ? now.found == id : chosen);
  if (able) now.entries.push_back(id);
  if (chosen) now.chosen = id;
  if (finds || (now.found == id && std::exchange(now.shows, false))) ImGui::SetScrollHereY(0.5f);
  const bool taken = now.takes && able && now.found == id;
  if (taken) ImGui::CloseCurrentPopup();
  return clicked || taken;
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
