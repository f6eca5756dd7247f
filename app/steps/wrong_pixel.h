#pragma once
// Goes to the pixel that a check has found to be wrong.
#include "app/state/settings.h"
#include "app/state/stats.h"
#include "app/steps/message_poster.h"

namespace convoscope {

// Of the pane at this position; nothing where none is wrong there.
void show_wrong_pixel(int pane, const Stats&, Settings&, const MessagePoster&);

}  // namespace convoscope
