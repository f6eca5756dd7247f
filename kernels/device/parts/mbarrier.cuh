#pragma once
// mbarrier: barriers in shared memory that some threads arrive at and others wait for, and copies of whole boxes of a
// tensor (TMA) that arrive there by themselves. A phase ends when all arrivals and all announced bytes are there;
// phases have parities 0, 1, 0 …, and to wait for the one before the first returns at once. From compute capability 9.0
// on.
#include "kernels/device/parts/tensor_boxes.cuh"

#if defined(CONVOSCOPE_EMULATED)
#include "kernels/emulator/mbarrier.h"
#endif

namespace convoscope::CONVOSCOPE_TARGET {

// A place in a ring of buffers, and the parity of its turn.
struct RingPlace {
  int slot = 0, parity = 0;
  __device__ void next(int slots) {
    if (++slot == slots) slot = 0, parity ^= 1;
  }
};

#if defined(CONVOSCOPE_EMULATED)

class Barriers {
 public:
  Barriers(std::size_t offset_bytes, int count) : barriers_(shared_memory<Mbarrier>(offset_bytes, count)) {}
  void initialise(int i, int arrivals) const { emulated::initialise(barriers_[i], arrivals); }
  void initialised() const {}
  void arrive(int i) const { emulated::arrive(barriers_[i]); }
  void expect(int i, int bytes) const { emulated::expect(barriers_[i], bytes); }
  void wait(int i, int parity, std::source_location where = std::source_location::current()) const {
    emulated::wait(barriers_[i], parity, where);
  }
  template <class T>
  void copy(int i, const Shared<T>& to, int at, const T* from, int count) const {
    const auto* bytes = reinterpret_cast<const std::byte*>(from);
    (void)to[at + count - 1];
    copy_towards(barriers_[i], &to[at], {bytes, bytes + static_cast<std::size_t>(count) * sizeof(T)});
  }
  template <class T>
  void copy_box(int i, const Shared<T>& to, int at, const TensorBoxes& boxes, int channel, int x, int y, int n) const {
    const TensorExtents& e = boxes.extents;
    constexpr int chunks = 8;
    if (channel % 8) fail("a box has to begin at a multiple of 16 bytes, which is 8 numbers");
    std::vector<std::byte> box(static_cast<std::size_t>(boxes.width * boxes.height) * 128);
    (void)to[at + static_cast<int>(box.size() / sizeof(T)) - 1];
    for (int p = 0; p < boxes.width * boxes.height; ++p) {
      const int column = x + p % boxes.width, row = y + p / boxes.width;
      if (column < 0 || column >= e.width || row < 0 || row >= e.height) continue;
      for (int chunk = 0; chunk < chunks; ++chunk) {
        const int first = channel + chunk * 8, begin = std::max(first, 0), end = std::min(first + 8, e.channels);
        if (begin >= end) continue;
        const std::byte* const from =
            boxes.data + n * e.sample_bytes + row * e.row_bytes + column * e.column_bytes + begin * 2;
        const auto count = static_cast<std::size_t>(end - begin) * 2;
        note_copy(from, count);
        std::memcpy(&box[static_cast<std::size_t>(p * chunks + (chunk ^ p % 8)) * 16 +
                         static_cast<std::size_t>(begin - first) * 2],
                    from, count);
      }
    }
    copy_towards(barriers_[i], &to[at], std::move(box));
  }

 private:
  Shared<Mbarrier> barriers_;
};
inline void shared_writes_before_copies_and_products() {}

#else

class Barriers {
 public:
  __device__ Barriers(std::size_t offset_bytes, int count)
      : first_(static_cast<unsigned>(
            __cvta_generic_to_shared(shared_memory<unsigned long long>(offset_bytes, count).data()))) {}
  __device__ void initialise(int i, int arrivals) const {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at(i)), "r"(arrivals) : "memory");
  }
  __device__ void initialised() const {
    asm volatile("fence.mbarrier_init.release.cluster;\nfence.proxy.async;" ::: "memory");
  }
  __device__ void arrive(int i) const { asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(at(i)) : "memory"); }
  // Arrives, and announces that many bytes of copies.
  __device__ void expect(int i, int bytes) const {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(at(i)), "r"(bytes) : "memory");
  }
  __device__ void wait(int i, int parity) const {
    asm volatile(
        "{\n.reg .pred over;\nagain:\nmbarrier.try_wait.parity.shared.b64 over, [%0], %1;\n@!over bra again;\n}" ::"r"(
            at(i)),
        "r"(parity)
        : "memory");
  }
  template <class T>
  __device__ void copy(int i, const Shared<T>& to, int index, const T* from, int count) const {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     address(to, index)),
                 "l"(from), "r"(count * static_cast<int>(sizeof(T))), "r"(at(i))
                 : "memory");
  }
  template <class T>
  __device__ void copy_box(int i, const Shared<T>& to, int index, const TensorBoxes& boxes, int channel, int x, int y,
                           int n) const {
    asm volatile(
        "cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4, %5}], "
        "[%6];" ::"r"(address(to, index)),
        "l"(&boxes.map), "r"(channel), "r"(x), "r"(y), "r"(n), "r"(at(i))
        : "memory");
  }

 private:
  template <class T>
  __device__ static unsigned address(const Shared<T>& to, int index) {
    return static_cast<unsigned>(__cvta_generic_to_shared(&to[index]));
  }
  __device__ unsigned at(int i) const { return first_ + static_cast<unsigned>(i) * 8; }
  unsigned first_;
};

// Between a thread's own writes to shared memory and what reads them past its caches.
__device__ inline void shared_writes_before_copies_and_products() { asm volatile("fence.proxy.async;" ::: "memory"); }

#endif

}  // namespace convoscope::CONVOSCOPE_TARGET
