#pragma once
// One strategy at work: turns what the user chose for a pane into a plan, runs it on each frame and times it.
#include <memory>
#include <string>

#include "app/settings.h"
#include "app/stats.h"
#include "app/timer_ring.h"
#include "kernels/compute.h"
#include "kernels/strategy.h"

namespace convoscope {

class PaneRunner {
 public:
  explicit PaneRunner(Compute&);

  // Follows the settings. New weights of the same size go to the plan at hand; anything else makes a new plan. What
  // cannot run is said in PaneStats::problem, and run() then passes the picture through unfiltered.
  void configure(const PaneSettings&, int width, int height, PixelFormat);
  // Enqueues one frame, between the two points of a timer. A frame that does not count (something changed around it)
  // leaves no time behind.
  void run(const Image& in, bool counts = true);
  const Image& output() const { return output_.image(); }
  void collect(PaneStats&);                  // adds the times of finished frames; never waits
  bool changed() const { return changed_; }  // configured anew since the last run()

  // What makes the output: null while the picture passes through, why_not() then says why unless that is meant.
  const Strategy* strategy() const { return plan_ ? strategy_ : nullptr; }
  const std::string& why_not() const { return why_not_; }
  const Problem& problem() const { return problem_; }
  // What computes at present: another one than strategy() while that chooses, or waits for its kernel to be compiled.
  const Strategy* runs() const;
  // How runs() makes the output at (x, y); it has to describe that. Throws Error when the device has failed.
  Explanation explain(int x, int y) const;
  unsigned version() const { return version_; }  // another one after every change

 private:
  void make_plan(const PaneSettings&);
  void enqueue_on_host(const Image& in, bool counts);
  void explore(const Image& in, Stream);
  void ask_plan();
  void describe(PaneStats&) const;
  // A CPU strategy beside those of a GPU.
  bool on_host() const { return strategy_->backend == Backend::cpu && compute_.device().backend != Backend::cpu; }
  const Device& device() const { return on_host() ? host_->device() : compute_.device(); }  // of strategy_

  Compute& compute_;
  std::unique_ptr<Compute> host_;  // for a CPU strategy among CUDA ones: the frame goes over the host and back
  DeviceImage host_in_, host_out_;
  DeviceImage output_;
  TimerRing timers_;
  std::unique_ptr<TimerRing> host_timers_;

  PaneSettings settings_;
  Problem problem_;
  const Strategy* strategy_ = nullptr;  // null: the source itself, or nothing that can run
  std::unique_ptr<Plan> plan_;
  std::string why_not_;
  Cost cost_;
  std::vector<KernelInfo> kernels_;
  std::string note_;
  unsigned version_ = 0;
  bool changed_ = true;
  bool texts_changed_ = true;
  bool restart_statistics_ = true;
  int uncounted_ = 0;  // runs still to leave out: first launches load code, and a change disturbs the caches
};

// Runs that do not count after a change, in the pane that changed and in those beside it.
inline constexpr int runs_uncounted_after_change = 3;

// The strategy of the ladder that `id` names for this backend: its own first, else the CPU's. Null for an unknown id.
const Strategy* strategy_for(Backend, std::string_view id);
// What to use instead of a strategy that this backend does not have.
std::string substitute_strategy(Backend, const Filter&);

}  // namespace convoscope
