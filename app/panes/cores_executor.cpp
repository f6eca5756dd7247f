#include "app/panes/cores_executor.h"

#include <algorithm>
#include <utility>

#include "app/files/shortage.h"
#include "kernels/threads/stop.h"

namespace convoscope {
namespace {

double in_seconds(std::chrono::steady_clock::duration time) { return std::chrono::duration<double>(time).count(); }

}  // namespace

CoresExecutor::CoresExecutor(const PaneList& panes, PaneOutputs& outputs, std::unique_ptr<FrameDownload> from_gpu,
                             std::function<void()> on_progress)
    : panes_(panes),
      outputs_(outputs),
      from_gpu_(std::move(from_gpu)),
      on_progress_(std::move(on_progress)),
      worker_(on_progress_),
      overtaking_(pause_, on_progress_) {}

void CoresExecutor::begin(const DeviceImage& in, const PaneFiltering& how, bool counts) {
  PaneQueue::Order next = queue_.take_order(how.unhurried);
  if (next.panes.empty()) return;
  work_.order = std::move(next.panes);
  work_.seen = static_cast<int>(next.seen);
  work_.first_slow = static_cast<int>(std::ranges::find_if(work_.order, is_slow) - work_.order.begin());
  work_.slowest = 0;
  for (std::size_t i = 0; i < next.seen; ++i)
    work_.slowest = std::max(work_.slowest, work_.order[i]->expected_seconds());
  work_.in = in;
  work_.frame = how.frame;
  work_.counts = counts, work_.quiet = how.quiet, work_.together = how.together;
  work_.input_is_shown = outputs_.input().image().data == in.image().data;
  work_.started = Clock::now();
  last_.repeats = next.all_made;
  if (!from_gpu_) return begin_computing(in.image(), how.before);
  begin_copying(in.image());
}

// Where it cannot begin, nothing is at work.
void CoresExecutor::begin_copying(const Image& in) {
  try {
    from_gpu_->start(in);
  } catch (...) {
    end_work();
    last_.is_complete = false;
    throw;
  }
  phase_ = Phase::copying;
}

void CoresExecutor::begin_computing(const Image& in, const std::function<void()>& before) {
  work_.taken = 0;
  work_.seen_done.reset();
  finished_ = -1;
  last_.error.clear();
  for (PaneRunner* const pane : work_.order) pane->begin(work_.in, work_.counts, work_.quiet, work_.frame);
  phase_ = Phase::computing;
  // Of what is not seen only where nothing that is seen waits for it.
  work_.trying.assign(work_.order.begin(), work_.order.begin() + (work_.seen > 0 ? work_.seen : work_.count()));
  std::erase_if(work_.trying, [](const PaneRunner* pane) { return pane->settled(); });
  worker_.start([this, in, before] {
    const StopScope scope(stop_at_hand(), &pause_);
    compute(in, before);
  });
}

// On the worker's thread.
void CoresExecutor::compute(const Image& in, const std::function<void()>& before) {
  try {
    if (before) before();
  } catch (const std::exception& error) {
    last_.error = why_failed(error);
    return;
  }
  if (stop_requested()) return;
  finished_ = 0;
  for (PaneRunner* const pane : work_.order) {
    const auto began = Clock::now() - stood_still();
    const bool whole = pane->compute(in);
    pane->took(in_seconds(Clock::now() - stood_still() - began), whole);
    if (!whole) return;
    ++finished_;
    if (on_progress_) on_progress_();
  }
  for (PaneRunner* const pane : work_.trying) pane->explore(in);
}

void CoresExecutor::end_work() {
  work_.order.clear();
  work_.in = {};
  phase_ = Phase::idle;
}

bool CoresExecutor::take_finished_pictures() {
  if (phase_ == Phase::copying && from_gpu_->arrived()) begin_computing(from_gpu_->copy_of(work_.in.image()), {});
  bool news = false;
  if (const DeviceImage in = overtaking_.take_finished_pictures()) {
    show_overtaken(in);
    news = true;
  }
  if (phase_ != Phase::computing) return renew_outputs(news);
  const bool over = worker_.idle();
  const int finished = finished_;
  if (finished >= 0 && !std::exchange(work_.input_is_shown, true)) {
    outputs_.set_input(work_.in, work_.frame);
    news = true;
  }
  const bool seen_are_done = finished >= work_.seen;
  if (seen_are_done && !work_.seen_done) work_.seen_done = Clock::now();
  if (seen_are_done || (!work_.together && (over || waits_for_slow())))
    for (; work_.taken < finished; ++work_.taken, news = true) {
      work_.order[static_cast<std::size_t>(work_.taken)]->show(work_.in);
      outputs_.see(work_.frame);
    }
  if (over) {
    for (PaneRunner* const pane : work_.order)
      if (!overtaking_.has(pane)) pane->settle();
    last_.is_complete = seen_are_done && !any_has_failed(panes_);
    if (last_.is_complete) ++frames_made_;
    last_.is_prepared = finished >= 0;
    if (last_.is_complete || (seconds_taken_ && seconds_at_work() > *seconds_taken_))
      seconds_taken_ = seconds_at_work();
    end_work();
  }
  return renew_outputs(news);
}

bool CoresExecutor::renew_outputs(bool news) {
  if (!news) return false;
  outputs_.renew();
  if (input_stands_in()) outputs_.see_input();
  return true;
}

// In a pane that is seen, until its own picture is there.
bool CoresExecutor::input_stands_in() const {
  for (int i = 0; i < static_cast<int>(panes_.size()); ++i) {
    const auto found = std::ranges::find(work_.order, &pane_at(panes_, i));
    const auto turn = found - work_.order.begin();
    if (turn >= work_.taken && turn < work_.seen && outputs_.is_input(i)) return true;
  }
  return false;
}

bool CoresExecutor::shows_some_of_what_is_at_work() const {
  return phase_ == Phase::computing && finished_ >= 0 && (work_.taken > 0 || input_stands_in());
}

double CoresExecutor::seconds_under_way(const PaneRunner& pane) const {
  const auto found = std::ranges::find(work_.order, &pane);
  const bool is_waited_for = found != work_.order.end() && found - work_.order.begin() >= work_.taken;
  return is_waited_for && owes_picture() && pane.strategy() ? seconds_at_work() : 0;
}

// Those that are done are shown without it.
bool CoresExecutor::waits_for_slow() const {
  return Clock::now() - work_.started > slow_pane_patience || finished_ >= work_.first_slow;
}

std::vector<PaneRunner*> CoresExecutor::quick_panes(const SeenPanes& seen) const {
  std::vector<PaneRunner*> found;
  const auto waiting = work_.order.begin() + work_.taken;
  const double slowest = std::max(work_.slowest, seconds_at_work());
  for (int i = 0; i < static_cast<int>(panes_.size()); ++i) {
    PaneRunner* const pane = &pane_at(panes_, i);
    if (is_in_sight(seen, i) && std::find(waiting, work_.order.end(), pane) == work_.order.end() &&
        pane->can_overtake() && is_quick_beside(pane, slowest))
      found.push_back(pane);
  }
  return found;
}

bool CoresExecutor::can_overtake() const {
  return !from_gpu_ && phase_ == Phase::computing && !work_.together && !overtakes() && work_.taken < work_.seen &&
         work_.taken == finished_ && waits_for_slow() && overtaking_.is_due();
}

void CoresExecutor::overtake(std::vector<PaneRunner*> panes, const DeviceImage& in, const PaneFiltering& how,
                             bool counts) {
  for (PaneRunner* const pane : panes) {
    pane->settle();
    pane->begin(in, counts, how.quiet, how.frame);
  }
  overtaking_frame_ = how.frame;
  overtaking_.begin(std::move(panes), in, how.before);
}

void CoresExecutor::show_overtaken(const DeviceImage& in) {
  outputs_.set_input(in, overtaking_frame_);
  outputs_.see_input();
}

void CoresExecutor::wait(const std::function<bool()>& stop) {
  while (at_work()) {
    if (phase_ == Phase::copying && stop && stop()) return cancel();
    if (phase_ == Phase::copying) from_gpu_->wait();
    if (phase_ == Phase::computing) worker_.wait(stop);
    take_finished_pictures();
  }
}

void CoresExecutor::follow_view(const SeenPanes& seen) {
  const int done = std::max<int>(finished_, 0);
  if (!seen || phase_ != Phase::computing || done >= work_.count()) return;
  const auto is_seen = [&](const PaneRunner* pane) {
    for (int i = 0; i < static_cast<int>(panes_.size()); ++i)
      if (&pane_at(panes_, i) == pane) return seen(i);
    return false;
  };
  const auto now = work_.order.begin() + done;
  if (is_seen(*now)) return;
  if (std::any_of(now + 1, work_.order.end(), is_seen)) return cancel();
  work_.seen = std::min(work_.seen, done);
}

void CoresExecutor::give_up_unseen() {
  take_finished_pictures();
  if (phase_ != Phase::computing || !work_.seen_done) return;
  const std::vector<PaneRunner*> order = work_.order;
  const auto all_done = [&] { return finished_ == static_cast<int>(order.size()); };
  if (work_.seen > 0 && (all_done() || Clock::now() - *work_.seen_done < unseen_pane_patience)) return;
  cancel();
  if (all_done()) return;  // those after the one that is given up had not begun
  order[static_cast<std::size_t>(finished_)]->takes_longer_than(in_seconds(unseen_pane_patience));
}

void CoresExecutor::cancel() {
  if (phase_ == Phase::copying) {
    from_gpu_->wait();  // the copy is under way into memory that is used again
    end_work();
    last_.is_complete = false;
  }
  if (const DeviceImage in = overtaking_.cancel()) {
    show_overtaken(in);
    renew_outputs(true);
  }
  worker_.cancel();
  take_finished_pictures();
}

void CoresExecutor::release_memory() {
  const auto needs_it = [&](const IdentifiedPane& each) { return is_of(*each.runner); };
  if (from_gpu_ && !at_work() && std::ranges::none_of(panes_, needs_it)) from_gpu_->release_memory();
}

}  // namespace convoscope
