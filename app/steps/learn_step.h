#pragma once
// The layers learn from the picture that the panes have had, while those rest. What is learnt is the layers' from the
// next frame on.
#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "app/learn/learner.h"
#include "app/state/momentary.h"
#include "app/state/network_settings.h"
#include "app/state/settings.h"
#include "app/state/stats.h"
#include "kernels/filter/banks/bank_catalogue.h"

namespace convoscope {

class LearnStep {
 public:
  void begin(std::unique_ptr<Learner> learner) { learner_ = std::move(learner); }
  // Before the Compute goes that it was made for, and with the one that comes instead: the steps so far stay.
  void leave_device() { learner_->leave_device(); }
  void go_on_with(Compute& compute) { learner_->go_on_with(compute); }
  bool has_begun() const { return learner_ != nullptr; }
  void end() { learner_.reset(); }

  void obey(const Requests& asked) {
    asked_.reset |= asked.reset_learning;
    asked_.check_gradients |= asked.check_gradients;
  }
  // What the panes make of frames on the cores: how many, and how long the last one took, if there was one.
  struct Pictures {
    int made = 0;
    std::optional<double> seconds = 0;
  };
  // Once a frame. `rest`: something else is measured.
  void observe(const DeviceImage& picture, bool rest, const Pictures& shown, Settings& settings, Momentary& at_hand,
               LearnStats& stats) {
    const bool is_asked = asked_.reset || asked_.check_gradients || rest || !at_hand.learning;
    if (!is_asked && waits_for_picture(shown)) return;
    Learner::Asked asked = std::exchange(asked_, {});
    asked.rest = rest;
    asked.running = at_hand.learning;
    if (const double seconds = seconds_of(shown); seconds > slow_picture)
      asked.budget_ms = std::max(asked.budget_ms, 1e3 * std::min(seconds, longest_turn));
    const Learner::Answer answer = learner_->observe(picture, settings, asked, stats);
    if (answer.weights) {
      settings.layer.weights = *answer.weights;
      settings.layer.bank = custom_bank;
      put_at_ = Clock::now();
      made_then_ = shown.made;
    }
    if (answer.further) put_layers_behind(settings.layer, *answer.further, settings.learn.task == LearnTask::denoise);
    if (answer.stop) at_hand.learning = false;
  }
  bool disturbs() const { return learner_->disturbs(); }  // those who measure

 private:
  using Clock = std::chrono::steady_clock;
  // Seconds. New weights give up what is under way, so where a picture takes longer, as in the emulator, it and what is
  // learnt take turns: else none would ever be shown.
  static constexpr double slow_picture = 0.25, longest_turn = 0.25, first_picture = 15;

  static double seconds_of(const Pictures& shown) { return shown.seconds.value_or(first_picture); }

  // Whether the one with the weights that were put into the layer last is still to come. Not for ever: nobody may look.
  bool waits_for_picture(const Pictures& shown) const {
    constexpr double patience = 4;  // pictures
    return seconds_of(shown) > slow_picture && shown.made == made_then_ &&
           std::chrono::duration<double>(Clock::now() - put_at_).count() < patience * seconds_of(shown);
  }

  std::unique_ptr<Learner> learner_;
  Clock::time_point put_at_;
  int made_then_ = -1;
  Learner::Asked asked_;  // since observe() was called last
};

}  // namespace convoscope
