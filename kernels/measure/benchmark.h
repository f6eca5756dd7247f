#pragma once
// Measures strategies against each other and against a plain copy, on one problem.
//
// What a time is: the device executes `batch` enqueues of one plan back to back, on sets of buffers that rotate
// through more than four times the last-level cache, between two events; the sample is the interval over `batch`.
// Included: the kernels, and the gaps between them that the device itself leaves. Not included: making the plan,
// sending the weights, launch costs of the host (the device is kept busy while the host queues the batch), and the
// resolution of the events. A single enqueue between its own pair of events, as the window shows it, is measured as
// well: it carries what the events cost. On the CPU a batch is one enqueue and both are the same. Each round measures
// every contestant, copy included, once, in shuffled order, so that clocks, heat and other loads fall on all alike;
// warm-up rounds are thrown away. Every output is compared with the reference before and after.
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/compute/compute.h"
#include "kernels/compute/processor_use.h"
#include "kernels/contract/strategy.h"
#include "kernels/measure/doubt.h"
#include "kernels/measure/spread.h"

namespace convoscope {

struct BenchmarkOptions {
  int rounds = 25;  // samples of each contestant; fewer on the CPU are plenty
  int warm_up_rounds = 2;
  double batch_ms = 2.0;  // on a GPU a batch lasts at least this long
  unsigned seed = 1;      // of the picture and of the order
  // As the window measures: a time is one enqueue between its own events, on one set of buffers, so that a frame that
  // fits into the last-level cache is found there. To hold against the window's times, not for which is faster.
  bool live = false;
  bool floor = false;  // on a GPU: also what BenchmarkFloor says
};
BenchmarkOptions benchmark_options(Backend, bool live = false);  // what is sensible there

struct Contestant {
  const Strategy* strategy = nullptr;  // of the backend of `compute`
  Tuning tuning;
};

struct BenchmarkRow {
  std::string strategy;
  Tuning tuning;    // every tunable with its value
  std::string ran;  // of one that chooses: the id of its choice
  bool verified = false;
  std::string reason;  // why it was not measured, or in what it was wrong; empty when verified
  double max_error = 0, tolerance = 0;
  Spread time;    // of one enqueue within a batch
  Spread single;  // of one enqueue between its own events
  // CPU backend: processor time of all threads, the median; other programs disturb it less than the time that passed.
  // And how long the thread that computes waited for a core. 0 elsewhere.
  ProcessorUse use;
  Doubt doubt = Doubt::none;  // whether `time` can be believed
  int batch = 1;
  Cost cost;
  double gb_s() const { return time.median > 0 ? cost.dram_bytes / time.median * 1e-6 : 0; }  // what DRAM must move
  double gflop_s() const { return time.median > 0 ? cost.flop / time.median * 1e-6 : 0; }
  std::string note;
};

// What a copy takes at least, in the same rounds as everything else.
struct BenchmarkFloor {
  Spread kernel;        // reads and writes each byte of the output once, 16 at a time
  Spread empty;         // a kernel that does nothing: what a launch takes by itself
  double fixed_ms = 0;  // of the kernel's time, what does not grow with the frame: launch, ramp up and tail
};

struct BenchmarkResult {
  Spread copy;  // device to device, as many bytes as the output has, the same rotation
  std::optional<BenchmarkFloor> floor;
  int buffers = 0;                 // sets of inputs and output that rotate
  std::vector<BenchmarkRow> rows;  // in the order of the contestants
};

// Runs in the calling thread for seconds. Of a problem that is none of its kind each row says why. A contestant that
// refuses the problem, fails or is wrong has a row that says so and no times. Throws Error when the buffers do not fit
// the device. `progress` is called with what is being done.
BenchmarkResult benchmark(Compute&, const Problem&, std::span<const Contestant>, const BenchmarkOptions&,
                          const std::function<void(const std::string&)>& progress = {});

}  // namespace convoscope
