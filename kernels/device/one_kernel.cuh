#pragma once
// A plan for pictures that launches one kernel, whose filter lies in constant or in global memory. What differs from
// strategy to strategy is a type of its own, which derives from OneKernel. Host code.
#include <optional>
#include <tuple>

#include "kernels/contract/image_plan.h"
#include "kernels/contract/theory/model.h"
#include "kernels/device/global_weights.cuh"

namespace convoscope::CONVOSCOPE_TARGET {

// A filter on its way to a __constant__ array, which all plans of a strategy take turns in.
class ConstantFilter {
 public:
  void set(std::vector<float> values, ConstantUpload to) {
    weights_.set(std::move(values));
    upload_ = to;
  }
  void send(Stream stream) const { upload_(weights_, stream); }
  void expect_in_place() const { weights_.expect_in_place(); }
  std::vector<KernelInfo> described(std::vector<KernelInfo> kernels) const {
    return weights_.described(std::move(kernels));
  }

 private:
  ConstantWeights weights_;
  ConstantUpload upload_ = nullptr;
};

// A filter in global memory, where there is room for as many values as it has at first, or for more.
template <class T>
class GlobalFilter {
 public:
  void make_room(std::size_t count) { values_.emplace(count); }
  void set(std::vector<T> values) {
    if (values_)
      values_->set(std::move(values));
    else
      values_.emplace(std::move(values));
  }
  void send(Stream stream) { values_->send(stream); }
  const T* data() const { return values_->data(); }
  void expect_in_place() const {}
  std::vector<KernelInfo> described(std::vector<KernelInfo> kernels) const { return kernels; }

 private:
  std::optional<GlobalValues<T>> values_;
};

// A filter that travels with the launch.
struct FilterInArguments {
  void send(Stream) const {}
  void expect_in_place() const {}
  std::vector<KernelInfo> described(std::vector<KernelInfo> kernels) const { return kernels; }
};

// Memory: one of the above. What a strategy adds: `name`, the kernel's; take_filter(), which fills the memory from the
// problem's filter and whatever depends on it; with_kernel(f), which calls f(kernel) with the one that the problem
// needs; arguments(in, out), a tuple of what the kernel is given after its two views, or task(in, out), all that it is
// given in one.
template <class Memory>
struct OneKernel {
  Problem problem;
  LaunchShape shape;
  Memory memory = {};

  static constexpr bool begins_early = false;  // true: the kernel does, see let_next_kernel_begin()
  void allow_every_kernel() {}                 // the shared memory that a later filter's needs, if it is another
  std::string note() const { return {}; }      // Plan's
  Epilogue epilogue() const { return make_epilogue(problem.filter, problem.format); }
};

template <class Own>
class OneKernelPlan final : public ImagePlan {
 public:
  template <class... Rest>
  explicit OneKernelPlan(const Problem& problem, const LaunchShape& shape, const Rest&... rest)
      : own_{{problem, shape}, rest...} {
    own_.allow_every_kernel();
    own_.take_filter();
    own_.with_kernel([&](auto kernel) {
      if (own_.shape.shared_bytes > 0) allow_shared(kernel, own_.shape.shared_bytes);
      if (Own::begins_early) early_ = starts_early(kernel);
    });
  }
  void set_filter(const Filter& filter) override {
    own_.problem.filter = filter;
    own_.take_filter();
  }
  void prepare(Stream stream) override { own_.memory.send(stream); }
  void enqueue_frame(const Image& in, const Image& out, Stream stream) override {
    own_.memory.expect_in_place();
    own_.with_kernel([&](auto kernel) { enqueue_kernel(kernel, in, out, stream); });
  }
  std::vector<KernelInfo> kernels() const override {
    std::vector<KernelInfo> infos;
    const LaunchShape& s = own_.shape;
    own_.with_kernel([&](auto kernel) { infos = {describe(Own::name, kernel, s.grid, s.block, s.shared_bytes)}; });
    return own_.memory.described(std::move(infos));
  }
  std::string note() const override { return own_.note(); }

 private:
  template <class In, class Out, class... Arguments>
  void enqueue_kernel(void (*kernel)(ImageView<const In>, ImageView<Out>, Arguments...), const Image& in,
                      const Image& out, Stream stream) const {
    const LaunchShape& s = own_.shape;
    std::apply(
        [&](const auto&... arguments) {
          launch(early_, kernel, s.grid, s.block, s.shared_bytes, stream, in.view<const In>(), out.view<Out>(),
                 arguments...);
        },
        own_.arguments(in, out));
  }

  template <class Task>
  void enqueue_kernel(void (*kernel)(Task), const Image& in, const Image& out, Stream stream) const {
    const LaunchShape& s = own_.shape;
    launch(early_, kernel, s.grid, s.block, s.shared_bytes, stream, own_.task(in, out));
  }

  Own own_;
  bool early_ = false;
};

// Own's own members after those of OneKernel: `rest`.
template <class Own, class... Rest>
std::unique_ptr<Plan> one_kernel_plan(const Problem& problem, const LaunchShape& shape, const Rest&... rest) {
  return std::make_unique<OneKernelPlan<Own>>(problem, shape, rest...);
}

}  // namespace convoscope::CONVOSCOPE_TARGET
