#include "app/files/shortage.h"

#include <pthread.h>
#include <sys/mman.h>

#include <new>
#include <system_error>

namespace convoscope {

bool is_room_for(std::size_t bytes) {
  void* const room = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return room != MAP_FAILED && ::munmap(room, bytes) == 0;
}

std::string why_no_thread() {
  // What failed a moment ago may fit now, as others give back theirs.
  constexpr std::size_t margin = 256 << 20;
  std::size_t stack = 0;
  pthread_attr_t usual;
  if (pthread_attr_init(&usual) == 0) {
    pthread_attr_getstacksize(&usual, &stack);
    pthread_attr_destroy(&usual);
  }
  if (stack > 0 && !is_room_for(stack + margin))
    return "There is not enough memory for another thread. Close other programs, or raise the limit (ulimit -v).";
  return "The system allows no more threads (ulimit -u). Close other programs, or raise the limit.";
}

std::string why_failed(const std::exception& failure) {
  if (dynamic_cast<const std::bad_alloc*>(&failure))
    return "There is not enough memory. Close other programs, or choose a smaller size.";
  const auto* const system = dynamic_cast<const std::system_error*>(&failure);
  if (!system) return failure.what();
  if (system->code() == std::errc::resource_unavailable_try_again) return why_no_thread();
  return std::string("The system has failed: ") + failure.what() + ".";
}

}  // namespace convoscope
