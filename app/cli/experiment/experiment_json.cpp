#include "app/cli/experiment/experiment_json.h"

#include <cmath>

#include "app/cli/commands/report.h"
#include "app/cli/experiment/region_reads.h"
#include "kernels/compute/compute.h"
#include "kernels/contract/kind.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

using nlohmann::ordered_json;

ordered_json factor_json(const std::optional<Factor>& factor) {
  if (!factor) return nullptr;
  ordered_json out{{"value", factor->value}};
  if (factor->has_interval()) out.update({{"low", factor->low}, {"high", factor->high}});
  out.update({{"told_apart", factor->told_apart()}, {"doubtful", factor->doubtful}});
  return out;
}

ordered_json optional_json(const std::optional<double>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

ordered_json ladder_json(const Experiment& experiment, const ExperimentResults& results) {
  ordered_json out = ordered_json::array();
  for (std::size_t p = 0; p < experiment.problems.size(); ++p) {
    const int problem = static_cast<int>(p);
    if (!has_ladder(experiment, problem)) continue;
    for (std::size_t s = 0; s < experiment.steps.size(); ++s) {
      const Experiment::Step& step = experiment.steps[s];
      const StepResult result = step_result(experiment, results, problem, s);
      ordered_json one{{"problem", experiment.problems[p].name},
                       {"name", experiment.entries[static_cast<std::size_t>(step.entry)].name},
                       {"factor", factor_json(result.factor)},
                       {"total", factor_json(result.total)},
                       {"published_factor", optional_json(step.factor)},
                       {"published_total", optional_json(step.total)},
                       {"published_region_reads", optional_json(step.region_reads)}};
      if (step.after >= 0)
        one["after"] =
            experiment.entries[static_cast<std::size_t>(experiment.steps[static_cast<std::size_t>(step.after)].entry)]
                .name;
      const std::optional<int> reads = region_reads_of(experiment, problem, step.entry);
      one["region_reads_counted"] = reads ? ordered_json(*reads) : ordered_json(nullptr);
      out.push_back(std::move(one));
    }
  }
  return out;
}

ordered_json claims_json(const Experiment& experiment, const ExperimentResults& results) {
  ordered_json out = ordered_json::array();
  const auto name = [&](int entry) {
    return entry < 0 ? ordered_json(nullptr) : ordered_json(experiment.entries[static_cast<std::size_t>(entry)].name);
  };
  for (const Experiment::Claim& claim : experiment.claims) {
    const ClaimResult result = judged(experiment, claim, results);
    ordered_json cases = ordered_json::array();
    for (const ClaimCase& one : result.cases)
      cases.push_back({{"problem", experiment.problems[static_cast<std::size_t>(one.problem)].name},
                       {"verdict", to_string(one.verdict)},
                       {"why", one.why},
                       {"faster", name(one.faster)},
                       {"than", name(one.than)},
                       {"factor", factor_json(one.factor)}});
    out.push_back({{"says", claim.says},
                   {"source", claim.source},
                   {"verdict", to_string(result.verdict)},
                   {"agree", result.agree},
                   {"disagree", result.disagree},
                   {"cases", std::move(cases)}});
  }
  return out;
}

std::string csv_text(std::string text) {
  if (!text.empty() && std::string_view("=+-@\t\r").find(text[0]) != std::string_view::npos) text.insert(0, "'");
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

std::string csv_number(double value) { return value > 0 ? number_text(value) : ""; }

}  // namespace

bool has_ladder(const Experiment& experiment, int problem) {
  for (const Experiment::Step& step : experiment.steps)
    if (experiment.entries[static_cast<std::size_t>(step.entry)].kind ==
        experiment.problems[static_cast<std::size_t>(problem)].problem.kind)
      return true;
  return false;
}

StepResult step_result(const Experiment& experiment, const ExperimentResults& results, int problem, std::size_t step) {
  const Experiment::Step& at = experiment.steps[step];
  if (step == 0) return {};
  const MeasuredCell& here = results.at(problem, at.entry);
  const MeasuredCell& before = results.at(problem, experiment.steps[static_cast<std::size_t>(at.after)].entry);
  return {factor_of(before, here), factor_of(results.at(problem, experiment.steps[0].entry), here)};
}

std::optional<int> region_reads_of(const Experiment& experiment, int problem, int entry) {
  const Experiment::Entry& named = experiment.entries[static_cast<std::size_t>(entry)];
  const Problem& of = experiment.problems[static_cast<std::size_t>(problem)].problem;
  if (named.backend != Backend::cuda || named.kind != of.kind) return std::nullopt;
  const Strategy* const strategy = find_strategy(Backend::emulated, named.strategy, *named.kind);
  const std::vector<Device> devices = list_devices(Backend::emulated);
  if (!strategy || devices.empty()) return std::nullopt;
  return region_reads(*strategy, of, devices[0], named.tuning);
}

ordered_json experiment_json(const Experiment& experiment, const ExperimentResults& results) {
  ordered_json out{{"convoscope_experiment_report", experiment_version},
                   {"program", CONVOSCOPE_VERSION},
                   {"date", now_text()},
                   {"experiment", ordered_json::parse(experiment.text, nullptr, false)},
                   {"statistic", to_string(experiment.statistic)},
                   {"measured_on", ordered_json::object()},
                   {"rows", ordered_json::array()},
                   {"not_measured", ordered_json::array()}};
  for (const auto& [backend, on] : results.measured_on) out["measured_on"][to_string(backend)] = on;
  for (const auto& [backend, why] : results.missing) out["measured_on"][to_string(backend)] = {{"missing", why}};
  for (std::size_t p = 0; p < results.cells.size(); ++p) {
    const std::vector<std::optional<int>> places = places_of(results.cells[p]);
    for (std::size_t e = 0; e < results.cells[p].size(); ++e) {
      const MeasuredCell& cell = results.cells[p][e];
      ordered_json row = cell.row;
      if (row.is_null() && cell.reason.empty()) continue;
      if (row.is_null())
        row = {{"problem", experiment.problems[p].name},
               {"name", experiment.entries[e].name},
               {"backend", to_string(experiment.entries[e].backend)},
               {"reason", cell.reason}};
      if (cell.measured) row["place"] = places[e] ? ordered_json(*places[e]) : ordered_json(nullptr);
      out[cell.measured ? "rows" : "not_measured"].push_back(std::move(row));
    }
  }
  out["ladder"] = ladder_json(experiment, results);
  out["claims"] = claims_json(experiment, results);
  return out;
}

std::string experiment_csv(const Experiment& experiment, const ExperimentResults& results) {
  std::string out = "problem,name,backend,strategy,statistic,ms,low_ms,high_ms,samples,place,times_copy,doubt,reason\n";
  for (std::size_t p = 0; p < results.cells.size(); ++p) {
    const std::vector<std::optional<int>> places = places_of(results.cells[p]);
    for (std::size_t e = 0; e < results.cells[p].size(); ++e) {
      const MeasuredCell& cell = results.cells[p][e];
      if (cell.row.is_null() && cell.reason.empty()) continue;
      const Experiment::Entry& entry = experiment.entries[e];
      const double copy = field_number(cell.row, "copy_ms");
      out += csv_text(experiment.problems[p].name) + "," + csv_text(entry.name) + "," + to_string(entry.backend) + "," +
             csv_text(entry.strategy) + "," + std::string(to_string(experiment.statistic)) + "," +
             csv_number(cell.time.ms) + "," + (cell.time.has_interval() ? number_text(cell.time.low) : "") + "," +
             (cell.time.has_interval() ? number_text(cell.time.high) : "") + "," +
             (cell.measured ? std::to_string(std::lround(field_number(cell.row, "samples"))) : "") + "," +
             (places[e] ? std::to_string(*places[e]) : "") + "," + csv_number(copy > 0 ? cell.time.ms / copy : 0) +
             "," + (cell.doubtful ? field_text(cell.row, "doubt") : "") + "," +
             (cell.reason.empty() ? "" : csv_text(cell.reason)) + "\n";
    }
  }
  return out;
}

}  // namespace convoscope
