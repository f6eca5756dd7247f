#include "app/media/sound/block_filter.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "app/state/sound_kind.h"
#include "kernels/choose/stand_in.h"
#include "kernels/contract/kind.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

constexpr int channels_filtered = 2;

Problem problem_of_block(Filter taps, int block) {
  Problem problem{.width = block + taps.width - 1,
                  .height = channels_filtered,
                  .format = PixelFormat::gray32f,
                  .border = Border::zero};
  problem.filter = std::move(taps);
  problem.kind = &sound_kind;
  return problem;
}

// One core: the others are the picture's, and who takes turns with them waits for it.
Tuning one_thread(const Strategy& strategy) {
  if (std::ranges::find(strategy.tunables, "threads", &Tunable::id) == strategy.tunables.end()) return {};
  return {{"threads", 1}};
}

Image staged(const std::shared_ptr<void>& memory, const Problem& problem) {
  return {memory.get(), problem.width, problem.height, static_cast<std::size_t>(problem.width) * sizeof(float),
          PixelFormat::gray32f};
}

Tensor tensor_of(const Image& image, const Problem& problem) {
  return tensor_of_rows(image.data, sound_kind.inputs(problem).front(), image.pitch);
}

}  // namespace

BlockFilter::BlockFilter(Compute& compute, const Strategy& strategy, Filter taps, int block)
    : compute_(compute), strategy_(strategy), block_(block), problem_(problem_of_block(std::move(taps), block)) {
  if (strategy.backend == Backend::cpu) {
    if (const std::string why = strategy.unsupported(problem_, compute.device(), one_thread(strategy)); !why.empty())
      throw Error(why);
    plan_ = strategy.plan(problem_, compute.device(), one_thread(strategy));
  } else {
    coming_ = make_in_background(strategy, problem_, compute.device());
  }
  const std::size_t bytes = sound_kind.inputs(problem_).front().bytes();
  host_in_ = compute.allocate_host(bytes);
  host_out_ = compute.allocate_host(bytes);
  staged_in_ = staged(host_in_, problem_);
  staged_out_ = staged(host_out_, problem_);
  in_ = compute.allocate(problem_.width, problem_.height, PixelFormat::gray32f);
  out_ = compute.allocate(problem_.width, problem_.height, PixelFormat::gray32f);
}

BlockFilter::~BlockFilter() = default;

bool BlockFilter::ready() {
  if (!plan_ && coming_.valid() && coming_.is_there()) plan_ = coming_.take_plan();
  return plan_ != nullptr;
}

bool BlockFilter::takes(const Strategy& strategy, const Filter& taps, int block) const {
  return plan_ && &strategy == &strategy_ && block == block_ && taps.width == problem_.filter.width;
}

void BlockFilter::set_taps(const Filter& taps) {
  problem_.filter = taps;
  plan_->set_filter(taps);
}

double BlockFilter::run(const Channels& in, int reach, std::array<std::vector<float>, 2>& out) {
  const int radius = problem_.filter.rx();
  const auto began = std::chrono::steady_clock::now();
  for (int channel = 0; channel < channels_filtered; ++channel)
    std::ranges::copy(in[static_cast<std::size_t>(channel)].subspan(static_cast<std::size_t>(reach - radius),
                                                                    static_cast<std::size_t>(problem_.width)),
                      row_of<float>(staged_in_, channel));
  compute_.upload(staged_in_, in_.image());
  plan_->prepare(compute_.stream());
  const Tensor from = tensor_of(in_.image(), problem_), to = tensor_of(out_.image(), problem_);
  plan_->enqueue({&from, 1}, {&to, 1}, compute_.stream());
  compute_.download(out_.image(), staged_out_);
  for (int channel = 0; channel < channels_filtered; ++channel) {
    const float* const row = row_of<float>(staged_out_, channel) + radius;
    out[static_cast<std::size_t>(channel)].assign(row, row + block_);
  }
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count();
}

double BlockFilter::error(const Channels& in, int reach, const std::array<std::vector<float>, 2>& out) const {
  double largest = 0;
  const std::vector<float>& taps = problem_.filter.weights;
  const auto first = static_cast<std::size_t>(reach - problem_.filter.rx());
  for (std::size_t channel = 0; channel < out.size(); ++channel)
    for (std::size_t i = 0; i < out[channel].size(); ++i) {
      double sum = 0;
      for (std::size_t tap = 0; tap < taps.size(); ++tap)
        sum += static_cast<double>(taps[tap]) * static_cast<double>(in[channel][first + i + tap]);
      const double difference = std::abs(sum - static_cast<double>(out[channel][i]));
      if (!(difference < HUGE_VAL)) return HUGE_VAL;
      largest = std::max(largest, difference);
    }
  return largest;
}

const Strategy& likely_fastest(const Filter& taps, int block, const Device& cpu) {
  return *able_strategies(problem_of_block(taps, block), cpu).front();
}

}  // namespace convoscope
