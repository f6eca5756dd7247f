#pragma once
// The layers of a network one after the other: each has its own strategy, the one that was chosen for it or that the
// pane asks for, or what stands in for that, and its own time.
#include <memory>
#include <string>
#include <vector>

#include "app/panes/pane_plan.h"
#include "app/panes/pane_view.h"
#include "app/panes/timer_ring.h"
#include "app/state/stats.h"
#include "kernels/kinds/layer_network.h"

namespace convoscope {

// What a pane computes layer after layer; no layers and no misfit where that is a single problem.
struct PaneNetwork {
  std::vector<LayerProblem> layers;
  std::size_t seen = 0;      // of them
  double largest_input = 1;  // of the layer that is seen, where pictures go up to 1 and noise is added to them
  std::string misfit;        // why they do not fit; a sentence without its full stop
  bool has_several() const { return !layers.empty() || !misfit.empty(); }
};
// Behind the first layer; `problem`, which is that, becomes the layer that is seen.
PaneNetwork network_behind(Problem&, const Work&);
bool have_same_shape(const PaneNetwork&, const PaneNetwork&);
// Its plan is a NetworkPlan, and what it says of a strategy is about the layer that is seen.
PanePlan make_network_plan(const PaneSettings&, const PaneNetwork&, const Device&, const FailedStrategies&);

// As a plan it is that of the layer that is seen: inputs, outputs, and what runs are its own. All layers are on one
// device, with one memory: where one of them needs the CPU, all of them are there.
class NetworkPlan final : public Plan {
 public:
  // Throws Error naming the layer that nothing runs.
  NetworkPlan(const PaneSettings&, std::vector<LayerProblem>, std::size_t seen, const Device&, const FailedStrategies&);
  // What lies between the layers, once; the Compute's. Before the first enqueue(). Throws Error with the bytes when
  // there is no memory.
  void allocate(Compute&);
  std::unique_ptr<PaneView> view(Compute&, const WallSettings&, const LayerSettings&,
                                 const Image& shape);  // the same Compute

  const PanePlan& seen() const { return layers_[seen_].made; }
  // The banks of layers of the same shapes. False, and nothing done, where a strategy does not take them, or where the
  // one that the pane asks for could run again.
  bool set_layers(std::vector<LayerProblem>, const FailedStrategies&);
  Cost cost() const;  // of all layers; what is per output is that of the one that is seen
  const Strategy* at_work() const { return layers_[at_work_].made.strategy; }  // began last, and has failed if one has

  void count_next(bool counts) { counts_ = counts; }  // the times of the next enqueue()
  void count_last();                                  // after all: see TimerRing
  void disregard_times();
  // `runs`: as runs_of_layers() said. Also while enqueue() is at work on another thread.
  void describe(std::vector<LayerStats>&, const std::vector<const Strategy*>& runs) const;
  void read_times();                               // of what the device has finished; never waits
  void hand_over_times(std::vector<LayerStats>&);  // that were read

  void set_filter(const Filter&) override;
  void prepare(Stream) override {}  // layer after layer: those of one strategy take turns at the constant memory
  void enqueue(std::span<const Tensor> in, std::span<const Tensor> out, Stream) override;
  std::vector<KernelInfo> kernels() const override;
  std::string note() const override;
  const Strategy* runs() const override { return layers_[seen_].made.plan->runs(); }
  std::vector<const Strategy*> runs_of_layers() const;  // as runs(), of each
  bool settled() const override;
  void explore(std::span<const Tensor> in, Stream) override;

 private:
  struct Layer {
    LayerProblem layer;
    PanePlan made;
    DeviceTensor maps, pooled;  // pooled: where the layer pools for another one
    std::unique_ptr<TimerRing> timer = nullptr;
    std::vector<double> times = {};  // milliseconds
  };
  const Tensor& input(std::size_t layer) const;
  bool plan_on(const Device&, const FailedStrategies&);
  bool may_return(const std::vector<LayerProblem>&, const FailedStrategies&) const;

  std::vector<Layer> layers_;
  const std::size_t seen_;
  const PaneSettings pane_;
  const Device asked_;
  Device device_;  // of all layers: asked_, or the CPU
  DeviceTensor x_;
  std::size_t at_work_ = 0;
  bool counts_ = true;
};

}  // namespace convoscope
