#pragma once
// What an experiment has found, as a page: one file of HTML with its plots in it.
#include <string>

#include "app/cli/experiment/results.h"

namespace convoscope {

std::string experiment_page(const Experiment&, const ExperimentResults&);

// For the page and for the terminal alike.
std::string estimate_text(const MeasuredCell&);                   // "12.3 ms", "? 12.3 ms", "–"
std::string interval_text(const MeasuredCell&);                   // "12.1 to 12.6"
std::string factor_text(const std::optional<Factor>&);            // "4.6 ×", "1 / 1.96", "? 4.6 ×", "1.02 × (≈)"
std::string published_text(const std::optional<double>& factor);  // of a ladder: "4.63 ×", "1 / 1.96"
std::string statistic_text(const Experiment&);                    // "mean of 50 runs, with its 95 % interval"
std::string measured_on_text(const nlohmann::ordered_json& measured_on);           // device, driver, program and date
std::vector<std::string> remarks_on(const Experiment&, const ExperimentResults&);  // what to know of the figures

}  // namespace convoscope
