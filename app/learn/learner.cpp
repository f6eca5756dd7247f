#include "app/learn/learner.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <utility>

#include "app/files/sentence.h"
#include "app/state/workbench.h"
#include "kernels/contract/error.h"
#include "kernels/contract/stop.h"
#include "kernels/learn/gradient_check.h"

namespace convoscope {
namespace {

constexpr int checked_side = 24;       // of the patch that gradients are checked on: the reference takes its time
constexpr float small_weights = 0.1f;  // of those that a network begins with

bool is_finite(const Filter& bank) {
  return std::ranges::all_of(bank.weights, [](float weight) { return std::isfinite(weight); });
}

bool is_of_a_shape(const Filter& one, const Filter& other) {
  return one.maps == other.maps && one.channels == other.channels && one.width == other.width &&
         one.weights.size() == other.weights.size();
}

// The layer's own bank with these weights. Those for grey are shared by the colours that a layer has for other
// pictures.
Filter with_weights(Filter bank, const Filter& learnt) {
  bank.name = "learnt";
  if (bank.channels == learnt.channels) {
    bank.weights = learnt.weights;
    return bank;
  }
  const std::size_t taps = static_cast<std::size_t>(bank.taps()), channels = static_cast<std::size_t>(bank.channels);
  for (std::size_t i = 0; i < bank.weights.size(); ++i)
    bank.weights[i] = learnt.weights[i / (taps * channels) * taps + i % taps] / static_cast<float>(channels);
  return bank;
}

Filter small_random_bank(Filter bank) {
  bank.weights = find_bank_kind("random")->make(bank.maps, bank.channels, bank.width).weights;
  for (float& weight : bank.weights) weight *= small_weights;
  bank.name = "learnt";
  return bank;
}

Device learning_device(Device device) {
  // The emulator is there to be looked into; what it would take seconds for the same cores do in milliseconds.
  if (device.backend == Backend::emulated) device.backend = Backend::cpu;
  return device;
}

}  // namespace

Learner::Learner(Compute& compute, bool waits, std::function<void()> on_progress, std::function<bool()> stop)
    : compute_(compute),
      device_(learning_device(compute.device())),
      waits_(waits),
      stop_(std::move(stop)),
      mark_(compute.make_timer()),
      worker_(std::move(on_progress)) {}

Learner::Subject Learner::subject_of(const Problem& layer, const LearnSettings& learn) {
  Subject subject;
  if (learn.task == LearnTask::filter) {
    subject.target = bank_of_target(learn.target.filter, layer);
    subject.compares = true;
  } else {
    subject.target = bank_of_target({.name = "identity", .weights = {1}}, layer);
    subject.noise = learn.noise / white_level(PixelFormat::rgba8);
  }
  subject.layer = layer;
  return subject;
}

// As far as the patches do not notice: a video may change its size.
bool Learner::is_other(const Subject& wanted) const {
  if (!subject_) return true;
  const auto patch = [&](const Problem& layer) {
    const int side = patches_for(layer, device_.backend).side;
    return std::pair(std::min(layer.width, side), std::min(layer.height, side));
  };
  const Problem &now = subject_->layer, &then = wanted.layer;
  return patch(now) != patch(then) || now.layer != then.layer || now.filter.relu != then.filter.relu ||
         !is_of_a_shape(now.filter, then.filter) || subject_->target != wanted.target ||
         subject_->noise != wanted.noise || subject_->compares != wanted.compares;
}

void Learner::begin_anew(LearnStats& stats) {
  stats = {};
  history_ = {};
  steps_ = 0;
  begins_ = true;
  stale_ = at_work_;
}

Learner::Answer Learner::observe(const DeviceImage& picture, const Settings& settings, const Asked& asked,
                                 LearnStats& stats) {
  Answer answer;
  take(settings, answer, stats);
  const Filter& bank = settings.layer.weights;
  if (asked.reset && bank.is_bank()) {
    answer.weights = small_random_bank(bank);
    begin_anew(stats);
  }
  check_asked_ |= asked.check_gradients;
  const bool wanted = is_layer(work_of(settings)) && (settings.learn.running || check_asked_) && !answer.stop;
  if (!is_layer(work_of(settings))) check_asked_ = false;
  if (!wanted || asked.rest || !picture) {
    held_ = {};
    return answer;
  }
  try {
    go_on(picture, settings, answer, stats);
  } catch (const Error& error) {
    stats.problem = as_sentence(error.what());
    answer.stop = true;
    check_asked_ = false;
    subject_.reset();
    stale_ = at_work_;
    held_ = {};
  }
  return answer;
}

void Learner::go_on(const DeviceImage& picture, const Settings& settings, Answer& answer, LearnStats& stats) {
  LayerSettings own = settings.layer;
  if (answer.weights) own.weights = *answer.weights;
  if (!is_finite(own.weights)) {
    const bool known = expected_ && is_of_a_shape(*expected_, own.weights);
    if (known) answer.weights = expected_;
    throw Error(std::string("Some of the layer's weights were not numbers, so it stopped learning.") +
                (known ? " It has its earlier weights again." : ""));
  }
  const Image& shape = picture.image();
  const Problem layer =
      problem_of(settings.active(), {&layer_kind, &own, &settings.wall}, shape.width, shape.height, shape.format);
  if (const std::string reason = layer_kind.invalid(layer); !reason.empty()) throw Error(reason);
  if (Subject subject = subject_of(layer, settings.learn); is_other(subject)) {
    begin_anew(stats);
    subject_ = std::move(subject);
  }
  // Of a GPU's pictures the one whose mark was set a frame ago; cores have the newest.
  const bool on_gpu = device_.backend == Backend::cuda;
  if (!on_gpu || !held_.fits(shape.width, shape.height, shape.format)) hold(picture);
  if (at_work_ || !mark_->poll_ms()) return;
  stats.problem.clear();
  begin_job(layer, own.weights, settings.learn);
  if (on_gpu) hold(picture);
  if (waits_) worker_.wait(stop_);
}

// Not written again while it is held, and there once the device has passed the mark.
void Learner::hold(const DeviceImage& picture) {
  held_ = picture;
  mark_->start(compute_.stream());
  mark_->stop(compute_.stream());
}

void Learner::begin_job(const Problem& layer, const Filter& weights, const LearnSettings& learn) {
  const bool known = expected_ && is_of_a_shape(*expected_, weights) && expected_->weights == weights.weights;
  expected_ = weights;
  job_ = {};
  job_.layer = layer;
  job_.lesson = {subject_->target, subject_->noise, learn.rate};
  job_.picture = std::exchange(held_, {});
  job_.begins = std::exchange(begins_, false);
  job_.edited = !known;
  job_.learns = learn.running;
  job_.checks = std::exchange(check_asked_, false);
  at_work_ = true;
  stale_ = false;
  worker_.start([this] { work(); });
}

void Learner::work() {
  using Clock = std::chrono::steady_clock;
  const auto began = Clock::now();
  const auto milliseconds = [&] { return std::chrono::duration<double, std::milli>(Clock::now() - began).count(); };
  try {
    if (!own_) own_ = make_compute(device_.backend, device_.ordinal);
    if (job_.begins || !trainer_) {
      trainer_.reset();
      trainer_ =
          std::make_unique<Trainer>(*own_, job_.layer, job_.lesson, patches_for(job_.layer, device_.backend), 1u, true);
    } else if (job_.edited) {
      trainer_->set_bank(job_.layer.filter);
    }
    trainer_->set_rate(job_.lesson.rate);
    if (job_.checks) {
      PatchSettings patch = patches_for(job_.layer, device_.backend);
      patch = {.samples = 1, .side = std::max(checked_side, patch.side / 2)};
      Trainer other(*own_, job_.layer, job_.lesson, patch, 2u, true);
      const GradientCheck found = check_gradients(other, job_.picture.image());
      if (!stop_requested()) job_.gradients = {found.error, found.tolerance, found.weights};
    }
    const double before = milliseconds();
    while (job_.learns && !stop_requested()) {
      const double loss = trainer_->step(job_.picture.image());
      if (stop_requested()) break;
      if (!std::isfinite(loss)) {
        job_.problem = "The loss was not a number, so the layer stopped learning. It has the weights from before.";
        break;
      }
      job_.losses.push_back(loss);
      job_.milliseconds = milliseconds() - before;
      if (job_.milliseconds >= budget_ms) break;
    }
    if (!job_.losses.empty()) job_.bank = trainer_->bank();
  } catch (const std::exception& error) {
    job_.problem = as_sentence(error.what());
    trainer_.reset();
  }
}

void Learner::take(const Settings& settings, Answer& answer, LearnStats& stats) {
  if (!at_work_ || !worker_.idle()) return;
  at_work_ = false;
  job_.picture = {};
  if (std::exchange(stale_, false)) return;
  for (const double loss : job_.losses) history_.add(loss);
  steps_ += static_cast<std::int64_t>(job_.losses.size());
  stats.steps = steps_;
  stats.loss = history_.losses();
  stats.now = history_.now();
  if (job_.learns) stats.milliseconds = job_.milliseconds;
  if (job_.gradients) stats.gradients = job_.gradients;
  if (!job_.problem.empty()) {
    stats.problem = job_.problem;
    answer.stop = true;
    begins_ = true;
  }
  // Not where the user has changed them meanwhile: his are learnt on from.
  const Filter& bank = settings.layer.weights;
  if (!job_.bank || !is_of_a_shape(*expected_, bank) || expected_->weights != bank.weights) return;
  compare(*job_.bank, stats);
  answer.weights = expected_ = with_weights(bank, *job_.bank);
}

void Learner::compare(const Filter& bank, LearnStats& stats) const {
  if (!subject_ || !subject_->compares) return;
  double most = 0, difference = 0, product = 0, own = 0, wanted = 0;
  for (std::size_t i = 0; i < bank.weights.size(); ++i) {
    const double is = bank.weights[i], shall = subject_->target.weights[i];
    most = std::max(most, std::abs(shall));
    difference = std::max(difference, std::abs(is - shall));
    product += is * shall;
    own += is * is;
    wanted += shall * shall;
  }
  if (most > 0) stats.largest_difference = difference / most;
  if (own > 0 && wanted > 0) stats.cosine = product / std::sqrt(own * wanted);
}

}  // namespace convoscope
