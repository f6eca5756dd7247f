// convoscope experiment: problems × strategies × backends as a file says, measured and reported.
#include "app/cli/experiment/experiment.h"

#include <chrono>
#include <cstdio>
#include <map>
#include <memory>

#include "app/cli/backend_choice.h"
#include "app/cli/commands/commands.h"
#include "app/cli/commands/list_data.h"
#include "app/cli/commands/report.h"
#include "app/cli/commands/text_table.h"
#include "app/cli/experiment/experiment_json.h"
#include "app/cli/experiment/experiment_page.h"
#include "app/cli/experiment/journal.h"
#include "app/cli/experiment/measuring.h"
#include "kernels/files/output_file.h"
#include "kernels/measure/cache_file.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

using nlohmann::ordered_json;

void list_shipped() {
  TextTable table({"Experiment", "What it is", "Measurements"}, "lwr");
  for (const ShippedExperiment& shipped : shipped_experiments()) {
    const Experiment experiment =
        read_experiment(std::string(shipped.text), "The experiment " + std::string(shipped.name));
    std::size_t measurements = 0;
    for (const ExperimentPart& part : parts_of(experiment)) measurements += part.entries.size();
    table.add({std::string(shipped.name), experiment.title, std::to_string(measurements)});
  }
  print(table);
}

// The devices that an experiment is run on, made when the first part needs them.
class ExperimentDevices {
 public:
  explicit ExperimentDevices(const Invocation& invocation) : invocation_(invocation) {}

  // Why the backend is not here or not wanted; empty when it is.
  std::string why_not(Backend backend) const {
    const BackendChoice wanted = invocation_.settings.backend;
    if ((wanted == BackendChoice::cpu && backend != Backend::cpu) ||
        (wanted == BackendChoice::cuda && backend != Backend::cuda))
      return "It was left out by --backend " +
             std::string(to_string(backend == Backend::cpu ? Backend::cuda : Backend::cpu)) + ".";
    return why_unavailable(backend);
  }
  Compute& compute(Backend backend) {
    std::unique_ptr<Compute>& one = computes_[backend];
    if (!one) one = make_compute(backend, backend == Backend::cpu ? 0 : invocation_.settings.device);
    return *one;
  }
  // Measured anew in each run that measures anything, as bench does.
  const DeviceLimits& limits(Backend backend) {
    const auto known = limits_.find(backend);
    if (known != limits_.end()) return known->second;
    return limits_.emplace(backend, measure_limits(compute(backend))).first->second;
  }

 private:
  const Invocation& invocation_;
  std::map<Backend, std::unique_ptr<Compute>> computes_;
  std::map<Backend, DeviceLimits> limits_;
};

class ExperimentCommand {
 public:
  ExperimentCommand(const Invocation& invocation, const StopSignal& stop)
      : invocation_(invocation),
        stop_(stop),
        experiment_(open_experiment(invocation.experiment)),
        devices_(invocation),
        results_(no_results(experiment_)) {
    if (invocation.resume_file) journal_.emplace(invocation.resume_file->string(), experiment_);
  }

  int run() {
    const std::vector<ExperimentPart> parts = parts_of(experiment_);
    const ComputesUntilSignal until(stop_);
    for (std::size_t i = 0; i < parts.size(); ++i) run_part(parts[i], i + 1, parts.size());
    if (!anything_measured(results_) && results_.measured_on.empty())
      throw Error("Nothing could be measured here. " + results_.missing.begin()->second);
    write_reports();
    print_tables();
    return anything_wrong(results_) ? 1 : 0;
  }

 private:
  void run_part(const ExperimentPart& part, std::size_t number, std::size_t all) {
    const std::string what =
        experiment_.problems[static_cast<std::size_t>(part.problem)].name + ", " + to_string(part.backend);
    const std::string place = std::to_string(number) + " of " + std::to_string(all) + ": " + what;
    if (const std::string why = devices_.why_not(part.backend); !why.empty()) {
      const bool said = results_.missing.contains(part.backend);
      put_missing(results_, part, why);
      std::fprintf(stderr, "%s: skipped%s\n", place.c_str(), said ? " as well." : (". " + why).c_str());
      return;
    }
    Compute& compute = devices_.compute(part.backend);
    const std::string device = device_key(compute.device());
    std::optional<ordered_json> measured = journal_ ? journal_->done(part, device) : std::nullopt;
    if (measured) {
      std::fprintf(stderr, "%s: done before.\n", place.c_str());
    } else {
      measured = measure(compute, part, place);
      if (journal_) journal_->add(part, device, *measured);
    }
    put_part(results_, experiment_, part, *measured);
  }

  ordered_json measure(Compute& compute, const ExperimentPart& part, const std::string& place) {
    const auto begin = std::chrono::steady_clock::now();
    ProgressLine progress;
    const auto check = [&] {
      if (!stop_) return;
      progress.clear();
      if (journal_) std::fprintf(stderr, "What is done is kept: the same command goes on where this one was.\n");
      throw Stopped();
    };
    const DeviceLimits limits = devices_.limits(part.backend);
    check();
    ordered_json measured = measure_part(compute, experiment_, part, limits, [&](const std::string& step) {
      check();
      progress.show(place + ": " + step);
    });
    check();
    progress.clear();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    std::fprintf(stderr, "%s: %s in %s s.\n", place.c_str(),
                 counted(std::ssize(part.entries), "strategy", "strategies").c_str(),
                 decimals(took.count(), 1).c_str());
    return measured;
  }

  void write_reports() const {
    if (invocation_.json_file) write_file(*invocation_.json_file, json_text(experiment_json(experiment_, results_)));
    if (invocation_.csv_file) write_file(*invocation_.csv_file, experiment_csv(experiment_, results_));
    if (invocation_.html_file) write_file(*invocation_.html_file, experiment_page(experiment_, results_));
  }

  void print_tables() const {
    print(experiment_.title + "\n");
    for (const auto& [backend, on] : results_.measured_on) print(measured_on_text(on) + "\n");
    for (std::size_t p = 0; p < experiment_.problems.size(); ++p) print_problem(p);
    for (const Experiment::Claim& claim : experiment_.claims) {
      const ClaimResult result = judged(experiment_, claim, results_);
      print(in_lines("\n" + std::string(to_string(result.verdict)) + ": " + claim.says + " (agree in " +
                         std::to_string(result.agree) + ", disagree in " + std::to_string(result.disagree) + " of " +
                         counted(std::ssize(result.cases), "case") + ")",
                     output_columns()) +
            "\n");
    }
    for (const std::string& remark : remarks_on(experiment_, results_))
      print("\n" + in_lines(remark, output_columns()) + "\n");
  }

  void print_problem(std::size_t p) const {
    const std::vector<std::optional<int>> places = places_of(results_.cells[p]);
    const bool ladder = has_ladder(experiment_, static_cast<int>(p));
    std::vector<std::string> header{"Place", "Strategy", std::string(to_string(experiment_.statistic)), "interval, ms"};
    if (ladder) header.insert(header.end(), {"factor", "in all", "published"});
    TextTable table(header, ladder ? "rlrrrrr" : "rlrr");
    std::string left_out;
    bool any = false;
    for (std::size_t e = 0; e < experiment_.entries.size(); ++e) {
      const MeasuredCell& cell = results_.cells[p][e];
      const std::string& name = experiment_.entries[e].name;
      if (!cell.measured && !cell.reason.empty() && !cell.row.is_null()) left_out += name + ": " + cell.reason + "\n";
      if (!cell.measured) continue;
      any = true;
      std::vector<std::string> row{places[e] ? std::to_string(*places[e]) : "–", name, estimate_text(cell),
                                   interval_text(cell)};
      if (ladder) add_step(static_cast<int>(p), static_cast<int>(e), row);
      table.add(row);
    }
    if (any) print("\n" + experiment_.problems[p].name + "\n\n" + table.text(output_columns()));
    if (!left_out.empty()) print("\nNot measured:\n" + left_out);
  }

  void add_step(int problem, int entry, std::vector<std::string>& row) const {
    for (std::size_t s = 0; s < experiment_.steps.size(); ++s) {
      const Experiment::Step& step = experiment_.steps[s];
      if (step.entry != entry) continue;
      const StepResult result = step_result(experiment_, results_, problem, s);
      row.insert(row.end(), {factor_text(result.factor), factor_text(result.total), published_text(step.factor)});
    }
  }

  const Invocation& invocation_;
  const StopSignal& stop_;
  const Experiment experiment_;
  ExperimentDevices devices_;
  ExperimentResults results_;
  std::optional<Journal> journal_;
};

}  // namespace

int run_experiment(const Invocation& invocation, const StopSignal& stop) {
  if (invocation.experiment.empty()) {
    list_shipped();
    return 0;
  }
  if (invocation.print) {
    print(open_experiment(invocation.experiment).text);
    return 0;
  }
  check_device(invocation);
  if (invocation.settings.backend == BackendChoice::cuda)
    if (const std::string why = why_unavailable(Backend::cuda); !why.empty()) throw Error(why);
  return ExperimentCommand(invocation, stop).run();
}

}  // namespace convoscope
