#pragma once
// The cards over the panes: what each one's strategy costs. One line, and more on hover or when it is opened. Where
// their parts lie, so that the mouse finds what was drawn.
#include <imgui.h>

#include <string>

#include "app/ui/places/layout.h"

namespace convoscope::ui {

// What the one line says, from the left, as much as fits; empty texts where there is no room.
struct CardLine {
  std::string number, id, type, title, median, interval;
  bool badge = false, small = false, doubted = false;  // the median
  float width = 0, height = 0;                         // of the whole card
};

// Empty areas where a part is not there.
struct CardParts {
  Area card, close, hide, fold, link, badge;
  bool open = false;
  CardLine line;  // while it is not
};
CardParts card_parts(const Stats&, const Settings&, const UiLayout&, int pane);
bool shows_cards(const Settings&);  // in this view

// The card under the mouse opens when it stays there. Once a frame, before the cards are asked for.
void follow_card_hover(const Stats&, const Settings&, const UiLayout&, bool over_picture);
int card_at(const Stats&, const Settings&, const UiLayout&, float x, float y);  // of which pane; −1: none

// The card's top left corner, so that it stays within its pane.
void place_card(const Stats&, Settings&, const UiLayout&, int pane, float x, float y);
void shift_card(PaneSettings&, double x, double y);  // by shares of the room it has
void next_card_shape(PaneSettings&);                 // line, open, hidden; not open where it stays one line
bool stays_one_line(const PaneSettings&);            // there was no room for it to be open when it was drawn
bool has_room_to_open(const Stats&, const Settings&, const UiLayout&, int pane);

void draw_cards(const Stats&, const Settings&, const UiLayout&, ImDrawList&);

std::string pane_title(const PaneSettings&, const Stats&);
// Of View::difference, with its figures and legend; a window.
void draw_difference_card(const Stats&, Settings&, const UiLayout&);

CardLine card_line(const Stats&, const Settings&, int pane, const Area& room, float pane_pixels);
inline constexpr float largest_card_share = 0.1f;  // of a pane, for a card that nobody has opened

}  // namespace convoscope::ui
