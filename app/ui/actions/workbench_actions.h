#pragma once
// What keys, palette and panels do in one workbench as in the other, each to what is edited there; and what has no
// meaning in the one that is shown.
#include <functional>
#include <string>

#include "app/state/workbench.h"
#include "app/ui/ui.h"

namespace convoscope::ui {

const char* workbench_action(const Workbench&);  // "Picture workbench"
std::string show_first(const Workbench&);        // "Show the layer workbench first (Ctrl+Shift+3)."
bool has_filter(const Settings&);                // each pane has one; else the layer has a bank of them
bool has_bank(const Settings&);

const char* action_in(const Settings&, const char* action);  // a bank's keys are called by what they do to it
std::string why_not(const KeyBinding&, const Settings&);     // empty: the action has a meaning here

// What is filtered with, as a line says it: "Gaussian", "Gaussian, 3 frames", "edges 16×3×3×3".
std::string work_text(const PaneSettings&, const Settings&);
// Why the pane's problem is none of the workbench's kind; empty when it is one, and before a picture has arrived.
std::string why_invalid(const PaneSettings&, const Stats&, const Settings&);
// That of the pane; before a picture has arrived, of one that could.
Problem problem_of(const PaneSettings&, const Stats&, const Settings&);

std::string why_no_filter(const FilterKind&, const Settings&);  // empty: a pane of this workbench can have it
void choose_next_filter(Settings&, int direction);              // or bank
std::string grow_filters(Settings&, int steps);                 // returns why not
// The weights at hand: the pane's filter, or the chosen map's for the chosen colour. Returns why they stay as they are.
std::string change_weights(Settings&, const std::function<std::string(FilterSpec&)>& change);
FilterSpec shown_weights(const Settings&);

bool can_undo(const Settings&);
bool can_redo(const Settings&);
std::string undo_tip(const char* action);  // of action::undo or action::redo: what it covers
// `one_go`: what changes of the picture belongs to one step, that has not ended.
void observe_history(const Settings&, bool settled, bool one_go = false);
void take_back(Settings&, bool one_go);  // what the histories have not settled yet
// What came last, of the active pane's filter, the choices (choice_history.h), the sound, and panes. They return what
// there is to say of it besides what it has changed; empty: nothing.
std::string undo(Settings&);
std::string redo(Settings&);
// Edits of one workbench are not undone in another. Before anything else in a frame or a key.
void follow_workbench(const Settings&);

}  // namespace convoscope::ui
