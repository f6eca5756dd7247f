#pragma once
// Who looks on while a kernel that was compiled for the host runs: the test on one side, the kernel on the other.
#include <cstddef>

struct KernelThread {
  unsigned block_x, block_y, thread_x, thread_y;
};
struct KernelWatcher {
  void* self;  // passed on
  void (*read)(void* self, const KernelThread&, const void* from, std::size_t bytes);
  void (*returned)(void* self, const KernelThread&);
};
