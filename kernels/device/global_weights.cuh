#pragma once
// Weights in global memory, for a plan with one launch whose kernel is told where they are.
#include "kernels/device/one_launch.cuh"

namespace convoscope::CONVOSCOPE_TARGET {

// Values that the host may change between launches: as many as at first, or fewer than there is room for.
template <class T>
class GlobalValues {
 public:
  explicit GlobalValues(std::size_t count) : memory_(count) {}
  explicit GlobalValues(std::vector<T> values) : values_(std::move(values)), memory_(values_.size()), changed_(true) {}
  void set(std::vector<T> values) {
    values_ = std::move(values);
    changed_ = true;
  }
  void send(Stream stream) {
    if (!std::exchange(changed_, false)) return;
    CONVOSCOPE_CHECK(cudaMemcpyAsync(memory_.data(), values_.data(), values_.size() * sizeof(T), cudaMemcpyHostToDevice,
                                     native(stream)));
  }
  const T* data() const { return memory_.data(); }

 private:
  std::vector<T> values_;
  DeviceBuffer<T> memory_;
  bool changed_ = false;
};
using GlobalFloats = GlobalValues<float>;

// A filter's, those of an edge magnitude's second set after the first.
class GlobalWeights : public GlobalFloats {
 public:
  explicit GlobalWeights(const Filter& filter) : GlobalFloats(both_sets(filter)) {}
  void set(const Filter& filter) { GlobalFloats::set(both_sets(filter)); }
};

// What loading each of them costs, once for each input of each set.
inline Cost with_weights_loaded(Cost cost, const Problem& p) {
  cost.weight_loads_per_output = cost.global_loads_per_output * (p.filter.is_magnitude() ? 2 : 1);
  return cost;
}

// For kernels with and without the promise that nobody writes the weights.
inline constexpr int no_or_yes[] = {0, 1};
inline constexpr Tunable read_only_weights{
    "read_only", "Read-only weights",
    "1: the weights' pointer is const and __restrict__, so the compiler may load them through the read-only path",
    no_or_yes, 0};

// The weights are the first of the kernel's extra arguments.
template <class Views, class... Extra>
class GlobalWeightsPlan final : private GlobalWeights, public OneLaunchPlan<Views, const float*, Extra...> {
  using Base = OneLaunchPlan<Views, const float*, Extra...>;

 public:
  // by_sets: one kernel, or one for each number of sets of weights.
  template <class Kernels>
  GlobalWeightsPlan(const Problem& problem, const char* name, Kernels by_sets, const LaunchShape& launch,
                    Extra... extra)
      : GlobalWeights(problem.filter), Base(problem, name, by_sets, launch, nullptr, GlobalWeights::data(), extra...) {}
  void set_filter(const Filter& filter) override {
    Base::set_filter(filter);
    GlobalWeights::set(filter);
  }
  void prepare(Stream stream) override {
    Base::prepare(stream);
    GlobalWeights::send(stream);
  }
};

// kernels: f.template operator()<Pixel, Sums>(), as of plan_for_image().
template <class Kernels>
std::unique_ptr<Plan> plan_with_global_weights(const Problem& problem, const char* name, Kernels&& kernels,
                                               const LaunchShape& launch) {
  return dispatch(problem.format, false, [&]<class Pixel, int>() -> std::unique_ptr<Plan> {
    return std::make_unique<GlobalWeightsPlan<ImageViews<Pixel>>>(problem, name, both_kernels<Pixel>(kernels), launch);
  });
}

}  // namespace convoscope::CONVOSCOPE_TARGET
