#pragma once
// cp.async: copies of 4, 8 or 16 bytes from global to shared memory that do not pass through registers and run on while
// the thread computes. A thread groups its copies with async_commit() and waits with async_wait<N>() until at most N of
// its groups are still under way; other threads see the data after a __syncthreads() that follows the wait.
// Compute capability 7.5 has no cp.async: there the copy is plain and finished at once.
#include "kernels/device/device.cuh"

namespace convoscope::CONVOSCOPE_TARGET {

// Copies `Bytes` from `from` to to[index]…; both are aligned to `Bytes`. When not `valid`, writes zeros and reads
// nothing.
template <int Bytes, class T>
__device__ inline void async_copy(const Shared<T>& to, int index, const T* from, bool valid = true) {
  static_assert(Bytes == 4 || Bytes == 8 || Bytes == 16, "cp.async copies 4, 8 or 16 bytes");
  static_assert(Bytes % sizeof(T) == 0 && std::is_trivially_copyable_v<T>);
#if defined(CONVOSCOPE_EMULATED)
  AsyncCopy copy{&to[index], Bytes, {}};
  (void)to[index + static_cast<int>(Bytes / sizeof(T)) - 1];
  if (reinterpret_cast<std::uintptr_t>(copy.destination) % Bytes ||
      (valid && reinterpret_cast<std::uintptr_t>(from) % Bytes))
    fail("an asynchronous copy of " + std::to_string(Bytes) + " bytes is not aligned to them");
  if (valid) {
    note_copy(from, Bytes);
    std::memcpy(copy.data, from, Bytes);
  }
  issue_async_copy(copy);
#elif __CUDA_ARCH__ >= 800
  const auto destination = static_cast<unsigned>(__cvta_generic_to_shared(&to[index]));
  const int source_bytes = valid ? Bytes : 0;
  if constexpr (Bytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(destination), "l"(from), "r"(source_bytes)
                 : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(destination), "l"(from), "n"(Bytes),
                 "r"(source_bytes)
                 : "memory");
#else
  using Block = std::conditional_t<Bytes == 16, uint4, std::conditional_t<Bytes == 8, uint2, unsigned> >;
  *reinterpret_cast<Block*>(&to[index]) = valid ? *reinterpret_cast<const Block*>(from) : Block{};
#endif
}

__device__ inline void async_commit() {
#if defined(CONVOSCOPE_EMULATED)
  commit_async_copies();
#elif __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

template <int GroupsLeftPending>
__device__ inline void async_wait() {
#if defined(CONVOSCOPE_EMULATED)
  wait_async_copies(GroupsLeftPending);
#elif __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(GroupsLeftPending) : "memory");
#endif
}

// Bulk copies (compute capability 9.0): one thread asks for a whole row, and a barrier in shared memory counts the
// bytes that arrive. The emulator makes them of asynchronous copies, whose groups have to be waited for as well.
#if defined(CONVOSCOPE_EMULATED)
inline constexpr bool bulk_copies = true, bulk_copies_in_groups = true;
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
inline constexpr bool bulk_copies = true, bulk_copies_in_groups = false;
#else
inline constexpr bool bulk_copies = false, bulk_copies_in_groups = false;
#endif

class BulkBarriers {
 public:
  explicit __device__ BulkBarriers(const Shared<unsigned long long>& barriers) : barriers_(barriers) {}

  // By one thread; the others may use them after they have met it.
  __device__ void make([[maybe_unused]] int count) const {
#if !defined(CONVOSCOPE_EMULATED) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    for (int i = 0; i < count; ++i) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(address(i)) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
  }
  // By one thread for each phase: barrier i completes when so many bytes have arrived.
  __device__ void expect([[maybe_unused]] int i, [[maybe_unused]] int bytes) const {
#if !defined(CONVOSCOPE_EMULATED) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(address(i)), "r"(bytes) : "memory");
#endif
  }
  // `bytes`, a multiple of 16, from `from` to to[index]…, both aligned to 16 bytes.
  template <class T>
  __device__ void copy([[maybe_unused]] int i, [[maybe_unused]] const Shared<T>& to, [[maybe_unused]] int index,
                       [[maybe_unused]] const T* from, [[maybe_unused]] int bytes) const {
    static_assert(16 % sizeof(T) == 0);
#if defined(CONVOSCOPE_EMULATED)
    constexpr int quad = static_cast<int>(16 / sizeof(T));
    for (int k = 0; k < bytes / 16; ++k) async_copy<16>(to, index + k * quad, from + k * quad);
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    const auto destination = static_cast<unsigned>(__cvta_generic_to_shared(&to[index]));
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(destination),
        "l"(from), "r"(bytes), "r"(address(i))
        : "memory");
#endif
  }
  // Parity: 0 for a barrier's first phase, 1 for its second, and so on in turns.
  __device__ void wait([[maybe_unused]] int i, [[maybe_unused]] unsigned parity) const {
#if !defined(CONVOSCOPE_EMULATED) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    unsigned done = 0;
    while (!done)
      asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                   : "=r"(done)
                   : "r"(address(i)), "r"(parity)
                   : "memory");
#endif
  }

 private:
#if !defined(CONVOSCOPE_EMULATED)
  __device__ unsigned address(int i) const { return static_cast<unsigned>(__cvta_generic_to_shared(&barriers_[i])); }
#endif
  Shared<unsigned long long> barriers_;
};

// Asks for the line at an address to be brought to the L2 cache. Nothing is read: it may lie outside of the image.
__device__ inline void prefetch([[maybe_unused]] const void* address) {
#if !defined(CONVOSCOPE_EMULATED)
  asm volatile("prefetch.global.L2 [%0];" ::"l"(address));
#endif
}

}  // namespace convoscope::CONVOSCOPE_TARGET
