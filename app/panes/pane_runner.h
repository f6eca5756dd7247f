#pragma once
// One strategy at work: turns what the user chose for a pane into a plan, runs it on each frame and times it.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/measure/arrival_rate.h"
#include "app/panes/frame_id.h"
#include "app/panes/network_plan.h"
#include "app/panes/pane_plan.h"
#include "app/panes/pane_request.h"
#include "app/panes/pane_view.h"
#include "app/panes/timer_ring.h"
#include "app/state/settings.h"
#include "app/state/stats.h"
#include "kernels/compute/compute.h"
#include "kernels/contract/strategy.h"

namespace convoscope {

// All calls from the thread that owns the Compute, but for those that say otherwise.
class PaneRunner {
 public:
  explicit PaneRunner(Compute&);

  // Follows the settings. New weights of the same size go to the plan at hand; anything else makes a new plan, if need
  // be of another strategy than the chosen one: see PaneStats::substitute. What none can run is said in
  // PaneStats::problem, and the picture then passes through unfiltered.
  void configure(const PaneRequest&);
  bool differs(const PaneRequest&) const;    // from what was asked last: configure() has something to do
  bool counted() const { return counts_; }   // the time of the last run on cores. Not while at work
  bool is_timed() const;                     // the emulator's time says nothing about a kernel
  bool changed() const { return changed_; }  // configured anew since the last run() or begin()

  // A strategy that took the problem and failed at work is left out from then on, until another one is asked for: the
  // frame that it failed at is to be filtered once more, by what plan_again() puts in its place.
  bool settled() const { return !plan_ || settled_; }
  bool has_failed() const { return has_failed_; }  // not while at work
  void plan_again();                               // where it has

  // Whether this machine's cores do the work, be it the CPU's strategies or the emulator's. A GPU's is enqueued by
  // run(); theirs would hold up the caller and is done by another thread, in four steps.
  bool on_cores() const;
  // Whether it can be at work while another pane of cores stands still half way: threads of the emulator cannot.
  bool can_overtake() const { return !has_failed_ && settled() && (!plan_ || strategy_->backend == Backend::cpu); }

  // Enqueues one frame, between the two points of a timer. A frame that does not count (something changed around it)
  // leaves no time behind.
  void run(const DeviceImage& in, bool counts = true, const FrameId& = {});

  // Of a strategy on cores: begin(); then, on any thread, compute() and at will explore(), with nothing else called
  // meanwhile that is not marked; then settle(). `quiet`: the machine is not known to be busy otherwise.
  void begin(const DeviceImage& in, bool counts = true, bool quiet = true, const FrameId& = {});
  bool compute(const Image& in);  // any thread; in host memory. False: given up half way (see kernels/threads/stop.h)
  void explore(const Image& in);  // any thread: a plan that still chooses tries another strategy, untimed
  void take(const DeviceImage& in);  // after compute(), also while explore() runs: its picture becomes output()
  void settle();

  // One that goes into a picture before the next one that is computed, where several do. On cores between begin() and
  // compute(), on that thread.
  void take_before(const Image& picture, const FrameId& frame) {
    if (view_ && asked_->request().shape.fits(picture))
      view_->take(picture, {picture.data, frame, true}, on_host() ? Stream{} : compute_.stream());
  }
  FramesSeen frames_taken() const { return view_ && !at_work_ ? view_->frames() : frames_shown_; }

  // For whoever runs several: how long one is to be expected to take. Not while at work.
  double expected_seconds() const;
  void takes_longer_than(double seconds) { least_seconds_ = std::max(least_seconds_, seconds); }  // given up after them
  void took(double seconds, bool whole) {  // any thread; else it was given up after them
    if (!whole) return takes_longer_than(seconds);
    seconds_ = seconds, least_seconds_ = 0;
  }
  bool is_unfinished() const { return unfinished_; }  // what view() has was given up half way; not while at work

  // What was finished last, and from which input; both empty until there is something. Any step.
  const Image& output() const { return output_.image(); }
  const DeviceImage& input() const { return made_from_; }
  const FrameId& frame() const { return made_frame_; }            // which that is
  bool is_current() const { return shown_version_ == version_; }  // output() was made as the settings now say
  void collect(PaneStats&);  // adds the times of finished frames; never waits. Any step

  // What makes the output: null while the picture passes through, why_not() then says why unless that is meant.
  const Strategy* strategy() const { return plan_ ? strategy_ : nullptr; }
  const std::string& why_not() const { return why_not_; }
  const Problem& problem() const { return problem_; }             // of a network that of the layer that is seen
  double largest_input() const { return layers_.largest_input; }  // the most that its inputs can be
  // What the plan reads and writes where that is no single image; null for images. Not while at work.
  PaneView* view() const { return view_.get(); }
  // What computes at present: another one than strategy() while that chooses, or waits for its kernel to be compiled.
  const Strategy* runs() const { return !plan_ ? nullptr : runs_ ? runs_ : strategy_; }
  // How runs() makes that output; it has to describe that. Throws Error when the device has failed.
  Explanation explain(const OutputIndex&) const;
  unsigned version() const { return version_; }  // another one after every change

 private:
  bool is_of_filter_before() const {
    return plan_ && made_from_ && !is_current() &&
           (shown_filter_ != whole_filter() || shown_border_ != problem_.border);
  }
  // With what follows the sums, also where that is not the plan's to do.
  const Filter& whole_filter() const { return alpha_step_ ? asked_->request().pane->filter.filter : problem_.filter; }
  bool takes_new_weights();
  bool give_new_weights(const Problem& before);
  void begin_change();
  void make_plan();
  bool make_view();
  bool enqueue(const Image& in, const Image& out, Stream, TimerRing&, bool counts);
  void make_room();
  void has_made(const DeviceImage& in);
  bool counts(bool wanted);
  bool runs_as_before() const;  // as when the plan was asked last
  void ask_plan();
  void describe(PaneStats&) const;
  // A CPU strategy beside those of a GPU.
  bool on_host() const {
    return strategy_ && strategy_->backend == Backend::cpu && compute_.device().backend != Backend::cpu;
  }
  const Device& device() const { return on_host() ? host_->device() : compute_.device(); }  // of strategy_
  void read_times();        // never waits; not while the worker is there
  void disregard_times() {  // those so far belong to something that has changed since
    times_.clear();
    timers_.disregard();
    if (host_timers_) host_timers_->disregard();
    if (network_) network_->disregard_times();
  }
  TimerRing& timers() { return on_host() ? *host_timers_ : timers_; }

  Compute& compute_;
  std::unique_ptr<Compute> host_;  // for a CPU strategy among others
  DeviceImage output_, made_from_;
  FrameId made_frame_;
  DeviceImage next_;  // what compute() writes: in host memory; while cores do the work
  TimerRing timers_;
  std::unique_ptr<TimerRing> host_timers_;
  struct Taken {
    double milliseconds = 0;
    bool disturbed = false;  // by other programs
  };
  std::vector<Taken> times_;  // read and not collected yet
  ArrivalRate rate_;          // of new inputs

  std::optional<KeptRequest> asked_;  // before the first picture none
  bool alpha_step_ = false;           // the pictures take the step around the strategy
  std::optional<Wall> wall_shown_;
  FramesSeen frames_shown_;  // that output() is made of
  std::string filter_words_, own_type_;
  Problem problem_;                     // that they ask for
  PaneNetwork layers_;                  // problem_ is one of them
  const Strategy* strategy_ = nullptr;  // null: the source itself, or nothing that can run
  std::unique_ptr<Plan> plan_;
  NetworkPlan* network_ = nullptr;  // plan_ where that is one
  std::unique_ptr<PaneView> view_;
  Tuning tuning_;               // of strategy_
  std::string why_substitute_;  // why that is not the chosen one
  std::string why_not_;
  FailedStrategies failed_;  // at problems of this shape
  bool has_failed_ = false;  // since the last plan was made
  // As the plan said when it was asked last.
  const Strategy* runs_ = nullptr;
  std::vector<const Strategy*> runs_of_layers_;
  bool settled_ = true;
  Cost cost_;
  std::vector<KernelInfo> kernels_;
  std::string note_;

  unsigned version_ = 0, shown_version_ = 0;
  Filter shown_filter_;  // that output() was made with: the settings may be back at it before another picture is
  Border shown_border_ = Border::replicate;
  bool changed_ = true;
  bool texts_changed_ = true;
  bool restart_statistics_ = true;
  int uncounted_ = 0;     // runs still to leave out: first launches load code, and a change disturbs the caches
  FrameName frame_;       // what is computed, or was last
  bool at_work_ = false;  // between begin() and settle()
  bool unfinished_ = false;
  std::optional<double> seconds_;            // that the last run on cores took; empty: none since the plan was made
  double least_seconds_ = 0;                 // that one was given up after, since then
  std::map<const Strategy*, double> rates_;  // FLOP/s that those had that ran before
  bool counts_ = true, quiet_ = true;        // of that run
  std::string failure_;                      // of that run, by compute()
};

// Runs that do not count after a change, in the pane that changed and in those beside it.
inline constexpr int runs_uncounted_after_change = 3;

}  // namespace convoscope
