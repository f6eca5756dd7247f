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
  // `kept`: how many blocks may lie there free. `allocate` may give none, and then it is ordinary memory.
  explicit HostPool(Allocate allocate, std::size_t kept = 16) : shared_(std::make_shared<Shared>()) {
    shared_->allocate = std::move(allocate);
    shared_->kept = kept;
  }

  // At least `bytes`, aligned to 64; goes back when the last owner lets go. Throws what the allocator throws.
  std::shared_ptr<void> take_block(std::size_t bytes);

 private:
  struct Shared {
    std::mutex mutex;
    Allocate allocate;  // empty: ordinary memory
    std::size_t block_bytes = 0, kept = 0;
    std::vector<std::shared_ptr<void>> free;
  };
  std::shared_ptr<Shared> shared_;
};

}  // namespace convoscope
