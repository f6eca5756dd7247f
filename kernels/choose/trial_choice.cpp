#include "kernels/choose/trial_choice.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <vector>

#include "kernels/choose/auto_memory.h"
#include "kernels/choose/stand_in.h"
#include "kernels/contract/image_plan.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"
#include "kernels/threads/stop.h"

namespace convoscope {
namespace {

constexpr std::size_t most_candidates = 5;
// A launch on the cores holds the decoder up for as long.
constexpr int launches_on_gpu = 3, launches_on_cpu = 1;
constexpr double far_slower = 1.5, told_by_first_ms = 2;  // shorter ones may have been loading code
constexpr std::int64_t few_for_trials = 160;              // frames: a wrong guess costs them less than the trials do
constexpr double worth = 0.05;                            // of the time that all frames take
constexpr double never_missed_ms = 30;                    // and shorter trials are never missed

// The least of a few launches after one that loads its code; empty when it cannot be, is not ready yet, or the first is
// so slow that it cannot beat `best`, unless that is 0.
std::optional<double> trial_time_of(Compute& compute, const Strategy& strategy, const Problem& problem, const Image& in,
                                    const Image& out, double best) {
  try {
    const int launches = compute.device().backend == Backend::cuda ? launches_on_gpu : launches_on_cpu;
    const std::unique_ptr<Plan> plan = strategy.plan(problem, compute.device(), {});
    const std::unique_ptr<IntervalTimer> timer = compute.make_timer();
    plan->prepare(compute.stream());
    if (!plan->settled() || plan->runs()) return {};
    double least = 0;
    for (int i = 0; i <= launches; ++i) {
      timer->start(compute.stream());
      enqueue_image(*plan, in, out, compute.stream());
      timer->stop(compute.stream());
      compute.synchronize();
      const std::optional<double> time = timer->poll_ms();
      if (!time || stop_requested()) return {};
      if (i == 0 && best > 0 && *time > far_slower * best && *time > told_by_first_ms) return {};
      if (i > 0) least = i == 1 ? *time : std::min(least, *time);
    }
    return least;
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
  double best = 0;
  int tried = 0;
  for (const Strategy* strategy : able) {
    const std::optional<double> time = trial_time_of(compute, *strategy, problem, in, out, best);
    if (stop_requested()) return {};
    ++tried;
    if (!time) continue;
    if (!choice.strategy || *time < best) choice.strategy = strategy, best = *time;
    const double spent = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    if (frames > 0 && spent > std::max(never_missed_ms, worth * static_cast<double>(frames) * best)) break;
  }
  if (tried < 2 || !choice.strategy) return {};
  choice.text = "the best of " + std::to_string(tried) + " tried, " + rounded_text(best, 2) + " ms a frame";
  return choice;
}

}  // namespace convoscope
