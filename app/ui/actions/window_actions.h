#pragma once
// What keys, buttons and the palette do to the window: view, backend, size of text, hint.
#include <array>
#include <string>
#include <string_view>

#include "app/state/settings.h"
#include "app/state/stats.h"
#include "app/ui/parts/action_names.h"
#include "app/ui/parts/widgets.h"

namespace convoscope::ui {

// What the hint of a first start names.
inline constexpr std::array<std::string_view, 3> hinted_actions{action::next_filter, action::next_strategy,
                                                                action::help};
void put_hint_away(Settings&);
void cycle_view(Settings&);
void cycle_backend(const Stats&, Settings&);     // to the next one that can run here
CannotBe backend_that_cannot_run(const Stats&);  // among backend_names
void change_ui_scale(Settings&, double factor);  // 0: back to the monitor's
std::string shown_text_size(const Settings&);    // what is in force: a narrow window has no room for all that is chosen
std::string why_no_sweep_to_save(const Stats&, const Settings&);  // empty: one was measured, of this workbench

}  // namespace convoscope::ui
