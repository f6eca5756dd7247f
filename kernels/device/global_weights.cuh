#pragma once
// A plan with one launch whose weights lie in global memory, as any other input: the kernel is given their address.
#include "kernels/device/one_launch.cuh"

namespace convoscope::CONVOSCOPE_TARGET {

// The weights' memory and what is to be sent there. Made before the plan that launches with its address.
class GlobalWeights {
 public:
  explicit GlobalWeights(const Filter& filter) : values_(filter.weights), memory_(filter.weights.size()) {}
  void set(const Filter& filter) {
    values_ = filter.weights;
    changed_ = true;
  }
  void upload(Stream stream) {
    if (!std::exchange(changed_, false)) return;
    CONVOSCOPE_CHECK(
        cudaMemcpyAsync(memory_.data(), values_.data(), memory_.bytes(), cudaMemcpyHostToDevice, native(stream)));
  }
  const float* data() const { return memory_.data(); }

 private:
  std::vector<float> values_;
  DeviceBuffer<float> memory_;
  bool changed_ = true;
};

// Kernel: as OneLaunchPlan's, with the weights' address as its last parameter.
template <class Views>
class GlobalWeightsPlan final : private GlobalWeights, public OneLaunchPlan<Views, const float*> {
  using Base = OneLaunchPlan<Views, const float*>;

 public:
  GlobalWeightsPlan(const Problem& problem, const char* name, typename Base::Kernel kernel, const LaunchShape& launch)
      : GlobalWeights(problem.filter),
        Base(
            problem, name, kernel, launch, [](const ConstantWeights&, Stream) {}, GlobalWeights::data()) {}
  void set_filter(const Filter& filter) override {
    Base::set_filter(filter);
    GlobalWeights::set(filter);
  }
  void prepare(Stream stream) override { GlobalWeights::upload(stream); }
};

}  // namespace convoscope::CONVOSCOPE_TARGET
