#include "app/pane_runner.h"

#include <utility>

#include "kernels/error.h"

namespace convoscope {
namespace {

bool same_shape(const Filter& a, const Filter& b) {
  return a.width == b.width && a.height == b.height && a.is_magnitude() == b.is_magnitude();
}

}  // namespace

const Strategy* strategy_for(Backend backend, std::string_view id) {
  if (const Strategy* strategy = find_strategy(backend, id)) return strategy;
  return find_strategy(Backend::cpu, id);
}

std::string substitute_strategy(Backend backend, const Filter& filter) {
  if (backend != Backend::cpu) return "constant";
  const Problem problem{16, 16, PixelFormat::rgba8, Border::replicate, filter};
  const Strategy* separable = find_strategy(Backend::cpu, "cpu-separable");
  return separable && separable->unsupported(problem, Device{}, {}).empty() ? "cpu-separable" : "cpu-parallel";
}

PaneRunner::PaneRunner(Compute& compute) : compute_(compute), timers_(compute) {}

void PaneRunner::configure(const PaneSettings& settings, int width, int height, PixelFormat format) {
  const bool same_problem = output_ && problem_.width == width && problem_.height == height &&
                            problem_.format == format && settings.border == settings_.border;
  const bool same_strategy = settings.strategy == settings_.strategy && settings.tuning == settings_.tuning;
  if (same_problem && same_strategy && settings.filter.filter == settings_.filter.filter) return;

  changed_ = texts_changed_ = true;
  uncounted_ = runs_uncounted_after_change;
  timers_.disregard();
  if (host_timers_) host_timers_->disregard();
  ++version_;
  const bool new_weights_only =
      same_problem && same_strategy && plan_ && same_shape(settings.filter.filter, problem_.filter);
  if (!output_ || problem_.width != width || problem_.height != height || problem_.format != format)
    output_ = compute_.allocate(width, height, format);
  problem_ = {width, height, format, settings.border, settings.filter.filter};
  settings_ = settings;
  if (new_weights_only && strategy_->unsupported(problem_, device(), settings.tuning).empty()) {
    try {
      plan_->set_filter(problem_.filter);
      ask_plan();
      return;
    } catch (const Error&) {  // no memory for what the new weights need: the plan is made anew, which says so
    }
  }
  restart_statistics_ = true;
  make_plan(settings);
}

void PaneRunner::make_plan(const PaneSettings& settings) {
  plan_.reset();
  strategy_ = nullptr;
  why_not_.clear();
  note_.clear();
  kernels_.clear();
  cost_ = {};
  if (settings.strategy == "source") return;

  strategy_ = strategy_for(compute_.device().backend, settings.strategy);
  if (!strategy_) {
    why_not_ = "There is no strategy '" + settings.strategy + "' for the " + to_string(compute_.device().backend) +
               " backend. Choose another one.";
    return;
  }
  if (on_host() && !host_) {
    host_ = make_compute(Backend::cpu);
    host_timers_ = std::make_unique<TimerRing>(*host_);
  }
  try {
    why_not_ = strategy_->unsupported(problem_, device(), settings.tuning);
    if (!why_not_.empty()) return;
    if (on_host() && (!host_in_ || host_in_.image().width != problem_.width ||
                    host_in_.image().height != problem_.height || host_in_.image().format != problem_.format)) {
      host_in_ = host_->allocate(problem_.width, problem_.height, problem_.format);
      host_out_ = host_->allocate(problem_.width, problem_.height, problem_.format);
    }
    plan_ = strategy_->plan(problem_, device(), settings.tuning);
    ask_plan();
  } catch (const Error& error) {
    plan_.reset();
    why_not_ = error.what();
  }
}

void PaneRunner::run(const Image& in, bool counts) {
  changed_ = false;
  counts = counts && uncounted_ == 0;
  if (uncounted_ > 0) --uncounted_;
  if (!plan_) {
    compute_.copy(in, output_.image());
    return;
  }
  if (on_host()) {
    enqueue_on_host(in, counts);
    return;
  }
  const Stream stream = compute_.stream();
  plan_->prepare(stream);
  timers_.start(stream, counts);
  plan_->enqueue(in, output_.image(), stream);
  timers_.stop(stream);
  explore(in, stream);
}

// Of a plan that still chooses among strategies: one trial more, outside of what is timed.
void PaneRunner::explore(const Image& in, Stream stream) {
  if (plan_->settled()) return;
  const Strategy* before = plan_->runs();
  plan_->explore(in, stream);
  if (!plan_->settled() && plan_->runs() == before) return;
  texts_changed_ = true;
  ask_plan();
  if (plan_->runs() == before) return;
  restart_statistics_ = true;  // the times so far are another strategy's
  uncounted_ = runs_uncounted_after_change;
  timers_.disregard();
  if (host_timers_) host_timers_->disregard();
}

const Strategy* PaneRunner::runs() const {
  if (!plan_) return nullptr;
  const Strategy* other = plan_->runs();
  return other ? other : strategy_;
}

Explanation PaneRunner::explain(int x, int y) const {
  const Strategy* other = plan_->runs();  // with its initial tuning
  return other ? other->explain(problem_, device(), {}, x, y)
               : strategy_->explain(problem_, device(), settings_.tuning, x, y);
}

void PaneRunner::ask_plan() {
  const Strategy* runs = plan_->runs();
  cost_ = runs ? runs->model(problem_, {}) : strategy_->model(problem_, settings_.tuning);
  kernels_ = plan_->kernels();
  note_ = plan_->note();
  if (on_host() && note_.empty()) note_ = "Runs on the CPU; the copies to and from it are not timed.";
}

void PaneRunner::enqueue_on_host(const Image& in, bool counts) {
  compute_.download(in, host_in_.image());
  plan_->prepare({});
  host_timers_->start({}, counts);
  plan_->enqueue(host_in_.image(), host_out_.image(), {});
  host_timers_->stop({});
  explore(host_in_.image(), {});
  compute_.upload(host_out_.image(), output_.image());
}

void PaneRunner::describe(PaneStats& stats) const {
  stats.strategy = settings_.strategy;
  stats.title = strategy_                        ? std::string(strategy_->title)
                : settings_.strategy == "source" ? "Source"
                                                 : settings_.strategy;
  stats.filter = spec_text(settings_.filter);
  stats.border = settings_.border;
  stats.problem = why_not_;
  stats.note = note_;
  stats.cost = cost_;
  stats.kernels = kernels_;
}

void PaneRunner::collect(PaneStats& stats) {
  if (std::exchange(restart_statistics_, false)) stats.kernel.clear();
  if (std::exchange(texts_changed_, false)) describe(stats);
  const auto add = [&](TimerRing& ring) {
    while (const std::optional<double> milliseconds = ring.poll_ms())
      if (compute_.device().backend != Backend::emulated || (strategy_ && strategy_->backend == Backend::cpu))
        stats.kernel.add(*milliseconds);  // the emulator's time says nothing about a kernel
  };
  add(timers_);
  if (host_timers_) add(*host_timers_);
}

}  // namespace convoscope
