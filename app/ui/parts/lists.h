#pragma once
// While a list or a menu is open the keyboard is its own: what is typed finds an entry, and so do the arrows; Enter
// takes it, or goes into the list that it leads to, as Right does, which Left comes back from.
#include <imgui.h>

#include <functional>
#include <string>

namespace convoscope::ui {

bool is_menu_open();                    // or a list
bool list_key(int key, int modifiers);  // obeys the arrows and Enter; true: no command may run
void begin_list();                      // in a popup; that of an open begin_combo() does it itself
struct ListRow {
  ImVec2 size{};          // of the entry; 0: the rest of the line, as high as its text
  std::string also = {};  // is found by what was typed, when the label is not
};
// An entry of begin_combo(), or of a popup with begin_list(). True when it is taken: by a click, or by Enter once it
// was found.
bool list_entry(const std::string& label, bool chosen, const ListRow& row = {});
// The same for a row that the caller draws: `draw` is told whether the row stands out, and says whether it was clicked.
bool list_row(const std::string& label, const std::string& also, bool chosen,
              const std::function<bool(bool stands_out)>& draw);
// A row of a menu that leads to a list, as ImGui::BeginMenu() has it.
bool begin_sublist(const char* name);
void draw_row_at_hand();  // behind a row of a menu that stands out, before it is drawn

}  // namespace convoscope::ui
