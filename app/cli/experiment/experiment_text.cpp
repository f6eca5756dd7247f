// What the page and the terminal say in the same words.
#include <set>

#include "app/cli/commands/report.h"
#include "app/cli/experiment/experiment_page.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

// Three digits, and all that stand in front of the point.
std::string figures(double value) {
  return value >= 1000 ? format_count(static_cast<long long>(value + 0.5)) : rounded_text(value, 3);
}

// Slower is said as it was: 1 / 1.96.
std::string ratio_text(double factor) {
  return factor < 0.995 ? "1 / " + decimals(1 / factor, 2) : decimals(factor, factor < 100 ? 2 : 0) + " ×";
}

}  // namespace

std::string estimate_text(const MeasuredCell& cell) {
  if (!cell.measured) return "–";
  return (cell.doubtful ? "? " : "") + figures(cell.time.ms) + " ms";
}

std::string interval_text(const MeasuredCell& cell) {
  if (!cell.measured || !cell.time.has_interval()) return "–";
  return figures(cell.time.low) + " to " + figures(cell.time.high);
}

std::string factor_text(const std::optional<Factor>& factor) {
  if (!factor) return "–";
  return (factor->doubtful ? "? " : "") + ratio_text(factor->value) +
         (factor->has_interval() && !factor->told_apart() ? " (≈)" : "");
}

std::string published_text(const std::optional<double>& factor) { return factor ? ratio_text(*factor) : "–"; }

std::string statistic_text(const Experiment& experiment) {
  const std::string runs = experiment.runs ? " of " + counted(*experiment.runs, "run") : std::string();
  if (experiment.statistic == Statistic::mean) return "mean" + runs + ", with the 95 % interval of Student's t";
  return "median" + runs + ", with the interval that it lies in 95 times of 100";
}

std::string measured_on_text(const nlohmann::ordered_json& on) {
  const nlohmann::ordered_json device = on.is_object() && on.contains("device") ? on["device"] : nullptr;
  std::string text = field_text(device, "name").empty() ? "a device that is not named" : field_text(device, "name");
  if (field_text(device, "backend") == "cuda")
    text += ", driver " + (field_text(device, "driver").empty() ? "not recorded" : field_text(device, "driver")) +
            (field_text(device, "cuda").empty() ? "" : " (CUDA: " + field_text(device, "cuda") + ")");
  else if (device.is_object() && device.contains("multiprocessors") && device["multiprocessors"].is_number())
    text += ", " + counted(device["multiprocessors"].get<long long>(), "core");
  return text + ", program " + (field_text(on, "program").empty() ? "not recorded" : field_text(on, "program")) + ", " +
         (field_text(on, "date").empty() ? "date not recorded" : field_text(on, "date").substr(0, 10));
}

std::vector<std::string> remarks_on(const Experiment& experiment, const ExperimentResults& results) {
  std::vector<std::string> remarks;
  std::set<std::string> doubts;
  int doubtful = 0, all = 0;
  for (std::size_t p = 0; p < results.cells.size(); ++p)
    for (const MeasuredCell& cell : results.cells[p]) {
      all += cell.measured;
      doubtful += cell.doubtful;
      if (cell.doubtful) doubts.insert(field_text(cell.row, "why_doubt"));
    }
  if (doubtful > 0) {
    std::string text = std::to_string(doubtful) + " of " + counted(all, "time") + " cannot be believed, marked with ?.";
    for (const std::string& why : doubts) text += " " + why;
    remarks.push_back(text + " Measure again on a machine that does nothing else.");
  }
  for (const auto& [backend, why] : results.missing)
    remarks.push_back(std::string("Nothing was measured with the ") + to_string(backend) + " backend: " + why);
  if (experiment.runs && *experiment.runs < 6)
    remarks.push_back("Fewer than six runs give no interval, so nothing is ranked.");
  if (results.measured_on.contains(Backend::cpu) && results.measured_on.contains(Backend::cuda))
    remarks.push_back(
        "Times of a GPU are of frames that are there already: bringing them there and back is not in them.");
  return remarks;
}

}  // namespace convoscope
