#pragma once
// Where tooltips lie: beside what they explain, never over it.
#include <imgui.h>

#include <string>

namespace convoscope::ui {

// Below the rectangle, else above, else at its side, whichever fits into the window first.
void tooltip_beside(const std::string& text, ImVec2 from, ImVec2 to);
// Of a point of a plot: next to the cursor, so that the point itself stays seen.
void plot_tooltip(const std::string& text);
// Whether the mouse is over a part that is drawn behind all windows, or in the current window.
bool hovers_background(ImVec2 from, ImVec2 to);
bool hovers_window(ImVec2 from, ImVec2 to);

}  // namespace convoscope::ui
