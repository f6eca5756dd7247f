#pragma once
// A page over the whole window, with a title and a cross; a click beside it closes it. One is open at a time.
#include <string>

namespace convoscope::ui {

// Sizes at scale 1, cut to the window. True: draw the content, then end_page(). `id` names its marks: "close-<id>".
bool begin_page(const char* id, const char* title, float width, float height, bool* open, const std::string& keys);
void end_page();
bool page_is_opening();  // this is the first frame of the page that was begun

}  // namespace convoscope::ui
