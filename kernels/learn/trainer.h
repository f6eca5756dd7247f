#pragma once
// A convolutional layer that learns from pictures: step by step its weights are changed until its maps are what is
// wanted. Each step takes random patches of a picture through the layer, and the loss back to the weights, by the
// ladder's own strategies.
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "kernels/compute/compute.h"
#include "kernels/contract/strategy.h"
#include "kernels/learn/adam.h"

namespace convoscope {

// Whose maps are wanted: of a bank with the layer's own numbers, that sees the same patches without the noise.
struct Lesson {
  Filter target;
  double noise = 0;    // standard deviation of what is added to the patches, 1: from black to white
  double rate = 0.01;  // of Adam, at first
};

// How much a step looks at.
struct PatchSettings {
  int samples = 8, side = 64;  // in pixels; less where the picture is smaller
};
// What suits a device: a GPU hardly notices, cores have other things to do.
PatchSettings patches_for(const Problem& layer, Backend);

// The bank in which each map sees one colour through the filter, the first ones red, then green, then blue; as large as
// `layer` says. Throws Error where a layer cannot do what the filter does.
Filter bank_of_target(const Filter&, const Problem& layer);

class Trainer {
 public:
  // `layer`: what is computed of a picture of this size, with the weights to begin with. Of each pass the first able
  // strategy is taken, on a GPU the fastest; `beside_others`: one that no plan of another thread can disturb. Throws
  // Error naming what is wrong.
  Trainer(Compute&, const Problem& layer, const Lesson&, const PatchSettings&, unsigned seed,
          bool beside_others = false);
  ~Trainer();

  // One step, on a picture of that size in the Compute's memory; waits for it. The loss; NaN where it is no number, and
  // when it was asked to stop half way (see stop.h): the weights are as before then.
  double step(const Image& picture);
  // Loss and gradient of random patches, and nothing changes.
  double look(const Image& picture);
  std::span<const float> gradient() const;  // of the last step or look

  const Filter& bank() const { return problem_.filter; }
  void set_bank(const Filter&);  // with new weights, that something else than a step has made; finite
  void set_rate(double rate) { rate_ = rate; }
  const Problem& problem() const { return problem_; }  // of a batch of patches, forward
  long steps() const { return adam_.steps(); }
  double tolerance(Pass) const;  // that the strategy of this pass states for it, with the weights of now

  // Of the last step or look, from the device: waits.
  std::vector<float> inputs() const;   // with the noise
  std::vector<float> outputs() const;  // that were wanted
  std::vector<float> slopes() const;   // of the loss for the layer's outputs

 private:
  struct Planned;
  std::vector<float> on_host(const Tensor&) const;
  void take_patches(const Image& picture);
  bool is_finite(double loss) const;

  Compute& compute_;
  Problem problem_;
  double noise_, rate_;
  std::minstd_rand random_;
  std::vector<double> weights_;  // what rounding to float32 would lose adds up over many small steps
  Adam adam_;
  std::unique_ptr<Planned> forward_, wanted_, to_weights_;
  DeviceTensor clean_, noisy_, y_, target_, dy_;
  std::shared_ptr<void> results_, results_on_host_;  // dF, then a sum for each row of y
  Tensor df_;
  std::size_t result_count_ = 0;
};

}  // namespace convoscope
