#pragma once
// An experiment that is quickly measured, and results that were made up.
#include <nlohmann/json.hpp>
#include <string>

#include "app/cli/experiment/results.h"

namespace convoscope {

inline std::string small_experiment() {
  return R"({
  "convoscope_experiment": 1,
  "title": "Small & quick",
  "published_by": "nobody",
  "statistic": {"of": "mean", "runs": 6},
  "problems": [
    {"name": "small", "filter": "gaussian:radius=1", "size": "64x48", "border": "zero", "format": "gray32f"},
    {"name": "larger", "filter": "gaussian:radius=2", "size": "96x64", "format": "gray32f"}
  ],
  "strategies": [
    {"name": "loops", "strategy": "cpu-direct"},
    {"name": "passes", "strategy": "cpu-separable", "tuning": {"threads": 1}},
    {"name": "naive", "strategy": "global", "backend": "cuda", "tuning": {"block_width": 16, "block_height": 16}}
  ],
  "ladder": [
    {"strategy": "loops"},
    {"strategy": "passes", "published": {"factor": 3.34, "total": 3.34}},
    {"strategy": "naive", "published": {"factor": 0.5, "region_reads": 9}}
  ],
  "claims": [
    {"says": "Passes are faster <b>.", "source": "a test", "faster": ["passes"], "than": ["loops"]},
    {"says": "The GPU is faster.", "faster": ["naive"], "than": ["loops", "passes"], "on": ["small"]}
  ]
}
)";
}

inline Experiment sample_experiment() { return read_experiment(small_experiment(), "The sample"); }

// As a part of it would be measured, with these means and half as wide intervals as `spread`.
inline nlohmann::ordered_json sample_part(const std::vector<double>& means, double spread, bool doubtful = false) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const double mean : means) {
    rows.push_back({{"verified", mean > 0},
                    {"copy_ms", 1.0},
                    {"mean_ms", mean},
                    {"mean_low_ms", mean - spread},
                    {"mean_high_ms", mean + spread},
                    {"samples", 6},
                    {"times_copy", mean}});
    if (!(mean > 0)) rows.back()["reason"] = "It refuses this.";
    if (doubtful) rows.back().update({{"doubt", "processor"}, {"why_doubt", "Others took it."}});
  }
  return {{"on",
           {{"program", "1"}, {"date", "2026-11-30T00:00:00Z"}, {"device", {{"name", "A <CPU>"}, {"backend", "cpu"}}}}},
          {"rows", rows}};
}

inline ExperimentResults sample_results(const Experiment& experiment, const std::vector<double>& means, double spread,
                                        bool doubtful = false) {
  ExperimentResults results = no_results(experiment);
  for (const ExperimentPart& part : parts_of(experiment))
    if (part.backend == Backend::cpu)
      put_part(results, experiment, part, sample_part(means, spread, doubtful));
    else
      put_missing(results, part, "There is no GPU.");
  return results;
}

}  // namespace convoscope
