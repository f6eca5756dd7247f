#include "kernels/measure/doubt.h"

namespace convoscope {
namespace {

constexpr double most_of_it = 0.5;
// What is shorter waits for threads to wake up, on an idle machine too.
constexpr double longer_than_waking_ms = 0.5;

}  // namespace

bool others_took_most(double ms, const ProcessorUse& use, int cores) {
  if (use.spent_ms <= 0) return false;
  const bool stood_aside = ms >= longer_than_waking_ms && use.spent_ms < most_of_it * ms;
  const bool waited = use.waited_ms > most_of_it * ms && use.spent_ms < most_of_it * ms * cores;
  return stood_aside || waited;
}

Doubt doubt_of(const TimeSeen& time) {
  if (others_took_most(time.median_ms, time.use, time.cores)) return Doubt::processor;
  return time.high_ms - time.low_ms > time.median_ms ? Doubt::spread : Doubt::none;
}

const char* why_doubtful(Doubt doubt) {
  if (doubt == Doubt::processor) return "Other programs took most of the processor: do not believe this.";
  if (doubt == Doubt::spread) return "Its times differ by more than their median: do not believe this.";
  return "";
}

const char* to_string(Doubt doubt) {
  return doubt == Doubt::processor ? "processor" : doubt == Doubt::spread ? "spread" : "";
}

}  // namespace convoscope
