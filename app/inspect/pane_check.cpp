#include "app/inspect/pane_check.h"

#include <algorithm>
#include <chrono>
#include <exception>

#include "app/files/shortage.h"
#include "kernels/contract/theory/tolerance.h"

namespace convoscope {
namespace {

constexpr double check_pause_seconds = 0.4;  // between checks; longer after a check that took long
constexpr double pause_factor = 8;
constexpr int checks_soon = 4;  // of a picture that stays
constexpr double pause_of_still = 10, still_pause_factor = 200;

}  // namespace

PaneChecker::PaneChecker(Compute& compute) : parts_(compute), worker_([this] { work(); }) {}

PaneChecker::~PaneChecker() {
  {
    const std::lock_guard lock(mutex_);
    quit_ = true;
  }
  wake_.notify_one();
}

void PaneChecker::observe(PaneSet& panes, std::int64_t frame, double now, std::vector<PaneStats>& stats) {
  restart_changed(panes, stats);
  if (phase_ == Phase::copying && parts_.arrived()) {
    {
      const std::lock_guard lock(mutex_);
      given_ = true;
    }
    wake_.notify_one();
    phase_ = Phase::comparing;
  } else if (phase_ == Phase::comparing) {
    settle(now);
  }
  if (phase_ == Phase::idle && now >= next_) {
    int longest = -1;
    for (int i = 0; i < panes.size(); ++i) {
      const Standing& own = standings_[stats[static_cast<std::size_t>(i)].id];
      if (!is_due(panes.runner(i), own, now) || !can_be_read(panes, panes.runner(i))) continue;
      if (longest < 0 || own.checked < standings_[stats[static_cast<std::size_t>(longest)].id].checked) longest = i;
    }
    if (longest >= 0) {
      const int pane = stats[static_cast<std::size_t>(longest)].id;
      Standing& own = standings_[pane];
      own.checked = now;
      own.picture = panes.runner(longest).input().image().data;
      if (start(panes.runner(longest), pane, frame, own.turn++)) phase_ = Phase::copying;
    }
  }
  for (PaneStats& row : stats) row.check = standings_[row.id].result;
}

void PaneChecker::restart_changed(PaneSet& panes, const std::vector<PaneStats>& stats) {
  for (int i = 0; i < panes.size(); ++i) {
    const PaneStats& row = stats[static_cast<std::size_t>(i)];
    const PaneRunner& runner = panes.runner(i);
    const auto [found, is_new] = standings_.try_emplace(row.id);
    Standing& standing = found->second;
    if (!is_new && standing.version == runner.version()) continue;
    standing = {.version = runner.version(), .turn = standing.turn};
    if (runner.strategy()) {
      standing.result.state = CheckResult::State::running;
    } else if (!runner.why_not().empty()) {
      standing.result.state = CheckResult::State::impossible;
      standing.result.reason = runner.why_not();
    }
  }
  std::erase_if(standings_,
                [&](const auto& each) { return std::ranges::find(stats, each.first, &PaneStats::id) == stats.end(); });
}

// Not while another picture is still to come; and a picture that stays is looked at rarely, in other places.
bool PaneChecker::is_due(const PaneRunner& runner, const Standing& standing, double now) const {
  if (!runner.strategy() || !runner.is_current()) return false;
  if (standing.result.state == CheckResult::State::impossible) return false;
  return standing.picture != runner.input().image().data || standing.result.frames < checks_soon ||
         now - standing.checked > std::max(pause_of_still, still_pause_factor * took_);
}

bool PaneChecker::start(const PaneRunner& runner, int pane, std::int64_t frame, unsigned turn) {
  job_ = {};
  job_.pane = pane;
  job_.version = runner.version();
  job_.frame = frame;
  job_.tolerance = runner.strategy()->tolerance;
  job_.largest_input = runner.largest_input();
  return job_.tolerance && parts_.fetch(runner.problem(), inputs_of(runner), output_of(runner), turn);
}

void PaneChecker::settle(double now) {
  {
    const std::lock_guard lock(mutex_);
    if (!done_) return;
    done_ = false;
  }
  phase_ = Phase::idle;
  took_ = job_.seconds;
  next_ = now + std::max(check_pause_seconds, pause_factor * took_);
  const auto found = standings_.find(job_.pane);
  if (found == standings_.end() || found->second.version != job_.version) return;  // closed or changed meanwhile
  if (parts_.empty()) return;  // nothing was compared, so nothing is known
  CheckResult& known = found->second.result;
  const CheckResult& fresh = job_.result;
  if (!fresh.reason.empty()) {
    known = fresh;
    known.state = CheckResult::State::impossible;
    known.reason += ".";
    return;
  }
  const std::int64_t frames = known.frames + 1, pixels = known.pixels + fresh.pixels;
  const bool worse = known.frames == 0 || fresh.max_error > known.max_error;
  if (worse) known = fresh;
  known.frames = frames;
  known.pixels = pixels;
  // One wrong pixel is enough, however many right ones come after it.
  known.state = known.max_error <= known.tolerance ? CheckResult::State::right : CheckResult::State::wrong;
}

void PaneChecker::check() {
  const Problem& p = parts_.problem();
  job_.result.frame = job_.frame;
  job_.result.tolerance = job_.tolerance(p) * std::max(1.0, job_.largest_input);
  job_.result.reason = undecided_reason(p, job_.result.tolerance);
  if (job_.result.reason.empty()) parts_.compare(job_.result, quit_);
}

void PaneChecker::work() {
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return given_ || quit_; });
      if (quit_) return;
    }
    const auto start = std::chrono::steady_clock::now();
    try {
      check();
    } catch (const std::exception& failure) {  // want of memory, say
      job_.result.reason = why_failed(failure);
      if (job_.result.reason.ends_with('.')) job_.result.reason.pop_back();
    }
    job_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const std::lock_guard lock(mutex_);
    given_ = false;
    done_ = true;
  }
}

}  // namespace convoscope
