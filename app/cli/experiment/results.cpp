#include "app/cli/experiment/results.h"

#include <algorithm>
#include <cmath>

namespace convoscope {
namespace {

using nlohmann::ordered_json;

MeasuredCell cell_of(const ordered_json& row, Statistic statistic) {
  const auto verified = row.find("verified");
  const std::string key(to_string(statistic));
  const double ms = field_number(row, (key + "_ms").c_str());
  MeasuredCell cell{.measured = verified != row.end() && *verified == true && ms > 0, .row = row};
  if (!cell.measured) {
    cell.reason = field_text(row, "reason");
    cell.wrong = cell.reason.starts_with("Wrong:");
    return cell;
  }
  cell.time = {ms, field_number(row, (key + "_low_ms").c_str()), field_number(row, (key + "_high_ms").c_str())};
  cell.doubtful = row.contains("doubt");
  return cell;
}

// The fastest of these that was measured; -1: none.
int fastest(const ExperimentResults& results, int problem, const std::vector<int>& entries) {
  int best = -1;
  for (const int entry : entries)
    if (results.at(problem, entry).measured &&
        (best < 0 || results.at(problem, entry).time.ms < results.at(problem, best).time.ms))
      best = entry;
  return best;
}

std::string why_unmeasured(const Experiment& experiment, const ExperimentResults& results, int problem,
                           const std::vector<int>& entries) {
  for (const int entry : entries) {
    const MeasuredCell& cell = results.at(problem, entry);
    const Backend backend = experiment.entries[static_cast<std::size_t>(entry)].backend;
    if (!cell.reason.empty() && results.missing.contains(backend))
      return std::string("nothing was measured with the ") + to_string(backend) + " backend";
    if (!cell.reason.empty()) return experiment.entries[static_cast<std::size_t>(entry)].name + ": " + cell.reason;
  }
  return "no strategy of this side is of that kind";
}

ClaimCase judged_case(const Experiment& experiment, const Experiment::Claim& claim, const ExperimentResults& results,
                      int problem) {
  ClaimCase out{.problem = problem,
                .faster = fastest(results, problem, claim.faster),
                .than = fastest(results, problem, claim.than)};
  if (out.faster < 0 || out.than < 0) {
    out.why = why_unmeasured(experiment, results, problem, out.faster < 0 ? claim.faster : claim.than);
    return out;
  }
  out.factor = factor_of(results.at(problem, out.than), results.at(problem, out.faster));
  if (!out.factor || !out.factor->has_interval())
    out.why = "too few samples for an interval";
  else if (out.factor->doubtful)
    out.why = "the times are doubtful";
  else if (!out.factor->told_apart())
    out.why = "the intervals overlap";
  else
    out.verdict = out.factor->value > 1 ? Verdict::agrees : Verdict::disagrees;
  return out;
}

}  // namespace

std::string_view to_string(Verdict verdict) {
  return verdict == Verdict::agrees ? "agree" : verdict == Verdict::disagrees ? "disagree" : "undecided";
}

double field_number(const ordered_json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  if (found == object.end() || !found->is_number()) return 0;
  const double value = found->get<double>();
  return std::isfinite(value) ? value : 0;
}

std::string field_text(const ordered_json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

ExperimentResults no_results(const Experiment& experiment) {
  ExperimentResults results;
  results.cells.assign(experiment.problems.size(), std::vector<MeasuredCell>(experiment.entries.size()));
  return results;
}

void put_part(ExperimentResults& results, const Experiment& experiment, const ExperimentPart& part,
              const ordered_json& measured) {
  if (!measured.is_object() || !measured.contains("on") || !measured.contains("rows")) return;
  if (!measured["on"].is_object() || !measured["rows"].is_array()) return;
  results.measured_on[part.backend] = measured["on"];
  const ordered_json& rows = measured["rows"];
  for (std::size_t i = 0; i < part.entries.size() && i < rows.size(); ++i)
    if (rows[i].is_object())
      results.cells[static_cast<std::size_t>(part.problem)][static_cast<std::size_t>(part.entries[i])] =
          cell_of(rows[i], experiment.statistic);
}

void put_missing(ExperimentResults& results, const ExperimentPart& part, const std::string& why) {
  results.missing[part.backend] = why;
  for (const int entry : part.entries)
    results.cells[static_cast<std::size_t>(part.problem)][static_cast<std::size_t>(entry)].reason = why;
}

std::optional<Factor> factor_of(const MeasuredCell& from, const MeasuredCell& to) {
  if (!from.measured || !to.measured || !(from.time.ms > 0) || !(to.time.ms > 0)) return std::nullopt;
  Factor factor{.value = from.time.ms / to.time.ms, .doubtful = from.doubtful || to.doubtful};
  if (from.time.has_interval() && to.time.has_interval() && to.time.low > 0) {
    factor.low = std::max(from.time.low, 0.0) / to.time.high;
    factor.high = from.time.high / to.time.low;
  }
  return factor;
}

std::vector<std::optional<int>> places_of(const std::vector<MeasuredCell>& cells) {
  std::vector<std::optional<int>> places(cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!cells[i].measured || !cells[i].time.has_interval()) continue;
    const auto is_faster = [&](const MeasuredCell& other) {
      return other.measured && other.time.has_interval() && other.time.high < cells[i].time.low;
    };
    places[i] = 1 + static_cast<int>(std::ranges::count_if(cells, is_faster));
  }
  return places;
}

ClaimResult judged(const Experiment& experiment, const Experiment::Claim& claim, const ExperimentResults& results) {
  ClaimResult out;
  for (const int problem : claim.problems) {
    // Of another kind on either side: the sentence says nothing about it.
    const auto is_of_kind = [&](int entry) {
      return experiment.entries[static_cast<std::size_t>(entry)].kind ==
             experiment.problems[static_cast<std::size_t>(problem)].problem.kind;
    };
    if (std::ranges::none_of(claim.faster, is_of_kind) || std::ranges::none_of(claim.than, is_of_kind)) continue;
    out.cases.push_back(judged_case(experiment, claim, results, problem));
    out.agree += out.cases.back().verdict == Verdict::agrees;
    out.disagree += out.cases.back().verdict == Verdict::disagrees;
  }
  out.verdict = out.disagree > 0 ? Verdict::disagrees : out.agree > 0 ? Verdict::agrees : Verdict::undecided;
  return out;
}

bool anything_measured(const ExperimentResults& results) {
  for (const auto& row : results.cells)
    if (std::ranges::any_of(row, &MeasuredCell::measured)) return true;
  return false;
}

bool anything_wrong(const ExperimentResults& results) {
  for (const auto& row : results.cells)
    if (std::ranges::any_of(row, &MeasuredCell::wrong)) return true;
  return false;
}

}  // namespace convoscope
