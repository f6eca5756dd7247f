// What a library for images does. Idea: NPP has several functions for the same filter: a general one, a row and a
// column pass, Gaussians with weights of one's own, means, and fixed small ones. The usual one, or with `measure` the
// fastest of those whose result is right. Traffic: NPP's own; its rgba8 filters leave alpha alone, so the frame is
// first copied for the alpha's sake, and that copy is part of the time shown. Where bytes between two passes would be
// truncated, the passes run on planes of floats instead, and converting is part of the time. Limits: NPP implements
// only the replicate border, truncates, and stores 8-bit results without bias, absolute value or a second filter; for
// gray32f a small kernel adds those.
#include <bit>
#include <random>

#include "kernels/compute/compute.h"
#include "kernels/contract/kind.h"
#include "kernels/contract/model.h"
#include "kernels/contract/tolerance.h"
#include "kernels/filter/number_text.h"
#include "kernels/peers/npp_plan.cuh"

namespace convoscope::CONVOSCOPE_TARGET::npp {
namespace {

constexpr int no_or_yes[] = {0, 1};
constexpr Tunable tunables[] = {{"measure", "Choose by measuring",
                                 "0: the function that is usually the fastest; 1: the fastest of a trial run when the "
                                 "plan is made, among those whose result is right",
                                 no_or_yes, 0}};

// NPP truncates to 8 bits, which is half a code value beyond rounding. One more term for the gain inside the weights;
// of two passes three, for factors that are scaled until the row sums to 1, and for the gain.
double npp_bound(const Problem& p) {
  double sums = float32_sum_bound(p, p.filter.taps() + 1);
  if (separable_reason(p.filter).empty()) sums = std::max(sums, separable_sum_bound(p) + float32_sum_bound(p, 3));
  return sums + (p.format == PixelFormat::rgba8 ? 0.5 : 0.0);
}

// One image filled with noise and one for the result, and NPP's ways tried on them.
class Trial {
 public:
  explicit Trial(const Device& device) : compute_(make_compute(target_backend, device.ordinal)) {}

  // How far from the reference one result is, on a part of the frame's size that has all borders and some inside.
  double error_of(Way way, const Problem& problem) {
    Problem part = problem;
    part.width = std::min(part.width, 2 * part.filter.width + 67);
    part.height = std::min(part.height, 2 * part.filter.height + 41);
    make_images(part);
    NppPlan plan(part, compute_->device(), way);
    compute_->fill(out_.image(), 0xA5);
    run(plan, 1);
    compute_->synchronize();
    std::vector<std::uint32_t> result(noise_.size());
    const Tensor expected_in = host(part, noise_), seen = host(part, result);
    compute_->download(out_.image(), rows_of(seen));
    const std::vector<double> expected = part.kind->reference(part, {&expected_in, 1});
    return part.kind->compare(part, expected, {&expected_in, 1}, seen).max_error;
  }
  double milliseconds_of(Way way, const Problem& problem) {
    make_images(problem);
    NppPlan plan(problem, compute_->device(), way);
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
    for (std::uint32_t& pixel : noise_)
      pixel = p.format == PixelFormat::rgba8
                  ? static_cast<std::uint32_t>(random())
                  : std::bit_cast<std::uint32_t>(static_cast<float>(random() >> 8) * 0x1p-24f);
    in_ = compute_->allocate(p.width, p.height, p.format);
    out_ = compute_->allocate(p.width, p.height, p.format);
    compute_->upload(rows_of(host(p, noise_)), in_.image());
    compute_->synchronize();
  }
  void run(NppPlan& plan, int count) {
    plan.prepare(compute_->stream());
    for (int i = 0; i < count; ++i) plan.enqueue_frame(in_.image(), out_.image(), compute_->stream());
  }

  std::unique_ptr<Compute> compute_;
  std::vector<std::uint32_t> noise_;
  DeviceImage in_, out_;
};

struct Choice {
  Way way;
  std::string said;
};

// What is faster, but not right, is said too: who needs no exact bytes would take it.
Choice fastest_way(const Problem& problem, const Device& device) {
  struct Tried {
    Way way;
    double milliseconds, error;
  };
  const double tolerance = npp_bound(problem);
  std::vector<Tried> right, wrong;
  Trial trial(device);
  for (const auto& [way, name] : ways) {
    if (!suits(way, problem)) continue;
    try {
      const double error = trial.error_of(way, problem);
      // Other weights than the filter's are no rounding, and of no interest.
      if (error > tolerance && has_own_weights(way)) continue;
      (error > tolerance ? wrong : right).push_back({way, trial.milliseconds_of(way, problem), error});
    } catch (const Error&) {  // one of NPP's that does not take this size: it has others
    }
  }
  if (right.empty()) return {Way::general, {}};
  std::ranges::sort(right, {}, &Tried::milliseconds);
  Choice choice{right[0].way, ", the fastest of " + std::to_string(right.size()) + " that are right"};
  for (const Tried& tried : right)
    if (&tried != &right[0])
      choice.said += "; " + std::string(name_of(tried.way)) + " takes " +
                     rounded_text(tried.milliseconds / right[0].milliseconds, 3) + " times as long";
  for (const Tried& tried : wrong)
    choice.said += "; " + std::string(name_of(tried.way)) + " takes " +
                   rounded_text(tried.milliseconds / right[0].milliseconds, 3) + " times as long and is up to " +
                   rounded_text(tried.error, 2) + " beyond rounding";
  return choice;
}

}  // namespace

extern const Strategy strategy;
const Strategy strategy{
    .id = "npp",
    .title = "NPP",
    .idea =
        "NVIDIA's image library: its general filter, or its row and column filters where the weights are of rank 1. "
        "With "
        "'measure', whichever of its functions is the fastest here and right. For rgba8, alpha is copied first or "
        "converted with the rest, which is part of the time.",
    .reading = "NVIDIA Performance Primitives documentation, Filtering Functions",
    .backend = target_backend,
    .tunables = tunables,
    .tolerance = npp_bound,
    .unsupported = [](const Problem& p, const Device&, const Tuning&) -> std::string {
      if (target_backend == Backend::emulated) return "calls NPP, which cannot be emulated";
      if (std::string missing = libnpp::Library::missing(); !missing.empty()) return missing;
      if (p.border != Border::replicate)
        return "NPP's filters implement only the replicate border; this one is " + std::string(to_string(p.border));
      if (p.format == PixelFormat::rgba8 && p.filter.is_magnitude())
        return "NPP stores the sums of an rgba8 filter as 8 bits, so two of them cannot become an edge magnitude";
      if (p.format == PixelFormat::rgba8 && (p.filter.bias != 0 || p.filter.absolute))
        return "NPP stores the sums of an rgba8 filter as 8 bits at once: there is no bias and no absolute value";
      return {};
    },
    .plan = [](const Problem& p, const Device& device, const Tuning& t) -> std::unique_ptr<Plan> {
      libnpp::api();
      const bool measure = tuned(strategy, t, "measure") != 0;
      Choice choice = measure ? fastest_way(p, device) : Choice{usual_way(p), {}};
      return std::make_unique<NppPlan>(p, device, choice.way, std::move(choice.said));
    },
    // NPP does not say what its kernels do: the work of the definition, or of two passes with what lies between them.
    .model = [](const Problem& p, const Tuning& t) -> Cost {
      const Way way = usual_way(p);
      Cost cost = way == Way::general ? direct_cost(p) : two_pass_cost(p, t);
      const bool bytes = p.format == PixelFormat::rgba8;
      // As floats: planes out, in and out of each pass, and in; as bytes the copy for alpha.
      const double floats = way != Way::through_floats ? 0 : bytes ? 6 * channels(p.format) : 2;
      cost.dram_bytes += floats * sizeof(float) * outputs(p);
      if (bytes && way != Way::through_floats) cost.dram_bytes += 2 * frame_bytes(p);
      return cost;
    },
    .peer = true,
    .calls_library = true,
    .open_library = libnpp::Library::open,
};

}  // namespace convoscope::CONVOSCOPE_TARGET::npp
