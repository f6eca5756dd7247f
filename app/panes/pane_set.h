#pragma once
// The panes at work: a runner and a row of statistics for each, in the order of the settings, and one picture of each
// to be shown.
#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/measure/frame_order.h"
#include "app/panes/cores_executor.h"
#include "app/panes/gpu_executor.h"
#include "app/panes/pane_list.h"
#include "app/panes/pane_outputs.h"

namespace convoscope {

class PaneSet {
 public:
  // `on_progress`: take_finished_pictures() may have something; called from another thread.
  explicit PaneSet(Compute& compute, std::function<void()> on_progress = {});
  ~PaneSet() { cancel(); }

  // Brings runners and `stats` into the order of `panes`, by PaneSettings::id: a pane that moves takes its plan and its
  // times with it, a closed one loses them, a new one starts with none. Panes without an id get one.
  void arrange(std::vector<PaneSettings>& panes, std::vector<PaneStats>& stats, int timing_window);
  // The panes as they were arranged, for pictures of this size. Allocates and makes plans where something changed, and
  // gives up what is under way then.
  void configure(const std::vector<PaneSettings>& panes, int width, int height, PixelFormat, const Work& = {},
                 bool has_alpha = false);

  using Filtering = PaneFiltering;
  // Takes `in` through the panes, in a new random order: enqueued, or begun. Panes on cores that are still at work
  // leave it out; slow ones come after the quick ones, and those that are not seen last, by themselves if they take
  // long. Around a change of any pane the times of no pane count. `in` stays as it is for as long as the panes hold it.
  void filter(const DeviceImage& in, const Filtering&);
  void filter(const DeviceImage& in) { filter(in, Filtering()); }
  // Before filter(), or on cores in Filtering::before: a frame that goes into pictures before the next one, where
  // several do. It is done with when this returns, or in step with the stream. What cores do beside a GPU leaves it
  // out: they would need it in their memory.
  void take_before(const Image& picture, const FrameId& frame) { of_pictures().take_before(picture, frame); }
  // The most frames that are missing before this one in a pane that is seen.
  int frames_before(std::int64_t next, const SeenPanes&) const;

  // Of the cores: see CoresExecutor.
  bool at_work() const { return cores_.at_work(); }
  // While a slow pane is at work, the quick ones that are seen need not wait for it: they can go on to a newer frame
  // now, all of them or none. False: there was none, so nothing has begun.
  bool can_overtake() const { return cores_.can_overtake(); }
  bool overtake(const DeviceImage& in, const Filtering&);
  bool overtakes() const { return cores_.overtakes(); }
  bool take_finished_pictures() { return cores_.take_finished_pictures(); }  // true: outputs() are others
  // What is at work, or its input where a pane shows that for want of anything better, is to be seen in some pane.
  bool shows_some_of_what_is_at_work() const { return cores_.shows_some_of_what_is_at_work(); }
  // It is of every pane that is seen; what is left is to try other ways, which may take long.
  bool shows_what_is_at_work() const { return cores_.shows_what_is_at_work(); }
  // What is at work, or was last, makes pictures that are there already, for their times alone.
  bool repeats() const { return cores_.last().repeats; }
  bool owes_picture() const {
    return cores_.owes_picture();
  }                      // what is at work has still to make one that is not there
  bool counted() const;  // the time of what was filtered last, in every pane that is timed. When not at work.
  bool has_timed() const {
    return std::ranges::any_of(runners_, [](const IdentifiedPane& each) { return each.runner->is_timed(); });
  }
  // The view may be another one: what it does not show any more is given up where something that it shows waits for it.
  void follow_view(const SeenPanes& seen) { cores_.follow_view(seen); }
  // Another frame is to come: what nobody sees is given up where that would wait for it any longer.
  void give_up_unseen() { cores_.give_up_unseen(); }
  // Until it is done, and shows it. `stop`: asked time and again; once it says so, what is under way is given up.
  void wait(const std::function<bool()>& stop = {}) { cores_.wait(stop); }
  void cancel() { cores_.cancel(); }  // gives up what is under way, within milliseconds
  // When not at work: of the panes that are seen nothing of the last frame was given up.
  bool is_complete() const { return cores_.last().is_complete; }
  bool is_prepared() const { return cores_.last().is_prepared; }    // the same of Filtering::before alone
  const std::string& error() const { return cores_.last().error; }  // of that; empty when it was done
  std::string take_error_of_overtaking() { return cores_.take_error_of_overtaking(); }
  // For the last whole frame, or until a later one was given up that took longer; empty: none was whole yet.
  std::optional<double> seconds_taken() const { return cores_.seconds_taken(); }
  int frames_made() const { return cores_.frames_made(); }  // of every pane that is seen

  // A strategy could not do it after all: another one does when the same picture is filtered again. When not at work.
  bool has_failed() const { return any_has_failed(runners_); }
  bool settled() const;  // no plan tries others, or waits for its kernel
  void forget() {        // the pictures
    cancel();
    outputs_.forget_pictures();
  }

  std::span<const Image> outputs() const { return outputs_.pictures(); }  // what to show of each pane: all of one size
  // The input that was filtered last, and shown for a pane that has not made anything of that size yet.
  const DeviceImage& input() const { return outputs_.input(); }
  // Whether these panes' outputs are both of one and the same input: only then their difference says something of them.
  bool show_one_frame(int first, int second) const { return outputs_.show_one_frame(first, second); }
  int generation() const { return outputs_.generation(); }  // of a picture from cores: another one when outputs() are
  void tell_progress(std::vector<PaneStats>&) const;  // what is under way, and where outputs() are still the input
  void collect(std::vector<PaneStats>&);  // that, and times of finished frames and how things stand; never waits

  int size() const { return static_cast<int>(runners_.size()); }
  PaneRunner& runner(int position) { return pane_at(runners_, position); }

 private:
  PaneExecutor& of_pictures() const { return *executors_.front(); }  // of the device that they are on
  const PaneExecutor& of(const PaneRunner&) const;

  Compute& compute_;
  PaneList runners_;
  PaneOutputs outputs_;
  FrameOrder order_;
  std::size_t configured_ = 0;  // panes, the last time
  int uncounted_ = 0;           // frames still to come whose times do not count, in any pane
  GpuExecutor gpu_;             // where there is one
  CoresExecutor cores_;
  std::vector<PaneExecutor*> executors_;
};

}  // namespace convoscope
