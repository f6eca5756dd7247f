#pragma once
// An experiment as data: problems × strategies × backends × a statistic, the order in which strategies are compared
// step by step, and sentences that the results are held against. A file says all of it; see docs/experiments.md.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/commands/bench_rows.h"
#include "kernels/contract/strategy.h"

namespace convoscope {

inline constexpr int experiment_version = 1;  // of the format

struct Experiment {
  struct Problem {
    std::string name, filter;  // the filter as it was stated
    convoscope::Problem problem;
  };
  struct Entry {  // a strategy with its tuning, under a name of its own
    std::string name, strategy, note;
    const Kind* kind = nullptr;  // of the problems that it is measured on
    Backend backend = Backend::cpu;
    Tuning tuning;
  };
  struct Step {
    int entry = 0;
    int after = -1;                       // the step that it is held against; of the first one none
    std::optional<double> factor, total;  // what is published: against that step, and against the first
    std::optional<double> region_reads;   // and how often a region is read
  };
  struct Claim {
    std::string says, source;
    std::vector<int> faster, than;  // entries: the fastest of the ones against the fastest of the others
    std::vector<int> problems;
  };

  std::string title, about, published_by;
  Statistic statistic = Statistic::median;
  std::optional<int> runs;  // of each; none: what bench does
  std::vector<Problem> problems;
  std::vector<Entry> entries;
  std::vector<Step> steps;  // of the ladder
  std::vector<Claim> claims;
  std::string text;  // the file's, as it was read
};

// What it holds, from the file's text; `whose` begins each sentence: "The experiment file 'my.json'". Throws Error that
// names the key and its line, with what would be right. Filters are of the catalogue or written as numbers: no other
// file is opened.
Experiment read_experiment(const std::string& text, const std::string& whose);

// A file, or one that the program has: by its name where there is no such file. Throws Error.
Experiment open_experiment(const std::string& file_or_name);

// What the program has, by name.
struct ShippedExperiment {
  std::string_view name, text;
};
std::vector<ShippedExperiment> shipped_experiments();

// What is measured together, in the same rounds: a problem on a backend. Only those with a strategy of its kind.
struct ExperimentPart {
  int problem = 0;
  Backend backend = Backend::cpu;
  std::vector<int> entries;
};
std::vector<ExperimentPart> parts_of(const Experiment&);

// Of a text, to tell whether a file is still the one that was begun with: FNV-1a, 16 digits.
std::string text_mark(std::string_view);

}  // namespace convoscope
