#pragma once
// Rectangles of images on their way from the device to the host: enqueued on the stream of a frame, and there some
// frames later. What is in host memory already is copied at once.
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/compute/compute.h"
#include "kernels/contract/explain.h"

namespace convoscope {

class PatchDownload {
 public:
  struct Patch {
    PixelArea area;
    PixelFormat format = PixelFormat::rgba8;
    const std::uint32_t* pixels = nullptr;  // row by row, without gaps; valid until begin()
  };

  PatchDownload(Compute&, std::size_t capacity_bytes);  // throws Error when there is no memory

  // By the thread of the Compute. Nothing waits and, after the first few frames, nothing allocates.
  void begin();                        // forgets the patches of before, which must have arrived
  enum class Memory { device, host };  // device: the Compute's
  bool add(const Image&, const PixelArea&, Memory = Memory::device);  // within the image; false: no room any more
  void end();                                                         // after the last add()
  bool arrived();                                                     // never waits; true from then on until begin()
  std::span<const Patch> patches() const { return patches_; }         // in the order of add(); any thread once arrived

 private:
  enum class State { empty, under_way, arrived } state_ = State::empty;
  Compute& compute_;
  std::shared_ptr<void> memory_;
  std::size_t capacity_, used_ = 0;
  std::unique_ptr<IntervalTimer> mark_;
  std::vector<Patch> patches_;
};

// The pixels of the image that stand for the columns (rows) first … first + count − 1 under a border, as few runs of
// neighbours as there are: {first, count} each, ascending. Ghost cells of Border::zero need none.
struct Run {
  int first = 0, count = 0;
};
std::vector<Run> border_runs(int first, int count, int size, Border);

}  // namespace convoscope
