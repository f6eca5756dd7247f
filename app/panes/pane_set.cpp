#include "app/panes/pane_set.h"

#include <algorithm>
#include <utility>

#include "app/files/shortage.h"
#include "app/panes/pane_ids.h"
#include "kernels/threads/stop.h"

namespace convoscope {
namespace {

// What is not seen may hold up the next frame for so long, once: then it waits for a picture that stays.
constexpr auto unseen_pane_patience = std::chrono::milliseconds(30);

double seconds_of(std::chrono::steady_clock::duration time) { return std::chrono::duration<double>(time).count(); }

bool takes_long(const PaneRunner& pane) { return pane.expected_seconds() >= seconds_of(unseen_pane_patience); }

// Quick ones in the order in which they are.
bool comes_before(const PaneRunner* a, const PaneRunner* b) {
  return is_slow(b) && (!is_slow(a) || a->expected_seconds() < b->expected_seconds());
}

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
  const auto on_cores = [](const Named& each) { return each.runner->on_cores(); };
  if (!at_work() && std::ranges::none_of(runners_, on_cores)) download_.reset();
  if (stand_in_) refresh_outputs();
}

void PaneSet::filter(const DeviceImage& in, const Filtering& how) {
  const bool gpu = compute_.device().backend == Backend::cuda;
  if (!how.quiet) uncounted_ = std::max(uncounted_, 1);
  if (in_.image().data != in.image().data) leave_unseen();
  const bool counts = uncounted_ == 0;
  bool all = true, repeats = true;
  for (const int i : order_.next(size())) {
    PaneRunner& pane = runner(i);
    pane.plan_again();
    const bool seen = !how.seen || how.seen(i);
    const bool done = !pane.changed() && pane.is_current() && pane.input().image().data == in.image().data;
    const bool untimed = !pane.is_timed();
    if (done && !(pane.on_cores() ? how.again_on_cores && !untimed : how.again)) {
      all = all && (!seen || untimed || (pane.on_cores() && gpu));
      continue;
    }
    if (!pane.on_cores()) pane.run(in, counts, how.frame);
    if (pane.on_cores() && !at_work()) {  // from the start, or because what failed on the GPU has a stand-in here
      repeats &= done;
      (seen ? next_order_ : takes_long(pane) ? slow_unseen_ : unseen_).push_back(&pane);
    }
  }
  std::ranges::stable_sort(next_order_, comes_before);
  const std::size_t seen_ones = next_order_.size();
  next_order_.insert(next_order_.end(), unseen_.begin(), unseen_.end());
  if (next_order_.empty() && how.unhurried) next_order_.swap(slow_unseen_);
  unseen_.clear();
  slow_unseen_.clear();
  if (all && uncounted_ > 0) --uncounted_;
  if (gpu) {
    stand_in_ = in;
    stand_in_frame_ = how.frame;
    has_come_into_sight(how.frame);
  }
  if (!next_order_.empty()) {
    order_at_work_ = std::exchange(next_order_, {});
    seen_at_work_ = static_cast<int>(seen_ones);
    first_slow_at_work_ = static_cast<int>(std::ranges::find_if(order_at_work_, is_slow) - order_at_work_.begin());
    slowest_at_work_ = 0;
    for (std::size_t i = 0; i < seen_ones; ++i)
      slowest_at_work_ = std::max(slowest_at_work_, order_at_work_[i]->expected_seconds());
    counts_ = counts, quiet_ = how.quiet, together_ = how.together, frame_ = how.frame;
    repeats_ = repeats;
    input_is_shown_ = false;
    started_ = Clock::now();
    phase_ = Phase::copying;
    if (gpu)
      copy_to_host(in);
    else
      begin_work(in, in.image(), how.before);
  }
  if (stand_in_) refresh_outputs();
}

// In step with the stream; it is there some frames later.
void PaneSet::copy_to_host(const DeviceImage& in) {
  const auto& [data, width, height, pitch, format] = in.image();
  const std::size_t bytes =
      static_cast<std::size_t>(width) * bytes_per_pixel(format) * static_cast<std::size_t>(height);
  if (!download_ || download_bytes_ != bytes) download_ = std::make_unique<PatchDownload>(compute_, bytes);
  download_bytes_ = bytes;
  in_ = in;
  download_->begin();
  download_->add(in.image(), {0, 0, width, height});
  download_->end();
}

void PaneSet::begin_work(const DeviceImage& in, const Image& on_host, const std::function<void()>& before) {
  in_ = in;
  taken_ = 0;
  seen_done_.reset();
  finished_ = -1;
  error_.clear();
  for (PaneRunner* const pane : order_at_work_) pane->begin(in, counts_, quiet_, frame_);
  phase_ = Phase::computing;
  // Of what is not seen only where nothing that is seen waits for it.
  trying_.assign(order_at_work_.begin(),
                 order_at_work_.begin() + (seen_at_work_ > 0 ? seen_at_work_ : at_work_count()));
  std::erase_if(trying_, [](const PaneRunner* pane) { return pane->settled(); });
  worker_.start([this, on_host, before] {
    const StopScope scope(stop_at_hand(), &pause_);
    work(on_host, before);
  });
}

// On the worker's thread.
void PaneSet::work(const Image& in, const std::function<void()>& before) {
  try {
    if (before) before();
  } catch (const std::exception& error) {
    error_ = why_failed(error);
    return;
  }
  if (stop_requested()) return;
  finished_ = 0;
  for (PaneRunner* const pane : order_at_work_) {
    const auto began = Clock::now() - stood_still();
    const bool whole = pane->compute(in);
    pane->took(seconds_of(Clock::now() - stood_still() - began), whole);
    if (!whole) return;
    ++finished_;
    if (on_progress_) on_progress_();
  }
  for (PaneRunner* const pane : trying_) pane->explore(in);
}

bool PaneSet::take() {
  if (phase_ == Phase::copying && download_->arrived()) {
    const Image& shape = in_.image();
    const void* const pixels = download_->patches()[0].pixels;
    begin_work(in_,
               {const_cast<void*>(pixels), shape.width, shape.height,
                static_cast<std::size_t>(shape.width) * bytes_per_pixel(shape.format), shape.format},
               {});
  }
  bool news = false;
  if (const DeviceImage in = overtaking_.take()) {
    take_overtaken(in);
    news = true;
  }
  if (phase_ != Phase::computing) return show(news);
  const bool over = worker_.idle();
  const int finished = finished_;
  const bool gpu = compute_.device().backend == Backend::cuda;
  if (finished >= 0 && !gpu && !std::exchange(input_is_shown_, true) && stand_in_.image().data != in_.image().data) {
    stand_in_ = in_;
    stand_in_frame_ = frame_;
    news = true;
  }
  const bool seen_are_done = finished >= seen_at_work_;
  if (seen_are_done && !seen_done_) seen_done_ = Clock::now();
  if (seen_are_done || (!together_ && (over || waits_for_slow())))
    for (; taken_ < finished; ++taken_, news = true) {
      order_at_work_[static_cast<std::size_t>(taken_)]->show(in_);
      if (!gpu) has_come_into_sight(frame_);
    }
  if (over) {
    for (PaneRunner* const pane : order_at_work_)
      if (!overtaking_.has(pane)) pane->settle();
    is_complete_ = seen_are_done && !has_failed();
    if (is_complete_) ++frames_made_;
    is_prepared_ = finished >= 0;
    if (is_complete_ || (seconds_taken_ && seconds_at_work() > *seconds_taken_)) seconds_taken_ = seconds_at_work();
    end_work();
  }
  return show(news);
}

bool PaneSet::show(bool news) {
  if (!news) return false;
  ++generation_;
  refresh_outputs();
  if (some_stand_in()) has_come_into_sight(stand_in_frame_);
  return true;
}

bool PaneSet::some_stand_in() const {
  for (int i = 0; i < size(); ++i) {
    const auto found = std::ranges::find(order_at_work_, runners_[static_cast<std::size_t>(i)].runner.get());
    const auto place = found - order_at_work_.begin();
    if (place >= taken_ && place < seen_at_work_ && stands_in(i)) return true;
  }
  return false;
}

bool PaneSet::shows_some_of_what_is_at_work() const {
  return phase_ == Phase::computing && finished_ >= 0 && (taken_ > 0 || some_stand_in());
}

// Those that are done are shown without it.
bool PaneSet::waits_for_slow() const {
  return Clock::now() - started_ > slow_pane_patience || finished_ >= first_slow_at_work_;
}

std::vector<PaneRunner*> PaneSet::quick_ones(const std::function<bool(int)>& seen) const {
  std::vector<PaneRunner*> found;
  const auto waiting = order_at_work_.begin() + taken_;
  const double slowest = std::max(slowest_at_work_, seconds_at_work());
  for (int i = 0; i < size(); ++i) {
    PaneRunner* const pane = runners_[static_cast<std::size_t>(i)].runner.get();
    if ((!seen || seen(i)) && std::find(waiting, order_at_work_.end(), pane) == order_at_work_.end() &&
        pane->can_overtake() && is_quick_beside(pane, slowest))
      found.push_back(pane);
  }
  return found;
}

bool PaneSet::can_overtake() const {
  return compute_.device().backend != Backend::cuda && phase_ == Phase::computing && !together_ && !overtakes() &&
         taken_ < seen_at_work_ && taken_ == finished_ && waits_for_slow() && overtaking_.is_due();
}

bool PaneSet::overtake(const DeviceImage& in, const Filtering& how) {
  std::vector<PaneRunner*> panes = quick_ones(how.seen);
  if (panes.empty()) return false;
  const bool counts = uncounted_ == 0 && how.quiet;
  if (uncounted_ > 0) --uncounted_;
  for (PaneRunner* const pane : panes) {
    pane->settle();
    pane->begin(in, counts, how.quiet, how.frame);
  }
  overtaking_frame_ = how.frame;
  overtaking_.begin(std::move(panes), in, how.before);
  return true;
}

void PaneSet::take_overtaken(const DeviceImage& in) {
  stand_in_ = in;
  stand_in_frame_ = overtaking_frame_;
  has_come_into_sight(stand_in_frame_);
}

void PaneSet::has_come_into_sight(const std::optional<FrameId>& frame) {
  newest_frame_ = std::max(newest_frame_, frame);
}

void PaneSet::wait(const std::function<bool()>& stop) {
  while (at_work()) {
    if (phase_ == Phase::copying && stop && stop()) return cancel();
    if (phase_ == Phase::copying) compute_.synchronize();
    if (phase_ == Phase::computing) worker_.wait(stop);
    take();
  }
}

void PaneSet::look(const std::function<bool(int)>& seen) {
  const int done = std::max<int>(finished_, 0);
  if (!seen || phase_ != Phase::computing || done >= static_cast<int>(order_at_work_.size())) return;
  const auto is_seen = [&](const PaneRunner* pane) {
    for (int i = 0; i < size(); ++i)
      if (&runner(i) == pane) return seen(i);
    return false;
  };
  const auto now = order_at_work_.begin() + done;
  if (is_seen(*now)) return;
  if (std::any_of(now + 1, order_at_work_.end(), is_seen)) return cancel();
  seen_at_work_ = std::min(seen_at_work_, done);
}

void PaneSet::leave_unseen() {
  take();
  if (phase_ != Phase::computing || !seen_done_) return;
  const std::vector<PaneRunner*> order = order_at_work_;
  const auto all_done = [&] { return finished_ == static_cast<int>(order.size()); };
  if (seen_at_work_ > 0 && (all_done() || Clock::now() - *seen_done_ < unseen_pane_patience)) return;
  cancel();
  if (all_done()) return;  // those after the one that is given up had not begun
  order[static_cast<std::size_t>(finished_)]->takes_longer_than(seconds_of(unseen_pane_patience));
}

void PaneSet::cancel() {
  if (phase_ == Phase::copying) {
    compute_.synchronize();  // the copy is under way into memory that is used again
    end_work();
    is_complete_ = false;
  }
  if (const DeviceImage in = overtaking_.cancel()) {
    take_overtaken(in);
    show(true);
  }
  worker_.cancel();
  take();
}

void PaneSet::refresh_outputs() {
  const Image& shape = stand_in_.image();
  before_.swap(outputs_), outputs_.clear();
  for (const Named& each : runners_) {
    const Image& own = each.runner->output();
    const bool fits = own.data && own.width == shape.width && own.height == shape.height && own.format == shape.format;
    outputs_.push_back(fits ? own : shape);
  }
  if (!std::ranges::equal(before_, outputs_, {}, &Image::data, &Image::data)) ++generation_;
}

bool PaneSet::has_failed() const {
  return std::ranges::any_of(runners_, [](const Named& each) { return each.runner->has_failed(); });
}

bool PaneSet::settled() const {
  return std::ranges::all_of(runners_, [](const Named& each) { return each.runner->settled(); });
}

bool PaneSet::stands_in(int position) const {
  const auto i = static_cast<std::size_t>(position);
  return i < outputs_.size() && outputs_[i].data == stand_in_.image().data && runners_[i].runner->strategy();
}

bool PaneSet::show_one_frame(int first, int second) const {
  const void* inputs[2];
  for (int i = 0; const int position : {first, second}) {
    if (position >= size() || stands_in(position)) return false;
    inputs[i++] = runners_[static_cast<std::size_t>(position)].runner->input().image().data;
  }
  return inputs[0] && inputs[0] == inputs[1];
}

bool PaneSet::counted() const {
  return std::ranges::all_of(runners_,
                             [](const Named& each) { return each.runner->counted() || !each.runner->is_timed(); });
}

void PaneSet::tell_progress(std::vector<PaneStats>& stats) const {
  const double seconds = owes_picture() ? seconds_at_work() : 0;
  for (std::size_t i = 0; i < std::min(runners_.size(), stats.size()); ++i) {
    PaneRunner* const pane = runners_[i].runner.get();
    const auto found = std::ranges::find(order_at_work_, pane);
    const bool waited_for = found != order_at_work_.end() && found - order_at_work_.begin() >= taken_;
    stats[i].filtering_seconds = waited_for && pane->strategy() ? seconds : 0;
    stats[i].stands_in = stands_in(static_cast<int>(i));
    // "source" does so before its turn, too.
    const bool is_own = pane->input() && (i >= outputs_.size() || outputs_[i].data != stand_in_.image().data);
    const FrameId frame = is_own ? pane->frame() : stand_in_frame_.value_or(FrameId());
    const FrameId newest = newest_frame_.value_or(FrameId());
    stats[i].frame_number = frame.number;
    stats[i].frames_behind = is_own ? frames_behind(frame, newest) : 0;
    stats[i].of_source_before = frame.source != newest.source;
  }
}

void PaneSet::collect(std::vector<PaneStats>& stats) {
  tell_progress(stats);
  for (std::size_t i = 0; i < std::min(runners_.size(), stats.size()); ++i) runners_[i].runner->collect(stats[i]);
}

}  // namespace convoscope
