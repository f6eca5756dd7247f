#pragma once
// --view NAME[:KEY=VALUE,…] and --compare ID[@FILTER],… (of a layer ID[@TYPE],…): how panes are shown, and what they
// are.
#include <string>
#include <vector>

#include "app/state/settings.h"

namespace convoscope {

// Sets PaneGroup::view and what belongs to it. Throws Error with a sentence that names the key or value and what would
// be right. `panes` are there already: positions are checked against them.
void parse_view_option(const std::string& text, Settings&);
inline constexpr const char* view_option_help =
    "Views (--view NAME or NAME:KEY=VALUE,…):\n"
    "  single:pane=1               One pane\n"
    "  grid                        All panes\n"
    "  split:angle=30,at=0.4       Parallel lines between panes; angle clockwise in degrees, at=0.3+0.6 for two lines\n"
    "  difference:panes=1-2,mode=absolute|signed|squared,gain=4,threshold=0,false-colour\n"
    "                              threshold in code values of 255\n"
    "  blink:seconds=0.5           One pane after the other\n";

// The panes of --compare or --strategy, whichever `option` is: copies of `like` with their strategies; one with a
// filter of its own is not linked. Throws Error.
std::vector<PaneSettings> parse_compared(const std::string& option, const std::string& text, const PaneSettings& like,
                                         const Kind&);

}  // namespace convoscope
