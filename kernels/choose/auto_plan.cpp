#include "kernels/choose/auto_plan.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "kernels/choose/auto_candidates.h"
#include "kernels/choose/auto_memory.h"
#include "kernels/choose/plan_maker.h"
#include "kernels/choose/trial_frames.h"
#include "kernels/choose/trial_load.h"
#include "kernels/choose/trial_rules.h"
#include "kernels/compute/compute.h"
#include "kernels/contract/kind.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"
#include "kernels/threads/stop.h"

namespace convoscope {
namespace {

using namespace trials;

class AutoPlan final : public Plan {
 public:
  AutoPlan(const Problem& problem, const Device& device)
      : device_(device), patience_(device.backend == Backend::cpu ? on_cpu : on_gpu) {
    begin(problem);
  }

  void set_filter(const Filter& filter) override {
    Problem problem = problem_;
    problem.filter = filter;
    if (auto_key(problem, device_) != key_ || !takes(running(), problem)) return begin(problem);
    problem_ = problem;
    for (Entrant& entrant : entrants_) {
      if (!entrant.plan) continue;  // arrives() asks the others; one that is out may run all the same
      if (takes(entrant, problem))
        entrant.plan->set_filter(filter);
      else
        leave(entrant);
    }
  }
  void prepare(Stream stream) override { running().plan->prepare(stream); }
  void enqueue(std::span<const Tensor> in, std::span<const Tensor> out, Stream stream) override {
    running().plan->enqueue(in, out, stream);
  }
  std::vector<KernelInfo> kernels() const override { return running().plan->kernels(); }
  std::string note() const override { return "Runs " + std::string(running().strategy->id) + what_is_known(); }
  const Strategy* runs() const override {
    const Strategy* stand_in = running().plan->runs();
    return stand_in ? stand_in : running().strategy;
  }
  bool settled() const override { return settled_ && running().plan->settled(); }

  void explore(std::span<const Tensor> in, Stream stream) override {
    if (settled_) return running().plan->explore(in, stream);
    if (awaited_ && !take_over()) return;
    if (settled_ || !trial_is_over()) return;
    while (Entrant* next = next_entrant()) {
      try {
        if (!next->plan && !arrives(*next)) return;
        if (!next->plan->settled()) {  // it is still being compiled: a later frame asks again
          next->plan->explore(in, stream);
          return;
        }
        if (next->plan->runs()) {  // its kernel could not be compiled, and another one's time is not its own
          leave(*next);
          continue;
        }
        start_trial(*next, in, stream);
        return;
      } catch (const std::exception&) {  // out of memory, most likely: the others are still there
        on_trial_ = nullptr;
        leave(*next);
      }
    }
    settle();
  }

 private:
  struct Entrant {
    const Strategy* strategy;
    std::unique_ptr<Plan> plan{};
    ComingPlan coming{};
    std::vector<double> times{}, runs{};  // of a launch alone, and of one of several in a row
    bool warm = false, gone = false, slow = false;
  };

  Entrant& running() { return entrants_[running_]; }
  const Entrant& running() const { return entrants_[running_]; }
  bool takes(const Entrant& entrant, const Problem& problem) const {
    return entrant.strategy->unsupported(problem, device_, {}).empty();
  }
  // The one that runs keeps its plan until another has taken over.
  void leave(Entrant& entrant) {
    entrant.gone = true;
    if (&entrant == on_trial_) on_trial_ = nullptr;
    if (&entrant == awaited_) forget();
    if (&entrant != &running()) entrant.plan.reset();
    entrant.coming = {};
  }
  void leave_as_slow(Entrant& entrant) {
    leave(entrant);
    entrant.slow = true;
  }

  // True when its plan is there; false while it is being made, which this starts. Throws what making it threw.
  bool arrives(Entrant& entrant) {
    if (!entrant.coming.valid()) entrant.coming = make_in_background(*entrant.strategy, problem_, device_);
    if (!entrant.coming.is_there()) return false;
    std::unique_ptr<Plan> plan = entrant.coming.take_plan();
    if (!takes(entrant, problem_)) throw Error("The filter has changed meanwhile.");
    plan->set_filter(problem_.filter);
    entrant.plan = std::move(plan);
    return true;
  }
  // Starts with what is remembered, else with the model's guess.
  void begin(const Problem& problem) {
    problem_ = problem;
    key_ = auto_key(problem, device_);
    on_trial_ = awaited_ = nullptr;
    repeats_left_ = most_repeats;
    load_.clear();
    entrants_.clear();
    running_ = 0;
    trouble_.clear();
    frames_.reset();  // another filter may make outputs of another shape
    const Candidates candidates = find_candidates(problem, device_, assumed_limits(device_));
    for (const Candidate& candidate : candidates.likely) entrants_.push_back({candidate.strategy});
    pruned_ = static_cast<int>(candidates.pruned.size());

    choice_ = device_.backend == Backend::emulated ? std::nullopt : recall_choice(key_, &trouble_);
    remembered_ = choice_ && run_remembered();
    if (!remembered_) {
      forget();
      run_first_possible();
    }
    settled_ = (remembered_ && !awaited_) || device_.backend == Backend::emulated || entrants_.size() == 1;
    if (settled_) end_trials();
  }
  void forget() {
    awaited_ = nullptr;
    remembered_ = false;
    choice_.reset();
  }
  bool run_remembered() {
    const auto found =
        std::ranges::find_if(entrants_, [&](const Entrant& e) { return e.strategy->id == choice_->strategy; });
    if (found == entrants_.end()) return false;
    if (loads_library(*found->strategy) && entrants_.size() > 1) {
      run_first_possible();
      if (&*found != &running()) awaited_ = &*found;
      return true;
    }
    try {
      found->plan = found->strategy->plan(problem_, device_, {});
    } catch (const Error&) {
      return false;
    }
    running_ = static_cast<std::size_t>(found - entrants_.begin());
    return true;
  }
  // Of the libraries last: this frame would wait for them.
  void run_first_possible() {
    std::string why = why_no_candidate(problem_, device_);
    for (const bool library : {false, true})
      for (running_ = 0; running_ < entrants_.size(); ++running_) {
        if (loads_library(*running().strategy) != library) continue;
        try {
          running().plan = running().strategy->plan(problem_, device_, {});
          return;
        } catch (const Error& error) {
          why = error.what();
          running().gone = true;
        }
      }
    throw Error("auto: " + why);
  }
  // True when there is nobody to wait for any more: the library that is remembered runs, or could not be started.
  bool take_over() {
    Entrant& awaited = *awaited_;
    try {
      if (!arrives(awaited)) return false;
      Entrant& before = running();
      running_ = static_cast<std::size_t>(&awaited - entrants_.data());
      before.plan.reset();
      awaited_ = nullptr;
      settled_ = true;
      end_trials();
    } catch (const std::exception&) {
      leave(awaited);
    }
    return true;
  }

  // Reads the trial in flight, if there is one; false while the device is not through with it.
  bool trial_is_over() {
    if (!on_trial_) return true;
    const std::optional<double> time = timer_->poll_ms();
    if (!time) return false;
    Entrant& entrant = *std::exchange(on_trial_, nullptr);
    load_.add(*time, timer_->use());
    if (!std::exchange(entrant.warm, true)) return true;  // while its code was loaded, the device may have waited
    if (has_its_times(entrant)) {
      entrant.runs.push_back(*time / launches_in_a_row(median(entrant.times)));
      return true;
    }
    entrant.times.push_back(*time);
    const double best = best_time();  // of others, in its first round
    // A short one may have been held up, which says nothing; the rest of the round costs little.
    if (static_cast<int>(entrant.times.size()) < patience_.first && best > 0 && *time > 4 * near_the_best * best &&
        *time > felt_ms)
      leave_as_slow(entrant);
    return true;
  }
  void start_trial(Entrant& entrant, std::span<const Tensor> in, Stream stream) {
    if (!compute_) compute_ = make_compute(device_.backend, device_.ordinal);
    if (!timer_) timer_ = compute_->make_timer();
    if (!frames_) frames_.emplace(*compute_, problem_);
    entrant.plan->prepare(stream);
    std::size_t frame = 0;
    const auto launch = [&](int times) {
      for (; times > 0; --times, ++frame) entrant.plan->enqueue(frames_->in(frame, in), frames_->out(frame), stream);
    };
    const double single = has_its_times(entrant) ? median(entrant.times) : 0;
    if (single > 0 && device_.backend == Backend::cuda) {
      frames_->add_others();
      launch(launches_ahead(single));
    }
    timer_->start(stream);
    launch(single > 0 ? launches_in_a_row(single) : 1);
    timer_->stop(stream);
    if (!stop_requested()) on_trial_ = &entrant;  // half a trial says nothing
  }

  // Of those still in, with a first round behind them, so that one always stays; 0: none.
  double best_time() const {
    double best = 0;
    for (const Entrant& entrant : entrants_)
      if (!entrant.gone && static_cast<int>(entrant.times.size()) >= patience_.first)
        best = best > 0 ? std::min(best, median(entrant.times)) : median(entrant.times);
    return best;
  }
  bool has_its_times(const Entrant& entrant) const { return static_cast<int>(entrant.times.size()) >= patience_.final; }
  bool ties(const Entrant& entrant, double best) const {
    return has_its_times(entrant) && too_near(median(entrant.times), best);
  }
  // Whether launches in a row say how fast it is.
  bool in_a_row(const Entrant& entrant, double best) const { return !entrant.runs.empty() && ties(entrant, best); }
  // One after the other through the first round, then the near ones in turns, then those that tie. Null: nothing is
  // left to try.
  Entrant* next_entrant() {
    const double best = best_time();
    Entrant* next = next_of_first_rounds(best);
    if (next || std::ranges::count_if(entrants_, [&](const Entrant& e) { return !e.gone && ties(e, best); }) < 2)
      return next;
    for (Entrant& entrant : entrants_)
      if (!entrant.gone && ties(entrant, best) && static_cast<int>(entrant.runs.size()) < patience_.runs &&
          (!next || entrant.runs.size() < next->runs.size()))
        next = &entrant;
    return next;
  }
  Entrant* next_of_first_rounds(double best) {
    Entrant* next = nullptr;
    for (Entrant& entrant : entrants_) {
      if (entrant.gone) continue;
      const int times = static_cast<int>(entrant.times.size());
      if (times < patience_.first) return &entrant;
      if (!is_near(median(entrant.times), best)) {
        leave_as_slow(entrant);
        continue;
      }
      if (times < patience_.final && (!next || entrant.times.size() < next->times.size())) next = &entrant;
    }
    return next;
  }

  // Where the trials cannot be believed, all have another try, a few times.
  bool tries_again() {
    const Entrant* best = nullptr;
    for (const Entrant& entrant : entrants_)
      if (!entrant.gone && has_its_times(entrant) && (!best || median(entrant.times) < median(best->times)))
        best = &entrant;
    if (repeats_left_ == 0 || !best || load_.doubt(best->times) == Doubt::none) return false;
    --repeats_left_;
    load_.clear();
    for (Entrant& entrant : entrants_) {
      entrant.times.clear();
      entrant.runs.clear();
      if (std::exchange(entrant.slow, false)) entrant.gone = entrant.warm = false;
    }
    return true;
  }

  void settle() {
    if (tries_again()) return;
    settled_ = true;
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < entrants_.size(); ++i)
      if (!entrants_[i].times.empty()) order.push_back(i);
    const double best = best_time();
    std::ranges::stable_sort(order, {}, [&](std::size_t i) {
      const Entrant& entrant = entrants_[i];
      return in_a_row(entrant, best) ? std::pair{0, median(entrant.runs)} : std::pair{1, median(entrant.times)};
    });
    // A new filter may have put the fastest out.
    const auto won =
        std::ranges::find_if(order, [&](std::size_t i) { return entrants_[i].plan && !entrants_[i].gone; });
    if (won != order.end()) {
      running_ = *won;
      const Spread seen = spread(running().times);
      choice_ = AutoChoice{.strategy = std::string(running().strategy->id),
                           .median_ms = median(running().times),
                           .tried = static_cast<int>(order.size()),
                           .pruned = pruned_,
                           .samples = seen.samples,
                           .low_ms = seen.low,
                           .high_ms = seen.high,
                           .trials = load_.trials(),
                           .disturbed = load_.disturbed()};
      if (const auto next = std::next(won); next != order.end()) {
        const Entrant& second = entrants_[*next];
        choice_->next = second.strategy->id;
        choice_->next_ms = median(second.times);
        if (in_a_row(running(), best) && in_a_row(second, best)) {
          choice_->row_ms = median(running().runs);
          choice_->next_row_ms = median(second.runs);
        }
      }
      remember_choice(key_, *choice_, &trouble_);
    }
    for (Entrant& entrant : entrants_)
      if (&entrant != &running()) entrant.plan.reset();
    end_trials();
  }
  void end_trials() {
    frames_.reset();
    timer_.reset();
    compute_.reset();
  }

  static std::string of_candidates(int tried, int pruned) {
    if (pruned <= 0) return counted(tried, "candidate") + ".";
    return std::to_string(tried) + " of " + counted(tried + pruned, "candidate") + "; the model says that the " +
           (pruned == 1 ? "other is" : "others are") + " far slower.";
  }

  std::string what_is_known() const {
    std::string text;
    if (awaited_) {
      text = ", while " + choice_->strategy + ", remembered as the fastest, is being loaded.";
    } else if (choice_) {
      text = ". " + what_it_took(*choice_) + " Tried " + of_candidates(choice_->tried, choice_->pruned);
      if (remembered_) text += " Remembered from an earlier time.";
    } else if (device_.backend == Backend::emulated) {
      text = ", the model's choice; nothing is timed in the emulator.";
    } else if (!settled_) {
      text = ", the model's guess. Trying " + of_candidates(static_cast<int>(entrants_.size()), pruned_);
    } else {
      const std::string why = running().strategy->plain ? why_only_plain(problem_, device_) : "";
      text = why.empty() ? "; nothing else was worth a trial." : ", as nothing else takes this. " + why;
    }
    return trouble_.empty() ? text : text + " " + trouble_;
  }

  const Device device_;
  const Patience patience_;
  Problem problem_;
  std::string key_;
  std::vector<Entrant> entrants_;  // never empty, and never reordered while a problem lasts
  std::size_t running_ = 0;
  int pruned_ = 0;
  bool settled_ = false, remembered_ = false;
  Entrant* awaited_ = nullptr;        // the remembered one, while its library is loaded
  std::optional<AutoChoice> choice_;  // measured now or by an earlier run
  std::string trouble_;               // with the cache; a sentence

  // For the trials; freed when it has settled.
  std::unique_ptr<Compute> compute_;
  std::unique_ptr<IntervalTimer> timer_;
  std::optional<TrialFrames> frames_;
  Entrant* on_trial_ = nullptr;
  TrialLoad load_{std::max(device_.multiprocessors, 1)};
  int repeats_left_ = 0;
};

}  // namespace

std::unique_ptr<Plan> make_auto_plan(const Problem& problem, const Device& device) {
  return std::make_unique<AutoPlan>(problem, device);
}

}  // namespace convoscope
