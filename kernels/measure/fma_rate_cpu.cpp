// The widest vectors of this CPU, on every core.
#include <algorithm>
#include <chrono>

#include "kernels/measure/fma_rate.h"
#include "kernels/threads/thread_pool.h"

#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | HWY_SSSE3)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/measure/fma_rate_cpu.cpp"
#include <hwy/foreach_target.h>  // compiles this file once for each instruction set
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace convoscope::fma_rate {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Multiply-adds of one call, and a sum that keeps them from being left out. Ten chains: two units times a latency of
// four or five cycles, and they fit the sixteen registers of AVX2 with what else is needed. Sanitizers are kept
// out of this file (CMakeLists.txt).
double MultiplyAdds(int steps, float* sum) {
  const hn::CappedTag<float, 16> d;
  const auto factor = hn::Set(d, 0.5f), term = hn::Set(d, 1.0f);
  auto a = hn::Set(d, 1.0f), b = hn::Set(d, 2.0f), c = hn::Set(d, 3.0f), e = hn::Set(d, 4.0f), f = hn::Set(d, 5.0f);
  auto g = hn::Set(d, 6.0f), h = hn::Set(d, 7.0f), i = hn::Set(d, 8.0f), j = hn::Set(d, 9.0f), k = hn::Set(d, 10.0f);
  for (int step = 0; step < steps; ++step) {
    a = hn::MulAdd(a, factor, term);
    b = hn::MulAdd(b, factor, term);
    c = hn::MulAdd(c, factor, term);
    e = hn::MulAdd(e, factor, term);
    f = hn::MulAdd(f, factor, term);
    g = hn::MulAdd(g, factor, term);
    h = hn::MulAdd(h, factor, term);
    i = hn::MulAdd(i, factor, term);
    j = hn::MulAdd(j, factor, term);
    k = hn::MulAdd(k, factor, term);
  }
  a = hn::Add(hn::Add(hn::Add(a, b), hn::Add(c, e)), hn::Add(hn::Add(f, g), hn::Add(hn::Add(h, i), hn::Add(j, k))));
  *sum = hn::GetLane(hn::SumOfLanes(d, a));
  return 10.0 * static_cast<double>(hn::Lanes(d)) * steps;
}

}  // namespace HWY_NAMESPACE
}  // namespace convoscope::fma_rate
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace convoscope {
namespace fma_rate {
HWY_EXPORT(MultiplyAdds);
}

double cpu_fma_rate() {
  constexpr int steps = 200'000, parts = 8;  // parts for each core, so that none waits long for the last
  const int cores = core_count();
  volatile float keep = 0;
  double counts[64] = {};
  const auto started = std::chrono::steady_clock::now();
  parallel_for(parts * cores, cores, [&](int, int worker) {
    float sum = 0;
    const double count = HWY_DYNAMIC_DISPATCH(fma_rate::MultiplyAdds)(steps, &sum);
    if (worker < 64) counts[worker] = count;
    if (sum == -1.0f) keep = sum;
  });
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  return seconds > 0 ? 2.0 * *std::max_element(std::begin(counts), std::end(counts)) * parts * cores / seconds : 0;
}

}  // namespace convoscope
#endif
