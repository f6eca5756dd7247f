#pragma once
// Sound through a filter while it is played: in blocks, by a strategy of the signal ladder.
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/media/sound/block_filter.h"
#include "app/state/settings.h"
#include "app/state/stats.h"
#include "kernels/compute/compute.h"

namespace convoscope {

// All calls from one thread. Samples are left and right in turn; each one that comes out is that of one that went in,
// in order, whatever is chosen meanwhile.
class SoundFilter {
 public:
  // Frames that must be known on either side of one that comes out, of the longest filter; also of a shorter one, and
  // of none, so that a change of filter moves nothing.
  static constexpr int reach = max_signal_radius;

  SoundFilter();

  // From the next block on, over which the old and the new are faded. `gpu`: the number of the one that CUDA strategies
  // run on; none: only the CPU's run. What cannot be chosen is said in stats(), and the fastest of the CPU filters
  // instead. Cheap where nothing has changed.
  void choose(const SoundSettings&, double rate, std::optional<int> gpu);
  void restart();  // what is given next is of another place: silence lies before it
  // Appends to `out` what can be filtered now. What a filter makes beyond ±1 is cut off there, and counted.
  void give(std::span<const float> samples, std::vector<float>& out);
  void end(std::vector<float>& out);  // the rest, with silence behind it
  // One of the other strategies on the last block, where they are to be compared.
  void try_another();
  const SoundFilterStats& stats() const { return stats_; }

 private:
  struct Wanted {
    SoundSettings settings;
    double rate = 0;
    std::optional<int> gpu;
    bool operator==(const Wanted&) const = default;
  };

  Compute& compute_for(Backend);
  void leave_gpu();
  void forget_trials();
  void take_choice();
  void begin_with(const Strategy&, const Filter&, int block);
  void begin_instead(std::string_view failed, const std::string& why, const Filter&, int block);
  void put_to_work(std::unique_ptr<BlockFilter>);
  void filter_block(std::vector<float>& out, int frames);
  void measure(double milliseconds);

  std::optional<Wanted> wanted_, taken_;
  std::unique_ptr<Compute> cpu_, gpu_;
  int block_ = SoundSettings().block;          // of the one at work
  std::array<std::vector<float>, 2> waiting_;  // what was given, of each channel, from `reach` before the next output
  std::array<std::vector<float>, 2> made_, faded_, last_;
  std::unique_ptr<BlockFilter> at_work_, before_;  // null: the sound as it is
  bool fades_ = false;
  bool plays_ = false;  // a block has been made since restart()
  std::unique_ptr<BlockFilter> coming_;
  int runs_ = 0;  // of the strategy at hand
  std::size_t next_trial_ = 0;
  int tried_taps_ = 0, tried_block_ = 0;
  std::vector<std::unique_ptr<BlockFilter>> trials_;
  SoundFilterStats stats_;
};

}  // namespace convoscope
