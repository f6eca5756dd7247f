#pragma once
// The small parts that panels are made of, all in one look. `id` names a part for ImGui and, through item_rectangle(),
// for tests that click on it.
#include <imgui.h>

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "app/ui/parts/icons.h"
#include "app/ui/parts/marks.h"
#include "app/ui/parts/theme.h"

namespace convoscope::ui {

void tooltip(const std::string& text);  // of the last item, beside it (tooltips.h); nothing when empty
bool icon_button(const char* id, Icon icon, const std::string& tip, bool on = false, float size = 28);
bool text_button(const char* id, const char* label, const std::string& tip, bool primary = false);
float text_button_width(const char* label);
bool text_field(const char* id, const char* hint, std::span<char> text, const std::string& tip, int flags = 0);
// ImGui's combo with our arrow; EndCombo() when true, after a list_entry() (lists.h) for each choice. `width` 0: the
// rest of the line. Never push a font around it: it would be popped inside of the open popup; `face` is the preview's.
bool begin_combo(const char* id, const std::string& preview, float width = 0, Font face = Font::body);
float combo_text_width(float width);  // of the preview, before it is cut
float toggle_width(const char* label);
void beside(float width);  // on the same line, when what comes next has room there
bool toggle(const char* id, const char* label, bool* value, const std::string& tip);

// With its value beside it; Ctrl+click types a number. `width` 0: the rest of the line.
bool slider(const char* id, float* value, float low, float high, const char* format, int flags = 0, float width = 0);
bool slider(const char* id, int* value, int low, int high, const char* format, int flags = 0, float width = 0);

// What is typed in this frame, into a field for a number: says so and is true if no number has such characters.
bool answer_letters();

// The last click on one may be the first of a double click.
bool slider_awaits_click();

// A number in a field, to be dragged or typed. low = high: any.
bool drag_number(const char* id, float* value, float speed, float low, float high, const char* format);

// One of several choices, side by side. Returns true when another was picked. One that cannot be is greyed, and says
// why under the mouse.
struct CannotBe {
  int choice = -1;
  std::string why;
};
bool segmented(const char* id, std::span<const char* const> labels, int* chosen, const std::string& tip,
               float width = 0, const CannotBe& cannot_be = {});

// EndChild() of a list within a panel: at its end the wheel goes on to the panel. ImGui leaves it to the inner one, and
// a user whose mouse lies on the list is stuck.
void end_inner_list();

// "Label      [control]": the caller draws the control next, over the rest of the line.
void row_label(const char* label, const std::string& tip = {}, float widest = 0);
// "Label      value". widest: of the labels of a group whose values begin at one place.
void value_row(const char* label, const std::string& value, const std::string& tip = {}, float widest = 0,
               float indent = 0);

void text_dim(const std::string& text);              // wrapped, second weight of ink
void text_coloured(ImU32, const std::string& text);  // wrapped
// One line, cut with … to `width` pixels; the whole as a tooltip when it was cut.
void text_clipped(const std::string& text, float width, ImU32 ink);
std::string shortened(std::string_view text, std::size_t bytes = 1000);  // with … when cut; never inside a character
// To a width, with …; whoever draws it shows the whole of it under the mouse, as those above do.
std::string clipped(std::string_view text, float width);  // in the current font
std::string clipped(Font, std::string_view text, float width);
// The same straight into a draw list; returns the width of what was drawn.
float draw_clipped(ImDrawList&, Font, ImVec2 position, ImU32, const std::string& text, float width,
                   const ItemRectangle* beside = nullptr);
// For an item with a tooltip of its own: that, below the whole text where it was cut.
std::string with_whole(const std::string& whole, std::string_view shown, const std::string& tip);
void heading(const char* text);  // small capitals over a group

// Text straight into a draw list, in one of our fonts; returns its width.
float draw_text(ImDrawList&, Font, ImVec2 position, ImU32, std::string_view text);
ImVec2 text_size(Font, std::string_view text);

}  // namespace convoscope::ui
