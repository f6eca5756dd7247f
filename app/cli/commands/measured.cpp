// One strategy on one problem, measured as bench does, for whoever shows a column of it.
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/backend_choice.h"
#include "app/cli/commands/columns.h"
#include "app/cli/commands/problems.h"
#include "app/cli/commands/report.h"
#include "app/cli/options/values.h"
#include "kernels/compute/compute.h"
#include "kernels/measure/benchmark.h"
#include "kernels/measure/times_copy.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

using nlohmann::ordered_json;

const Strategy& first_that_runs(const Device& device, const Kind& kind, const std::vector<std::string>& ids) {
  for (const std::string& id : ids)
    if (const Strategy* const strategy = find_strategy(device.backend, id, kind)) return *strategy;
  throw Error("The strategy " + in_quotes(ids.empty() ? "" : ids.back()) + " is not measured here, on " + device.name +
              (device.backend == Backend::cpu ? ": it needs CUDA, and what is emulated is never timed." : "."));
}

}  // namespace

ordered_json measured_json(const Invocation& invocation, const std::vector<std::string>& ids) {
  std::string why_not_cuda;
  const std::unique_ptr<Compute> compute = compute_for(invocation, &why_not_cuda);
  const Device& device = compute->device();
  const Kind& kind = *invocation.kinds.at(0);
  const Strategy& strategy = first_that_runs(device, kind, ids);
  const Problem problem = bench_problems(invocation).at(0).problem;
  const std::vector<Contestant> one{{&strategy, tuning_for(std::string(strategy.id), invocation.tuning, kind)}};
  const BenchmarkResult result = benchmark(*compute, problem, one, benchmark_options(device.backend));
  const BenchmarkRow& row = result.rows.at(0);
  if (!row.verified) throw Error(in_quotes(std::string(strategy.id)) + " is not measured: " + row.reason);
  return {{"strategy", row.strategy},
          {"ran", row.ran.empty() ? row.strategy : row.ran},
          {"device", device.name},
          {"backend", to_string(device.backend)},
          {"tuning", row.tuning},
          {"median_ms", row.time.median},
          {"p05_ms", row.time.p05},
          {"p95_ms", row.time.p95},
          {"min_ms", row.time.min},
          {"median_low_ms", row.time.low},
          {"median_high_ms", row.time.high},
          {"samples", row.time.samples},
          {"copy_ms", result.copy.median},
          {"times_copy", number_json(times_copy(row.time.median, result.copy.median))},
          {"gb_s", row.gb_s()},
          {"gflop_s", row.gflop_s()},
          {"max_error", row.max_error},
          {"tolerance", row.tolerance},
          {"model", cost_json(row.cost)}};
}

}  // namespace convoscope
