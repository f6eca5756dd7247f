#pragma once
// What several machines, or one at several times, have measured: read from the files of bench and experiment, and put
// side by side. Arithmetic on what is there; a file may be anybody's, and is never believed to be whole.
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/commands/bench_rows.h"

namespace convoscope {

// One time of one strategy.
struct MergedRow {
  std::string strategy, tuning, problem;  // problem: all but the radius, "gaussian, rgba8, 1920 × 1080, replicate"
  std::string point;                      // where on the axis: "4", or a layer's shape
  std::optional<int> radius;              // none: the axis is no number
  Estimate time;
  std::optional<double> times_copy, of_roofline;
  bool doubtful = false, chooses = false, library = false;  // chooses: it ran another one
};

// The rows of one device in one file.
struct MergedRun {
  std::string file, device, backend, driver, cuda, program, date;  // empty: the file does not say
  std::vector<MergedRow> rows;
};
// Throws Error for what is no such file; rows that lack a strategy or a time are left out, and counted.
std::vector<MergedRun> read_measurements(const std::string& path, int* left_out = nullptr);

struct CrossingPoint {
  std::string point;
  std::optional<int> radius;
  std::vector<const MergedRow*> fastest;  // several where their intervals overlap that of the first
  const MergedRow* next = nullptr;        // the fastest of the others
};
struct Crossings {
  std::string problem;
  std::vector<CrossingPoint> points;   // by ascending radius
  std::vector<const MergedRow*> rows;  // all of this problem, the fastest tuning of each strategy at each point
};
// By problem. Strategies that choose others are left out: they only repeat them.
std::vector<Crossings> crossings_of(const MergedRun&);
// "1 to 2: a; from 4 on: b or c".
std::string crossings_text(const Crossings&);

// Runs of one device, the oldest first.
struct Machine {
  std::string device, backend;
  std::vector<MergedRun> runs;
  MergedRun newest;  // of everything that was ever measured there the last time; what is said of it is of the last run
};
std::vector<Machine> machines_of(std::vector<MergedRun>);

struct Change {
  const MergedRow *before = nullptr, *after = nullptr;
  double factor = 1;        // how many times as long it takes now
  bool told_apart = false;  // the intervals do not overlap, and neither is doubtful
};
// Of what a device has measured more than once: the last time against the one before.
std::vector<Change> changes_of(const Machine&);

// What a reader has to know: drivers and devices that are not recorded, doubtful times.
std::vector<std::string> remarks_on(const std::vector<Machine>&, int left_out);

std::string merged_page(const std::vector<Machine>&, int left_out);
nlohmann::ordered_json merged_json(const std::vector<Machine>&, int left_out);

}  // namespace convoscope
