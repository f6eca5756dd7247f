#pragma once
// The cards on the picture: where they lie, so that the mouse finds the parts that were drawn.
#include <string>

#include "app/ui/layout.h"

namespace convoscope::ui {

// Empty areas where a part is not there.
struct CardParts {
  Area card, close, link, badge;
  bool compact = false;
};
CardParts card_parts(const Stats&, const Settings&, const UiLayout&, int pane);

std::string pane_title(const PaneSettings&, const Stats&);
void draw_difference_card(const Stats&, const Settings&, const UiLayout&, ImDrawList&);  // with its legend

}  // namespace convoscope::ui
