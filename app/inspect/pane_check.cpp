#include "app/inspect/pane_check.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "app/inspect/check_samples.h"
#include "kernels/contract/tolerance.h"
#include "kernels/kinds/reference.h"

namespace convoscope {
namespace {

constexpr std::size_t picture_capacity = std::size_t{8} << 20;
constexpr double check_pause_seconds = 0.4;  // between checks; longer after a check that took long
constexpr double pause_factor = 8;
constexpr int checks_soon = 4;  // of a picture that stays
constexpr double pause_of_still = 10, still_pause_factor = 200;

// The part's inputs with a filter's radius around them, put together from the patches as the border says.
class Surroundings {
 public:
  Surroundings(const Problem& problem, const PixelArea& part, std::span<const PatchDownload::Patch> patches)
      : area_(grown(part, problem.filter.rx(), problem.filter.ry())),
        pixels_(static_cast<std::size_t>(area_.width) * static_cast<std::size_t>(area_.height)) {
    for (int j = 0; j < area_.height; ++j) {
      const int y = border_index(area_.y + j, problem.height, problem.border);
      if (y < 0) continue;
      for (int i = 0; i < area_.width; ++i) {
        const int x = border_index(area_.x + i, problem.width, problem.border);
        if (x < 0) continue;
        const auto patch = std::ranges::find_if(patches, [&](const auto& p) { return p.area.contains(x, y); });
        if (patch == patches.end()) continue;
        pixels_[static_cast<std::size_t>(j) * static_cast<std::size_t>(area_.width) + static_cast<std::size_t>(i)] =
            patch->pixels[static_cast<std::size_t>(y - patch->area.y) * static_cast<std::size_t>(patch->area.width) +
                          static_cast<std::size_t>(x - patch->area.x)];
      }
    }
  }
  Image image(PixelFormat format) {
    return {pixels_.data(), area_.width, area_.height, static_cast<std::size_t>(area_.width) * 4, format};
  }

 private:
  PixelArea area_;
  std::vector<std::uint32_t> pixels_;  // ghost cells are 0, in either format
};

void add_worst(CheckResult& result, const Difference& worst, const PixelArea& part) {
  result.pixels += static_cast<std::int64_t>(part.width) * part.height;
  if (worst.max_error < result.max_error) return;
  result.max_error = worst.max_error;
  result.x = part.x + worst.x;
  result.y = part.y + worst.y;
  result.channel = worst.channel;
  result.expected = worst.expected;
  result.actual = worst.actual;
}

}  // namespace

PaneChecker::PaneChecker(Compute& compute) : download_(compute, picture_capacity), worker_([this] { work(); }) {}

PaneChecker::~PaneChecker() {
  {
    const std::lock_guard lock(mutex_);
    quit_ = true;
  }
  wake_.notify_one();
}

void PaneChecker::observe(PaneSet& panes, std::int64_t frame, double now, std::vector<PaneStats>& stats) {
  restart_changed(panes, stats);
  if (stage_ == Stage::copying && download_.arrived()) {
    {
      const std::lock_guard lock(mutex_);
      given_ = true;
    }
    wake_.notify_one();
    stage_ = Stage::comparing;
  } else if (stage_ == Stage::comparing) {
    settle(now);
  }
  if (stage_ == Stage::idle && now >= next_) {
    int longest = -1;
    for (int i = 0; i < panes.size(); ++i) {
      const Standing& own = standings_[stats[static_cast<std::size_t>(i)].id];
      if (!is_due(panes.runner(i), own, now)) continue;
      if (longest < 0 || own.checked < standings_[stats[static_cast<std::size_t>(longest)].id].checked) longest = i;
    }
    if (longest >= 0) {
      const PaneStats& chosen = stats[static_cast<std::size_t>(longest)];
      standings_[chosen.id].checked = now;
      standings_[chosen.id].picture = panes.runner(longest).input().image().data;
      if (start(panes.runner(longest), chosen, frame)) stage_ = Stage::copying;
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
    standing = {};
    standing.version = runner.version();
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

bool PaneChecker::start(PaneRunner& runner, const PaneStats& row, std::int64_t frame) {
  const Image& in = runner.input().image();
  job_ = {};
  job_.pane = row.id;
  job_.version = runner.version();
  job_.frame = frame;
  job_.problem = runner.problem();
  job_.tolerance = runner.strategy()->tolerance;
  const Problem& p = job_.problem;
  if (!job_.tolerance || p.width != in.width || p.height != in.height || p.format != in.format) return false;
  const auto fetch = [&](const PixelArea& part) {
    if (!download_.add(runner.output(), part)) return false;
    const PixelArea around = grown(part, p.filter.rx(), p.filter.ry());
    for (const Run& rows : border_runs(around.y, around.height, p.height, p.border))
      for (const Run& columns : border_runs(around.x, around.width, p.width, p.border))
        if (!download_.add(in, {columns.first, rows.first, columns.count, rows.count})) return false;
    return true;
  };
  download_.begin();
  for (const PixelArea& part : check_samples(p, seed_++)) {
    const std::size_t first = download_.patches().size();
    if (!fetch(part)) break;  // what has fitted is enough
    job_.parts.push_back(part);
    job_.first_patches.push_back(first);
  }
  download_.end();
  return true;
}

void PaneChecker::settle(double now) {
  {
    const std::lock_guard lock(mutex_);
    if (!done_) return;
    done_ = false;
  }
  stage_ = Stage::idle;
  took_ = job_.seconds;
  next_ = now + std::max(check_pause_seconds, pause_factor * took_);
  const auto found = standings_.find(job_.pane);
  if (found == standings_.end() || found->second.version != job_.version) return;  // closed or changed meanwhile
  if (job_.parts.empty()) return;  // nothing was compared, so nothing is known
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

void PaneChecker::work() {
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return given_ || quit_; });
      if (quit_) return;
    }
    const auto start = std::chrono::steady_clock::now();
    const Problem& p = job_.problem;
    job_.result.tolerance = job_.tolerance(p);
    job_.result.reason = undecided_reason(p, job_.result.tolerance);
    job_.result.frame = job_.frame;
    const auto patches = download_.patches();
    for (std::size_t i = 0; i < job_.parts.size() && job_.result.reason.empty() && !quit_; ++i) {
      const std::size_t first = job_.first_patches[i];
      const std::size_t end = i + 1 < job_.parts.size() ? job_.first_patches[i + 1] : patches.size();
      const PixelArea& part = job_.parts[i];
      Surroundings in(p, part, patches.subspan(first + 1, end - first - 1));
      const Image out{const_cast<std::uint32_t*>(patches[first].pixels), part.width, part.height,
                      static_cast<std::size_t>(part.width) * 4, p.format};
      add_worst(job_.result, compare_part(p, in.image(p.format), out), part);
    }
    job_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const std::lock_guard lock(mutex_);
    given_ = false;
    done_ = true;
  }
}

}  // namespace convoscope
