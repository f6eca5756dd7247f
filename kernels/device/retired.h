#pragma once
// What has been replaced while work that is under way may still use it.
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace convoscope {

// Fence: done() says, without waiting, whether the device is through with all that was enqueued before it was made.
template <class Fence>
class Retired {
 public:
  // Kept until a later call finds its fence passed. The last ones go with this object, whose owner sees to it that
  // nothing is under way by then.
  void add(std::shared_ptr<void> old, Fence fence) {
    std::erase_if(waiting_, [](const Waiting& each) { return each.fence.done(); });
    waiting_.push_back({std::move(fence), std::move(old)});
  }
  std::size_t size() const { return waiting_.size(); }

 private:
  struct Waiting {
    Fence fence;
    std::shared_ptr<void> old;
  };
  std::vector<Waiting> waiting_;
};

}  // namespace convoscope
