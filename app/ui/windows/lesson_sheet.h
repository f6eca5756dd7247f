#pragma once
// The sheet of lessons: their list, and of one the step at hand with its questions. What it shows and asks for is
// lesson_card().
#include "app/state/settings.h"
#include "app/state/stats.h"
#include "app/ui/places/layout.h"

namespace convoscope::ui {

void draw_lesson_sheet(const Stats&, Settings&, const Area& sheet);
void draw_pointed_at();  // around the control that a lesson points at, over everything

}  // namespace convoscope::ui
