#pragma once
// The queue of messages at the foot of the stage.
#include "app/state/settings.h"
#include "app/state/stats.h"
#include "app/ui/places/layout.h"

namespace convoscope::ui {

void keep_message_places(const Area& picture);  // before all else that looks for a place
void draw_messages(const Stats&, Settings&, Requests&, const Area& picture);

}  // namespace convoscope::ui
