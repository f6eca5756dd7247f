#pragma once
// One strategy at work: turns what the user chose for a pane into a plan, runs it on each frame and times it.
#include <memory>
#include <optional>
#include <string>

#include "app/panes/expected_time.h"
#include "app/panes/frame_id.h"
#include "app/panes/made_picture.h"
#include "app/panes/pane_plan.h"
#include "app/panes/pane_problem.h"
#include "app/panes/pane_request.h"
#include "app/panes/pane_view.h"
#include "app/panes/plan_report.h"
#include "app/panes/run_times.h"
#include "app/panes/workplace.h"
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
  bool differs(const PaneRequest&) const;       // from what was asked last: configure() has something to do
  bool counted() const { return run_.counts; }  // the time of the last run on cores. Not while at work
  bool is_timed() const {                       // the emulator's time says nothing about a kernel
    return device().backend != Backend::emulated;
  }
  bool changed() const { return begun_version_ != version_; }  // configured anew since the last run() or begin()

  // A strategy that took the problem and failed at work is left out from then on, until another one is asked for: the
  // frame that it failed at is to be filtered once more, by what plan_again() puts in its place.
  bool settled() const { return !planned_.plan || report_.settled; }
  bool has_failed() const { return !planned_.plan && !failure_.empty(); }  // not while at work
  void plan_again();                                                       // where it has

  // Whether this machine's cores do the work, be it the CPU's strategies or the emulator's. A GPU's is enqueued by
  // run(); theirs would hold up the caller and is done by another thread, in four steps.
  bool on_cores() const { return place_->holds_up_caller(); }
  // Whether it can be at work while another pane of cores stands still half way: threads of the emulator cannot.
  bool can_overtake() const {
    return !has_failed() && settled() && (!planned_.plan || device().backend == Backend::cpu);
  }

  // Enqueues one frame, between the two points of a timer. A frame that does not count (something changed around it)
  // leaves no time behind.
  void run(const DeviceImage& in, bool counts = true, const FrameId& = {});

  // Of a strategy on cores: begin(); then, on any thread, compute() and at will explore(), with nothing else called
  // meanwhile that is not marked; then settle(). `quiet`: the machine is not known to be busy otherwise.
  void begin(const DeviceImage& in, bool counts = true, bool quiet = true, const FrameId& = {});
  bool compute(const Image& in);  // any thread; in host memory. False: given up half way (see kernels/threads/stop.h)
  void explore(const Image& in);  // any thread: a plan that still chooses tries another strategy, untimed
  void show(const DeviceImage& in);  // after compute(), also while explore() runs: its picture becomes output()
  void settle();

  // One that goes into a picture before the next one that is computed, where several do. On cores between begin() and
  // compute(), on that thread.
  void take_before(const Image& picture, const FrameId& frame) {
    if (view_ && asked_->request().shape.is_of(picture))
      view_->take_picture(picture, {picture.data, frame, true}, place_->stream());
  }
  FramesSeen frames_taken() const { return view_ && !at_work_ ? view_->frames() : shown_.frames; }

  // For whoever runs several: how long one is to be expected to take. Not while at work.
  double expected_seconds() const {
    return planned_.plan ? expected_.seconds(planned_.strategy, report_.cost.flop)
                         : 0;  // else the picture passes through
  }
  void takes_longer_than(double seconds) { expected_.takes_longer_than(seconds); }  // given up after them
  void took(double seconds, bool whole) { expected_.took(seconds, whole); }         // any thread
  bool is_unfinished() const { return unfinished_; }  // what view() has was given up half way; not while at work

  // What was finished last, and from which input; both empty until there is something. Any step.
  const Image& output() const { return shown_.picture.image(); }
  const DeviceImage& input() const { return shown_.input; }
  const FrameId& frame() const { return shown_.frame; }           // which that is
  bool is_current() const { return shown_.version == version_; }  // output() was made as the settings now say
  void collect(PaneStats&);  // adds the times of finished frames; never waits. Any step

  // What makes the output: null while the picture passes through, why_not() then says why unless that is meant.
  const Strategy* strategy() const { return planned_.plan ? planned_.strategy : nullptr; }
  const std::string& why_not() const { return planned_.why_not; }
  const Problem& problem() const { return task_.problem; }             // of a network that of the layer that is seen
  double largest_input() const { return task_.layers.largest_input; }  // the most that its inputs can be
  // What the plan reads and writes where that is no single image; null for images. Not while at work.
  PaneView* view() const { return view_.get(); }
  // What computes at present: another one than strategy() while that chooses, or waits for its kernel to be compiled.
  const Strategy* runs() const { return !planned_.plan ? nullptr : report_.runs ? report_.runs : planned_.strategy; }
  // How runs() makes that output; it has to describe that. Throws Error when the device has failed.
  Explanation explain(const OutputIndex&) const;
  unsigned version() const { return version_; }  // another one after every change

 private:
  struct Run {
    FrameName frame;
    bool counts = true;  // its time does
    bool quiet = true;   // the machine is not known to be busy otherwise
  };

  bool is_of_filter_before() const {
    return planned_.plan && shown_.input && !is_current() &&
           (shown_.filter != whole_filter() || shown_.border != task_.problem.border);
  }
  // With what follows the sums, also where that is not the plan's to do.
  const Filter& whole_filter() const {
    return task_.alpha_step ? asked_->request().pane->filter.filter : task_.problem.filter;
  }
  NetworkPlan* network() const {  // the plan, where it is one
    return task_.layers.has_several() ? static_cast<NetworkPlan*>(planned_.plan.get()) : nullptr;
  }
  const Device& device() const { return place_->compute().device(); }  // of the plan
  bool takes_new_weights();
  bool give_new_weights(const Problem& before);
  void begin_change();
  void make_plan();
  bool make_view();
  void choose_place();
  void make_room();
  bool enqueue(const Image& in, bool counts);
  void has_made(const DeviceImage& in);
  bool has_same_runs() const { return report_.has_same_runs(*planned_.plan, network()); }
  void ask_plan();
  void describe(PaneStats&) const;
  void read_times();       // never waits; not while the worker is there
  void disregard_times();  // those so far belong to something that has changed since

  Compute& compute_;
  const std::unique_ptr<Workplace> own_place_;  // of compute_
  std::unique_ptr<Workplace> beside_;           // for a CPU strategy among others, since there was one
  Workplace* place_ = own_place_.get();         // one of them: that of planned_

  std::optional<KeptRequest> asked_;  // before the first picture none
  PaneProblem task_;                  // that it amounts to
  PanePlan planned_;                  // for that
  std::unique_ptr<PaneView> view_;    // of its plan
  PlanReport report_;
  FailedStrategies failed_;  // at problems of this shape
  unsigned version_ = 0;
  std::optional<unsigned> begun_version_;  // of the last run() or begin()
  bool texts_changed_ = true;

  Run run_;                  // at work, or the last one
  bool at_work_ = false;     // between begin() and settle()
  bool unfinished_ = false;  // what view_ has: given up half way
  std::string failure_;      // of the last run, by compute(), until there is another plan
  MadePicture shown_;
  RunTimes times_;
  ExpectedTime expected_;
};

}  // namespace convoscope
