#include "app/learn/learner.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/files/sentence.h"
#include "app/learn/learnt_banks.h"
#include "app/state/network_settings.h"
#include "app/state/workbench.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

constexpr const char* a_method = "the method";  // of all that may differ what leaves the lesson as it is

// Of the loss: a millionth of white between the maps and their target. With the gradients of what rounding leaves, Adam
// goes on to move the weights about, and now and then far away.
constexpr double rounding = 1e-12;

constexpr int steps_to_judge = 20;  // before, the smoothed loss is that of a few pictures

// Of a pane that which tells what it shows.
PaneSettings what_is_filtered(PaneSettings pane) {
  return {.strategy = pane.strategy, .tuning = pane.tuning, .filter = pane.filter, .border = pane.border};
}

// What the pane's filter adds to each of its sums, weights alone cannot add.
bool wants_biases(const Settings& settings) {
  if (settings.learn.task != LearnTask::pane) return false;
  const PaneSettings& pane = learnt_pane(settings);
  return pane.strategy != "source" && pane.filter.filter.bias != 0;
}

Device learning_device(Device device) {
  // The emulator is there to be looked into; what it would take seconds for the same cores do in milliseconds.
  if (device.backend == Backend::emulated) device.backend = Backend::cpu;
  return device;
}

// What a check of the gradients is about: the goal and the layers, whatever they have learnt, and however.
std::pair<LearnSettings, LayerSettings> what_is_checked(const Settings& settings) {
  std::pair<LearnSettings, LayerSettings> what{settings.learn, settings.layer};
  const LearnSettings usual;
  LearnSettings& learn = what.first;
  learn.rate = usual.rate;
  learn.method = usual.method;
  LayerSettings& layer = what.second;
  layer.bank = layer.network = {};
  layer.weights.name.clear();
  layer.weights.weights.clear();
  layer.weights.biases.clear();
  layer.further = LayerSettings().further;
  layer.seen = -1;
  return what;
}

}  // namespace

Learner::Learner(Compute& compute, bool waits, std::function<void()> on_progress, std::function<bool()> stop)
    : waits_(waits), stop_(std::move(stop)), worker_(std::move(on_progress)) {
  go_on_with(compute);
}

void Learner::go_on_with(Compute& compute) {
  compute_ = &compute;
  device_ = learning_device(compute.device());
  mark_ = compute.make_timer();
}

void Learner::leave_device() {
  worker_.cancel();
  check_asked_ |= at_work_ && !stale_ && job_.checks;
  at_work_ = stale_ = false;
  job_ = {};
  held_ = {};
  shown_.reset();
  trainer_.reset();
  own_.reset();
  mark_.reset();
  begins_ = true;
  times_.clear();
  compute_ = nullptr;
}

Learner::Subject Learner::subject_of(Network network, const Settings& settings) {
  const LearnSettings& learn = settings.learn;
  Subject subject;
  Lesson& lesson = subject.lesson;
  lesson.rate = learn.rate;
  lesson.method = learn.method;
  if (learn.task == LearnTask::filter) {
    lesson.target = bank_of_target(learn.target.filter, network);
    subject.compares = network.size() == 1;
  } else if (learn.task == LearnTask::pane) {
    lesson.shown = true;
    subject.pane = what_is_filtered(learnt_pane(settings));
  } else {
    lesson.target = bank_of_target({.name = "identity", .weights = {1}}, network);
    lesson.noise = learn.noise / white_level(PixelFormat::rgba8);
    lesson.residual = network.size() > 1;
  }
  subject.network = std::move(network);
  return subject;
}

Learner::Goal Learner::goal_of(const Settings& settings) {
  const LearnSettings& learn = settings.learn;
  Goal goal{.learn = {.task = learn.task, .layers = learn.layers}};
  if (learn.task == LearnTask::filter)
    goal.learn.target = learn.target;
  else if (learn.task == LearnTask::denoise)
    goal.learn.noise = learn.noise;
  else
    goal.pane = what_is_filtered(learnt_pane(settings));
  return goal;
}

// As far as the patches do not notice: a video may change its size.
std::string Learner::what_differs(const Subject& wanted) const {
  const auto patch = [&](const Network& network) {
    const int side = patches_for(network, device_.backend).side;
    return std::pair(std::min(network.front().width, side), std::min(network.front().height, side));
  };
  const auto alike = [](const Problem& one, const Problem& other) {
    return one.layer == other.layer && one.filter.relu == other.filter.relu && is_of_a_shape(one.filter, other.filter);
  };
  const Lesson &now = subject_->lesson, &then = wanted.lesson;
  if (subject_->network.size() != wanted.network.size()) return "the number of layers";
  if (patch(subject_->network) != patch(wanted.network) ||
      !std::ranges::equal(subject_->network, wanted.network, alike))
    return "the layer";
  if (now.shown != then.shown || (now.noise > 0) != (then.noise > 0)) return "the task";
  if (subject_->pane != wanted.pane) return "the pane";
  if (now.noise != then.noise) return "the noise";
  if (now.target != then.target) return "the filter";
  if (now.residual != then.residual || subject_->compares != wanted.compares) return "the task";
  return now.method != then.method ? a_method : "";
}

// What is at work is of no use any more.
void Learner::drop_work(const std::string& changed, LearnStats& stats) {
  if (at_work_ && !stale_ && job_.checks) stats.check_dropped_by = changed;
  stale_ = at_work_;
  begins_ = true;
}

void Learner::begin_anew(const std::string& changed, LearnStats& stats) {
  LearnStats fresh;
  fresh.anew = steps_ > 0 ? changed : stats.anew;
  fresh.reset = stats.reset;
  fresh.check_dropped_by = stats.check_dropped_by;
  stats = std::move(fresh);
  history_ = {};
  times_.clear();
  steps_ = 0;
  drop_work(changed, stats);
}

void Learner::begin_with_other_weights(LearnStats& stats) {
  if (steps_ > 0) before_ = Course{subject_, goal_, history_, steps_, learnt_, learnt_as_put_, stats};
  begin_anew("the weights", stats);
}

void Learner::exchange(Course& other, LearnStats& stats) {
  std::swap(subject_, other.subject);
  std::swap(goal_, other.goal);
  std::swap(history_, other.history);
  std::swap(steps_, other.steps);
  std::swap(learnt_, other.learnt);
  std::swap(learnt_as_put_, other.learnt_as_put);
  std::swap(stats, other.told);
  times_.clear();
  begins_ = true;
}

Learner::Answer Learner::observe(const DeviceImage& picture, const Settings& settings, const Asked& asked,
                                 LearnStats& stats) {
  Answer answer;
  take_answer(settings, answer, stats);
  if (stats.gradients && checked_ != what_is_checked(settings)) stats.gradients.reset();
  const Filter& bank = settings.layer.weights;
  if (!asked.running && !answer.weights && !learns_now()) follow_weights(bank, stats);
  stats.other_goal = steps_ > 0 && goal_ != goal_of(settings);
  if (asked.reset && bank.is_bank()) {
    const bool alone = settings.learn.layers == 1;
    const PixelFormat format = picture ? picture.image().format : settings.format;
    answer.weights = alone ? small_random_bank(bank) : first_of_several(bank);
    // All at once, so that nobody sees half a network, nor comes back to one by an undo.
    answer.further = with_initial_weights(further_layers(*answer.weights, settings.learn.layers, channels(format)));
    begin_with_other_weights(stats);
    stats.anew.clear();  // whoever resets them knows
    stats.reset = true;
  }
  budget_asked_ = asked.budget_ms;
  running_ = asked.running;
  if (asked.check_gradients) {
    check_asked_ = true;
    stats.check_dropped_by.clear();
  }
  const bool wanted = has_bank(work_of(settings)) && (asked.running || check_asked_) && !answer.stop;
  if (!has_bank(work_of(settings)) && std::exchange(check_asked_, false)) stats.check_dropped_by = "the workbench";
  stats.checking = check_asked_ || (at_work_ && !stale_ && job_.checks);
  if (!wanted || asked.rest || !picture) {
    held_ = {};
    stats.under_way = learns_now();
    return answer;
  }
  try {
    go_on(picture, settings, answer, stats);
  } catch (const Error& error) {
    stats.problem = as_sentence(error.what());
    answer.stop = true;
    check_asked_ = stats.checking = false;
    subject_.reset();
    stale_ = at_work_;
    held_ = {};
  }
  stats.under_way = learns_now();
  return answer;
}

void Learner::go_on(const DeviceImage& picture, const Settings& settings, Answer& answer, LearnStats& stats) {
  LayerSettings own = settings.layer;
  if (answer.weights) own.weights = *answer.weights;
  if (const int frames = frames_seen(own.weights); frames > 1)
    throw Error("The layer sees " + std::to_string(frames) + " frames, but it learns from single ones.");
  own.precision = Precision::f32;  // whatever the panes compute with: small steps are lost in fewer digits
  own.layout = Layout::nchw;
  if (!is_finite(own.weights)) {
    const bool known = !expected_.empty() && is_of_a_shape(expected_.front(), own.weights);
    if (known) answer.weights = expected_.front();
    throw Error(std::string("Some of the layer's weights were not numbers, so it stopped learning.") +
                (known ? " It has its earlier weights again." : ""));
  }
  if (own.weights.is_bank() && own.weights.biases.empty() && wants_biases(settings)) {
    own.weights.biases.resize(static_cast<std::size_t>(own.weights.maps));
    answer.weights = own.weights;
  }
  const Image& shape = picture.image();
  // Of no pane: one of them may have a type of its own.
  const Problem layer =
      problem_of(PaneSettings(), {&layer_kind, &own, &settings.wall}, shape.width, shape.height, shape.format);
  if (const std::string reason = layer_kind.invalid(layer); !reason.empty()) throw Error(reason);
  std::vector<Filter> kept = answer.further ? *answer.further : banks_behind(settings.layer);
  if (auto fresh = further_layers(layer.filter, settings.learn.layers, channels(shape.format));
      !are_of_a_shape(kept, fresh) || !std::ranges::all_of(kept, is_finite))
    answer.further = kept = with_initial_weights(std::move(fresh));
  Subject subject = subject_of(network_of(layer, kept), settings);
  if (const std::string changed = subject_ ? what_differs(subject) : ""; !subject_ || !changed.empty()) {
    if (changed == a_method) {
      drop_work(changed, stats);
      if (steps_ > 0) history_.mark();
    } else {
      begin_anew(changed, stats);
      before_.reset();
    }
    subject_ = subject;
    goal_ = goal_of(settings);
  }
  // Of a GPU's pictures the one whose mark was set a frame ago; cores have the newest.
  const bool on_gpu = device_.backend == Backend::cuda;
  if (!on_gpu || !held_.fits(shape.width, shape.height, shape.format)) hold(picture);
  if (at_work_ || !mark_->poll_ms()) return;
  if (stats.others_shown && running_) begin_with_other_weights(stats);
  stats.problem.clear();
  stats.learnt_all &= !running_;
  kept.insert(kept.begin(), own.weights);
  begin_job(std::move(subject), std::move(kept));
  stats.checking = job_.checks;
  if (on_gpu) hold(picture);
  if (waits_) worker_.wait(stop_);
}

// Not written again while it is held, and there once the device has passed the mark.
void Learner::hold(const DeviceImage& picture) {
  held_ = picture;
  mark_->start(compute_->stream());
  mark_->stop(compute_->stream());
}

void Learner::begin_job(Subject subject, std::vector<Filter> kept) {
  const bool known = all_have_the_same_values(expected_, kept);
  expected_ = std::move(kept);
  job_ = {};
  job_.network = std::move(subject.network);
  job_.lesson = std::move(subject.lesson);
  job_.pane = std::move(subject.pane);
  job_.picture = std::exchange(held_, {});
  job_.begins = std::exchange(begins_, false);
  job_.edited = !known;
  job_.learns = running_;
  job_.checks = std::exchange(check_asked_, false);
  job_.steps = steps_;
  job_.budget_ms = budget_asked_;
  at_work_ = true;
  stale_ = false;
  worker_.start([this] { work(); });
}

void Learner::take_answer(const Settings& settings, Answer& answer, LearnStats& stats) {
  if (!at_work_ || !worker_.idle()) return;
  at_work_ = false;
  job_.picture = {};
  if (std::exchange(stale_, false)) return;
  if (job_.checks) stats.checking = false;
  for (const double loss : job_.losses) history_.add(loss);
  judge_cut_off(stats);
  steps_ += static_cast<std::int64_t>(job_.losses.size());
  stats.steps = steps_;
  stats.loss = history_.losses();
  stats.marks = history_.marks();
  stats.now = history_.now();
  for (const double each : job_.milliseconds) times_.add(each);
  stats.milliseconds = times_.median();
  if (job_.gradients) {
    stats.gradients = job_.gradients;
    checked_ = what_is_checked(settings);
  }
  if (!job_.problem.empty()) {
    stats.problem = job_.problem;
    answer.stop = true;
    begins_ = true;
  }
  if (subject_ && subject_->lesson.noise > 0 && steps_ >= steps_to_judge)
    stats.decibels = 10 * std::log10(subject_->lesson.noise * subject_->lesson.noise / stats.now);
  if (!job_.losses.empty() && history_.is_smoothed() && history_.now() <= rounding) {
    stats.learnt_all = true;
    answer.stop = true;
  }
  // Not where the user has changed them meanwhile: his are learnt on from.
  std::vector<Filter> shown = banks_behind(settings.layer);
  shown.insert(shown.begin(), settings.layer.weights);
  if (job_.banks.empty() || !all_have_the_same_values(expected_, shown)) return;
  compare(job_.banks.front(), stats);
  answer.weights = with_weights(shown.front(), job_.banks.front());
  learnt_ = std::move(job_.banks.front());
  learnt_as_put_ = *answer.weights;
  answer.further = std::vector(job_.banks.begin() + 1, job_.banks.end());
  expected_ = *answer.further;
  expected_.insert(expected_.begin(), *answer.weights);
}

}  // namespace convoscope
