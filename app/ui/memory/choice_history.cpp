#include "app/ui/memory/choice_history.h"

#include <algorithm>

namespace convoscope::ui {
namespace {

bool is_same_choice(const ChoicesThen::Pane& then, const PaneSettings& now) {
  return then.id == now.id && then.strategy == now.strategy && then.tuning == now.tuning &&
         then.precision == now.precision;
}

bool is_same_pane(const ChoicesThen::Pane& then, const PaneSettings& now) { return then.id == now.id; }

}  // namespace

ChoicesThen::ChoicesThen(const Settings& settings)
    : view(settings.group().view),
      baseline(settings.group().baseline_pane),
      split(settings.split),
      difference(settings.difference),
      blink_seconds(settings.blink_seconds),
      format(settings.format),
      backend(settings.backend),
      layer_precision(settings.layer.precision),
      layer_layout(settings.layer.layout) {
  for (const PaneSettings& pane : settings.group().panes)
    panes.push_back({pane.id, pane.strategy, pane.tuning, pane.precision});
}

bool has_same_panes(const ChoicesThen& then, const Settings& now) {
  return std::ranges::equal(then.panes, now.group().panes, is_same_pane);
}

bool same_choices(const ChoicesThen& then, const Settings& now) {
  return std::ranges::equal(then.panes, now.group().panes, is_same_choice) && then.view == now.group().view &&
         then.baseline == now.group().baseline_pane && then.split == now.split && then.difference == now.difference &&
         then.blink_seconds == now.blink_seconds && then.format == now.format && then.backend == now.backend &&
         then.layer_precision == now.layer.precision && then.layer_layout == now.layer.layout;
}

void put_choices_back(const ChoicesThen& then, Settings& now) {
  if (has_same_panes(then, now)) {
    now.group().view = then.view;
    now.group().baseline_pane = then.baseline;
    now.split = then.split;
    now.difference = then.difference;
  }
  for (const ChoicesThen::Pane& each : then.panes) {
    const auto pane = std::ranges::find(now.group().panes, each.id, &PaneSettings::id);
    if (pane == now.group().panes.end()) continue;
    pane->strategy = each.strategy;
    pane->tuning = each.tuning;
    pane->precision = each.precision;
  }
  now.blink_seconds = then.blink_seconds;
  now.format = then.format;
  now.backend = then.backend;
  now.layer.precision = then.layer_precision;
  now.layer.layout = then.layer_layout;
}

}  // namespace convoscope::ui
