#include "app/cli/experiment/measuring.h"

#include <algorithm>

namespace convoscope {

using nlohmann::ordered_json;

ordered_json measure_part(Compute& compute, const Experiment& experiment, const ExperimentPart& part,
                          const DeviceLimits& limits, const std::function<void(const std::string&)>& progress) {
  const Experiment::Problem& problem = experiment.problems[static_cast<std::size_t>(part.problem)];
  const Device& device = compute.device();
  std::vector<Contestant> contestants;
  for (const int entry : part.entries) {
    const Experiment::Entry& named = experiment.entries[static_cast<std::size_t>(entry)];
    contestants.push_back({find_strategy(part.backend, named.strategy, *named.kind), named.tuning});
  }
  BenchmarkOptions options = benchmark_options(device.backend);
  if (experiment.runs) options.rounds = *experiment.runs;
  const BenchmarkResult result = benchmark(compute, problem.problem, contestants, options, progress);
  const RowContext context{
      .limits = limits, .cores = std::max(device.multiprocessors, 1), .live = false, .statistic = experiment.statistic};
  ordered_json out{{"on", measured_on_json(device, limits)}, {"rows", ordered_json::array()}};
  for (std::size_t i = 0; i < result.rows.size(); ++i) {
    ordered_json row{{"problem", problem.name},
                     {"name", experiment.entries[static_cast<std::size_t>(part.entries[i])].name},
                     {"backend", to_string(part.backend)}};
    row.update(bench_row_json(result.rows[i], problem.problem, problem.filter, result, context));
    out["rows"].push_back(std::move(row));
  }
  return out;
}

}  // namespace convoscope
