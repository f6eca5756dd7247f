#pragma once
// Where tooltips lie: beside what they explain, never over it, nor over the rows that the mouse may go on to.
#include <imgui.h>

#include <string>
#include <string_view>

#include "app/ui/parts/marks.h"

namespace convoscope::ui {

// At the side of the column that the rectangle is in, else below the rectangle, else above, else at its side, whichever
// fits into the window first.
void tooltip_beside(const std::string& text, ImVec2 from, ImVec2 to);
// Of a point with a ring about it: below the ring, else above, also within a column.
void tooltip_at(const std::string& text, ImVec2 point, float ring);
// Of a text that was drawn into this list and had to be cut; `beside`: what it is a part of, if that is not to be
// covered either.
void tooltip_of_cut(const ImDrawList&, std::string_view shown, const std::string& whole, ImVec2 from, ImVec2 to,
                    const ItemRectangle* beside = nullptr);
// Once a frame, before anything is drawn: what was clicked has its tooltip again once the mouse has been elsewhere.
// `only_in`: the window that lies over everything, and alone has any; null: all have.
void follow_the_mouse_to_tooltips(const char* only_in = nullptr);
// What the one of the last frame says, for tests; empty where there was none.
std::string tooltip_text();
// Whether the mouse is over a part that is drawn behind all windows, or in the current window.
bool hovers_background(ImVec2 from, ImVec2 to);
bool hovers_window(ImVec2 from, ImVec2 to);

}  // namespace convoscope::ui
