#include "app/ui/windows/palette_controls.h"

#include "app/ui/actions/panel_actions.h"
#include "app/ui/actions/sound_actions.h"
#include "app/ui/panels/panel.h"
#include "kernels/contract/strategy.h"
#include "kernels/filter/filter_catalogue.h"
#include "kernels/filter/signal_catalogue.h"

namespace convoscope::ui {

void add_controls(std::vector<Command>& commands, const Stats& stats, const Settings& settings) {
  for (const Panel* const panel : panels()) {
    if (!applies(*panel, settings)) continue;
    const auto add = [&](std::string_view label, std::string_view also) {
      commands.push_back({std::string(panel->action) + ": " + std::string(label.substr(0, label.find(" ("))),
                          "",
                          [panel](const Stats&, Settings& s, Requests&) { show_panel(s, panel->id); },
                          std::string(also),
                          {},
                          true});
    };
    for (const Control& control : panel->controls)
      if (!control.applies || control.applies(settings)) add(control.label, control.also);
    if (panel->id == "source")
      for (const OfferedSource& source : stats.sources)
        add(source.kind->title, source.kind->button ? source.kind->button : "");
    if (panel->id == "filter")
      if (const FilterKind* const kind = find_filter_kind(settings.active().filter.kind))
        for (const FilterParameter& parameter : kind->parameters) add(parameter.title, "");
    if (panel->id == "sound") {
      for (const SignalFilterKind& kind : signal_filter_kinds())
        commands.push_back(
            {"Sound: " + std::string(kind.title), "",
             [&kind](const Stats&, Settings& s, Requests&) {
               choose_sound_kind(s.sound.filter, kind);
               s.sound.filtered = true;
             },
             "filter what is heard audio equaliser " + std::string(kind.id) + ' ' + std::string(kind.also)});
      if (const SignalFilterKind* const kind = find_signal_filter_kind(settings.sound.filter.kind))
        for (const FilterParameter& parameter : kind->parameters) add(parameter.title, "sound");
      else
        add("Taps", "sound");
    }
    if (panel->id == "strategy")
      for (const StrategyRow& row : stats.ladder)
        if (row.strategy && row.strategy->id == settings.active().strategy)
          for (const Tunable& tunable : row.strategy->tunables) add(tunable.title, "");
  }
}

}  // namespace convoscope::ui
