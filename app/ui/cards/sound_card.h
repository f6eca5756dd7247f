#pragma once
// The card of the sound: waveform and spectrum, as heard and as filtered.
#include "app/state/settings.h"
#include "app/state/stats.h"
#include "app/ui/places/layout.h"

namespace convoscope::ui {

void draw_sound_card(const Stats&, const Settings&, const Area& stage);

}  // namespace convoscope::ui
