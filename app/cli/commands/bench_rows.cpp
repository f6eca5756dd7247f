#include "app/cli/commands/bench_rows.h"

#include <ctime>

#include "app/cli/commands/report.h"
#include "kernels/compute/device_clocks.h"
#include "kernels/contract/sweep.h"
#include "kernels/contract/theory/model.h"
#include "kernels/measure/roofline.h"
#include "kernels/measure/times_copy.h"

namespace convoscope {
namespace {

using nlohmann::ordered_json;

ordered_json row_clocks_json(const Device& device, const DeviceLimits& limits) {
  const DeviceClocks clocks = device_clocks(device);
  const auto known = [](int mhz) { return mhz > 0 ? ordered_json(mhz) : ordered_json(nullptr); };
  ordered_json out{{"highest_core_mhz", known(clocks.highest_core_mhz)},
                   {"highest_memory_mhz", known(clocks.highest_memory_mhz)}};
  // What the multiprocessors ran at while they did nothing but multiply-adds, one a lane and cycle.
  const double lanes = static_cast<double>(device.multiprocessors) * clocks.lanes_a_multiprocessor;
  out["core_mhz_in_arithmetic"] = known(lanes > 0 ? static_cast<int>(limits.flop_per_second / 2 / lanes * 1e-6) : 0);
  return out;
}
// Those that a sweep can vary.
ordered_json parameters_json(const Problem& problem) {
  ordered_json out = ordered_json::object();
  for (const SweepParameter& parameter : problem.kind->parameters) {
    const int value = parameter.value(problem);
    ordered_json& one = out[std::string(parameter.id)];
    one["value"] = parameter.words.empty() ? ordered_json(value) : ordered_json(value_text(parameter, problem));
    if (!parameter.unit.empty()) one["unit"] = parameter.unit;
  }
  return out;
}

}  // namespace

std::string_view to_string(Statistic statistic) { return statistic == Statistic::mean ? "mean" : "median"; }

Estimate estimate_of(const Spread& time, Statistic statistic) {
  if (statistic == Statistic::mean) return {time.mean, time.mean_low, time.mean_high};
  return {time.median, time.low, time.high};
}

std::string now_text() {
  const std::time_t now = std::time(nullptr);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  return text;
}

ordered_json measured_on_json(const Device& device, const DeviceLimits& limits) {
  return {{"program", CONVOSCOPE_VERSION},
          {"device", device_json(device)},
          {"limits",
           {{"copy_bytes_per_second", limits.copy_bytes_per_second}, {"flop_per_second", limits.flop_per_second}}},
          {"clocks", row_clocks_json(device, limits)},
          {"date", now_text()}};
}

double copy_rate(const Problem& problem, const BenchmarkResult& result) {
  return result.copy.median > 0 ? 2e3 * frame_bytes(problem) / result.copy.median : 0;
}

ordered_json bench_row_json(const BenchmarkRow& row, const Problem& problem, const std::string& filter,
                            const BenchmarkResult& result, const RowContext& context) {
  ordered_json out{{"kind", problem.kind->id},
                   {"strategy", row.strategy},
                   {"tuning", row.tuning},
                   {"filter", filter},
                   {"rx", problem.filter.rx()},
                   {"ry", problem.filter.ry()},
                   {"format", to_string(problem.format)},
                   {"border", to_string(problem.border)},
                   {problem.kind->width_name, problem.width},
                   {problem.kind->height_name, problem.height},
                   {"verified", row.verified}};
  if (problem.filter.depth > 1) out["rt"] = problem.filter.rt();
  if (problem.kind->shape)
    out.update({{"shape", problem.kind->shape(problem)},
                {"pass", to_string(problem.layer.pass)},
                {"type", to_string(problem.layer.precision)},
                {"layout", to_string(problem.layer.layout)}});
  out["parameters"] = parameters_json(problem);
  if (!row.verified) {
    out["reason"] = row.reason;
    return out;
  }
  out.update({{"copy_ms", result.copy.median},
              {"median_ms", row.time.median},
              {"p05_ms", row.time.p05},
              {"p95_ms", row.time.p95},
              {"min_ms", row.time.min},
              {"median_low_ms", row.time.low},
              {"median_high_ms", row.time.high},
              {"mean_ms", row.time.mean},
              {"mean_low_ms", row.time.mean_low},
              {"mean_high_ms", row.time.mean_high},
              {"statistic", to_string(context.statistic)},
              {"samples", row.time.samples},
              {"batch", row.batch},
              {"buffer_pairs", result.buffers},
              {"live", context.live},
              {"single_median_ms", row.single.median},
              {"times_copy", number_json(times_copy(row.time.median, result.copy.median))},
              {"gb_s", row.gb_s()},
              {"gflop_s", row.gflop_s()},
              {"fraction_of_roofline", number_json(fraction_of_roofline(row.cost, row.time.median, context.limits,
                                                                        copy_rate(problem, result)))},
              {"max_error", row.max_error},
              {"tolerance", row.tolerance},
              {"model", cost_json(row.cost)},
              {"note", row.note}});
  if (!row.ran.empty()) out["ran"] = row.ran;
  if (row.use.spent_ms > 0)
    out.update(
        {{"cpu_ms", row.use.spent_ms / context.cores}, {"waited_ms", row.use.waited_ms}, {"cores", context.cores}});
  if (row.doubt != Doubt::none) out.update({{"doubt", to_string(row.doubt)}, {"why_doubt", why_doubtful(row.doubt)}});
  if (result.floor)
    out.update({{"floor_ms", result.floor->kernel.median},
                {"floor_fixed_ms", result.floor->fixed_ms},
                {"empty_launch_ms", result.floor->empty.median},
                {"times_floor", row.time.median / result.floor->kernel.median}});
  return out;
}

}  // namespace convoscope
