#pragma once
// One problem, run by a kernel file on the emulated device and compared with the reference. In a process of its own.
#include <optional>
#include <string>
#include <vector>

#include "kernels/own/compiled.h"
#include "kernels/own/watch.h"

namespace convoscope::own {

// A problem and how its input is made.
struct Asked {
  Problem problem;
  Tuning tuning;
  unsigned seed = 1;
  bool secret = false;
  std::vector<float> input;  // of a worked example; empty: random
};

// What came out, for those who ask why it is wrong.
struct Outputs {
  std::vector<double> expected, seen;  // rows of pixels, channels interleaved; alpha is apart
  std::vector<int> alpha_expected, alpha_seen;
  std::vector<std::uint32_t> block;  // that wrote each pixel, from 1; 0: nobody
  double tolerance = 0;
};

struct Outcome {
  enum class State { right, wrong, not_asked };
  State state = State::right;
  std::string why;   // why it was not asked, or the first fault in words
  Difference worst;  // where it is most wrong
  Outputs outputs;   // of a wrong one
};

class Bench {
 public:
  Bench(const KernelFile&, const Loaded&);
  // Faults are left in watch(). `before_launch` is told before each launch.
  Outcome run(const Asked&, const std::function<void()>& before_launch, Tally* tally = nullptr);
  Watch& watch() { return watch_; }

 private:
  std::string why_not_asked(const Asked&) const;
  void launch(const Launch&, const Asked&, std::vector<Buffer>&, Tally*);
  void fill(const Asked&);
  void restore_variables();

  const KernelFile& file_;
  const Loaded& loaded_;
  Watch watch_;
  ConvoscopeHooks hooks_;
  std::vector<std::vector<char>> fresh_;  // what __device__ variables were at first
};

// What the table makes of a launch; throws Error with a sentence where no device can run it.
struct Extents {
  unsigned grid[3], block[3];
  std::size_t shared_bytes;
};
Extents extents_of(const Launch&, const Names&);

// A random picture, of which every third has extremes alone, as verify makes it; `image` is host memory.
void fill_input(const Image&, unsigned seed);

}  // namespace convoscope::own
