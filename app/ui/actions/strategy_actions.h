#pragma once
// What the panel and the keys do to the choice of strategy.
#include <optional>
#include <string>

#include "app/state/settings.h"
#include "app/state/stats.h"
#include "kernels/choose/ladder.h"

namespace convoscope::ui {

const StrategyRow* find_row(const Stats&, std::string_view id);  // prefers one that can run; null: not in the ladder
// "Row and column pass"; of what chooses the fastest, where nothing is timed, by what it does then.
std::string title_here(const Stats&, const StrategyRow&);
// Whether what filters the pane runs in the emulator: then nothing is timed, and the user is told so in place of a
// time.
bool is_emulated(const Stats&, const PaneStats&);
inline constexpr const char* why_untimed =
    "Emulated kernels are not timed: the emulator runs their threads on the CPU, and how long that takes says nothing "
    "about a GPU.";
// Why a row cannot run the active pane's problem on this machine; empty when it can. Remembered until something
// changes.
const std::string& why_unfit(std::size_t row, const Stats&, const Settings&);
void choose_strategy(PaneSettings&, std::string_view id);  // with its initial tuning
// Of the pane alone; the layer's own is that of the layer, whatever it is later.
void choose_type(PaneSettings&, const LayerSettings&, Precision);
// Of the same backend, those that refuse the filter left out, and around at the end: the CPU's rows are not in the way
// of a GPU's.
void choose_next_strategy(const Stats&, Settings&, int direction);
// Of the same, the next one that no pane shows yet, and never around to the slow ones of the beginning: at the end, or
// where there is none to go on from, the last of those before. `auto` goes on from what it runs. Where all are shown,
// the next one of them all.
void choose_strategy_to_compare_with(const Stats&, Settings&);
// What really computes the active pane, as the choice: the one that stands in for a strategy that cannot run, or that
// `auto` has found. Empty where that is the choice already.
std::string other_that_runs(const Stats&, const PaneSettings&);
void choose_what_runs(const Stats&, PaneSettings&);
// What a button says that gives the pane the type in which its own choice would run.
inline std::string offer_of_type(Precision type) { return "Give it " + std::string(to_string(type)); }
std::string offer_explained(const PaneSettings&, Precision);
// The other pixels, where it is only for those that the pane's choice runs; and what a button says that shows them.
std::optional<PixelFormat> format_taken(const Stats&, const Settings&, const PaneSettings&);
std::string offer_of_format(PixelFormat);
std::string offer_explained(const PaneSettings&, PixelFormat);
void toggle_source(Settings&);  // the unfiltered picture instead of the pane's strategy, and back
// After the user has changed the active pane's filter: where every pane shows the source, and so nobody would see it,
// the active one filters from then on. Returns what to tell of that.
bool is_all_unfiltered(const Settings&);
std::string show_changed_filter(const FilterSpec& before, Settings&);
// The neighbouring value of the n-th tunable of the pane's strategy.
void step_tunable(const Stats&, PaneSettings&, std::size_t tunable, int direction);

}  // namespace convoscope::ui
