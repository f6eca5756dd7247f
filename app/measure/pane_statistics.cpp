#include "app/measure/pane_statistics.h"

#include <algorithm>

namespace convoscope {
namespace {

constexpr int times_a_step = 12'000;  // drawn in one frame: some tens of microseconds
constexpr double seconds_between_rounds = 0.25;

bool has_too_few(const PaneStats& pane) { return pane.kernel.count() < bootstrap_fewest; }

}  // namespace

void PaneStatistics::begin(const std::vector<PaneStats>& panes) {
  count_ = panes.size();
  next_ = 0;
  if (subjects_.size() < count_) subjects_.resize(count_);
  for (std::size_t i = 0; i < count_; ++i) {
    subjects_[i].id = panes[i].id;
    subjects_[i].generation = panes[i].kernel.generation();
    subjects_[i].bootstrap.start(panes[i].kernel);
  }
}

bool PaneStatistics::is_same(const std::vector<PaneStats>& panes) const {
  if (panes.size() != count_) return false;
  for (std::size_t i = 0; i < count_; ++i)
    if (panes[i].id != subjects_[i].id || panes[i].kernel.generation() != subjects_[i].generation) return false;
  return true;
}

void PaneStatistics::update(std::vector<PaneStats>& panes, int baseline, double now_seconds) {
  for (PaneStats& pane : panes)
    if (has_too_few(pane)) pane.median_interval.reset(), pane.speed_up.reset();
  if (!running_) {
    if (now_seconds < next_round_ || panes.empty()) return;
    begin(panes);
    next_round_ = now_seconds + seconds_between_rounds;
    running_ = true;
    return;
  }
  if (!is_same(panes)) {
    running_ = false;
    next_round_ = 0;
    return;
  }
  if (next_ < count_ && subjects_[next_].bootstrap.step(times_a_step)) ++next_;
  if (next_ < count_) return;
  publish(panes, baseline);
  running_ = false;
}

void PaneStatistics::finish(std::vector<PaneStats>& panes, int baseline) {
  begin(panes);
  for (std::size_t i = 0; i < count_; ++i)
    while (!subjects_[i].bootstrap.step(times_a_step)) {
    }
  publish(panes, baseline);
  running_ = false;
}

void PaneStatistics::publish(std::vector<PaneStats>& panes, int baseline) {
  for (std::size_t i = 0; i < count_; ++i) {
    panes[i].median_interval = subjects_[i].bootstrap.interval();
    panes[i].speed_up.reset();
  }
  if (baseline < 0 || static_cast<std::size_t>(baseline) >= count_) return;
  const auto b = static_cast<std::size_t>(baseline);
  const MedianBootstrap& base = subjects_[b].bootstrap;
  if (!panes[b].median_interval) return;
  for (std::size_t i = 0; i < count_; ++i) {
    const MedianBootstrap& own = subjects_[i].bootstrap;
    if (i == b || !panes[i].median_interval || !(own.median() > 0) || !(base.median() > 0)) continue;
    ratios_.clear();
    for (std::size_t r = 0; r < own.medians().size(); ++r)
      if (own.medians()[r] > 0) ratios_.push_back(base.medians()[r] / own.medians()[r]);
    const double factor = base.median() / own.median();
    panes[i].speed_up = {.factor = factor,
                         .interval = own.widened(middle_95(ratios_), factor),
                         .seen = tell_apart(*panes[i].median_interval, *panes[b].median_interval)};
  }
}

}  // namespace convoscope
