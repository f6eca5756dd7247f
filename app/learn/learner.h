#pragma once
// The layers that learn while the video plays. A thread of its own, with a stream of its own on a GPU, takes the frames
// that are shown and makes as many steps with each as its time allows; the window goes on beside it.
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/jobs/job_thread.h"
#include "app/learn/loss_history.h"
#include "app/learn/shown_target.h"
#include "app/state/settings.h"
#include "app/state/stats.h"
#include "kernels/compute/compute.h"
#include "kernels/learn/trainer.h"

namespace convoscope {

class Learner {
 public:
  static constexpr double budget_ms = 4;  // for the steps of a frame; at least one is made

  // `waits`: nobody watches, so each frame's steps are made before the caller goes on. `on_progress`: observe() may
  // have something new; called from another thread. `stop`: asked while it waits; once it says so, the steps are given
  // up.
  explicit Learner(Compute&, bool waits = false, std::function<void()> on_progress = {},
                   std::function<bool()> stop = {});

  struct Asked {
    bool reset = false, check_gradients = false;  // of the user
    bool running = false;                         // the layer is to learn
    bool rest = false;                            // nothing may be begun: something else is measured
    double budget_ms = Learner::budget_ms;        // for the steps of this frame
  };
  struct Answer {
    std::optional<Filter> weights;               // that the layer has from now on
    std::optional<std::vector<Filter>> further;  // of the layers behind it from now on: see put_layers_behind()
    bool stop = false;  // the layer is to learn no more: it cannot go on, LearnStats::problem says why
  };
  // Once a frame, with the picture that is shown, in the Compute's memory. Never waits but where nobody watches.
  // Another layer, number of layers, task, target or number of colours begins anew, with the weights that are there.
  // Another method is a mark on the way, and weights that the user changes meanwhile are learnt on from.
  Answer observe(const DeviceImage& picture, const Settings&, const Asked&, LearnStats&);
  bool at_work() const { return at_work_; }                      // until observe() has what came of it
  bool disturbs() const { return at_work_ && !worker_.idle(); }  // those who measure

  // Before that Compute goes: nothing of it is used any more, what is known of the steps stays, and those that
  // observe() does not have yet are lost. Then it goes on with another one, maybe on another device.
  void leave_device();
  void go_on_with(Compute&);

 private:
  static constexpr int steps_timed = 100;  // the last ones

  struct Subject {
    Network network;  // with the weights that it begins with
    Lesson lesson;
    bool compares = false;             // there are true weights
    std::optional<PaneSettings> pane;  // whose pictures are wanted
  };
  // What the user wants to be learnt, by however many layers: of the settings those that tell.
  struct Goal {
    LearnSettings learn;
    std::optional<PaneSettings> pane;
    bool operator==(const Goal&) const = default;
  };
  // What is known of weights that were learnt, while the layer has them.
  struct Course {
    std::optional<Subject> subject;
    Goal goal;
    LossHistory history;
    std::int64_t steps = 0;
    Filter learnt, learnt_as_put;
    LearnStats told;
  };
  // The thread's own while it is at work.
  struct Job {
    Network network;
    Lesson lesson;
    std::optional<PaneSettings> pane;
    DeviceImage picture;
    bool begins = false, edited = false, learns = false, checks = false;
    std::int64_t steps = 0;  // made before
    double budget_ms = Learner::budget_ms;
    std::vector<double> losses;
    LearnStats::CutOff cut_off;  // after those steps
    std::vector<Filter> banks;   // that were learnt
    std::optional<LearnStats::GradientCheck> gradients;
    std::vector<double> milliseconds;  // of each step
    std::string problem;
  };

  static Subject subject_of(Network, const Settings&);
  static Goal goal_of(const Settings&);
  std::string what_differs(const Subject&) const;  // "the filter"; empty: nothing that would be another lesson
  void take_answer(const Settings&, Answer&, LearnStats&);
  void compare(const Filter& bank, LearnStats&) const;
  void judge_cut_off(LearnStats&) const;
  void follow_weights(const Filter& bank, LearnStats&);  // of the layer, while nothing is learnt
  void begin_anew(const std::string& changed, LearnStats&);
  void begin_with_other_weights(LearnStats&);
  void exchange(Course&, LearnStats&);  // with what is known now
  bool learns_now() const { return at_work_ && !stale_ && job_.learns; }
  void drop_work(const std::string& changed, LearnStats&);
  void go_on(const DeviceImage& picture, const Settings&, Answer&, LearnStats&);  // throws Error
  void begin_job(Subject, std::vector<Filter> kept);
  void hold(const DeviceImage& picture);
  void work();

  Compute* compute_;  // null: it has left its device
  Device device_;     // that learns
  const bool waits_;
  const std::function<bool()> stop_;
  std::optional<Subject> subject_;
  Goal goal_;  // of the steps so far
  LossHistory history_;
  RollingTimes times_{steps_timed};
  std::optional<std::pair<LearnSettings, LayerSettings>> checked_;  // what the gradients were checked for
  std::int64_t steps_ = 0;
  std::vector<Filter> expected_;  // the layers' banks, as the settings have them while nobody else changes them; finite
  Filter learnt_, learnt_as_put_;  // the first layer's last ones: as they were learnt, as the settings got them
  std::optional<Course> before_;   // of weights that an undo or a redo may bring back
  bool begins_ = true;             // a trainer is to be made
  bool check_asked_ = false;
  bool running_ = false;  // as asked last; likewise:
  double budget_asked_ = budget_ms;
  bool stale_ = false;  // what is at work is of another subject
  bool at_work_ = false;

  DeviceImage held_;  // for the next job; on a GPU once the mark has passed
  std::unique_ptr<IntervalTimer> mark_;

  Job job_;
  std::unique_ptr<Compute> own_;
  std::unique_ptr<Trainer> trainer_;
  std::unique_ptr<ShownTarget> shown_;  // where the lesson is of another picture
  JobThread worker_;                    // last: it uses all of the above
};

}  // namespace convoscope
