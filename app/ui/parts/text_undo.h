#pragma once
// What can be undone in a text field. Older ImGui (before 1.89) keeps it also where the program has put another text
// into the field, and to undo in that writes outside of its memory.

namespace convoscope::ui {

void forget_text_undo();       // the field that is being edited has another text now
void forget_left_text_undo();  // in every frame: a field that is left may have another text when it is edited again

}  // namespace convoscope::ui
