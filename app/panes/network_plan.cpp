#include "app/panes/network_plan.h"

#include <algorithm>
#include <utility>

#include "app/state/network_settings.h"
#include "kernels/choose/auto_candidates.h"
#include "kernels/choose/stand_in.h"
#include "kernels/contract/kind.h"
#include "kernels/convert/feature_maps.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"
#include "kernels/threads/stop.h"

namespace convoscope {
namespace {

std::string layer_name(std::size_t layer) { return "Layer " + std::to_string(layer + 1); }

bool have_same_size(const Filter& a, const Filter& b) {
  return a.width == b.width && a.height == b.height && a.maps == b.maps && a.channels == b.channels;
}

}  // namespace

PaneNetwork network_behind(Problem& problem, const Work& work) {
  PaneNetwork network;
  if (!has_bank(work)) return network;
  constexpr double farthest = 6;  // standard deviations
  network.largest_input = 1 + farthest * work.layer->noise / white_level(PixelFormat::rgba8);
  if (work.layer->further.empty()) return network;
  try {
    network.layers = layer_problems(problem, work.layer->pooled, work.layer->further);
    network.seen = seen_layer(*work.layer);
    network.largest_input *= largest_input(std::span(network.layers).first(network.seen));
    problem = network.layers[network.seen].problem;
  } catch (const Error& error) {
    network.misfit = error.what();
  }
  return network;
}

bool have_same_shape(const PaneNetwork& a, const PaneNetwork& b) {
  const auto same = [](const LayerProblem& one, const LayerProblem& other) {
    const Problem &p = one.problem, &q = other.problem;
    return p.width == q.width && p.height == q.height && p.layer == q.layer && have_same_size(p.filter, q.filter) &&
           one.pool == other.pool;
  };
  return a.seen == b.seen && a.misfit.empty() && b.misfit.empty() && std::ranges::equal(a.layers, b.layers, same);
}

PanePlan make_network_plan(const PaneSettings& pane, const PaneNetwork& network, const Device& device,
                           const FailedStrategies& failed) {
  PanePlan made;
  if (pane.strategy == "source") return made;
  made.why_not = network.misfit;
  if (!made.why_not.empty()) return made;
  try {
    auto plan = std::make_unique<NetworkPlan>(pane, network.layers, network.seen, device, failed);
    made.strategy = plan->seen().strategy;
    made.tuning = plan->seen().tuning;
    made.why_substitute = plan->seen().why_substitute;
    made.plan = std::move(plan);
  } catch (const Error& error) {
    made.why_not = error.what();
  }
  return made;
}

NetworkPlan::NetworkPlan(const PaneSettings& pane, std::vector<LayerProblem> layers, std::size_t seen,
                         const Device& device, const FailedStrategies& failed)
    : seen_(seen), pane_(pane), asked_(device) {
  for (LayerProblem& layer : layers) layers_.push_back({std::move(layer), {}, {}, {}});
  if (!plan_on(device, failed)) plan_on(typical_device(Backend::cpu), failed);
}

// False where one of them is on the CPU and another is not.
bool NetworkPlan::plan_on(const Device& device, const FailedStrategies& failed) {
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    PanePlan& made = layers_[i].made;
    made = make_pane_plan(pane_of_layer(pane_, i), layers_[i].layer.problem, device, failed);
    if (!made.plan) throw Error(layer_name(i) + ": " + made.why_not);
    if (made.strategy->backend != layers_[0].made.strategy->backend) return false;
  }
  const Backend backend = layers_[0].made.strategy->backend;
  device_ = backend == device.backend ? device : typical_device(backend);
  return true;
}

void NetworkPlan::allocate(Compute& compute) {
  const Problem& first = layers_[0].layer.problem;
  std::vector<std::pair<DeviceTensor*, Shape>> wanted{{&x_, first.kind->inputs(first)[0]}};
  for (Layer& layer : layers_) {
    const Shape maps = maps_of(layer.layer);
    wanted.emplace_back(&layer.maps, maps);
    if (layer.layer.pool && &layer != &layers_.back()) wanted.emplace_back(&layer.pooled, pooled(maps));
  }
  double megabytes = 0;
  for (const auto& [tensor, shape] : wanted) megabytes += static_cast<double>(shape.bytes()) / 1e6;
  try {
    for (const auto& [tensor, shape] : wanted) *tensor = allocate_tensor(compute, shape);
  } catch (const Error& error) {
    throw Error("The maps of the network's " + std::to_string(layers_.size()) + " layers need " +
                rounded_text(megabytes, 3) + " MB together: " + error.what());
  }
  for (Layer& layer : layers_) layer.timer = std::make_unique<TimerRing>(compute);
}

const Tensor& NetworkPlan::input(std::size_t layer) const {
  if (layer == 0) return x_.tensor;
  const Layer& before = layers_[layer - 1];
  return before.layer.pool ? before.pooled.tensor : before.maps.tensor;
}

std::unique_ptr<PaneView> NetworkPlan::view(Compute& compute, const WallSettings& look, const LayerSettings& layer,
                                            const Image& shape) {
  return make_layer_view(compute, {x_.tensor, input(seen_), layers_[seen_].maps.tensor}, look, layer, shape);
}

// From the CPU to the device that was asked for, where every layer has a strategy for now.
bool NetworkPlan::may_return(const std::vector<LayerProblem>& layers, const FailedStrategies& failed) const {
  if (device_.backend == asked_.backend) return false;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const Problem& problem = layers[i].problem;
    const PaneSettings pane = pane_of_layer(pane_, i);
    const Strategy* runs = strategy_for(asked_.backend, pane.strategy, *problem.kind);
    if (!why_chosen_cannot(pane, problem, asked_, failed).empty()) {
      const std::vector<const Strategy*> able = able_strategies(problem, asked_);
      runs = able.empty() ? nullptr : able.front();
    }
    if (!runs || runs->backend != asked_.backend || failed.contains(runs)) return false;
  }
  return true;
}

bool NetworkPlan::set_layers(std::vector<LayerProblem> layers, const FailedStrategies& failed) {
  if (may_return(layers, failed)) return false;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const PanePlan& made = layers_[i].made;
    const Problem& problem = layers[i].problem;
    const std::string refusal = why_chosen_cannot(pane_of_layer(pane_, i), problem, device_, failed);
    if (refusal.empty() != made.why_substitute.empty()) return false;
    if (!made.strategy->unsupported(problem, device_, made.tuning).empty()) return false;
  }
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    Layer& layer = layers_[i];
    if (layer.layer.problem.filter != layers[i].problem.filter) layer.made.plan->set_filter(layers[i].problem.filter);
    layer.layer = std::move(layers[i]);
  }
  return true;
}

void NetworkPlan::set_filter(const Filter& filter) {
  layers_[seen_].made.plan->set_filter(filter);
  layers_[seen_].layer.problem.filter = filter;
}

void NetworkPlan::enqueue(std::span<const Tensor>, std::span<const Tensor>, Stream stream) {
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    Layer& layer = layers_[i];
    at_work_ = i;
    layer.made.plan->prepare(stream);
    layer.timer->start(stream, counts_);
    layer.made.plan->enqueue({&input(i), 1}, {&layer.maps.tensor, 1}, stream);
    if (layer.pooled.tensor.data) pool_maps(device_.backend, layer.maps.tensor, layer.pooled.tensor, stream);
    if (stop_requested()) return;
    layer.timer->stop(stream);
  }
}

Cost NetworkPlan::cost() const {
  const auto cost_of = [](const Layer& layer) {
    const Strategy* const runs = layer.made.plan->runs();
    return runs ? runs->model(layer.layer.problem, {})
                : layer.made.strategy->model(layer.layer.problem, layer.made.tuning);
  };
  Cost cost = cost_of(layers_[seen_]);
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    if (i == seen_) continue;
    const Cost other = cost_of(layers_[i]);
    cost.flop += other.flop;
    cost.dram_bytes += other.dram_bytes;
    cost.on_matrix_units &= other.on_matrix_units;
  }
  return cost;
}

std::vector<KernelInfo> NetworkPlan::kernels() const {
  std::vector<KernelInfo> all;
  for (const Layer& layer : layers_)
    for (KernelInfo& kernel : layer.made.plan->kernels()) all.push_back(std::move(kernel));
  return all;
}

std::string NetworkPlan::note() const {
  std::string text;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const PanePlan& made = layers_[i].made;
    if (i == seen_ || made.why_substitute.empty()) continue;  // the pane says so of the one that is seen
    text += (text.empty() ? "" : " ") + layer_name(i) + ": " +
            substitute_sentence(pane_of_layer(pane_, i).strategy, made.why_substitute, made.strategy);
  }
  return text;
}

std::vector<const Strategy*> NetworkPlan::runs_of_layers() const {
  std::vector<const Strategy*> all;
  for (const Layer& layer : layers_) all.push_back(layer.made.plan->runs());
  return all;
}

bool NetworkPlan::settled() const {
  return std::ranges::all_of(layers_, [](const Layer& layer) { return layer.made.plan->settled(); });
}

void NetworkPlan::explore(std::span<const Tensor>, Stream stream) {
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    Plan& plan = *layers_[i].made.plan;
    if (plan.settled()) continue;
    at_work_ = i;
    plan.explore({&input(i), 1}, stream);
    return;  // at most one trial
  }
}

void NetworkPlan::count_last() {
  for (Layer& layer : layers_) layer.timer->count_last();
}

void NetworkPlan::disregard_times() {
  for (Layer& layer : layers_) {
    layer.times.clear();
    if (layer.timer) layer.timer->disregard();
  }
}

void NetworkPlan::read_times() {
  for (Layer& layer : layers_)
    while (const std::optional<double> milliseconds = layer.timer ? layer.timer->poll_ms() : std::nullopt)
      layer.times.push_back(*milliseconds);
}

void NetworkPlan::describe(std::vector<LayerStats>& stats, const std::vector<const Strategy*>& runs) const {
  stats.resize(layers_.size());
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const Layer& layer = layers_[i];
    stats[i].strategy = (runs[i] ? runs[i] : layer.made.strategy)->id;
    stats[i].work = layer.layer.problem;
    stats[i].work.filter.weights.clear();
    stats[i].pool = layer.layer.pool;
    stats[i].seen = i == seen_;
  }
}

void NetworkPlan::hand_over_times(std::vector<LayerStats>& stats) {
  for (std::size_t i = 0; i < std::min(layers_.size(), stats.size()); ++i) {
    for (const double milliseconds : layers_[i].times) stats[i].times.add(milliseconds);
    layers_[i].times.clear();
  }
}

}  // namespace convoscope
