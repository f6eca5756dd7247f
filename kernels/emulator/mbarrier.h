#pragma once
// Barriers in shared memory (mbarrier) and the copies that arrive at them. A copy reads its source when it is issued,
// but its destination receives it only for a thread that waits at its barrier, so that a kernel that forgets to wait
// computes with what was there before.
#include "kernels/emulator/types.h"

namespace convoscope::emulated {

// Lies in shared memory in the place of the hardware's 64 bits, which only these functions may read.
struct Mbarrier {
  std::int32_t bytes;  // that are yet to arrive in this phase
  std::uint16_t arrivals;
  std::uint16_t left : 15, parity : 1;  // arrivals of this phase that are missing
};
static_assert(sizeof(Mbarrier) == 8);

void initialise(Mbarrier&, int arrivals);
void arrive(Mbarrier&);
void expect(Mbarrier&, int bytes);
// Returns when the phase of that parity has ended.
void wait(Mbarrier&, int parity, std::source_location where);
void copy_towards(Mbarrier&, void* destination, std::vector<std::byte> bytes);

// What it takes of the scheduler, and gives to it. The running thread waits until another of its block makes it ready.
int current_thread_index();
void wait_until_ready(const char* waits_for, std::source_location where);
void make_thread_ready(int thread);
void forget_mbarriers();  // a block begins

}  // namespace convoscope::emulated
