#include "kernels/emulator/mbarrier.h"

#include "kernels/emulator/scheduler.h"

namespace convoscope::emulated {

namespace {

struct Waiting {
  const Mbarrier* at;
  int thread;
};
struct Copy {
  const Mbarrier* towards;
  void* destination;
  std::vector<std::byte> bytes;
};
thread_local std::vector<Waiting> waiting;
thread_local std::vector<Copy> copies;

void end_phase_if_complete(Mbarrier& barrier) {
  if (barrier.left > 0 || barrier.bytes != 0) return;
  barrier.parity = !barrier.parity;
  barrier.left = barrier.arrivals & 0x7fff;
  std::erase_if(waiting, [&](const Waiting& w) {
    if (w.at == &barrier) make_thread_ready(w.thread);
    return w.at == &barrier;
  });
}

void deliver(Mbarrier& barrier) {
  int bytes = 0;
  std::erase_if(copies, [&](const Copy& copy) {
    if (copy.towards != &barrier) return false;
    std::memcpy(copy.destination, copy.bytes.data(), copy.bytes.size());
    bytes += static_cast<int>(copy.bytes.size());
    return true;
  });
  if (bytes == 0) return;
  barrier.bytes -= bytes;
  end_phase_if_complete(barrier);
}

}  // namespace

void forget_mbarriers() {
  waiting.clear();
  copies.clear();
}

void initialise(Mbarrier& barrier, int arrivals) {
  if (arrivals < 1 || arrivals > 1024) fail("an mbarrier of " + std::to_string(arrivals) + " arrivals cannot be");
  barrier.bytes = 0;
  barrier.arrivals = static_cast<std::uint16_t>(arrivals);
  barrier.left = barrier.arrivals & 0x7fff;
  barrier.parity = 0;
}

void arrive(Mbarrier& barrier) {
  if (barrier.left == 0)
    fail("arrives at an mbarrier more often than the " + std::to_string(barrier.arrivals) + " times of a phase");
  barrier.left = (barrier.left - 1u) & 0x7fff;
  end_phase_if_complete(barrier);
}

void expect(Mbarrier& barrier, int bytes) {
  barrier.bytes += bytes;
  arrive(barrier);
}

void wait(Mbarrier& barrier, int parity, std::source_location where) {
  deliver(barrier);
  while (barrier.parity == parity) {
    waiting.push_back({&barrier, current_thread_index()});
    wait_until_ready("an mbarrier", where);
  }
}

void copy_towards(Mbarrier& barrier, void* destination, std::vector<std::byte> bytes) {
  copies.push_back({&barrier, destination, std::move(bytes)});
  if (std::ranges::any_of(waiting, [&](const Waiting& w) { return w.at == &barrier; })) deliver(barrier);
}

}  // namespace convoscope::emulated
