#pragma once
// Host memory for pictures, taken again and again: allocating pinned memory costs milliseconds.
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace convoscope {

// Any thread. Blocks may outlive the pool.
class HostPool {
 public:
  using Allocate = std::function<std::shared_ptr<void>(std::size_t)>;
  explicit HostPool(Allocate allocate) : shared_(std::make_shared<Shared>()) {
    shared_->allocate = std::move(allocate);
  }

  // At least `bytes`, aligned to 64; goes back when the last owner lets go. Throws what the allocator throws.
  std::shared_ptr<void> take(std::size_t bytes);

 private:
  struct Shared {
    std::mutex mutex;
    Allocate allocate;  // empty: ordinary memory
    std::size_t block_bytes = 0;
    std::vector<std::shared_ptr<void>> free;
  };
  std::shared_ptr<Shared> shared_;
};

}  // namespace convoscope
