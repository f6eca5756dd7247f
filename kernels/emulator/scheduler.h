#pragma once
// How a grid runs on the host: blocks one after another, the threads of a block as fibers that meet at barriers. All on
// the caller's thread; several host threads may launch at the same time.
#include <new>

#include "kernels/emulator/observer.h"
#include "kernels/emulator/types.h"

namespace convoscope::emulated {

// What the running thread of the grid sees as CUDA's built-in variables.
extern constinit thread_local uint3 threadIdx;
extern constinit thread_local uint3 blockIdx;
extern constinit thread_local dim3 blockDim;
extern constinit thread_local dim3 gridDim;
inline constexpr int warpSize = 32;

// The order of blocks, and of the threads between two barriers, follows from this and the block alone, so that a
// failure repeats. 0: ascending order. Initially CONVOSCOPE_EMULATOR_SEED, else 1.
void set_seed(std::uint64_t seed);
std::uint64_t seed();

// Runs kernel() once for each thread of the grid. Throws what a thread throws (its other threads are unwound), and
// Error when the launch is impossible or a barrier is not reached by all threads of the block.
void run_grid(dim3 grid, dim3 block, std::size_t shared_bytes, const std::function<void()>& kernel);

// Every thread of the block meets here. A thread that has returned, or waits elsewhere, is an error: what hardware
// does then is undefined.
void __syncthreads(std::source_location where = std::source_location::current());

// "block (1, 0, 0), thread (3, 2, 0)", for messages.
std::string current_thread();
[[noreturn]] void fail(const std::string& what);  // throws Error("emulated kernel, block …, thread …: what")

// The running block's shared memory: exactly the bytes of the launch, 0xFF when the block starts.
std::span<std::byte> block_shared_memory();

// The threads of a warp that are named in a mask, each bringing a value, waiting for the others.
class WarpMeeting {
 public:
  static constexpr std::size_t value_bytes = 64;
  // Returns when all threads of the mask that the block has are here; lives until each has called leave().
  static WarpMeeting& join(unsigned mask, const void* value, std::size_t bytes, std::source_location where);
  void leave();
  bool has(int lane) const { return members >> lane & 1; }
  template <class T>
  T value(int lane) const {
    T result;
    std::memcpy(&result, values[lane], sizeof(T));
    return result;
  }
  // What make() makes of all values: the first thread that asks does it for the others.
  template <class T, class Make>
  const T& common(Make make) {
    static_assert(sizeof(T) <= sizeof(made) && std::is_trivially_destructible_v<T>);
    if (!std::exchange(is_made, true)) ::new (made) T(make());
    return *std::launder(reinterpret_cast<const T*>(made));
  }

  unsigned members = 0, arrived = 0, left = 0;
  bool complete = false, is_made = false;
  std::source_location where;
  alignas(16) std::byte values[32][value_bytes];
  alignas(16) std::byte made[1024];
};
int current_lane();

void __syncwarp(unsigned mask = 0xffffffffu, std::source_location where = std::source_location::current());

// cp.async in its plain meaning: the source is read when the copy is issued, but the destination receives it only in
// wait, so that a kernel that forgets to wait computes with what was there before.
struct AsyncCopy {
  void* destination;
  std::size_t bytes;
  std::byte data[16];
};
void issue_async_copy(const AsyncCopy&);
void commit_async_copies();
void wait_async_copies(int groups_left_pending);

}  // namespace convoscope::emulated
