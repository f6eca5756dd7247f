#pragma once
// The layers learn from the picture that the panes have had, while those rest. What is learnt is the layers' from the
// next frame on.
#include <memory>
#include <utility>

#include "app/learn/learner.h"
#include "app/state/network_settings.h"
#include "app/state/settings.h"
#include "app/state/stats.h"
#include "kernels/filter/banks/bank_catalogue.h"

namespace convoscope {

class LearnStage {
 public:
  void begin(std::unique_ptr<Learner> learner) { learner_ = std::move(learner); }
  void end() { learner_.reset(); }  // before the Compute goes that it was made for

  void obey(const Requests& asked) {
    asked_.reset |= asked.reset_learning;
    asked_.check_gradients |= asked.check_gradients;
  }
  // Once a frame. `rest`: something else is measured.
  void observe(const DeviceImage& picture, bool rest, Settings& settings, LearnStats& stats) {
    Learner::Asked asked = std::exchange(asked_, {});
    asked.rest = rest;
    const Learner::Answer answer = learner_->observe(picture, settings, asked, stats);
    if (answer.weights) {
      settings.layer.weights = *answer.weights;
      settings.layer.bank = custom_bank;
    }
    if (answer.further) put_layers_behind(settings.layer, *answer.further, settings.learn.task == LearnTask::denoise);
    if (answer.stop) settings.learn.running = false;
  }
  bool disturbs() const { return learner_->disturbs(); }  // those who measure

 private:
  std::unique_ptr<Learner> learner_;
  Learner::Asked asked_;  // since observe() was called last
};

}  // namespace convoscope
