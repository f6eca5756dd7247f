#pragma once
// What a sweep's plot says of its points besides their times: how many samples they are the median of, how long the
// processor was at it, and which of them cannot be believed.
#include <imgui.h>

#include <string>
#include <vector>

#include "app/measure/sweep/sweep_curves.h"

namespace convoscope::ui {

bool has_doubted(const std::vector<SweepCurve>&);
// Sentences below the plot, empty where there is nothing to say: why points are drawn as doubtful, and "7 samples a
// point; each core computed for 92 to 97 % of the time.".
std::string doubt_caption(const std::vector<SweepCurve>&);
std::string samples_caption(const std::vector<SweepCurve>&);
// Of one point, behind its times: lines of text, each begun by a line's end.
std::string samples_text(const SweepPoint&);

// One that cannot be believed as a ring with a question mark; false of any other, which is left to be drawn.
bool draw_doubted(ImDrawList&, const SweepPoint&, ImVec2 centre, ImU32 ink);

}  // namespace convoscope::ui
