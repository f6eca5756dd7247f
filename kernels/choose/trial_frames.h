#pragma once
// What the trials of `auto` read and write. Launches one after the other go from frame to frame, past the last-level
// cache, as a benchmark's do and as frames of a video that other work lies between: in the cache, other strategies win.
#include <cstddef>
#include <span>
#include <vector>

#include "kernels/compute/compute.h"
#include "kernels/contract/kind.h"

namespace convoscope {

class TrialFrames {
 public:
  // One output, at first. Throws Error when the device is full.
  TrialFrames(Compute&, const Problem&);

  // As many as are needed to leave the cache; fewer when the device is full. Their inputs hold any bytes.
  void add_others();

  // Of the n-th launch; the first frame's inputs are the ones that were given.
  std::span<const Tensor> in(std::size_t launch, std::span<const Tensor> given) const;
  std::span<const Tensor> out(std::size_t launch) const { return frames_[launch % frames_.size()].out; }

 private:
  struct Frame {
    std::vector<DeviceTensor> memory{};
    std::vector<Tensor> in{}, out{};  // what lies in it; no inputs: those that are given
  };
  Frame allocate(bool with_inputs);

  Compute& compute_;
  std::vector<Shape> inputs_, outputs_;
  std::vector<Frame> frames_;  // never empty
};

}  // namespace convoscope
