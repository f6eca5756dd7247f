#pragma once
// --workbench and what belongs to one alone: --reach to Time; --bank, --maps, --last, --type and --layout to
// Layer.
#include <string>
#include <vector>

#include "app/cli/options/options.h"
#include "app/state/settings.h"
#include "app/state/workbench.h"

namespace convoscope {

std::string word_of(const Workbench&);       // "picture", as it is typed
std::vector<std::string> workbench_words();  // of all
std::vector<std::string> bank_words();       // the catalogue's

Options workbench_options();
bool names_workbench(const Texts&);  // by its name, or by what belongs to it

// Shows the workbench that is named. Without a name, what a picture has (a strategy, a filter, a border) means Picture,
// so that a command line does the same whatever was shown last; without that either, the workbench stays, and this is
// false. Throws Error. Called after Turn::input.
bool show_named_workbench(const Reading&);
// Once the bank is there: the map that is seen is one of its.
void keep_map_within_bank(Settings&);
// In the end: whether what is given can be computed there. Throws Error.
void check_workbench(const Texts&, const Settings&);

// A strategy of the kind, or "source"; for a network "a+b+c": one for each layer, the first for those that are left,
// too. Says so where one is of another workbench.
void read_pane_strategy(const std::string& text, const Kind&, PaneSettings&);

// What follows its @: there a pane of the layer has a type of its own. `entry`: all of it, of this option.
Precision read_pane_type(const std::string& option, const std::string& entry);

// Where pictures alone are filtered: throws Error where one of these options is given.
void refuse_workbench_options(int argc, const char* const* argv);

}  // namespace convoscope
