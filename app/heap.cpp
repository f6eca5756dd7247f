#include "app/heap.h"

#include <malloc.h>

namespace convoscope {
namespace {

void trim() {
#if defined(__GLIBC__)
  if (mallinfo2().fordblks >= HeapTrimmer::least_worth_it) malloc_trim(0);
#endif
}

}  // namespace

void bound_heaps() {
#if defined(__GLIBC__)
  mallopt(M_ARENA_MAX, most_heaps);
  mallopt(M_MMAP_THRESHOLD, smallest_block_of_its_own);  // and no longer learnt from what is freed
#endif
}

HeapTrimmer::HeapTrimmer(std::chrono::milliseconds between)
    : thread_([this, between](const std::stop_token& stop) {
        std::unique_lock lock(mutex_);
        while (!wake_.wait_for(lock, stop, between, [&] { return stop.stop_requested(); })) trim();
      }) {}

}  // namespace convoscope
