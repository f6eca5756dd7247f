#include "kernels/model.h"
#include "kernels/reference.h"
#include "kernels/separability.h"

namespace convoscope::cpu {
extern const Strategy cpu_direct_strategy;
extern const Strategy cpu_parallel_strategy;
const Strategy cpu_parallel_strategy{
    .id = "cpu-parallel",
    .title = "cpu-parallel",
    .idea = "cpu-parallel",
    .reading = "",
    .backend = Backend::cpu,
    .tunables = {},
    .tolerance = [](const Problem& p) { return float32_sum_bound(p, p.filter.width * p.filter.height); },
    .unsupported = [](const Problem&, const Device&, const Tuning&) { return std::string(); },
    .plan = [](const Problem& p, const Device& d, const Tuning& t) { return cpu_direct_strategy.plan(p, d, t); },
    .model = [](const Problem& p, const Tuning&) { return direct_cost(p); },
};
}  // namespace convoscope::cpu
