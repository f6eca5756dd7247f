#pragma once
// What an experiment has found, for programs: JSON with all of it, and a table of its rows.
#include <nlohmann/json.hpp>
#include <string>

#include "app/cli/experiment/results.h"

namespace convoscope {

nlohmann::ordered_json experiment_json(const Experiment&, const ExperimentResults&);
// A line a strategy and problem, measured or not. Texts that a spreadsheet would take for a formula are quoted as text.
std::string experiment_csv(const Experiment&, const ExperimentResults&);

// How often a region is read by an entry on a problem; see region_reads.h. Asked of the emulated device where there is
// no GPU.
std::optional<int> region_reads_of(const Experiment&, int problem, int entry);

// A step of the ladder on one problem.
struct StepResult {
  std::optional<Factor> factor, total;
};
StepResult step_result(const Experiment&, const ExperimentResults&, int problem, std::size_t step);
bool has_ladder(const Experiment&, int problem);  // its strategies are of the problem's kind

}  // namespace convoscope
