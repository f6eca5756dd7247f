#pragma once
// What else the user can undo, beside filters, layers and sound: which strategies compute, and how the panes lie and
// are shown. Watched as those are (filter_history.h).
#include <optional>
#include <string>
#include <vector>

#include "app/state/settings.h"
#include "app/ui/memory/filter_history.h"

namespace convoscope::ui {

// Of the workbench that is shown. Where the picture is looked at (zoom), and what lies over it, is no choice to undo.
struct ChoicesThen {
  explicit ChoicesThen(const Settings&);
  struct Pane {
    int id = 0;  // PaneSettings::id
    std::string strategy;
    Tuning tuning;
    std::optional<Precision> precision;
  };
  std::vector<Pane> panes;  // by position
  View view;
  int baseline;
  SplitSettings split;
  DifferenceSettings difference;
  double blink_seconds;
  PixelFormat format;
  BackendChoice backend;
  Precision layer_precision;
  Layout layer_layout;
};
bool same_choices(const ChoicesThen&, const Settings&);
// The panes that were there then; positions only while all of them are, and in this order.
void put_choices_back(const ChoicesThen&, Settings&);
bool has_same_panes(const ChoicesThen&, const Settings&);
using ChoiceHistory = History<ChoicesThen, Settings, same_choices, put_choices_back>;

}  // namespace convoscope::ui
