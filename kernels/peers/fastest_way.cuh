#pragma once
// A library often has several functions for one filter. Each is tried on this device: those whose result is right are
// timed, and the fastest is taken.
#include <bit>
#include <random>

#include "kernels/compute/compute.h"
#include "kernels/contract/image_plan.h"
#include "kernels/contract/kind.h"
#include "kernels/device/device.cuh"
#include "kernels/text/number_text.h"

namespace convoscope::CONVOSCOPE_TARGET {

inline constexpr int no_or_yes_to_trying[] = {0, 1};
inline constexpr Tunable try_all_tunable{"measure", "Choose by measuring",
                                         "0: the function that is usually the fastest; 1: the fastest of a trial run "
                                         "when the plan is made, among those whose result is right",
                                         no_or_yes_to_trying, 0};

// Makes one image of noise and one for the result, and runs plans on them.
class WayTrial {
 public:
  explicit WayTrial(const Device& device) : compute_(make_compute(target_backend, device.ordinal)) {}

  // How far from the reference the result is. make_plan: given the problem, which is a part of the frame's size that
  // has all borders and some inside.
  template <class MakePlan>
  double error_of(const MakePlan& make_plan, const Problem& problem) {
    Problem part = problem;
    part.width = std::min(part.width, 2 * part.filter.width + 67);
    part.height = std::min(part.height, 2 * part.filter.height + 41);
    make_images(part);
    auto plan = make_plan(part);
    compute_->fill(out_.image(), 0xA5);
    run(plan, 1);
    compute_->synchronize();
    std::vector<std::uint32_t> result(noise_.size());
    const Tensor given = host(part, noise_), seen = host(part, result);
    compute_->download(out_.image(), rows_of(seen));
    const std::vector<double> expected = part.kind->reference(part, {&given, 1});
    return part.kind->compare(part, expected, {&given, 1}, seen).max_error;
  }
  template <class MakePlan>
  double milliseconds_of(const MakePlan& make_plan, const Problem& problem) {
    make_images(problem);
    auto plan = make_plan(problem);
    run(plan, 2);
    const std::unique_ptr<IntervalTimer> timer = compute_->make_timer();
    timer->start(compute_->stream());
    run(plan, timed_runs);
    timer->stop(compute_->stream());
    compute_->synchronize();
    return timer->poll_ms().value_or(0) / timed_runs;
  }

 private:
  static constexpr int timed_runs = 10;

  static Tensor host(const Problem& p, std::vector<std::uint32_t>& pixels) {
    const Shape shape = p.kind->outputs(p)[0];
    return tensor_of_rows(pixels.data(), shape, shape.row_bytes());
  }
  void make_images(const Problem& p) {
    if (in_ && in_.fits(p.width, p.height, p.format)) return;
    noise_.resize(static_cast<std::size_t>(p.width) * p.height);
    std::mt19937 random(1);
    for (std::uint32_t& pixel : noise_) {
      pixel = static_cast<std::uint32_t>(random());
      if (p.format != PixelFormat::rgba8)
        pixel = std::bit_cast<std::uint32_t>(static_cast<float>(pixel >> 8) * 0x1p-24f);
    }
    in_ = compute_->allocate(p.width, p.height, p.format);
    out_ = compute_->allocate(p.width, p.height, p.format);
    compute_->upload(rows_of(host(p, noise_)), in_.image());
    compute_->synchronize();
  }
  void run(ImagePlan& plan, int count) {
    plan.prepare(compute_->stream());
    for (int i = 0; i < count; ++i) plan.enqueue_frame(in_.image(), out_.image(), compute_->stream());
  }

  std::unique_ptr<Compute> compute_;
  std::vector<std::uint32_t> noise_;
  DeviceImage in_, out_;
};

template <class Way>
struct NamedWay {
  Way way;
  const char* name;
};

template <class Way>
struct ChosenWay {
  Way way;
  std::string said;  // what a reader should know of it
};

// Of those of `ways` that suit the problem; the first of all if none is right. What is faster, but not right, is said
// too: who needs no exact bytes would take it. is_a_guess: a wrong result then means other weights, and no rounding.
template <class Plan, class Way, std::size_t Count>
ChosenWay<Way> fastest_way(const NamedWay<Way> (&ways)[Count], const Problem& problem, const Device& device,
                           double tolerance, bool (*suits)(Way, const Problem&), bool (*is_a_guess)(Way)) {
  struct Tried {
    const NamedWay<Way>* named;
    double milliseconds, error;
  };
  std::vector<Tried> right, wrong;
  WayTrial trial(device);
  for (const NamedWay<Way>& named : ways) {
    if (!suits(named.way, problem)) continue;
    try {
      const auto make_plan = [&](const Problem& p) { return Plan(p, device, named.way); };
      const double error = trial.error_of(make_plan, problem);
      if (error > tolerance && is_a_guess(named.way)) continue;
      (error > tolerance ? wrong : right).push_back({&named, trial.milliseconds_of(make_plan, problem), error});
    } catch (const Error&) {  // a function that does not take this size: there are others
    }
  }
  if (right.empty()) return {ways[0].way, {}};
  std::ranges::sort(right, {}, &Tried::milliseconds);
  const auto times_as_long = [&](const Tried& tried) {
    return "; " + std::string(tried.named->name) + " takes " +
           rounded_text(tried.milliseconds / right[0].milliseconds, 3) + " times as long";
  };
  ChosenWay<Way> chosen{right[0].named->way, ", the fastest of " + std::to_string(right.size()) + " that are right"};
  for (const Tried& tried : right)
    if (&tried != &right[0]) chosen.said += times_as_long(tried);
  for (const Tried& tried : wrong)
    chosen.said += times_as_long(tried) + " and is up to " + rounded_text(tried.error, 2) + " beyond rounding";
  return chosen;
}

}  // namespace convoscope::CONVOSCOPE_TARGET
