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

// Between two neighbouring radii the fastest strategy is another one. The place is where the straight lines between the
// medians meet on logarithmic axes.
struct Crossing {
  std::string before, after;  // the fastest below and above
  double radius = 0, milliseconds = 0;
  bool seen = false;  // false: at one of the two radii their spreads (p05 to p95) overlap, so neither is called faster
};
std::vector<Crossing> crossings(const std::vector<SweepCurve>&);

}  // namespace convoscope
