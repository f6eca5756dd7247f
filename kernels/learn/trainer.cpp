#include "kernels/learn/trainer.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include "kernels/choose/stand_in.h"
#include "kernels/contract/error.h"
#include "kernels/contract/kind.h"
#include "kernels/contract/stop.h"
#include "kernels/convert/feature_maps.h"
#include "kernels/kinds/layer.h"
#include "kernels/learn/loss.h"

namespace convoscope {
namespace {

constexpr double calm_steps = 1000;        // after so many the rate is down to 0.7, after four times as many to 0.45
constexpr double products_on_cores = 1e7;  // of a pass over a batch: some milliseconds

int span_of(const Problem& layer) { return layer.layer.dilation * (layer.filter.width - 1) + 1; }

Problem batch_of(Problem layer, const PatchSettings& patches) {
  layer.width = std::min(layer.width, patches.side);
  layer.height = std::min(layer.height, patches.side);
  layer.layer.samples = patches.samples;
  layer.layer.pass = Pass::forward;
  if (const std::string reason = layer_kind.invalid(layer); !reason.empty()) throw Error(reason + ".");
  if (layer.filter.relu) throw Error("A layer with ReLU does not learn here. Switch ReLU off.");
  for (const std::vector<float>* values : {&layer.filter.weights, &layer.filter.biases})
    if (!std::ranges::all_of(*values, [](float value) { return std::isfinite(value); }))
      throw Error("Some of the layer's weights are not numbers.");
  return layer;
}

Image floats(void* data, std::size_t count) {
  return {data, static_cast<int>(count), 1, count * sizeof(float), PixelFormat::gray32f};
}

Tensor sample_of(const Tensor& tensor, int sample) {
  Tensor one = tensor;
  one.data = row_of<void>(tensor, sample, 0, 0);
  one.shape.extent[0] = 1;
  return one;
}

}  // namespace

PatchSettings patches_for(const Problem& layer, Backend backend) {
  // Padding is to be the exception.
  PatchSettings patches{.side = std::max(backend == Backend::cuda ? 64 : 32, 2 * span_of(layer))};
  if (backend == Backend::cuda) return patches;
  const double products = static_cast<double>(patches.side) * patches.side *
                          static_cast<double>(std::max<std::size_t>(layer.filter.weights.size(), 1));
  patches.samples = static_cast<int>(std::clamp(products_on_cores / products, 1.0, 8.0));
  return patches;
}

Filter bank_of_target(const Filter& target, const Problem& layer) {
  const Filter& own = layer.filter;
  if (target.is_magnitude() || target.absolute)
    throw Error("The values that " + target.name +
                " makes are absolute values, which no weights can make. Choose another target.");
  if (target.depth != 1 || target.width > own.width || target.height > own.height)
    throw Error("The target " + name_and_size(target) + " is larger than the layer's filters of " + size_text(own) +
                ". Choose larger filters for the layer, or a smaller target.");
  Filter bank = own;  // the same biases, so that the weights are all that there is to learn
  bank.name = target.name;
  std::ranges::fill(bank.weights, 0.0f);
  const int left = (own.width - target.width) / 2, top = (own.height - target.height) / 2;
  for (int m = 0; m < own.maps; ++m) {
    const int channel = own.channels == 1 ? 0 : m * own.channels / own.maps;
    float* const plane = bank.weights.data() + (m * own.channels + channel) * own.taps();
    for (int y = 0; y < target.height; ++y)
      for (int x = 0; x < target.width; ++x)
        plane[(top + y) * own.width + left + x] =
            target.gain * target.weights[static_cast<std::size_t>(y * target.width + x)];
  }
  return bank;
}

// One pass, by the strategy that was found for it.
struct Trainer::Planned {
  // On a GPU the one that is the fastest with these: what a small bank leaves idle no model of the work tells.
  Planned(Compute& compute, Problem problem, Pass pass, bool beside_others, std::span<const Tensor> in,
          const Tensor& out) {
    problem.layer.pass = pass;
    double least = std::numeric_limits<double>::infinity();
    for (const Strategy* able : able_strategies(problem, compute.device())) {
      Planned one(able, able->plan(problem, compute.device(), {}));
      // Constant memory is one for all plans of a strategy: two threads would overwrite each other's weights.
      const auto is_shared = [](const KernelInfo& kernel) { return kernel.constant_bytes > 0; };
      if (beside_others && std::ranges::any_of(one.plan->kernels(), is_shared)) continue;
      const bool timed = compute.device().backend == Backend::cuda;
      if (const double seconds = timed ? one.seconds(compute, in, out) : 0; seconds < least) {
        least = seconds;
        strategy = one.strategy;
        plan = std::move(one.plan);
      }
      if (!timed) return;
    }
    if (!plan)
      throw Error("No strategy computes the pass " + std::string(to_string(pass)) + " of this layer on " +
                  compute.device().name + ".");
  }
  void enqueue(std::span<const Tensor> in, const Tensor& out, Stream stream) const {
    plan->prepare(stream);
    plan->enqueue(in, {&out, 1}, stream);
  }
  const Strategy* strategy = nullptr;
  std::unique_ptr<Plan> plan;

 private:
  Planned(const Strategy* of, std::unique_ptr<Plan> made) : strategy(of), plan(std::move(made)) {}
  double seconds(Compute& compute, std::span<const Tensor> in, const Tensor& out) const {
    double last = 0;
    for (int run = 0; run < 2; ++run) {  // the first loads the kernels
      compute.synchronize();
      const auto began = std::chrono::steady_clock::now();
      enqueue(in, out, compute.stream());
      compute.synchronize();
      last = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    }
    return last;
  }
};

Trainer::Trainer(Compute& compute, const Problem& layer, const Lesson& lesson, const PatchSettings& patches,
                 unsigned seed, bool beside_others)
    : compute_(compute),
      problem_(batch_of(layer, patches)),
      noise_(lesson.noise),
      rate_(lesson.rate),
      random_(seed),
      weights_(layer.filter.weights.begin(), layer.filter.weights.end()),
      adam_(weights_.size()) {
  Problem wanted = problem_;
  wanted.filter = lesson.target;
  if (const std::string reason = layer_kind.invalid(wanted); !reason.empty()) throw Error(reason + ".");
  const Shape x = layer_kind.inputs(problem_)[0], y = layer_kind.outputs(problem_)[0];
  clean_ = dense_tensor(compute, x);
  if (noise_ > 0) noisy_ = dense_tensor(compute, x);
  y_ = dense_tensor(compute, y);
  target_ = dense_tensor(compute, y);
  dy_ = dense_tensor(compute, y);
  result_count_ = weights_.size() + y.rows();
  results_ = compute.allocate_bytes(result_count_ * sizeof(float));
  results_on_host_ = compute.allocate_host(result_count_ * sizeof(float));
  const Filter& bank = problem_.filter;
  df_ = tensor_of_rows(results_.get(), {{bank.maps, bank.channels, 1, bank.height, bank.width}, Element::f32},
                       static_cast<std::size_t>(bank.width) * sizeof(float));
  const auto planned = [&](const Problem& problem, Pass pass, std::span<const Tensor> in, const Tensor& out) {
    return std::make_unique<Planned>(compute, problem, pass, beside_others, in, out);
  };
  forward_ = planned(problem_, Pass::forward, {&clean_.tensor, 1}, y_.tensor);
  wanted_ = planned(wanted, Pass::forward, {&clean_.tensor, 1}, target_.tensor);
  to_weights_ = planned(problem_, Pass::to_weights, std::array{clean_.tensor, dy_.tensor}, df_);
}

Trainer::~Trainer() = default;

void Trainer::take_patches(const Image& picture) {
  for (int n = 0; n < problem_.layer.samples; ++n) {
    const auto place = [&](int room) { return static_cast<std::size_t>(random_() % static_cast<unsigned>(room + 1)); };
    Image patch = picture;
    patch.width = problem_.width;
    patch.height = problem_.height;
    const std::size_t x = place(picture.width - patch.width), y = place(picture.height - patch.height);
    patch.data = static_cast<std::byte*>(picture.data) + y * picture.pitch + x * bytes_per_pixel(picture.format);
    split_channels(compute_.device().backend, patch, sample_of(clean_.tensor, n), compute_.stream());
  }
}

double Trainer::look(const Image& picture) {
  const Backend backend = compute_.device().backend;
  const Stream stream = compute_.stream();
  take_patches(picture);
  wanted_->enqueue({&clean_.tensor, 1}, target_.tensor, stream);
  const Tensor& x = noise_ > 0 ? noisy_.tensor : clean_.tensor;
  if (noise_ > 0) add_noise(backend, clean_.tensor, x, static_cast<float>(noise_), random_(), stream);
  forward_->enqueue({&x, 1}, y_.tensor, stream);
  compare_outputs(backend, y_.tensor, target_.tensor, dy_.tensor, static_cast<float*>(results_.get()) + weights_.size(),
                  stream);
  to_weights_->enqueue(std::array{x, dy_.tensor}, df_, stream);
  compute_.start_download(floats(results_.get(), result_count_), floats(results_on_host_.get(), result_count_));
  compute_.synchronize();
  double loss = 0;
  const float* const sums = static_cast<const float*>(results_on_host_.get());
  for (std::size_t i = weights_.size(); i < result_count_; ++i) loss += sums[i];
  return loss / static_cast<double>(y_.tensor.shape.elements());
}

std::span<const float> Trainer::gradient() const {
  return {static_cast<const float*>(results_on_host_.get()), weights_.size()};
}

bool Trainer::is_finite(double loss) const {
  return std::isfinite(loss) && std::ranges::all_of(gradient(), [](float slope) { return std::isfinite(slope); });
}

double Trainer::tolerance(Pass pass) const {
  Problem problem = problem_;
  problem.layer.pass = pass;
  return (pass == Pass::to_weights ? to_weights_ : forward_)->strategy->tolerance(problem);
}

double Trainer::step(const Image& picture) {
  const double loss = look(picture);
  if (stop_requested() || !is_finite(loss)) return std::numeric_limits<double>::quiet_NaN();
  adam_.step(weights_, gradient(), rate_ / std::sqrt(1 + static_cast<double>(adam_.steps()) / calm_steps));
  std::ranges::copy(weights_, problem_.filter.weights.begin());
  forward_->plan->set_filter(problem_.filter);
  return loss;
}

void Trainer::set_bank(const Filter& bank) {
  problem_.filter.weights = bank.weights;
  weights_.assign(bank.weights.begin(), bank.weights.end());
  forward_->plan->set_filter(problem_.filter);
}

std::vector<float> Trainer::on_host(const Tensor& tensor) const {
  std::vector<float> values(tensor.shape.elements());
  compute_.download(rows_of(tensor), rows_of(tensor_of_rows(values.data(), tensor.shape, tensor.shape.row_bytes())));
  return values;
}
std::vector<float> Trainer::inputs() const { return on_host(noise_ > 0 ? noisy_.tensor : clean_.tensor); }
std::vector<float> Trainer::outputs() const { return on_host(target_.tensor); }
std::vector<float> Trainer::slopes() const { return on_host(dy_.tensor); }

}  // namespace convoscope
