// Preloaded into a program: new gives at most MOST_BYTES_AT_ONCE bytes at a time and throws beyond, as where memory is
// short. Of AddressSanitizer's allocator that ends the program instead; to malloc it sets the same limit by itself
// (max_allocation_size_mb). Plain code: a sanitizer's own functions must not be called before they are ready.
#include <cstdlib>
#include <new>

namespace {

void* take(std::size_t bytes, std::size_t alignment) {
  static const char* const most = std::getenv("MOST_BYTES_AT_ONCE");
  void* taken = nullptr;
  if (!most || bytes <= std::strtoull(most, nullptr, 10))
    taken = alignment ? std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment)
                      : std::malloc(bytes ? bytes : 1);
  if (!taken) throw std::bad_alloc();
  return taken;
}

}  // namespace

void* operator new(std::size_t bytes) { return take(bytes, 0); }
void* operator new[](std::size_t bytes) { return take(bytes, 0); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return take(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return take(bytes, static_cast<std::size_t>(alignment));
}
