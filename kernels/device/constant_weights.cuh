#pragma once
// Weights on their way to a __constant__ array. Every strategy file has its own array (64 KB each), and several plans
// of one strategy may take turns in it, so the array remembers whose weights it holds, on which device and for which
// stream. Another stream waits until the device is idle: the kernels of the one before may still read the array.
// Whoever is about to launch asks whether the array is still its own.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/contract/data/filter.h"
#include "kernels/device/device.cuh"
#include "kernels/text/error.h"

namespace convoscope::CONVOSCOPE_TARGET {

// Beside each __constant__ array: a static of this type.
struct ConstantOwner {
  const void* plan = nullptr;
  std::uint64_t revision = 0;
  int device = -1;  // each device has an array of its own
  void* stream = nullptr;
};

// Held by a plan. weights, then weights_y of an edge-magnitude filter, in one array.
class ConstantWeights {
 public:
  ConstantWeights() = default;
  ConstantWeights(const ConstantWeights&) = delete;
  ConstantWeights& operator=(const ConstantWeights&) = delete;

  void set(const Filter& filter) { set(both_sets(filter)); }
  void set(std::vector<float> values) {
    values_ = std::move(values);
    ++revision_;
  }

  // Enqueues the upload if the array does not hold these weights already.
  template <class Symbol>
  void upload(const Symbol& symbol, ConstantOwner& owner, Stream stream) const {
    int device = 0;
    CONVOSCOPE_CHECK(cudaGetDevice(&device));
    owner_ = &owner;
    if (owner.device == device && owner.stream != stream.handle) CONVOSCOPE_CHECK(cudaDeviceSynchronize());
    owner.stream = stream.handle;
    if (owner.plan == this && owner.revision == revision_ && owner.device == device) return;
    CONVOSCOPE_CHECK(cudaMemcpyToSymbolAsync(symbol, values_.data(), values_.size() * sizeof(float), 0,
                                             cudaMemcpyHostToDevice, native(stream)));
    owner = {this, revision_, device, stream.handle};
  }
  // These kernels read the array. The compiler cannot be asked: what it tells is what all kernels of a module have.
  std::vector<KernelInfo> described(std::vector<KernelInfo> kernels) const {
    for (KernelInfo& kernel : kernels) kernel.constant_bytes = values_.size() * sizeof(float);
    return kernels;
  }
  // Throws Error where a launch would use other weights than these: another plan's, or those of before set().
  void expect_in_place() const {
    if (owner_ && owner_->plan == this && owner_->revision == revision_) return;
    throw Error(
        "Another plan of this strategy has its weights in constant memory. prepare() comes before every enqueue().");
  }

 private:
  std::vector<float> values_;
  std::uint64_t revision_ = next_revision();
  mutable const ConstantOwner* owner_ = nullptr;  // of the array that they were last sent to

  // Distinct per object, so that a new plan at a freed plan's address is not mistaken for it. Plans are made by several
  // threads.
  static std::uint64_t next_revision() {
    static std::atomic<std::uint64_t> counter = 0;
    return ++counter << 32;
  }
};

// Sends weights to the file's __constant__ array `symbol`, which all plans of its strategy take turns in.
template <auto& symbol>
void upload_to(const ConstantWeights& weights, Stream stream) {
  static ConstantOwner owner;
  weights.upload(symbol, owner, stream);
}

// Why the filter's weights do not fit in one array, empty when they do.
inline std::string constant_memory_reason(const Filter& filter) {
  const std::size_t count = filter.weights.size() + filter.weights_y.size();
  if (count <= static_cast<std::size_t>(max_filter_weights)) return {};
  return std::to_string(count) + " weights (" + std::to_string(count * sizeof(float)) +
         " bytes) do not fit in the 64 KB of constant memory; the most is " + std::to_string(max_filter_weights);
}

}  // namespace convoscope::CONVOSCOPE_TARGET
