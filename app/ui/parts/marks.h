#pragma once
// Where every control lies, by name: for tests that click on them, in a harness or in a real window, and for what can
// be said about a frame without looking at its picture. Costs nothing unless somebody watches.
#include <imgui.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/ui/memory/item_rectangle.h"

namespace convoscope::ui {

struct Mark {
  std::string id;
  ItemRectangle at;    // all of it
  ItemRectangle seen;  // the part within its window's clip rectangle
  std::string window;
  bool disabled = false;
  bool holds_others = false;  // an area with controls in it
  bool on_stage = false;      // lies over the pictures, where nothing may lie on anything
};

struct DrawnText {
  std::string text;
  ItemRectangle at;
};

void watch_items(bool on);
bool watching_items();
// Of every control. Names are unique within a frame and stay the same: "recording/codec".
void mark_item(std::string_view id);                              // ImGui's last item
void mark_item(std::string_view id, ImVec2 from, ImVec2 to);      // drawn by hand
void mark_area(std::string_view id, ImVec2 from, ImVec2 to);      // controls may lie in it
void mark_on_stage(std::string_view id, ImVec2 from, ImVec2 to);  // an area that no other such may lie on
// draw_text() and text_clipped() say what they draw here: text that its clip rectangle cuts is a fault.
void watch_text(const ImDrawList&, ImVec2 from, ImVec2 size, std::string_view text);
void watch_label(std::string_view label);  // of a control
// Of a text as it was cut, by who cuts it and by who shows its whole under the mouse. One without the other is a fault.
void watch_cut(std::string_view shown);
void watch_tip(std::string_view shown);

// Around what draw_ui() draws.
void begin_marks();
void end_marks();

// The latest place of a name, also of an earlier frame; null when it was never drawn.
const ItemRectangle* item_rectangle(std::string_view id);
// Of the last frame that ended.
const std::vector<Mark>& marks();
const std::vector<DrawnText>& drawn_texts();  // one line each
const std::set<std::string>& drawn_labels();
// What is wrong with it, a sentence each: controls over one another or outside of their window, cards, messages and
// notices over one another or outside of it, names given twice, text that is cut without an ellipsis or with nothing
// that shows its whole or, on the stage, reaches out of its area, a control under the mouse that has no mark.
const std::vector<std::string>& layout_faults();
// All of that as JSON, with the mouse as ImGui knows it, for a test in another process.
std::string marks_json(int frame, bool busy);

}  // namespace convoscope::ui
