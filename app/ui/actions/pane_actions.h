#pragma once
// What keys, cards and panels do to the panes. Whatever names a pane by its position (the active one, those of the
// difference, the baseline) follows it.
#include <string>

#include "app/state/settings.h"
#include "app/state/stats.h"

namespace convoscope::ui {

// A copy of the active pane, next after it, with a strategy to compare with; it becomes the active one, and is shown.
void add_pane(const Stats&, Settings&);
void close_pane(Settings&, int position);     // the last one stays
void move_pane(Settings&, int from, int to);  // those between make room
void swap_panes(Settings&, int a, int b);
void toggle_link(Settings&, int position);  // linked, it takes on the filter and border of the others that are
// The last of what close_pane() and toggle_link() did in this workbench, where there is some; says what it was.
std::string undo_pane_step(Settings&);
std::string redo_pane_step(Settings&);
// After an edit of the active pane: the others that are linked with it follow.
void spread_links(Settings&);

void show_view(Settings&, View);      // entered, the difference is one of the active pane
void compare_active_pane(Settings&);  // the difference takes it for its second pane, if it is none of the two

const PaneStats* stats_of(const Stats&, const PaneSettings&);  // by id; null before it has run

// The wipe of View::split.
void turn_split(Settings&, double degrees);
void shift_split(Settings&, double by);      // all lines, in shares of the area
void set_split_lines_apart(Settings&);       // lines of their own, where they were evenly spaced
void compare_with(Settings&, int position);  // View::difference of the active pane and this one
// Shared by panel and overlay.
const PaneStats* active_stats(const Stats&, const Settings&);

}  // namespace convoscope::ui
