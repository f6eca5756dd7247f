#pragma once
// Convolutional layers that learn from pictures: step by step their weights are changed until the maps of the last one
// are what is wanted. Each step takes random patches of a picture through the layers, and the loss back to the weights,
// by the ladder's own strategies.
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "kernels/compute/compute.h"
#include "kernels/learn/descent.h"
#include "kernels/learn/network.h"
#include "kernels/learn/planned_pass.h"

namespace convoscope {

// Whose maps are wanted: of a bank (see bank_of_target) that sees the same patches without the noise; or what another
// picture shows in the same places.
struct Lesson {
  Filter target;
  bool shown = false;     // it is that picture, given with each that is learnt from: no target
  double noise = 0;       // standard deviation of what is added to the patches, 1: from black to white
  double rate = 0.01;     // of the descent; several layers begin with less, and all have less later on
  bool residual = false;  // the network's maps are added to what it saw: it finds what is wrong with that
  DescentMethod method = DescentMethod::adam;
};

// How much a step looks at.
struct PatchSettings {
  int samples = 8, side = 64;  // in pixels; less where the picture is smaller
};
// What suits a device: a GPU hardly notices, cores have other things to do.
PatchSettings patches_for(const Network&, Backend);

// The bank in which each map sees one colour through the filter, the first ones red, then green, then blue. For one
// layer it is as large as the layer's own, for several it is depthwise and as large as the filter. Throws Error where
// they cannot do what the filter does.
Filter bank_of_target(const Filter&, const Network&);

class Trainer {
 public:
  // Begins with the network's weights, on pictures of its size. Biases are learnt where a bank has some. Of each pass
  // the first able strategy is taken, on a GPU the fastest; `beside_others`: one that no plan of another thread can
  // disturb. Throws Error naming what is wrong.
  Trainer(Compute&, const Network&, const Lesson&, const PatchSettings&, unsigned seed, bool beside_others = false);

  // One step, on a picture of that size in the Compute's memory; waits for it. The loss; NaN where it is no number, and
  // when it was asked to stop half way (see stop.h): the weights are as before then.
  // `wanted`: the other picture, of the same size and format, where the lesson is of one.
  double step(const Image& picture, const Image& wanted = {});
  // Loss and gradient of random patches, and nothing changes.
  double look_at(const Image& picture, const Image& wanted = {});
  // Of the last step or look: of each layer the weights, then the biases.
  std::span<const float> gradient() const { return gradient_; }

  const Network& network() const { return network_; }  // of a batch of patches, with the weights of now
  const Filter& bank() const { return network_.front().filter; }
  // With new weights, that something else than a step has made; as many banks of the same shapes, finite.
  void set_banks(std::span<const Filter>);
  void set_rate(double rate) { lesson_.rate = rate; }
  const Lesson& lesson() const { return lesson_; }
  long steps() const { return descent_->steps(); }
  double tolerance(int layer, Pass) const;  // that the strategy of this pass states for it, with the weights of now

  // Of the last step or look, from the device: waits.
  std::vector<float> inputs() const;           // with the noise
  std::vector<float> wanted() const;           // outputs
  std::vector<float> maps(int layer) const;    // that came out
  std::vector<float> slopes(int layer) const;  // of the loss for the layer's sums
  double share_above_zero(int layer) const;    // of the maps' values: what ReLU did not cut off

 private:
  struct LayerAtWork {
    DeviceTensor y, dy;
    Tensor df;                                                   // in the results, at `at`
    std::size_t at = 0, bias_at = 0;                             // floats
    std::unique_ptr<PlannedPass> forward, to_weights, to_input;  // none to the picture
  };
  void add_layers(Compute&, bool beside_others);
  const Tensor& input() const { return lesson_.noise > 0 ? noisy_.tensor : clean_.tensor; }
  const Tensor& input_of(std::size_t layer) const { return layer == 0 ? input() : layers_[layer - 1].y.tensor; }
  void take_patches(const Image& picture, const Image& wanted);
  void run_back();
  double fetch_results();
  bool is_finite(double loss) const;
  double rate_now() const;
  void show_weights();
  std::vector<float> on_host(const Tensor&) const;
  float* result(std::size_t at) const { return static_cast<float*>(results_.get()) + at; }

  Compute& compute_;
  Network network_;
  Lesson lesson_;
  std::minstd_rand random_;
  std::vector<double> weights_;  // what rounding to float32 would lose adds up over many small steps
  std::vector<float> gradient_;
  std::unique_ptr<Descent> descent_;
  DeviceTensor clean_, noisy_, target_;
  std::unique_ptr<PlannedPass> wanted_;  // none where the lesson is of another picture
  std::vector<LayerAtWork> layers_;
  std::shared_ptr<void> results_, results_on_host_;  // of each layer dF and the biases', then a sum for each row of y
  std::size_t row_sums_at_ = 0, result_count_ = 0;
};

}  // namespace convoscope
