#pragma once
// What the panel and the keys do to the choice of strategy.
#include <string>

#include "app/settings.h"
#include "app/stats.h"

namespace convoscope::ui {

const StrategyRow* find_row(const Stats&, std::string_view id);  // prefers one that can run; null: not in the ladder
// Why a row cannot run the active pane's problem on this machine; empty when it can. Remembered until something
// changes.
const std::string& why_unfit(std::size_t row, const Stats&, const Settings&);
void choose_strategy(PaneSettings&, std::string_view id);  // with its initial tuning
void choose_next_strategy(const Stats&, Settings&, int direction);
void toggle_source(Settings&);  // the unfiltered picture instead of the pane's strategy, and back
// The neighbouring value of the n-th tunable of the pane's strategy.
void step_tunable(const Stats&, PaneSettings&, std::size_t tunable, int direction);

}  // namespace convoscope::ui
