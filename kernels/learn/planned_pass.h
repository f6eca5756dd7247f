#pragma once
// One pass of a layer that learns, by the strategy that was found for it.
#include <memory>
#include <span>

#include "kernels/compute/compute.h"
#include "kernels/contract/strategy.h"

namespace convoscope {

class PlannedPass {
 public:
  // By the first able strategy; on a GPU by the one that is the fastest with these: what a small bank leaves idle no
  // model of the work tells. `beside_others`: one that no plan of another thread can disturb. One that fails is left
  // out. Throws Error where there is none.
  PlannedPass(Compute&, const Problem&, Pass, bool beside_others, std::span<const Tensor> in, const Tensor& out);
  // The same of these, which compute that pass.
  PlannedPass(Compute&, const Problem&, bool beside_others, std::span<const Tensor> in, const Tensor& out,
              std::span<const Strategy* const> able);

  void enqueue(std::span<const Tensor> in, const Tensor& out, Stream stream) const {
    plan_->prepare(stream);
    plan_->enqueue(in, {&out, 1}, stream);
  }
  void set_filter(const Filter& filter) { plan_->set_filter(filter); }
  double tolerance(Problem) const;  // that the strategy states, with these weights

 private:
  static double seconds(Compute&, Plan&, std::span<const Tensor> in, const Tensor& out);
  Pass pass_;
  const Strategy* strategy_ = nullptr;
  std::unique_ptr<Plan> plan_;
};

}  // namespace convoscope
