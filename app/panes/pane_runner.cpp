#include "app/panes/pane_runner.h"

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

}  // namespace

PaneRunner::PaneRunner(Compute& compute) : compute_(compute), own_place_(make_workplace(compute)) {}

bool PaneRunner::differs(const PaneRequest& request) const { return !asked_ || asked_->request() != request; }

void PaneRunner::configure(const PaneRequest& request) {
  if (!differs(request)) return;
  const bool differs_in_problem_only = asked_ && differ_in_problem_only(asked_->request(), request);
  begin_change();
  asked_.emplace(request);
  const PaneProblem before = std::exchange(task_, pane_problem(request));
  const bool new_weights_only = differs_in_problem_only && differ_in_weights_only(before, task_);
  if (!new_weights_only || (!planned_.plan && !has_failed())) failed_.clear();
  if (new_weights_only && planned_.plan && give_new_weights(before.problem)) return;
  make_plan();
  make_room();
}

bool PaneRunner::give_new_weights(const Problem& before) {
  try {
    if (network() ? !network()->set_layers(task_.layers.layers, failed_) : !takes_new_weights()) return false;
    if (!network() && before.filter != task_.problem.filter) planned_.plan->set_filter(task_.problem.filter);
    const PaneRequest asked = asked_->request();
    if (view_) view_->follow_wall(*asked.work.wall, *asked.work.layer), view_->set_filter(asked.pane->filter.filter);
    const bool as_before = has_same_runs();
    ask_plan();
    if (as_before) return true;
    times_.restart();  // auto runs another strategy: the times so far are not its own
    expected_.forget_last();
    return true;
  } catch (const Error&) {  // no memory for what the new weights need: the plan is made anew, which says so
    return false;
  }
}

void PaneRunner::begin_change() {
  texts_changed_ = true;
  disregard_times();
  ++version_;
}

void PaneRunner::plan_again() {
  if (!has_failed()) return;
  begin_change();
  make_plan();
  make_room();
}

// What stands in goes on for as long as it is needed and can; the chosen one comes back as soon as that can.
bool PaneRunner::takes_new_weights() {
  const std::string refusal = why_chosen_cannot(*asked_->request().pane, task_.problem, compute_.device(), failed_);
  if (refusal.empty() != planned_.why_substitute.empty()) return false;
  if (!planned_.strategy->unsupported(task_.problem, device(), planned_.tuning).empty()) return false;
  planned_.why_substitute = refusal;
  return true;
}

void PaneRunner::make_room() {
  for (Workplace* const other : {own_place_.get(), beside_.get()})
    if (other && other != place_) other->clear_room();
  place_->make_room(asked_->request().shape, shown_.picture, planned_.plan != nullptr);
}

void PaneRunner::make_plan() {
  const PaneSettings& settings = *asked_->request().pane;
  times_.restart();
  failure_.clear();
  expected_.end_plan(planned_.plan ? planned_.strategy : nullptr, report_.cost.flop);
  do {
    view_.reset();
    planned_.plan.reset();  // before the next one needs the memory
    report_ = {};
    planned_ = !task_.layers.has_several() ? make_pane_plan(settings, task_.problem, compute_.device(), failed_)
                                           : make_network_plan(settings, task_.layers, compute_.device(), failed_);
    choose_place();
  } while (planned_.plan && !make_view());
}

// A CPU strategy works on this machine's cores, whatever the pictures are on.
void PaneRunner::choose_place() {
  const bool beside =
      planned_.strategy && planned_.strategy->backend == Backend::cpu && compute_.device().backend != Backend::cpu;
  if (beside && !beside_) beside_ = make_workplace_beside(compute_);
  place_ = beside ? beside_.get() : own_place_.get();
}

// False when there is no room for what its strategy would work on: another one may have it elsewhere.
bool PaneRunner::make_view() {
  const auto& [pane, work, shape] = asked_->request();
  try {
    Compute& compute = place_->compute();
    if (network()) network()->allocate(compute);
    view_ = network() ? network()->view(compute, *work.wall, *work.layer, shape.image())
                      : make_pane_view(compute, task_.problem, work, shape.image(), task_.alpha_step);
    if (view_) view_->set_filter(pane->filter.filter);
    ask_plan();
    return true;
  } catch (const Error& error) {
    failed_[planned_.strategy] = error.what();
    return false;
  }
}

void PaneRunner::run(const DeviceImage& in, bool wanted, const FrameId& frame) {
  begun_version_ = version_;
  const bool counted = times_.next_counts(wanted);
  run_.frame = {in.image().data, frame};
  has_made(in);
  if (!planned_.plan) return place_->pass_through(in, shown_.picture);
  try {
    enqueue(in.image(), counted);
    shown_.frames = view_ ? view_->frames() : FramesSeen();
    explore(in.image());
  } catch (const Error& error) {
    failure_ = error.what();
  }
  settle();
  if (!has_failed()) return;
  plan_again();
  if (!on_cores()) run(in, wanted, frame);
}

// What the view does is not the strategy's and not timed. False: given up half way.
bool PaneRunner::enqueue(const Image& in, bool counted) {
  const Image& out = place_->target(shown_.picture);
  const Stream stream = place_->stream();
  TimerRing& ring = place_->timers();
  Plan& plan = *planned_.plan;
  plan.prepare(stream);
  if (view_) view_->take_picture(in, run_.frame, stream);
  if (network()) network()->count_next(counted);
  ring.start(stream, counted);
  if (!view_) enqueue_image(plan, in, out, stream);
  for (int pass = 0; view_ && pass < view_->passes() && !stop_requested(); ++pass) {
    view_->begin_pass(pass, stream);
    plan.enqueue(view_->inputs(), view_->outputs(out), stream);
  }
  if (stop_requested()) return false;
  ring.stop(stream);
  if (view_) view_->show(out, stream);
  return !stop_requested();
}

void PaneRunner::has_made(const DeviceImage& in) {
  if (shown_.made_from(in, run_.frame.id)) times_.begin_picture();
  shown_.made_with(version_, whole_filter(), task_.problem.border);
  shown_.wall = view_ ? view_->wall() : std::nullopt;
}

void PaneRunner::begin(const DeviceImage& in, bool wanted, bool quiet, const FrameId& frame) {
  begun_version_ = version_;
  run_ = {{in.image().data, frame}, times_.next_counts(wanted && quiet), quiet};
  at_work_ = true;
}

bool PaneRunner::compute(const Image& in) {
  if (!planned_.plan) return true;
  unfinished_ = true;
  try {
    const auto started = std::chrono::steady_clock::now();
    if (!enqueue(in, run_.counts)) return false;
    if (run_.quiet && std::chrono::steady_clock::now() - started > too_long_to_be_disturbed) {
      place_->timers().count_last();
      run_.counts = true;
      if (network()) network()->count_last();
    }
  } catch (const std::exception& error) {
    failure_ = why_failed(error);
  }
  unfinished_ = false;
  return true;
}

// Outside of what is timed.
void PaneRunner::explore(const Image& in) {
  if (!planned_.plan || !failure_.empty() || planned_.plan->settled()) return;
  if (view_)
    planned_.plan->explore(view_->inputs(), place_->stream());
  else
    explore_image(*planned_.plan, in, place_->stream());
}

void PaneRunner::show(const DeviceImage& in) {
  if (!failure_.empty()) return;  // settle() says so
  has_made(in);
  shown_.frames = view_ ? view_->frames() : FramesSeen();
  if (planned_.plan)
    place_->show_target(asked_->request().shape, shown_.picture);
  else
    place_->pass_through(in, shown_.picture);
}

// The worker has left the plan and the timers: what they say may be another thing now. The next run may begin before
// anybody collects.
void PaneRunner::settle() {
  if (std::exchange(at_work_, false)) read_times();
  if (!planned_.plan) return;
  if (!failure_.empty()) {
    planned_.why_not = failed_[network() ? network()->at_work() : planned_.strategy] = failure_;
    view_.reset();
    planned_.plan.reset();
    return;
  }
  if (report_.settled) return;
  const bool as_before = has_same_runs();
  if (!planned_.plan->settled() && as_before) return;
  texts_changed_ = true;
  ask_plan();
  if (as_before) return;
  times_.restart();  // those so far are another strategy's
  disregard_times();
}

void PaneRunner::read_times() {
  for (Workplace* const place : {own_place_.get(), beside_.get()})
    if (place) times_.read(place->timers(), is_timed());
  if (network() && is_timed()) network()->read_times();
}

void PaneRunner::disregard_times() {
  times_.disregard();
  for (Workplace* const place : {own_place_.get(), beside_.get()})
    if (place) place->timers().disregard();
  if (network()) network()->disregard_times();
}

Explanation PaneRunner::explain(const OutputIndex& at) const {
  return report_.runs ? report_.runs->explain(task_.problem, device(), {}, at)  // with its initial tuning
                      : planned_.strategy->explain(task_.problem, device(), planned_.tuning, at);
}

void PaneRunner::ask_plan() {
  report_ = report_of(planned_, network(), task_.problem);
  if (task_.alpha_step) count_planes(view_->passes(), report_.cost, report_.note);
  if (report_.note.empty()) report_.note = place_->note();
}

void PaneRunner::describe(PaneStats& stats) const {
  const PaneSettings& settings = *asked_->request().pane;
  stats.strategy = settings.strategy;
  stats.title = planned_.strategy               ? std::string(planned_.strategy->title)
                : settings.strategy == "source" ? "Source"
                                                : settings.strategy;
  stats.filter = task_.filter_words;
  stats.border = settings.border;
  // Of the layer that is seen. What was chosen for that one alone is not what runs in place of the pane's own.
  const PaneSettings pane = task_.layers.has_several() ? pane_of_layer(settings, task_.layers.seen) : settings;
  const std::string& asked = pane.strategy;
  const Strategy* const at_work = runs();
  stats.runs = !at_work ? "" : at_work->id == asked ? settings.strategy : std::string(at_work->id);
  stats.substitute = planned_.why_substitute.empty() ? "" : planned_.strategy->id;
  stats.why_substitute = substitute_sentence(asked, planned_.why_substitute, planned_.strategy);
  stats.takes_type.reset();
  if (!planned_.why_substitute.empty()) stats.takes_type = type_taken(pane, task_.problem, compute_.device(), failed_);
  const bool is_first_layer = !task_.layers.has_several() || task_.layers.seen == 0;
  stats.type = task_.own_type;
  stats.type_rounding.reset();
  if (is_first_layer && planned_.plan) stats.type_rounding = task_.layers.largest_input * type_rounding(task_.problem);
  stats.problem = planned_.why_not;
  stats.note = report_.note;
  stats.cost = report_.cost;
  stats.kernels = report_.kernels;
  stats.work = task_.problem;
  stats.work.filter.weights.clear();
  if (network())
    network()->describe(stats.layers, report_.runs_of_layers);
  else
    stats.layers.clear();
  for (LayerStats& layer : stats.layers) layer.times.set_window(stats.kernel.window());
}

void PaneRunner::collect(PaneStats& stats) {
  if (!asked_) return;  // no picture has come yet
  if (times_.take_restart(stats)) stats.layers.clear();
  if (std::exchange(texts_changed_, false)) describe(stats);
  stats.wall = planned_.plan ? shown_.wall : std::nullopt;  // of the picture that is there
  stats.of_filter_before = is_of_filter_before();
  if (!at_work_) read_times();
  stats.frames = shown_.frames;
  const std::string& note = report_.note;
  const std::string on_frames = note_on(shown_.frames);
  if (on_frames.empty() ? stats.note != note : !stats.note.ends_with(on_frames))
    stats.note = note + (note.empty() || on_frames.empty() ? "" : " ") + on_frames;
  times_.hand_over(stats);
  if (network()) network()->hand_over_times(stats.layers);  // which were read when the worker had left it
}

}  // namespace convoscope
