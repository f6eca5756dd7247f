#pragma once
// One strategy of the signal ladder, ready for blocks of sound of one length.
#include <array>
#include <memory>
#include <span>
#include <vector>

#include "kernels/choose/plan_maker.h"
#include "kernels/compute/compute.h"
#include "kernels/contract/strategy.h"

namespace convoscope {

// All calls from the thread of its Compute, which outlives it.
class BlockFilter {
 public:
  // Its plan is made in the background where a device or a library has to be opened for it. Throws Error.
  BlockFilter(Compute&, const Strategy&, Filter taps, int block);
  ~BlockFilter();
  BlockFilter(const BlockFilter&) = delete;
  BlockFilter& operator=(const BlockFilter&) = delete;

  bool ready();  // its plan is there; throws Error when there will be none
  const Strategy& strategy() const { return strategy_; }
  const Filter& taps() const { return problem_.filter; }
  int block() const { return block_; }
  bool takes(const Strategy&, const Filter&, int block) const;  // set_taps() is enough for these
  void set_taps(const Filter&);

  using Channels = std::array<std::span<const float>, 2>;
  // `in`: of each channel `block` samples, and `reach` more on either side, at least as many as the filter's radius.
  // Replaces `out`. Waits for the device. Returns milliseconds: copied there, filtered, copied back. Throws Error.
  double run(const Channels& in, int reach, std::array<std::vector<float>, 2>& out);
  // The largest difference of what run() made of these from the sums in double. Slow.
  double error(const Channels& in, int reach, const std::array<std::vector<float>, 2>& out) const;
  int count_run() { return ++runs_; }  // for who leaves the first ones out
  double tolerance() const { return strategy_.tolerance(problem_); }

 private:
  Compute& compute_;
  const Strategy& strategy_;
  const int block_;
  Problem problem_;
  ComingPlan coming_;
  std::unique_ptr<Plan> plan_;
  std::shared_ptr<void> host_in_, host_out_;
  Image staged_in_, staged_out_;
  DeviceImage in_, out_;
  int runs_ = 0;
};

// Of the CPU's strategies the one that is likely to be the fastest for such blocks.
const Strategy& likely_fastest(const Filter& taps, int block, const Device& cpu);

}  // namespace convoscope
