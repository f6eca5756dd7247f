#pragma once
// What a measurement says, as JSON: bench and experiments write it alike, and `report` reads it.
#include <nlohmann/json.hpp>
#include <string>

#include "kernels/contract/kind.h"
#include "kernels/measure/benchmark.h"
#include "kernels/measure/device_limits.h"

namespace convoscope {

// Which of a row's times it is known by.
enum class Statistic {
  median,  // with the interval of the sign test
  mean,    // of a fixed number of runs, with Student's interval
};
std::string_view to_string(Statistic);

// One time with the interval that it lies in; both ends 0 where too few samples tell.
struct Estimate {
  double ms = 0, low = 0, high = 0;
  bool has_interval() const { return high > 0; }
};
Estimate estimate_of(const Spread&, Statistic);

std::string now_text();  // "2026-11-30T17:40:00Z"

// What the rows of one run have in common: program, device, limits, clocks and date.
nlohmann::ordered_json measured_on_json(const Device&, const DeviceLimits&);

// Of the device that the rows were measured on.
struct RowContext {
  DeviceLimits limits;
  int cores = 1;  // multiprocessors, or cores of the CPU
  bool live = false;
  Statistic statistic = Statistic::median;
};
// One row: the problem, and its times, or the reason why there are none. `filter`: as it was stated.
nlohmann::ordered_json bench_row_json(const BenchmarkRow&, const Problem&, const std::string& filter,
                                      const BenchmarkResult&, const RowContext&);

// Bytes a second, read and written, of the problem's own copy; 0: it was not measured.
double copy_rate(const Problem&, const BenchmarkResult&);

}  // namespace convoscope
