#include "app/panes/pane_set.h"

#include <utility>

#include "app/panes/pane_ids.h"

namespace convoscope {
namespace {

bool pictures_are_on_gpu(const Compute& compute) { return compute.device().backend == Backend::cuda; }

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

PaneSet::PaneSet(Compute& compute, std::function<void()> on_progress)
    : compute_(compute),
      outputs_(runners_),
      gpu_(runners_, outputs_),
      cores_(runners_, outputs_, pictures_are_on_gpu(compute) ? std::make_unique<FrameDownload>(compute) : nullptr,
             std::move(on_progress)),
      executors_(pictures_are_on_gpu(compute) ? std::vector<PaneExecutor*>{&gpu_, &cores_}
                                              : std::vector<PaneExecutor*>{&cores_}) {}

const PaneExecutor& PaneSet::of(const PaneRunner& pane) const {
  return **std::ranges::find_if(executors_, [&](const PaneExecutor* each) { return each->is_of(pane); });
}

void PaneSet::arrange(std::vector<PaneSettings>& panes, std::vector<PaneStats>& stats, int timing_window) {
  name_panes(panes);
  for (std::size_t i = 0; i < panes.size(); ++i) {
    const int id = panes[i].id;
    bring(runners_, id, i, [&] { return IdentifiedPane{id, std::make_unique<PaneRunner>(compute_)}; });
    bring(stats, id, i, [&] {
      PaneStats row;
      row.id = id;
      if (timing_window > 0) row.kernel.set_window(timing_window), row.disturbed.set_window(timing_window);
      return row;
    });
  }
  if (runners_.size() > panes.size()) cancel();  // a pane that is closed may be at work
  runners_.erase(runners_.begin() + static_cast<std::ptrdiff_t>(panes.size()), runners_.end());
  stats.erase(stats.begin() + static_cast<std::ptrdiff_t>(panes.size()), stats.end());
}

void PaneSet::configure(const std::vector<PaneSettings>& panes, int width, int height, PixelFormat format,
                        const Work& work, bool has_alpha) {
  const PictureShape shape{width, height, format, has_alpha};
  bool changed = runners_.size() != std::exchange(configured_, runners_.size());
  for (std::size_t i = 0; i < runners_.size(); ++i) changed |= runners_[i].runner->differs({&panes[i], work, shape});
  if (changed) {
    cancel();
    uncounted_ = runs_uncounted_after_change;
  }
  for (std::size_t i = 0; i < runners_.size(); ++i) runners_[i].runner->configure({&panes[i], work, shape});
  cores_.release_memory();
  if (input()) outputs_.refresh();
}

void PaneSet::filter(const DeviceImage& in, const Filtering& how) {
  if (!how.quiet) uncounted_ = std::max(uncounted_, 1);
  cores_.make_way_for(in);
  const bool counts = uncounted_ == 0;
  bool all = true;
  for (const int i : order_.next(size())) {
    PaneRunner& pane = runner(i);
    pane.plan_again();
    const bool is_made = !pane.changed() && pane.is_current() && pane.input().image().data == in.image().data;
    const PaneTurn turn{pane, is_in_sight(how.seen, i), is_made};
    if (is_made && !of(pane).filters_again(pane, how)) {
      all = all && (!turn.is_seen || !pane.is_timed() || !of_pictures().is_of(pane));
      continue;
    }
    for (PaneExecutor* const each : executors_)  // what failed on the GPU may have a stand-in on cores
      if (each->is_of(pane)) each->add(turn, in, how, counts);
  }
  if (all && uncounted_ > 0) --uncounted_;
  for (PaneExecutor* const each : executors_) each->begin(in, how, counts);
  if (input()) outputs_.refresh();
}

int PaneSet::frames_before(std::int64_t next, const SeenPanes& seen) const {
  int most = 0;
  for (int i = 0; i < size(); ++i)
    if (const PaneRunner& pane = pane_at(runners_, i); is_in_sight(seen, i) && of_pictures().is_of(pane))
      most = std::max(most, frames_lacking(pane.frames_taken(), next));
  return most;
}

bool PaneSet::overtake(const DeviceImage& in, const Filtering& how) {
  std::vector<PaneRunner*> panes = cores_.quick_panes(how.seen);
  if (panes.empty()) return false;
  const bool counts = uncounted_ == 0 && how.quiet;
  if (uncounted_ > 0) --uncounted_;
  cores_.overtake(std::move(panes), in, how, counts);
  return true;
}

bool PaneSet::settled() const {
  return std::ranges::all_of(runners_, [](const IdentifiedPane& each) { return each.runner->settled(); });
}

bool PaneSet::counted() const {
  return std::ranges::all_of(
      runners_, [](const IdentifiedPane& each) { return each.runner->counted() || !each.runner->is_timed(); });
}

void PaneSet::tell_progress(std::vector<PaneStats>& stats) const {
  for (std::size_t i = 0; i < std::min(runners_.size(), stats.size()); ++i)
    stats[i].filtering_seconds = cores_.seconds_under_way(*runners_[i].runner);
  outputs_.tell_frames(stats);
}

void PaneSet::collect(std::vector<PaneStats>& stats) {
  tell_progress(stats);
  for (std::size_t i = 0; i < std::min(runners_.size(), stats.size()); ++i) runners_[i].runner->collect(stats[i]);
}

}  // namespace convoscope
