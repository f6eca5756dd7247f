#pragma once
// Weights in global memory, for a plan with one launch whose kernel is told where they are.
#include "kernels/device/one_launch.cuh"

namespace convoscope::CONVOSCOPE_TARGET {

class GlobalWeights {
 public:
  explicit GlobalWeights(const Filter& filter) : memory_(filter.weights.size()) { set(filter); }
  void set(const Filter& filter) {
    values_ = filter.weights;
    changed_ = true;
  }
  void send(Stream stream) {
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

// The weights are the first of the kernel's extra arguments.
template <class Views, class... Extra>
class GlobalWeightsPlan final : private GlobalWeights, public OneLaunchPlan<Views, const float*, Extra...> {
  using Base = OneLaunchPlan<Views, const float*, Extra...>;

 public:
  GlobalWeightsPlan(const Problem& problem, const char* name, typename Base::Kernel kernel, const LaunchShape& launch,
                    Extra... extra)
      : GlobalWeights(problem.filter), Base(problem, name, kernel, launch, nullptr, GlobalWeights::data(), extra...) {}
  void set_filter(const Filter& filter) override {
    Base::set_filter(filter);
    GlobalWeights::set(filter);
  }
  void prepare(Stream stream) override { GlobalWeights::send(stream); }
};

}  // namespace convoscope::CONVOSCOPE_TARGET
