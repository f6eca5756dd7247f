#pragma once
// Every strategy of a kind × filter × border × size × format against the reference: what `convoscope verify` prints and
// what the tests assert. Inputs are random (seeded), outputs start poisoned, rows have odd pitches, and what lies
// between and around the rows of an output must come back untouched.
#include <functional>
#include <string>
#include <vector>

#include "kernels/compute/compute.h"
#include "kernels/contract/strategy.h"

namespace convoscope {

struct VerifyRow {
  std::string strategy;
  const Kind* kind = &image_kind;
  std::string filter;  // its name
  Border border = Border::zero;
  PixelFormat format = PixelFormat::rgba8;
  int width = 0, height = 0;
  Pass pass = Pass::forward;
  std::string shape;  // of a kind that has more numbers than these two
  Precision precision = Precision::f32;
  Layout layout = Layout::nchw;
  Tuning tuning;               // empty: every tunable at its initial value
  double max_error = 0;        // infinite when a value is not finite, an output unwritten or padding was touched
  double tolerance = 0;        // as the strategy states it
  bool passed = false;         // false also for rows that were skipped
  std::string skipped_reason;  // what unsupported() said, or why the tolerance decides nothing; empty when it ran
  std::string failure;         // a sentence on the worst pixel; empty when passed or skipped
  bool skipped() const { return !skipped_reason.empty(); }
  bool failed() const { return !passed && !skipped(); }
};

struct VerifyOptions {
  const Kind* kind = &image_kind;
  std::vector<std::string> strategies;  // ids; empty: all of the kind's on the backend. An unknown one throws Error
  bool small = false;                   // images up to 37×23 and fewer combinations: for the emulated backend
  // Only these; empty: the kind's own filters, all borders, all formats.
  std::vector<Filter> filters;
  std::vector<Border> borders;
  std::vector<PixelFormat> formats;
  std::vector<Pass> passes;
  std::vector<Precision> precisions;
  std::vector<Layout> layouts;
  std::vector<Problem> problems;  // instead of the kind's own cases
  unsigned seed = 1;
};

// Runs the sweep on `compute` in the calling thread; `callback`, if given, sees each row as it comes. A strategy that
// throws Error is a failed row with the message; the sweep goes on.
std::vector<VerifyRow> verify(Compute& compute, const VerifyOptions& options,
                              const std::function<void(const VerifyRow&)>& callback = {});

// One problem, one strategy: the step of the sweep, for tests with their own problems.
VerifyRow verify_one(Compute& compute, const Strategy& strategy, const Problem& problem, const Tuning& tuning,
                     unsigned seed);

}  // namespace convoscope
