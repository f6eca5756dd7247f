#include "app/ui/cards/compared_names.h"

#include "app/state/workbench.h"
#include "app/ui/actions/pane_actions.h"
#include "app/ui/cards/cards.h"
#include "app/ui/parts/widgets.h"

namespace convoscope::ui {
namespace {

const PaneSettings& compared_pane(const Settings& settings, int position) {
  return settings.group().panes[static_cast<std::size_t>(position)];
}

// Null while what the pane shows is still another choice's.
const PaneStats* stats_of_choice(const PaneSettings& pane, const Stats& stats) {
  const PaneStats* const measured = stats_of(stats, pane);
  return measured && measured->strategy == pane.strategy ? measured : nullptr;
}

bool is_substituted(const PaneSettings& pane, const Stats& stats) {
  const PaneStats* const measured = stats_of_choice(pane, stats);
  return measured && !measured->substitute.empty();
}

}  // namespace

// By the names that cards and lists have. Of one that another runs for, both are named or, where there is no room for
// that, the one that runs.
ComparedNames compared_names(Font face, const ComparedPanes& compared, const Stats& stats, const Settings& settings,
                             float width) {
  const auto names = [&](const auto& name_of) {
    const auto one = [&](int i) {
      const PaneSettings& pane = compared_pane(settings, i);
      const std::string type = own_type(pane, work_of(settings));
      return std::to_string(i + 1) + " " + name_of(pane) + (type.empty() ? "" : ", " + type);
    };
    return one(compared.first) + "  −  " + one(compared.second);
  };
  const bool other = is_substituted(compared_pane(settings, compared.first), stats) ||
                     is_substituted(compared_pane(settings, compared.second), stats);
  ComparedNames found;
  found.whole = names([&](const PaneSettings& pane) {
    const PaneStats* const measured = stats_of_choice(pane, stats);
    return other && measured ? measured->name() : pane.strategy;
  });
  found.shown = found.whole;
  if (text_size(face, found.whole).x > width)
    found.shown = names([&](const PaneSettings& pane) {
      return is_substituted(pane, stats) ? stats_of_choice(pane, stats)->substitute : pane.strategy;
    });
  found.shown = clipped(face, found.shown, width);
  return found;
}

std::string identical_text(const Stats& stats, const Settings& settings) {
  const ComparedPanes compared = compared_panes(settings.difference, static_cast<int>(settings.group().panes.size()));
  const PaneSettings &first = compared_pane(settings, compared.first),
                     &second = compared_pane(settings, compared.second);
  const PaneStats *const a = stats_of_choice(first, stats), *const b = stats_of_choice(second, stats);
  const bool other = is_substituted(first, stats) || is_substituted(second, stats);
  return other && a && b && a->runs == b->runs ? "Identical; both run " + a->runs : "Identical";
}

}  // namespace convoscope::ui
