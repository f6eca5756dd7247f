// What the thread does with a frame: steps, and a check of the gradients.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>

#include "app/files/sentence.h"
#include "app/files/shortage.h"
#include "app/learn/learner.h"
#include "app/learn/learnt_banks.h"
#include "kernels/learn/gradient_check.h"
#include "kernels/threads/stop.h"

namespace convoscope {
namespace {

constexpr int checked_side = 24;       // of the patch that gradients are checked on: the reference takes its time
constexpr int gradients_checked = 12;  // weights of each layer

// Of the layers with ReLU the one that has least left.
LearnStats::CutOff most_cut_off(const Trainer& trainer) {
  LearnStats::CutOff most;
  for (int i = 0; i < static_cast<int>(trainer.network().size()); ++i)
    if (trainer.network()[static_cast<std::size_t>(i)].filter.relu)
      if (const double left = trainer.share_above_zero(i); left < most.left) most = {.layer = i + 1, .left = left};
  return most;
}

}  // namespace

void Learner::work() {
  using Clock = std::chrono::steady_clock;
  const auto began = Clock::now();
  const auto milliseconds = [&] { return std::chrono::duration<double, std::milli>(Clock::now() - began).count(); };
  try {
    if (!own_) own_ = make_compute(device_.backend, device_.ordinal);
    if (job_.begins || !trainer_) {
      trainer_.reset();
      shown_ = job_.pane ? std::make_unique<ShownTarget>(*own_, *job_.pane) : nullptr;
      trainer_ = std::make_unique<Trainer>(*own_, job_.network, job_.lesson, patches_for(job_.network, device_.backend),
                                           1u, true);
    } else if (job_.edited) {
      trainer_->set_banks(banks_of(job_.network));
    }
    trainer_->set_rate(job_.lesson.rate);
    const Image wanted = shown_ ? shown_->of(job_.picture.image()) : Image();
    if (stop_requested()) return;  // it may be half of that
    if (job_.checks) {
      PatchSettings patch = patches_for(job_.network, device_.backend);
      patch = {.samples = 1, .side = std::max(checked_side, patch.side / 2)};
      Trainer other(*own_, job_.network, job_.lesson, patch, 2u, true);
      const GradientCheck found = check_gradients(other, job_.picture.image(), gradients_checked, wanted);
      if (!stop_requested()) job_.gradients = {found.error, found.tolerance, found.weights, found.why_none, job_.steps};
    }
    const double before = milliseconds();
    double last = before;
    while (job_.learns && !stop_requested()) {
      const double loss = trainer_->step(job_.picture.image(), wanted);
      if (stop_requested()) break;
      if (!std::isfinite(loss)) {
        job_.problem = "The loss was not a number, so the layer stopped learning. It has the weights from before.";
        break;
      }
      const double now = milliseconds();
      job_.losses.push_back(loss);
      job_.milliseconds.push_back(now - last);
      last = now;
      if (now - before >= job_.budget_ms) break;
    }
    if (job_.losses.empty()) return;
    job_.banks = banks_of(trainer_->network());
    job_.cut_off = most_cut_off(*trainer_);
  } catch (const std::exception& error) {
    job_.problem = as_sentence(why_failed(error));
    trainer_.reset();
    shown_.reset();
  }
}

}  // namespace convoscope
