#pragma once
// What an experiment has measured, and what follows from it: ranks, factors and how its sentences stand. All of it is
// arithmetic on what is there; nothing is measured here.
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/experiment/experiment.h"

namespace convoscope {

struct MeasuredCell {
  bool measured = false, wrong = false;  // wrong: its output was, so there is no time
  std::string reason;                    // why it was not measured
  Estimate time;
  bool doubtful = false;
  nlohmann::ordered_json row;  // as bench has it; null: this backend is not here
};

struct ExperimentResults {
  std::vector<std::vector<MeasuredCell>> cells;           // by problem and entry; of another kind: no reason, no row
  std::map<Backend, nlohmann::ordered_json> measured_on;  // device, limits, clocks, date; of those that are here
  std::map<Backend, std::string> missing;                 // why a backend is not here
  const MeasuredCell& at(int problem, int entry) const {
    return cells[static_cast<std::size_t>(problem)][static_cast<std::size_t>(entry)];
  }
};

// Nothing is measured yet.
ExperimentResults no_results(const Experiment&);
// What was measured of a part: {"on": …, "rows": […]}, a row for each of its entries.
void put_part(ExperimentResults&, const Experiment&, const ExperimentPart&, const nlohmann::ordered_json& measured);
// The backend of a part is not here.
void put_missing(ExperimentResults&, const ExperimentPart&, const std::string& why);

// How many times as fast the second is, with what its interval follows from: the ends of both.
struct Factor {
  double value = 0, low = 0, high = 0;
  bool doubtful = false;
  bool has_interval() const { return high > 0; }
  bool told_apart() const { return has_interval() && (low > 1 || high < 1); }
};
std::optional<Factor> factor_of(const MeasuredCell& from, const MeasuredCell& to);

// 1 for the fastest; those whose intervals overlap have the same place, that of the best it may have. None: not
// measured, or too few samples for an interval.
std::vector<std::optional<int>> places_of(const std::vector<MeasuredCell>&);

enum class Verdict { agrees, disagrees, undecided };
std::string_view to_string(Verdict);
struct ClaimCase {
  int problem = 0;
  int faster = -1, than = -1;  // the fastest of either side; -1: none was measured
  std::optional<Factor> factor;
  Verdict verdict = Verdict::undecided;
  std::string why;  // of undecided
};
struct ClaimResult {
  Verdict verdict = Verdict::undecided;
  std::vector<ClaimCase> cases;
  int agree = 0, disagree = 0;
};
// It agrees where one case does and none disagrees, disagrees where any does. A doubtful time decides nothing.
ClaimResult judged(const Experiment&, const Experiment::Claim&, const ExperimentResults&);

// Of a row or what it was measured on, which a file may have spoilt: 0 or nothing where it is of another type.
double field_number(const nlohmann::ordered_json& object, const char* key);
std::string field_text(const nlohmann::ordered_json& object, const char* key);

bool anything_measured(const ExperimentResults&);
bool anything_wrong(const ExperimentResults&);

}  // namespace convoscope
