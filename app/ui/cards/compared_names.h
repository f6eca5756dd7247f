#pragma once
// The two panes of View::difference by name: the strategies that the user chose, and those that really ran.
#include <string>

#include "app/state/difference.h"
#include "app/ui/parts/theme.h"
#include "app/ui/ui.h"

namespace convoscope::ui {

struct ComparedNames {
  std::string shown, whole;  // that fits the width, and that a tooltip says where it is another
};
ComparedNames compared_names(Font, const ComparedPanes&, const Stats&, const Settings&, float width);

// "Identical"; of panes whose choices cannot run, also that the same strategy ran for both.
std::string identical_text(const Stats&, const Settings&);

}  // namespace convoscope::ui
