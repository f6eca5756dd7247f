#pragma once
// The panes at work: a runner and a row of statistics for each, in the order of the settings. What a GPU computes is
// enqueued on the stream of the frame. What this machine's cores compute is done by a thread beside the caller, one
// pane after another, so that they do not disturb each other; its pictures are shown when they are there.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "app/jobs/job_thread.h"
#include "app/measure/frame_order.h"
#include "app/panes/overtaking.h"
#include "app/panes/pane_runner.h"
#include "app/panes/patch_download.h"

namespace convoscope {

class PaneSet {
 public:
  // `on_progress`: take() may have something; called from another thread.
  explicit PaneSet(Compute& compute, std::function<void()> on_progress = {})
      : compute_(compute),
        on_progress_(std::move(on_progress)),
        worker_(on_progress_),
        overtaking_(pause_, on_progress_) {}
  ~PaneSet() { cancel(); }

  // Brings runners and `stats` into the order of `panes`, by PaneSettings::id: a pane that moves takes its plan and its
  // times with it, a closed one loses them, a new one starts with none. Panes without an id get one.
  void arrange(std::vector<PaneSettings>& panes, std::vector<PaneStats>& stats, int timing_window);
  // The panes as they were arranged, for pictures of this size. Allocates and makes plans where something changed, and
  // gives up what is under way then.
  void configure(const std::vector<PaneSettings>& panes, int width, int height, PixelFormat, const Work& = {},
                 bool has_alpha = false);

  struct Filtering {
    // Also through panes whose picture is of `in`, as the settings now say, already; on cores where they are timed.
    bool again = true, again_on_cores = true;
    bool quiet = true;                // false: the machine is known to be busy otherwise, so no time counts
    FrameId frame = {};               // which it is
    bool together = false;            // panes on cores appear all at once, however long the slowest takes
    bool unhurried = true;            // the picture stays: panes that are not seen may take long
    std::function<bool(int)> seen{};  // whether the pane at this position is in sight; all, where nothing is said
    std::function<void()> before{};   // what makes the pixels of `in`, to be called by the thread of the cores
  };
  // Takes `in` through the panes, in a new random order: enqueued, or begun. Panes on cores that are still at work
  // leave it out; slow ones come after the quick ones, and those that are not seen last, by themselves if they take
  // long. Around a change of any pane
  // the times of no pane count. `in` stays as it is for as long as the panes hold it.
  void filter(const DeviceImage& in, const Filtering&);
  void filter(const DeviceImage& in) { filter(in, Filtering()); }
  // Before filter(), or on cores in Filtering::before: a frame that goes into pictures before the next one, where
  // several do. It is done with when this returns, or in step with the stream.
  void take_before(const Image& picture, const FrameId& frame) {
    if (compute_.device().backend != Backend::cuda)
      for (PaneRunner* const pane : order_at_work_) pane->take_before(picture, frame);
    else  // what cores do beside a GPU would need it in their memory
      for (const Named& each : runners_)
        if (!each.runner->on_cores()) each.runner->take_before(picture, frame);
  }
  // The most frames that are missing before this one in a pane that is seen.
  int frames_before(std::int64_t next, const std::function<bool(int)>& seen) const {
    int most = 0;
    for (int i = 0; i < size(); ++i)
      if (const PaneRunner& pane = *runners_[static_cast<std::size_t>(i)].runner;
          (!seen || seen(i)) && !(pane.on_cores() && compute_.device().backend == Backend::cuda))
        most = std::max(most, frames_lacking(pane.frames_taken(), next));
    return most;
  }
  bool at_work() const { return phase_ != Phase::idle || overtakes(); }  // the cores' threads
  // While a slow pane is at work, the quick ones that are seen need not wait for it: they can go on to a newer frame
  // now, all of them or none. False: there was none, so nothing has begun.
  bool can_overtake() const;
  bool overtake(const DeviceImage& in, const Filtering&);
  bool overtakes() const { return overtaking_.under_way(); }
  bool take();  // shows what that has finished meanwhile; true: outputs() are others
  // What is at work, or its input where a pane shows that for want of anything better, is to be seen in some pane.
  bool shows_some_of_what_is_at_work() const;
  // It is of every pane that is seen; what is left is to try other ways, which may take long.
  bool shows_what_is_at_work() const { return phase_ == Phase::computing && taken_ >= seen_at_work_; }
  // What is at work, or was last, makes pictures that are there already, for their times alone.
  bool repeats() const { return repeats_; }
  bool owes_picture() const {  // what is at work has still to make one that is not there
    return overtakes() ||
           (!repeats_ && (phase_ == Phase::copying || (phase_ == Phase::computing && taken_ < at_work_count())));
  }
  bool counted() const;  // the time of what was filtered last, in every pane that is timed. When not at work.
  bool has_timed() const {
    return std::ranges::any_of(runners_, [](const Named& each) { return each.runner->is_timed(); });
  }
  // The view may be another one: what it does not show any more is given up where something that it shows waits for it.
  void look(const std::function<bool(int)>& seen);
  // Another frame is to come: what nobody sees is given up where that would wait for it any longer.
  void leave_unseen();
  // Until it is done, and shows it. `stop`: asked time and again; once it says so, what is under way is given up.
  void wait(const std::function<bool()>& stop = {});
  void cancel();  // gives up what is under way, within milliseconds
  // When not at work: of the panes that are seen nothing of the last frame was given up.
  bool is_complete() const { return is_complete_; }
  bool is_prepared() const { return is_prepared_; }  // the same of Filtering::before alone
  // A strategy could not do it after all: another one does when the same picture is filtered again. When not at work.
  bool has_failed() const;
  bool settled() const;                                // no plan tries others, or waits for its kernel
  const std::string& error() const { return error_; }  // of that; empty when it was done
  std::string take_error_of_overtaking() { return overtaking_.take_error(); }
  // On cores: for the last whole frame, or until a later one was given up that took longer; empty: none was whole yet.
  std::optional<double> seconds_taken() const { return seconds_taken_; }
  int frames_made() const { return frames_made_; }  // of every pane that is seen, by cores
  void forget() {                                   // the pictures
    cancel();
    stand_in_ = {};
    outputs_.clear();
  }

  std::span<const Image> outputs() const { return outputs_; }  // what to show of each pane: all of one size
  // The input that was filtered last, and shown for a pane that has not made anything of that size yet.
  const DeviceImage& input() const { return stand_in_; }
  // Whether these panes' outputs are both of one and the same input: only then their difference says something of them.
  bool show_one_frame(int first, int second) const;
  int generation() const { return generation_; }      // of a picture from cores: another one when outputs() are others
  void tell_progress(std::vector<PaneStats>&) const;  // what is under way, and where outputs() are still the input
  void collect(std::vector<PaneStats>&);  // that, and times of finished frames and how things stand; never waits

  int size() const { return static_cast<int>(runners_.size()); }
  PaneRunner& runner(int position) { return *runners_[static_cast<std::size_t>(position)].runner; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Named {
    int id;
    std::unique_ptr<PaneRunner> runner;
  };
  enum class Phase { idle, copying, computing };  // copying: from a GPU to where the cores read

  void copy_to_host(const DeviceImage& in);
  void begin_work(const DeviceImage& in, const Image& on_host, const std::function<void()>& before);
  void work(const Image& in, const std::function<void()>& before);
  void end_work() {
    order_at_work_.clear();
    in_ = {};
    phase_ = Phase::idle;
  }
  void refresh_outputs();
  int at_work_count() const { return static_cast<int>(order_at_work_.size()); }
  bool waits_for_slow() const;
  bool show(bool news);
  bool some_stand_in() const;
  std::vector<PaneRunner*> quick_ones(const std::function<bool(int)>& seen) const;
  void take_overtaken(const DeviceImage& in);
  void has_come_into_sight(const std::optional<FrameId>&);
  double seconds_at_work() const { return std::chrono::duration<double>(Clock::now() - started_).count(); }
  bool stands_in(int position) const;

  Compute& compute_;
  const std::function<void()> on_progress_;
  std::vector<Named> runners_;
  std::vector<Image> outputs_, before_;  // as interop takes them
  DeviceImage stand_in_;
  std::optional<FrameId> stand_in_frame_, newest_frame_;  // which that is; the newest that is seen
  int generation_ = 0;
  FrameOrder order_;
  std::size_t configured_ = 0;  // panes, the last time
  int uncounted_ = 0;           // frames still to come whose times do not count, in any pane

  // Of the frame that the cores work on.
  Phase phase_ = Phase::idle;
  std::vector<PaneRunner*> order_at_work_, next_order_, unseen_, slow_unseen_;
  int seen_at_work_ = 0;        // of order_at_work_, the first ones
  int first_slow_at_work_ = 0;  // the first of them that is likely to take long
  double slowest_at_work_ = 0;  // s, that the one of those seen that is likely to take longest is expected to
  DeviceImage in_;
  std::vector<PaneRunner*> trying_;  // of these, those that may try other ways when all are done
  bool counts_ = true, quiet_ = true, together_ = false, repeats_ = false;
  bool input_is_shown_ = false;  // it is stand_in_, or was until something overtook it
  FrameId frame_;
  Clock::time_point started_;
  std::optional<Clock::time_point> seen_done_;
  std::optional<double> seconds_taken_;
  int frames_made_ = 0;
  int taken_ = 0;
  std::atomic<int> finished_ = 0;  // panes, of order_at_work_; −1: `before` is not done yet
  std::string error_;
  bool is_complete_ = true, is_prepared_ = true;

  // Of CPU strategies beside those of a GPU, while there are some.
  std::unique_ptr<PatchDownload> download_;
  std::size_t download_bytes_ = 0;

  Pause pause_;  // of worker_
  JobThread worker_;
  FrameId overtaking_frame_;
  Overtaking overtaking_;  // these come last: they use all of the above
};

}  // namespace convoscope
