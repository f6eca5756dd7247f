#include "app/pane_set.h"

#include <algorithm>
#include <utility>

#include "app/pane_ids.h"

namespace convoscope {
namespace {

// Moves the row of this id to `position`, made anew when there is none. Rows before `position` are in place already.
template <class Row, class Make>
void bring(std::vector<Row>& rows, int id, std::size_t position, Make make) {
  const auto from = rows.begin() + static_cast<std::ptrdiff_t>(position);
  const auto found = std::find_if(from, rows.end(), [id](const Row& row) { return row.id == id; });
  if (found == rows.end())
    rows.insert(from, make());
  else
    std::rotate(from, found, found + 1);
}

}  // namespace

void PaneSet::arrange(std::vector<PaneSettings>& panes, std::vector<PaneStats>& stats, int timing_window) {
  name_panes(panes);
  for (std::size_t i = 0; i < panes.size(); ++i) {
    const int id = panes[i].id;
    bring(runners_, id, i, [&] { return Named{id, std::make_unique<PaneRunner>(compute_)}; });
    bring(stats, id, i, [&] {
      PaneStats row;
      row.id = id;
      if (timing_window > 0) row.kernel.set_window(timing_window);
      return row;
    });
  }
  runners_.erase(runners_.begin() + static_cast<std::ptrdiff_t>(panes.size()), runners_.end());
  stats.erase(stats.begin() + static_cast<std::ptrdiff_t>(panes.size()), stats.end());
}

void PaneSet::configure(const std::vector<PaneSettings>& panes, int width, int height, PixelFormat format) {
  bool changed = runners_.size() != std::exchange(configured_, runners_.size());
  for (std::size_t i = 0; i < runners_.size(); ++i) {
    runners_[i].runner->configure(panes[i], width, height, format);
    changed |= runners_[i].runner->changed();
  }
  if (changed) uncounted_ = runs_uncounted_after_change;
}

void PaneSet::filter(const Image& in, bool all, bool quiet) {
  if (!quiet) uncounted_ = std::max(uncounted_, 1);
  for (const int i : order_.next(size())) {
    PaneRunner& pane = runner(i);
    if (all || pane.changed()) pane.run(in, uncounted_ == 0);
  }
  if (all && uncounted_ > 0) --uncounted_;
  outputs_.clear();
  for (const Named& each : runners_) outputs_.push_back(each.runner->output());
}

void PaneSet::collect(std::vector<PaneStats>& stats) {
  for (std::size_t i = 0; i < std::min(runners_.size(), stats.size()); ++i) runners_[i].runner->collect(stats[i]);
}

}  // namespace convoscope
