#include "kernels/learn/trainer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "kernels/contract/kind.h"
#include "kernels/convert/feature_maps.h"
#include "kernels/kinds/layer.h"
#include "kernels/learn/loss.h"
#include "kernels/text/error.h"
#include "kernels/threads/stop.h"

namespace convoscope {
namespace {

constexpr double calm_steps = 1000;           // after so many the rate is down to 0.7, after four times as many to 0.45
constexpr double careful_steps = 200;         // of several layers: until then the rate grows to what it is to be
constexpr double products_on_cores = 1e7;     // of a pass over a batch: some milliseconds
constexpr std::size_t result_alignment = 64;  // of results on a device, in floats

// Of pixels that an output sees, along one side.
int span_of(const Network& network) {
  return std::accumulate(network.begin(), network.end(), 1, [](int sum, const Problem& layer) {
    return sum + layer.layer.dilation * (layer.filter.width - 1);
  });
}

std::size_t weights_of(const Network& network) {
  return std::accumulate(network.begin(), network.end(), std::size_t{0},
                         [](std::size_t sum, const Problem& layer) { return sum + layer.filter.weights.size(); });
}

// Another picture knows what lies around a patch: of what the layers make of the patch, only that part is compared
// which no padding reaches.
Network batch_of(Network batch, const PatchSettings& patches, bool padded) {
  int width = std::min(batch.front().width, patches.side), height = std::min(batch.front().height, patches.side);
  for (Problem& layer : batch) {
    layer.width = width;
    layer.height = height;
    layer.layer.samples = patches.samples;
    layer.layer.pass = Pass::forward;
    if (!padded) layer.layer.padding = 0;
    if (const std::string reason = layer_kind.invalid(layer); !reason.empty()) throw Error(reason + ".");
    for (const std::vector<float>* values : {&layer.filter.weights, &layer.filter.biases})
      if (!std::ranges::all_of(*values, [](float value) { return std::isfinite(value); }))
        throw Error("Some of the layer's weights are not numbers.");
    const LayerExtents extents = layer_extents(layer);
    width = extents.out_width;
    height = extents.out_height;
  }
  if (batch.back().filter.relu)
    throw Error(batch.size() == 1 ? "A layer with ReLU does not learn here. Switch ReLU off."
                                  : "A network whose last layer has ReLU does not learn here.");
  return batch;
}

Problem wanted_layer(const Network& network, const Filter& target) {
  Problem wanted = network.front();
  wanted.filter = target;
  if (network.size() == 1) return wanted;
  wanted.layer = {.samples = wanted.layer.samples,
                  .channels = wanted.layer.channels,
                  .maps = target.maps,
                  .padding = target.width / 2,
                  .groups = wanted.layer.channels};
  return wanted;
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

PatchSettings patches_for(const Network& network, Backend backend) {
  // Padding is to be the exception.
  PatchSettings patches{.side = std::max(backend == Backend::cuda ? 64 : 32, 2 * span_of(network))};
  if (backend == Backend::cuda) return patches;
  const double products = static_cast<double>(patches.side) * patches.side *
                          static_cast<double>(std::max<std::size_t>(weights_of(network), 1));
  patches.samples = static_cast<int>(std::clamp(products_on_cores / products, 1.0, 8.0));
  return patches;
}

Filter bank_of_target(const Filter& target, const Network& network) {
  if (target.is_magnitude() || target.absolute)
    throw Error("The values that " + target.name +
                " makes are absolute values, which no weights can make. Choose another target.");
  Filter bank = network.back().filter;
  if (network.size() > 1) {
    bank.width = bank.height = std::max(target.width, target.height);
    bank.channels = 1;
  } else if (target.depth != 1 || target.width > bank.width || target.height > bank.height) {
    throw Error("The target " + name_and_size(target) + " is larger than the layer's filters of " + size_text(bank) +
                ". Choose larger filters for the layer, or a smaller target.");
  }
  bank.name = target.name;
  bank.relu = false;
  bank.biases.clear();
  bank.weights.assign(static_cast<std::size_t>(bank.maps) * static_cast<std::size_t>(bank.channels * bank.taps()),
                      0.0f);
  const int left = (bank.width - target.width) / 2, top = (bank.height - target.height) / 2;
  for (int m = 0; m < bank.maps; ++m) {
    const int channel = bank.channels == 1 ? 0 : m * bank.channels / bank.maps;
    float* const plane = bank.weights.data() + (m * bank.channels + channel) * bank.taps();
    for (int y = 0; y < target.height; ++y)
      for (int x = 0; x < target.width; ++x)
        plane[(top + y) * bank.width + left + x] =
            target.gain * target.weights[static_cast<std::size_t>(y * target.width + x)];
  }
  return bank;
}

Trainer::Trainer(Compute& compute, const Network& network, const Lesson& lesson, const PatchSettings& patches,
                 unsigned seed, bool beside_others)
    : compute_(compute), network_(batch_of(network, patches, !lesson.shown)), lesson_(lesson), random_(seed) {
  const Shape x = layer_kind.inputs(network_.front())[0], y = layer_kind.outputs(network_.back())[0];
  if (lesson.shown) {
    const int around = span_of(network_) - 1;
    if (y.channels() != x.channels() || y.width() != x.width() - around || y.height() != x.height() - around)
      throw Error(
          "What comes out of the last layer does not match the picture that is wanted. Take stride 1, and as many "
          "maps as there are colours.");
  } else {
    const Problem wanted = wanted_layer(network_, lesson.target);
    if (const std::string reason = layer_kind.invalid(wanted); !reason.empty()) throw Error(reason + ".");
    if (y != layer_kind.outputs(wanted)[0])
      throw Error("What comes out of the last layer is not as large as what is wanted. Take stride 1, and padding.");
  }
  if (lesson.residual && x != y)
    throw Error("The network's maps are to be added to the picture, so they must be as large and as many.");
  clean_ = dense_tensor(compute, x);
  if (lesson.noise > 0) noisy_ = dense_tensor(compute, x);
  target_ = dense_tensor(compute, y);
  if (!lesson.shown)
    wanted_ = std::make_unique<PlannedPass>(compute, wanted_layer(network_, lesson.target), Pass::forward,
                                            beside_others, std::span(&clean_.tensor, 1), target_.tensor);
  add_layers(compute, beside_others);
  set_banks(banks_of(network_));
}

void Trainer::add_layers(Compute& compute, bool beside_others) {
  const auto placed = [&](std::size_t count) {
    return std::exchange(result_count_,
                         result_count_ + (count + result_alignment - 1) / result_alignment * result_alignment);
  };
  std::size_t parameters = 0;
  for (const Problem& layer : network_) {
    const Shape y = layer_kind.outputs(layer)[0];
    LayerAtWork& own = layers_.emplace_back();
    own.y = dense_tensor(compute, y);
    own.dy = dense_tensor(compute, y);
    own.at = placed(layer.filter.weights.size());
    own.bias_at = placed(static_cast<std::size_t>(layer.layer.maps));
    parameters += layer.filter.weights.size() + layer.filter.biases.size();
  }
  gradient_.resize(parameters);
  row_sums_at_ = placed(layers_.back().y.tensor.shape.rows());
  results_ = compute.allocate_bytes(result_count_ * sizeof(float));
  results_on_host_ = compute.allocate_host(result_count_ * sizeof(float));
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const Problem& layer = network_[i];
    const Filter& bank = layer.filter;
    const auto planned = [&](Pass pass, std::span<const Tensor> in, const Tensor& out) {
      return std::make_unique<PlannedPass>(compute, layer, pass, beside_others, in, out);
    };
    LayerAtWork& own = layers_[i];
    own.df = tensor_of_rows(result(own.at), {{bank.maps, bank.channels, 1, bank.height, bank.width}, Element::f32},
                            static_cast<std::size_t>(bank.width) * sizeof(float));
    const Tensor& x = i == 0 ? clean_.tensor : input_of(i);
    own.forward = planned(Pass::forward, {&x, 1}, own.y.tensor);
    own.to_weights = planned(Pass::to_weights, std::array{x, own.dy.tensor}, own.df);
    if (i > 0) own.to_input = planned(Pass::to_input, {&own.dy.tensor, 1}, layers_[i - 1].dy.tensor);
  }
}

void Trainer::take_patches(const Image& picture, const Image& wanted) {
  const Problem& first = network_.front();
  for (int n = 0; n < first.layer.samples; ++n) {
    const auto place = [&](int room) { return static_cast<std::size_t>(random_() % static_cast<unsigned>(room + 1)); };
    const std::size_t x = place(picture.width - first.width), y = place(picture.height - first.height);
    const auto take = [&](const Image& from, const Tensor& to) {
      Image patch = from;
      patch.width = to.shape.width();
      patch.height = to.shape.height();
      const auto within = [](int extent, int part) { return static_cast<std::size_t>((extent - part) / 2); };
      patch.data = static_cast<std::byte*>(from.data) + (y + within(first.height, patch.height)) * from.pitch +
                   (x + within(first.width, patch.width)) * bytes_per_pixel(from.format);
      split_channels(compute_.device().backend, patch, sample_of(to, n), compute_.stream());
    };
    take(picture, clean_.tensor);
    if (lesson_.shown) take(wanted, target_.tensor);
  }
}

double Trainer::look_at(const Image& picture, const Image& wanted) {
  const Backend backend = compute_.device().backend;
  const Stream stream = compute_.stream();
  take_patches(picture, wanted);
  if (wanted_) wanted_->enqueue({&clean_.tensor, 1}, target_.tensor, stream);
  if (lesson_.noise > 0)
    add_noise(backend, clean_.tensor, noisy_.tensor, static_cast<float>(lesson_.noise), random_(), stream);
  for (std::size_t i = 0; i < layers_.size(); ++i)
    layers_[i].forward->enqueue({&input_of(i), 1}, layers_[i].y.tensor, stream);
  const LayerAtWork& last = layers_.back();
  compare_outputs(backend, last.y.tensor, lesson_.residual ? input() : Tensor{}, target_.tensor, last.dy.tensor,
                  result(row_sums_at_), stream);
  run_back();
  return fetch_results();
}

void Trainer::run_back() {
  const Stream stream = compute_.stream();
  for (std::size_t i = layers_.size(); i-- > 0;) {
    const LayerAtWork& own = layers_[i];
    const Filter& bank = network_[i].filter;
    if (bank.relu || !bank.biases.empty())
      pass_epilogue_back(compute_.device().backend, own.y.tensor, bank.relu, own.dy.tensor, result(own.bias_at),
                         stream);
    own.to_weights->enqueue(std::array{input_of(i), own.dy.tensor}, own.df, stream);
    if (i > 0) own.to_input->enqueue({&own.dy.tensor, 1}, layers_[i - 1].dy.tensor, stream);
  }
}

// Waits. The loss.
double Trainer::fetch_results() {
  compute_.start_download(floats(results_.get(), result_count_), floats(results_on_host_.get(), result_count_));
  compute_.synchronize();
  const float* const found = static_cast<const float*>(results_on_host_.get());
  float* to = gradient_.data();
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const Filter& bank = network_[i].filter;
    to = std::copy_n(found + layers_[i].at, bank.weights.size(), to);
    to = std::copy_n(found + layers_[i].bias_at, bank.biases.size(), to);
  }
  const Shape& y = layers_.back().y.tensor.shape;
  const float* const sums = found + row_sums_at_;
  return std::accumulate(sums, sums + y.rows(), 0.0) / static_cast<double>(y.elements());
}

bool Trainer::is_finite(double loss) const {
  return std::isfinite(loss) && std::ranges::all_of(gradient_, [](float slope) { return std::isfinite(slope); });
}

double Trainer::tolerance(int layer, Pass pass) const {
  const auto at = static_cast<std::size_t>(layer);
  const LayerAtWork& own = layers_[at];
  const PlannedPass& planned = pass == Pass::forward      ? *own.forward
                               : pass == Pass::to_weights ? *own.to_weights
                                                          : *own.to_input;
  return planned.tolerance(network_[at]);
}

// Colours are never below zero, so at first the slopes of most weights of a map agree. Adam moves all of them by the
// whole rate at once, however small the slopes are, and the sums of a map move by all of that together: far enough for
// ReLU to cut off all that a map has, from where no slope leads back.
double Trainer::rate_now() const {
  const auto made = static_cast<double>(steps());
  const double careful = network_.size() > 1 ? std::min(1.0, (made + 1) / careful_steps) : 1;
  return lesson_.rate * careful / std::sqrt(1 + made / calm_steps);
}

double Trainer::step(const Image& picture, const Image& wanted) {
  const double loss = look_at(picture, wanted);
  if (stop_requested() || !is_finite(loss)) return std::numeric_limits<double>::quiet_NaN();
  descent_->step(weights_, gradient_, rate_now());
  const double* from = weights_.data();
  for (Problem& layer : network_)
    for (std::vector<float>* const values : {&layer.filter.weights, &layer.filter.biases}) {
      std::copy_n(from, values->size(), values->begin());
      from += values->size();
    }
  show_weights();
  return loss;
}

void Trainer::set_banks(std::span<const Filter> banks) {
  weights_.clear();
  for (std::size_t i = 0; i < network_.size(); ++i) {
    Filter& bank = network_[i].filter;
    bank.weights = banks[i].weights;
    bank.biases = banks[i].biases;
    weights_.insert(weights_.end(), bank.weights.begin(), bank.weights.end());
    weights_.insert(weights_.end(), bank.biases.begin(), bank.biases.end());
  }
  descent_ = make_descent(lesson_.method, weights_.size());  // the way so far was that of other weights
  show_weights();
}

void Trainer::show_weights() {
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    layers_[i].forward->set_filter(network_[i].filter);
    if (layers_[i].to_input) layers_[i].to_input->set_filter(network_[i].filter);
  }
}

std::vector<float> Trainer::on_host(const Tensor& tensor) const {
  std::vector<float> values(tensor.shape.elements());
  compute_.download(rows_of(tensor), rows_of(tensor_of_rows(values.data(), tensor.shape, tensor.shape.row_bytes())));
  return values;
}
std::vector<float> Trainer::inputs() const { return on_host(input()); }
std::vector<float> Trainer::wanted() const { return on_host(target_.tensor); }
std::vector<float> Trainer::maps(int layer) const { return on_host(layers_[static_cast<std::size_t>(layer)].y.tensor); }
double Trainer::share_above_zero(int layer) const {
  const std::vector<float> values = maps(layer);
  return static_cast<double>(std::ranges::count_if(values, [](float value) { return value > 0; })) /
         static_cast<double>(values.size());
}
std::vector<float> Trainer::slopes(int layer) const {
  return on_host(layers_[static_cast<std::size_t>(layer)].dy.tensor);
}

}  // namespace convoscope
