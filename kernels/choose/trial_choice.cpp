#include "kernels/choose/trial_choice.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <vector>

#include "kernels/choose/auto_memory.h"
#include "kernels/choose/stand_in.h"
#include "kernels/contract/error.h"
#include "kernels/contract/image_plan.h"
#include "kernels/contract/stop.h"
#include "kernels/filter/number_text.h"

namespace convoscope {
namespace {

constexpr std::size_t most_candidates = 5;
constexpr int timed_launches = 3;
constexpr std::int64_t few_for_trials = 160;  // frames: a wrong guess costs them less than the trials do
constexpr double worth = 0.05;                // of the time that all frames take
constexpr double never_missed_ms = 30;        // and shorter trials are never missed

// The least of a few launches after one that loads its code; empty when it cannot be, or is not ready yet.
std::optional<double> trial_time_of(Compute& compute, const Strategy& strategy, const Problem& problem, const Image& in,
                                    const Image& out) {
  try {
    const std::unique_ptr<Plan> plan = strategy.plan(problem, compute.device(), {});
    const std::unique_ptr<IntervalTimer> timer = compute.make_timer();
    plan->prepare(compute.stream());
    if (!plan->settled() || plan->runs()) return {};
    enqueue_image(*plan, in, out, compute.stream());
    double best = 0;
    for (int i = 0; i < timed_launches; ++i) {
      timer->start(compute.stream());
      enqueue_image(*plan, in, out, compute.stream());
      timer->stop(compute.stream());
      compute.synchronize();
      const std::optional<double> time = timer->poll_ms();
      if (!time || stop_requested()) return {};
      best = i == 0 ? *time : std::min(best, *time);
    }
    return best;
  } catch (const Error&) {  // out of memory, most likely: the others are still there
    return {};
  }
}

}  // namespace

std::optional<TrialChoice> choose_by_trials(Compute& compute, const Problem& problem, const Image& in, const Image& out,
                                            std::int64_t frames) {
  if (compute.device().backend == Backend::emulated || (frames > 0 && frames < few_for_trials)) return {};
  if (recall_choice(auto_key(problem, compute.device()))) return {};
  std::vector<const Strategy*> able = able_strategies(problem, compute.device());
  if (able.size() < 2) return {};
  able.resize(std::min(able.size(), most_candidates));

  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  TrialChoice choice;
  double best = 0, worst = 0;
  int tried = 0;
  for (const Strategy* strategy : able) {
    const std::optional<double> time = trial_time_of(compute, *strategy, problem, in, out);
    if (stop_requested()) return {};
    if (!time) continue;
    ++tried;
    worst = std::max(worst, *time);
    if (!choice.strategy || *time < best) choice.strategy = strategy, best = *time;
    const double spent = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    if (frames > 0 && spent > std::max(never_missed_ms, worth * static_cast<double>(frames) * best)) break;
  }
  if (tried < 2) return {};
  choice.text =
      "tried " + std::to_string(tried) + ", " + rounded_text(best, 2) + " to " + rounded_text(worst, 2) + " ms a frame";
  return choice;
}

}  // namespace convoscope
