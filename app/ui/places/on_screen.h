#pragma once
// Where parts of a pane's picture lie on the screen.
#include <string>

#include "app/state/settings.h"
#include "app/state/stats.h"
#include "app/ui/places/layout.h"

namespace convoscope::ui {

// Where pixels of a pane's picture lie on screen; empty when it is not known.
Area on_screen(const UiLayout&, const Stats&, int pane, const PixelArea&);
std::string pane_title(const Stats&, const Settings&, int pane);
// Of the source's pictures as they are: "Source, unfiltered", or "Waveform of clip.wav, unfiltered".
std::string unfiltered_title(const SourceStats&);

}  // namespace convoscope::ui
