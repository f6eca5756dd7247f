#pragma once
// Every core, for the CPU strategies: threads that wait between frames, so that a frame starts none and allocates
// nothing.
#include <cstddef>
#include <type_traits>

namespace convoscope {

// Cores that this process may use, at least 1.
int core_count();

// Calls task(context, index, worker) for every index of 0 … count-1, each once, on up to `workers` threads of the
// process-wide pool, the calling one among them; returns when all are done. worker: 0 … workers-1, one thread at a time
// each, to pick scratch memory by. Calls from several threads take turns. The task must not throw.
void parallel_for(int count, int workers, void (*task)(void* context, int index, int worker), void* context);

template <class Body>
void parallel_for(int count, int workers, Body&& body) {
  using Plain = std::remove_reference_t<Body>;
  parallel_for(
      count, workers, [](void* context, int index, int worker) { (*static_cast<Plain*>(context))(index, worker); },
      const_cast<std::remove_const_t<Plain>*>(&body));
}

}  // namespace convoscope
