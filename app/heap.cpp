#include "app/heap.h"

#include <malloc.h>

namespace convoscope {

void bound_heaps() {
#if defined(__GLIBC__)
  mallopt(M_ARENA_MAX, most_heaps);
  mallopt(M_MMAP_THRESHOLD, smallest_block_of_its_own);  // and no longer learnt from what is freed
#endif
}

}  // namespace convoscope
