#pragma once
// A sweep's rows as curves over the radius, and where the fastest two change places.
#include <string>
#include <vector>

#include "app/state/stats.h"

namespace convoscope {

struct SweepCurve {
  std::string strategy;
  std::vector<SweepRow> points;  // measured ones, by ascending radius; of several tunings the fastest
};

// Of one picture size, in the order in which strategies first appear.
std::vector<SweepCurve> sweep_curves(const std::vector<SweepRow>&, PixelAddress size);
std::vector<PixelAddress> sweep_sizes(const std::vector<SweepRow>&);  // in order of appearance

// Between two neighbouring radii the fastest strategy is another one, and at neither do the spreads (p05 to p95) of the
// two overlap. auto is left out: it runs one of the others. The place is where the straight lines between the
// medians meet on logarithmic axes.
struct Crossing {
  std::string before, after;  // the fastest below and above
  double radius = 0, milliseconds = 0;
};
std::vector<Crossing> crossings(const std::vector<SweepCurve>&);

}  // namespace convoscope
