#pragma once
// How well the median of a window of times is known, by a circular block bootstrap.
//
// A resample is as many times as the window has, drawn as blocks of neighbouring ones: times of a GPU come in clumps
// (clocks, heat, other programs), and drawing them one by one would take neighbours for independent and make the
// interval too narrow. Assumed: what links times to each other fades within a few blocks, and the window is of one
// piece, without a lasting change in its middle. Where that is not so (clocks that move), the interval is too narrow.
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "app/state/stats.h"

namespace convoscope {

inline constexpr int bootstrap_resamples = 400;
inline constexpr int bootstrap_block = 10;   // frames
inline constexpr int bootstrap_fewest = 30;  // times below which no interval is given
inline constexpr int bootstrap_most = 1000;  // the newest that are looked at

// One window's bootstrap, in steps that a frame can afford. The seed is fixed, so that the same times give the same
// interval, and windows with equally many times draw the same blocks: a frame that was slow for all of them is slow in
// the same resamples, and cancels in their ratio.
class MedianBootstrap {
 public:
  void start(const RollingTimes&);  // copies the times; allocates only when there are more than ever before
  // The first call sorts; the others draw resamples until about `most_times` times were drawn (at least one resample).
  // True when all are drawn.
  bool step(int most_times);
  bool has_enough() const { return times_.size() >= bootstrap_fewest; }
  bool done() const { return static_cast<int>(medians_.size()) == bootstrap_resamples || !has_enough(); }

  double median() const { return median_; }                     // of the times themselves, after the first step
  std::span<const double> medians() const { return medians_; }  // by resample
  std::optional<Interval> interval() const;                     // 95 %; empty until done or with too few times
  // The middle 95 % of something that was resampled as the medians were, as wide as so few blocks ask for.
  Interval widened(const Interval& middle, double centre) const;

 private:
  void rank_times();
  double resampled_median();

  std::vector<float> times_, sorted_;  // oldest first; ascending
  std::vector<std::uint32_t> rank_;    // of each time, oldest first
  std::vector<std::uint32_t> order_;   // scratch
  std::vector<std::uint32_t> drawn_;   // how often each rank is in the resample
  std::vector<double> medians_;
  double median_ = 0;
  bool ranked_ = false;
  std::mt19937 random_;
};

// The middle 95 % of bootstrapped values, which it sorts.
Interval middle_95(std::span<double> values);

// Whether one of two medians can be called smaller: their intervals are further apart than what no clock tells
// (CUDA's events resolve about half a microsecond) and than 0.5 %, which where a buffer lies in memory can change.
bool tell_apart(const Interval&, const Interval&);

}  // namespace convoscope
