// Experiments of others, what a run of one has kept, and measurements of other machines.
#include <cmath>

#include "app/cli/experiment/experiment_page.h"
#include "app/cli/experiment/journal.h"
#include "app/cli/experiment/merged.h"
#include "kernels/text/error.h"
#include "tests/cli/experiment_samples.h"
#include "tests/fuzz/target.h"

namespace convoscope::fuzz {
namespace {

void try_experiment(const std::string& input) {
  try {
    const Experiment experiment = read_experiment(input, "The input");
    ExperimentResults results = no_results(experiment);
    for (const ExperimentPart& part : parts_of(experiment))
      put_part(results, experiment, part, nlohmann::ordered_json::parse(input, nullptr, false));
    experiment_page(experiment, results);
  } catch (const Error&) {
  }
}

// Whatever a part of a journal holds can be put among the results.
void try_journal(const std::string& input, const Place& place) {
  const Experiment experiment = sample_experiment();
  write_file(place / "run.jsonl", input);
  try {
    const Journal journal((place / "run.jsonl").string(), experiment);
    ExperimentResults results = no_results(experiment);
    for (const ExperimentPart& part : parts_of(experiment))
      if (const auto measured = journal.done(part, "here")) put_part(results, experiment, part, *measured);
    experiment_page(experiment, results);
  } catch (const Error&) {
    if (read_file(place / "run.jsonl") != input) throw Failure{"a file that was refused is not what it was"};
  }
}

void try_measurements(const std::string& input, const Place& place) {
  write_file(place / "bench.json", input);
  try {
    const std::vector<Machine> machines = machines_of(read_measurements((place / "bench.json").string()));
    for (const Machine& machine : machines)
      for (const MergedRow& row : machine.newest.rows)
        if (!std::isfinite(row.time.ms)) throw Failure{"a time that is no number was taken"};
    merged_page(machines, 0);
    merged_json(machines, 0);
  } catch (const Error&) {
  }
}

std::vector<std::string> seeds(const Place& place) {
  const Experiment experiment = sample_experiment();
  const std::string path = (place / "seed.jsonl").string();
  {
    Journal journal(path, experiment);
    for (const ExperimentPart& part : parts_of(experiment)) journal.add(part, "here", sample_part({6, 2}, 0.5));
  }
  const std::string journal = read_file(path);
  std::filesystem::remove(path);
  const std::string row = R"({"strategy":"global","rx":1,"width":64,"height":64,"median_ms":1.5,"verified":true,)"
                          R"("filter":"box","format":"rgba8","border":"zero","median_low_ms":1,"median_high_ms":2})";
  return {
      small_experiment(), journal,
      R"({"program":"1","date":"2026-11-30","device":{"name":"A","backend":"cuda"},"rows":[)" + row + "," + row + "]}"};
}

}  // namespace

std::vector<Target> experiment_targets() {
  return {{.name = "experiment",
           .ending = ".json",
           .seeds = seeds,
           .run =
               [](const std::string& input, const Place& place) {
                 try_experiment(input);
                 try_journal(input, place);
                 try_measurements(input, place);
               },
           .words = {"kind", "signal", "layer", "shape", "samples", "tuning", "published", "after", "statistic"},
           .json = true}};
}

}  // namespace convoscope::fuzz
