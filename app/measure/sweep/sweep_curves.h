#pragma once
// A sweep's rows as curves over one number of their problems, and where the fastest two change places.
#include <map>
#include <string>
#include <vector>

#include "app/state/stats.h"
#include "kernels/contract/kind.h"

namespace convoscope {

// What is shown of a sweep: the rows of one kind over one of its parameters, the others at these values.
struct SweepView {
  const Kind* kind = nullptr;
  const SweepParameter* along = nullptr;
  Problem like;             // that of one of the rows
  std::vector<int> values;  // of each of its parameters; that of `along` means nothing
};

// "depthwise", "2 groups": of a layer whose filters do not see all channels; else empty.
std::string groups_text(const Problem&);

// `wanted`, where the rows have several values of it, else the first that they have several of.
const SweepParameter& shown_axis(const std::vector<SweepRow>&, const Kind&, const SweepParameter& wanted);
// One for each set of values of the parameters but that axis, and each grouping of channels, in order of appearance.
std::vector<SweepView> sweep_views(const std::vector<SweepRow>&, const Kind&, const SweepParameter& along);

struct SweepPoint {
  int at = 0;
  std::string text;  // of that value
  double median_ms = 0, p05_ms = 0, p95_ms = 0, copy_ms = 0;
  double copied_bytes = 0;
  std::string runs;  // what auto chose there
  int samples = 0;
  double cpu_ms = 0;
  Doubt doubt = Doubt::none;
};
struct SweepCurve {
  std::string strategy;
  std::vector<SweepPoint> points;  // what was measured, ascending; of several tunings the fastest
};

// In the order in which strategies first appear.
std::vector<SweepCurve> sweep_curves(const std::vector<SweepRow>&, const SweepView&);

// Between two neighbouring values the fastest strategy is another one, and at neither do the spreads (p05 to p95) of
// the two overlap. auto is left out: it runs one of the others. The place is where the straight lines between the
// medians meet on logarithmic axes.
struct Crossing {
  std::string before, after;  // the fastest below and above
  double at = 0, milliseconds = 0;
};
std::vector<Crossing> crossings(const std::vector<SweepCurve>&);

// All copies of as many bytes are samples of one time: what a line shows is what a point is compared with, and what is
// saved. Milliseconds by bytes.
using CopyTimes = std::map<double, double>;
CopyTimes settled_copies(const std::vector<SweepRow>&);
void settle_copies(std::vector<SweepCurve>&, const CopyTimes&);

}  // namespace convoscope
