#pragma once
// Plans whose lanes hold a bank in two float16 numbers each, with the scales and biases of its maps.
#include <functional>
#include <utility>

#include "kernels/strategies/shared/layer/split_weights.cuh"

namespace convoscope::CONVOSCOPE_TARGET::layer {

class SplitBankPlan : public Plan {
 public:
  using MakeBank = std::function<std::vector<unsigned>(const Filter&)>;  // the words of all lanes

  SplitBankPlan(const Problem& problem, MakeBank make_bank)
      : problem_(problem),
        correlation_(correlation_of(problem)),
        biases_(problem),
        make_bank_(std::move(make_bank)),
        bank_(make_bank_(problem.filter)),
        scales_(inverse(split_scales(problem, problem.filter))) {}
  void set_filter(const Filter& filter) final {
    biases_.set(filter);
    bank_.set(make_bank_(filter));
    scales_.set(inverse(split_scales(problem_, filter)));
  }
  void prepare(Stream stream) final {
    biases_.send(stream);
    bank_.send(stream);
    scales_.send(stream);
  }

 protected:
  std::string note_of_strips(int rows) const {
    return "strips of " + std::to_string(rows) +
           " rows; inputs and weights in two float16 numbers each: three products; " + split_range("inputs");
  }

  const Problem problem_;
  const Correlation correlation_;
  LayerBiases biases_;

 private:
  MakeBank make_bank_;

 protected:
  GlobalValues<unsigned> bank_;
  GlobalFloats scales_;
};

}  // namespace convoscope::CONVOSCOPE_TARGET::layer
