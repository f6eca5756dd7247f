#pragma once
// What this machine's cores compute is done by a thread beside the caller, one pane after another, so that they do not
// disturb each other; its pictures are shown when they are there. A newer frame waits, but for quick panes that
// overtake a slow one.
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/jobs/job_thread.h"
#include "app/panes/frame_download.h"
#include "app/panes/overtaking.h"
#include "app/panes/pane_executor.h"
#include "app/panes/pane_list.h"
#include "app/panes/pane_outputs.h"
#include "app/panes/pane_queue.h"

namespace convoscope {

class CoresExecutor final : public PaneExecutor {
 public:
  // `from_gpu`: how frames come from where they are; null where that is memory of the cores. `on_progress`:
  // take_finished_pictures() may have something; called from another thread.
  CoresExecutor(const PaneList&, PaneOutputs&, std::unique_ptr<FrameDownload> from_gpu,
                std::function<void()> on_progress);
  ~CoresExecutor() override { cancel(); }

  bool is_of(const PaneRunner& pane) const override { return pane.on_cores(); }
  bool filters_again(const PaneRunner& pane, const PaneFiltering& how) const override {
    return how.again_on_cores && pane.is_timed();
  }
  // Panes that come while others are at work are left out.
  void add(const PaneTurn& turn, const DeviceImage&, const PaneFiltering&, bool) override {
    if (!at_work()) queue_.add(turn);
  }
  void begin(const DeviceImage& in, const PaneFiltering&, bool counts) override;
  void take_before(const Image& picture, const FrameId& frame) override {  // within PaneFiltering::before
    for (PaneRunner* const pane : work_.order) pane->take_before(picture, frame);
  }

  bool at_work() const { return phase_ != Phase::idle || overtakes(); }
  // Shows what has come to its end meanwhile; true: outputs are others.
  bool take_finished_pictures();
  // Until all has, and shows it. `stop`: asked time and again; once it says so, what is under way is given up.
  void wait(const std::function<bool()>& stop);
  void cancel();  // gives up what is under way, within milliseconds
  // What nobody sees is given up where another frame would wait for it, or what is seen now.
  void make_way_for(const DeviceImage& in) {
    if (work_.in.image().data != in.image().data) give_up_unseen();
  }
  void give_up_unseen();
  void follow_view(const SeenPanes&);
  void release_memory();  // where none of the panes needs it

  // While a slow pane is at work, those that are seen and quick beside it may go on to a newer frame; none where that
  // cannot be now.
  bool can_overtake() const;
  std::vector<PaneRunner*> quick_panes(const SeenPanes&) const;
  void overtake(std::vector<PaneRunner*>, const DeviceImage& in, const PaneFiltering&, bool counts);
  bool overtakes() const { return overtaking_.under_way(); }
  std::string take_error_of_overtaking() { return overtaking_.take_error(); }

  bool shows_some_of_what_is_at_work() const;
  bool shows_what_is_at_work() const { return phase_ == Phase::computing && work_.taken >= work_.seen; }
  bool owes_picture() const {
    return overtakes() || (!last_.repeats &&
                           (phase_ == Phase::copying || (phase_ == Phase::computing && work_.taken < work_.count())));
  }
  // How long the next picture of this pane has been under way; 0: none is.
  double seconds_under_way(const PaneRunner&) const;

  // What is at work, or was last.
  struct Last {
    bool repeats = false;                         // pictures that are there already, for their times alone
    bool is_complete = true, is_prepared = true;  // nothing that is seen was given up; PaneFiltering::before
    std::string error;                            // of that; empty when it was done
  };
  const Last& last() const { return last_; }  // all but `repeats` when not at work
  std::optional<double> seconds_taken() const { return seconds_taken_; }
  int frames_made() const { return frames_made_; }

 private:
  using Clock = std::chrono::steady_clock;
  enum class Phase { idle, copying, computing };  // copying: from a GPU to where the cores read

  // The frame that is at work.
  struct Work {
    std::vector<PaneRunner*> order;
    std::vector<PaneRunner*> trying;  // of these, those that may try other ways when all are done
    int seen = 0;                     // of `order`, the first ones
    int first_slow = 0;               // the first of them that is likely to take long
    double slowest = 0;               // s, that the one of those seen that is likely to take longest is expected to
    DeviceImage in;
    FrameId frame;
    bool counts = true, quiet = true, together = false;
    bool input_is_shown = false;  // or was until something overtook it
    int taken = 0;                // pictures, of `order`
    Clock::time_point started{};
    std::optional<Clock::time_point> seen_done;
    int count() const { return static_cast<int>(order.size()); }
  };

  void begin_copying(const Image& in);  // throws Error when there is no memory for it
  void begin_computing(const Image& in, const std::function<void()>& before);
  void compute(const Image& in, const std::function<void()>& before);
  void end_work();
  bool renew_outputs(bool news);
  void show_overtaken(const DeviceImage& in);
  bool input_stands_in() const;
  bool waits_for_slow() const;
  double seconds_at_work() const { return std::chrono::duration<double>(Clock::now() - work_.started).count(); }

  const PaneList& panes_;
  PaneOutputs& outputs_;
  const std::unique_ptr<FrameDownload> from_gpu_;
  const std::function<void()> on_progress_;
  PaneQueue queue_;
  Phase phase_ = Phase::idle;
  Work work_;
  std::atomic<int> finished_ = 0;  // panes, of those at work; −1: PaneFiltering::before is not done yet
  Last last_;
  std::optional<double> seconds_taken_;
  int frames_made_ = 0;
  FrameId overtaking_frame_;
  Pause pause_;  // of worker_
  JobThread worker_;
  Overtaking overtaking_;  // these come last: they use all of the above
};

}  // namespace convoscope
