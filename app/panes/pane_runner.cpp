#include "app/panes/pane_runner.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "app/files/shortage.h"
#include "app/panes/alpha_view.h"
#include "app/state/network_settings.h"
#include "kernels/contract/image_plan.h"
#include "kernels/contract/theory/type_rounding.h"
#include "kernels/text/error.h"
#include "kernels/threads/stop.h"

namespace convoscope {
namespace {

// First launches and changes next door cost no more than some milliseconds.
constexpr auto too_long_to_be_disturbed = std::chrono::milliseconds(200);

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

PaneRunner::PaneRunner(Compute& compute) : compute_(compute), timers_(compute) {}

bool PaneRunner::differs(const PaneRequest& request) const { return !asked_ || asked_->request() != request; }

void PaneRunner::configure(const PaneRequest& request) {
  if (!differs(request)) return;
  const bool same_but_for_problem = asked_ && differ_in_problem_only(asked_->request(), request);
  begin_change();
  asked_.emplace(request);
  const Problem before = std::exchange(problem_, problem_of(request));
  alpha_step_ = request.shape.has_alpha && takes_alpha_step(problem_);
  if (alpha_step_) problem_ = problem_of_plane(problem_);
  const PaneNetwork layers_before = std::exchange(layers_, network_behind(problem_, request.work));
  const bool new_weights_only = same_but_for_problem && have_same_shape(layers_before, layers_) &&
                                before.border == problem_.border && before.layer == problem_.layer &&
                                same_shape(before.filter, problem_.filter);
  if (!new_weights_only || (!plan_ && !has_failed_)) failed_.clear();
  filter_words_ = filter_text(*request.pane, request.work), own_type_ = own_type(*request.pane, request.work);
  if (new_weights_only && plan_ && give_new_weights(before)) return;
  make_plan();
  make_room();
}

bool PaneRunner::give_new_weights(const Problem& before) {
  try {
    if (network_ ? !network_->set_layers(layers_.layers, failed_) : !takes_new_weights()) return false;
    if (!network_ && before.filter != problem_.filter) plan_->set_filter(problem_.filter);
    const PaneRequest asked = asked_->request();
    if (view_) view_->look(*asked.work.wall, *asked.work.layer), view_->set_filter(asked.pane->filter.filter);
    const bool as_before = runs_as_before();
    ask_plan();
    if (as_before) return true;
    restart_statistics_ = true;  // auto runs another strategy: the times so far are not its own
    seconds_.reset();
    return true;
  } catch (const Error&) {  // no memory for what the new weights need: the plan is made anew, which says so
    return false;
  }
}

void PaneRunner::begin_change() {
  changed_ = texts_changed_ = true;
  uncounted_ = runs_uncounted_after_change;
  disregard_times();
  ++version_;
}

void PaneRunner::plan_again() {
  if (!has_failed_) return;
  begin_change();
  make_plan();
  make_room();
}

// What stands in goes on for as long as it is needed and can; the chosen one comes back as soon as that can.
bool PaneRunner::takes_new_weights() {
  const std::string refusal = why_chosen_cannot(*asked_->request().pane, problem_, compute_.device(), failed_);
  if (refusal.empty() != why_substitute_.empty()) return false;
  if (!strategy_->unsupported(problem_, device(), tuning_).empty()) return false;
  why_substitute_ = refusal;
  return true;
}

// Where the picture will be written. On cores the last one stays on screen until the next is finished.
void PaneRunner::make_room() {
  const auto& [width, height, format, has_alpha] = asked_->request().shape;
  if (!on_cores()) {
    if (next_) compute_.synchronize();  // the device may still read it
    next_ = {};
    if (!output_.fits(width, height, format)) output_ = compute_.allocate(width, height, format);
    return;
  }
  if (!plan_ || next_.fits(width, height, format)) return;
  if (compute_.device().backend != Backend::cuda) {
    next_ = compute_.allocate(width, height, format);
    return;
  }
  const std::size_t row = static_cast<std::size_t>(width) * bytes_per_pixel(format);
  std::shared_ptr<void> pinned = compute_.allocate_host(row * static_cast<std::size_t>(height));
  next_ = {{pinned.get(), width, height, row, format}, pinned};
}

// Before the first run no more is known than how fast the strategy was with another filter, else than which is likely
// to be slower than which.
double PaneRunner::expected_seconds() const {
  constexpr double likely_rate = 2e9;  // FLOP/s
  if (!plan_) return 0;                // the picture passes through
  const auto known = rates_.find(strategy_);
  const double rate = known != rates_.end() ? known->second : likely_rate;
  return std::max(least_seconds_, seconds_ ? *seconds_ : cost_.flop / rate);
}

bool PaneRunner::on_cores() const { return compute_.device().backend != Backend::cuda || on_host(); }

void PaneRunner::make_plan() {
  const PaneSettings& settings = *asked_->request().pane;
  restart_statistics_ = true;
  has_failed_ = false;
  if (seconds_ && plan_ && cost_.flop > 0 && *seconds_ > 0) rates_[strategy_] = cost_.flop / *seconds_;
  seconds_.reset(), least_seconds_ = 0;
  do {
    view_.reset();
    plan_.reset();  // before the next one needs the memory
    runs_ = nullptr;
    settled_ = true;
    note_.clear();
    kernels_.clear();
    cost_ = {};
    PanePlan made = !layers_.has_several() ? make_pane_plan(settings, problem_, compute_.device(), failed_)
                                           : make_network_plan(settings, layers_, compute_.device(), failed_);
    strategy_ = made.strategy;
    tuning_ = made.tuning;
    why_substitute_ = made.why_substitute;
    why_not_ = made.why_not;
    plan_ = std::move(made.plan);
    network_ = layers_.has_several() ? static_cast<NetworkPlan*>(plan_.get()) : nullptr;
  } while (plan_ && !make_view());
}

// False when there is no room for what its strategy would work on: another one may have it elsewhere.
bool PaneRunner::make_view() {
  const PaneRequest asked = asked_->request();
  if (on_host() && !host_) {
    host_ = make_compute(Backend::cpu);
    host_timers_ = std::make_unique<TimerRing>(*host_);
  }
  try {
    Compute& compute = on_host() ? *host_ : compute_;
    if (network_) network_->allocate(compute);
    view_ = network_ ? network_->view(compute, *asked.work.wall, *asked.work.layer, asked.shape.image())
                     : make_pane_view(compute, problem_, asked.work, asked.shape.image(), alpha_step_);
    if (view_) view_->set_filter(asked.pane->filter.filter);
    ask_plan();
    return true;
  } catch (const Error& error) {
    failed_[strategy_] = error.what();
    return false;
  }
}

bool PaneRunner::counts(bool wanted) {
  changed_ = false;
  const bool counts = wanted && uncounted_ == 0;
  if (uncounted_ > 0) --uncounted_;
  return counts;
}

void PaneRunner::run(const DeviceImage& in, bool wanted, const FrameId& frame) {
  const bool counted = counts(wanted);
  frame_ = {in.image().data, frame};
  has_made(in);
  if (!plan_) {
    compute_.copy(in.image(), output_.image());
    return;
  }
  try {
    enqueue(in.image(), output_.image(), compute_.stream(), timers_, counted);
    frames_shown_ = view_ ? view_->frames() : FramesSeen();
    explore(in.image());
  } catch (const Error& error) {
    failure_ = error.what();
  }
  settle();
  if (!has_failed_) return;
  plan_again();
  if (!on_cores()) run(in, wanted, frame);
}

// What the view does is not the strategy's and not timed. False: given up half way.
bool PaneRunner::enqueue(const Image& in, const Image& out, Stream stream, TimerRing& ring, bool counted) {
  plan_->prepare(stream);
  if (view_) view_->take(in, frame_, stream);
  if (network_) network_->count_next(counted);
  ring.start(stream, counted);
  if (!view_) enqueue_image(*plan_, in, out, stream);
  for (int pass = 0; view_ && pass < view_->passes() && !stop_requested(); ++pass) {
    view_->begin_pass(pass, stream);
    plan_->enqueue(view_->inputs(), view_->outputs(out), stream);
  }
  if (stop_requested()) return false;
  ring.stop(stream);
  if (view_) view_->show(out, stream);
  return !stop_requested();
}

void PaneRunner::has_made(const DeviceImage& in) {
  if (made_from_.image().data != in.image().data) rate_.arrived(seconds_now());
  made_from_ = in;
  made_frame_ = frame_.id;
  if (std::exchange(shown_version_, version_) != version_)
    shown_filter_ = whole_filter(), shown_border_ = problem_.border;
  wall_shown_ = view_ ? view_->wall() : std::nullopt;
}

void PaneRunner::begin(const DeviceImage& in, bool wanted, bool quiet, const FrameId& frame) {
  frame_ = {in.image().data, frame};
  counts_ = counts(wanted && quiet);
  quiet_ = quiet;
  at_work_ = true;
}

bool PaneRunner::compute(const Image& in) {
  if (!plan_) return true;
  unfinished_ = true;
  TimerRing& ring = timers();
  const Stream stream = on_host() ? Stream{} : compute_.stream();
  try {
    const auto started = std::chrono::steady_clock::now();
    if (!enqueue(in, next_.image(), stream, ring, counts_)) return false;
    if (quiet_ && std::chrono::steady_clock::now() - started > too_long_to_be_disturbed) {
      ring.count_last();
      counts_ = true;
      if (network_) network_->count_last();
    }
  } catch (const std::exception& error) {
    failure_ = why_failed(error);
  }
  unfinished_ = false;
  return true;
}

// Outside of what is timed.
void PaneRunner::explore(const Image& in) {
  if (!plan_ || !failure_.empty() || plan_->settled()) return;
  const Stream stream = on_host() ? Stream{} : compute_.stream();
  if (view_)
    plan_->explore(view_->inputs(), stream);
  else
    explore_image(*plan_, in, stream);
}

void PaneRunner::take(const DeviceImage& in) {
  if (!failure_.empty()) return;  // settle() says so
  has_made(in);
  frames_shown_ = view_ ? view_->frames() : FramesSeen();
  if (!plan_) {
    output_ = in;
  } else {
    const PictureShape& shape = asked_->request().shape;
    const bool beside_gpu = compute_.device().backend == Backend::cuda;
    if (!shape.fits(output_.image()) || (!beside_gpu && output_.is_shared()))
      output_ = compute_.allocate(shape.width, shape.height, shape.format);
    if (beside_gpu)
      compute_.upload(next_.image(), output_.image());
    else
      std::swap(output_, next_);
  }
}

// The worker has left the plan and the timers: what they say may be another thing now. The next run may begin before
// anybody collects.
void PaneRunner::settle() {
  if (std::exchange(at_work_, false)) read_times();
  if (!failure_.empty()) {
    why_not_ = failed_[network_ ? network_->at_work() : strategy_] = std::exchange(failure_, {});
    network_ = nullptr;
    view_.reset();
    plan_.reset();
    has_failed_ = true;
    return;
  }
  if (!plan_ || settled_) return;
  const bool as_before = runs_as_before();
  if (!plan_->settled() && as_before) return;
  texts_changed_ = true;
  ask_plan();
  if (as_before) return;
  restart_statistics_ = true;  // the times so far are another strategy's
  uncounted_ = runs_uncounted_after_change;
  disregard_times();
}

void PaneRunner::read_times() {
  const auto read = [&](TimerRing& ring) {
    while (const std::optional<double> milliseconds = ring.poll_ms())
      if (is_timed()) times_.push_back({*milliseconds, ring.disturbed()});
  };
  read(timers_);
  if (host_timers_) read(*host_timers_);
  if (network_ && is_timed()) network_->read_times();
}

Explanation PaneRunner::explain(const OutputIndex& at) const {
  return runs_ ? runs_->explain(problem_, device(), {}, at)  // with its initial tuning
               : strategy_->explain(problem_, device(), tuning_, at);
}

bool PaneRunner::runs_as_before() const {
  return plan_->runs() == runs_ && (!network_ || network_->runs_of_layers() == runs_of_layers_);
}

void PaneRunner::ask_plan() {
  runs_ = plan_->runs();
  if (network_) runs_of_layers_ = network_->runs_of_layers();
  settled_ = plan_->settled();
  cost_ = network_ ? network_->cost() : runs_ ? runs_->model(problem_, {}) : strategy_->model(problem_, tuning_);
  kernels_ = plan_->kernels();
  note_ = plan_->note();
  if (alpha_step_) count_planes(view_->passes(), cost_, note_);
  if (on_host() && note_.empty()) note_ = "Runs on the CPU; the copies to and from it are not timed.";
}

void PaneRunner::describe(PaneStats& stats) const {
  const PaneSettings& settings = *asked_->request().pane;
  stats.strategy = settings.strategy;
  stats.title = strategy_                       ? std::string(strategy_->title)
                : settings.strategy == "source" ? "Source"
                                                : settings.strategy;
  stats.filter = filter_words_;
  stats.border = settings.border;
  // Of the layer that is seen. What was chosen for that one alone is not what runs in place of the pane's own.
  const PaneSettings pane = layers_.has_several() ? pane_of_layer(settings, layers_.seen) : settings;
  const std::string& asked = pane.strategy;
  const Strategy* const at_work = runs();
  stats.runs = !at_work ? "" : at_work->id == asked ? settings.strategy : std::string(at_work->id);
  stats.substitute = why_substitute_.empty() ? "" : strategy_->id;
  stats.why_substitute = substitute_sentence(asked, why_substitute_, strategy_);
  stats.takes_type.reset();
  if (!why_substitute_.empty()) stats.takes_type = type_taken(pane, problem_, compute_.device(), failed_);
  const bool is_first_layer = !layers_.has_several() || layers_.seen == 0;
  stats.type = own_type_;
  stats.type_rounding.reset();
  if (is_first_layer && plan_) stats.type_rounding = layers_.largest_input * type_rounding(problem_);
  stats.problem = why_not_;
  stats.note = note_;
  stats.cost = cost_;
  stats.kernels = kernels_;
  stats.work = problem_;
  stats.work.filter.weights.clear();
  if (network_)
    network_->describe(stats.layers, runs_of_layers_);
  else
    stats.layers.clear();
  for (LayerStats& layer : stats.layers) layer.times.set_window(stats.kernel.window());
}

bool PaneRunner::is_timed() const {
  return compute_.device().backend != Backend::emulated || (strategy_ && strategy_->backend == Backend::cpu);
}

void PaneRunner::collect(PaneStats& stats) {
  if (!asked_) return;  // no picture has come yet
  if (std::exchange(restart_statistics_, false)) {
    stats.clear_times();
    stats.layers.clear();
  }
  if (std::exchange(texts_changed_, false)) describe(stats);
  stats.wall = plan_ ? wall_shown_ : std::nullopt;  // of the picture that is there
  stats.of_filter_before = is_of_filter_before();
  stats.pictures_a_second = rate_.a_second(seconds_now());
  if (!at_work_) read_times();
  stats.frames = frames_shown_;
  const std::string on_frames = note_on(frames_shown_);
  if (on_frames.empty() ? stats.note != note_ : !stats.note.ends_with(on_frames))
    stats.note = note_ + (note_.empty() || on_frames.empty() ? "" : " ") + on_frames;
  for (const Taken& taken : times_) stats.add_time(taken.milliseconds, taken.disturbed);
  times_.clear();
  if (network_) network_->hand_over_times(stats.layers);  // which were read when the worker had left it
}

}  // namespace convoscope
