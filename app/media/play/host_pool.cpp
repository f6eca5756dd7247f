#include "app/media/play/host_pool.h"

#include <cstdlib>
#include <new>

namespace convoscope {
namespace {

std::shared_ptr<void> ordinary_memory(std::size_t bytes) {
  void* memory = std::aligned_alloc(64, (bytes + 63) / 64 * 64);
  if (!memory) throw std::bad_alloc();
  return {memory, std::free};
}

}  // namespace

std::shared_ptr<void> HostPool::take_block(std::size_t bytes) {
  std::shared_ptr<void> block;
  std::size_t size = 0;
  HostPool::Allocate allocate;
  {
    const std::lock_guard lock(shared_->mutex);
    if (bytes > shared_->block_bytes) {  // a larger picture from now on
      shared_->free.clear();
      shared_->block_bytes = bytes;
    }
    size = shared_->block_bytes;
    if (!shared_->free.empty()) {
      block = std::move(shared_->free.back());
      shared_->free.pop_back();
    } else {
      allocate = shared_->allocate;
    }
  }
  // Beside other threads: pinning takes milliseconds, and a decoder's threads all begin with it.
  if (!block && allocate) block = allocate(size);
  if (!block) block = ordinary_memory(size);
  void* memory = block.get();
  return {memory, [shared = shared_, block = std::move(block), size](void*) mutable {
            const std::lock_guard lock(shared->mutex);
            if (size == shared->block_bytes && shared->free.size() < shared->kept)
              shared->free.push_back(std::move(block));
          }};
}

}  // namespace convoscope
