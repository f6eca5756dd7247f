#pragma once
// What the emulator counts of one run: loads and stores, and how those of a warp lie together. The threads of a warp
// run one after the other here; what each does the k-th time that it comes by a place counts as one instruction of the
// warp.
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

namespace convoscope::own {

// At one place of the code.
struct PlaceTally {
  long long loads = 0, stores = 0;   // of global memory, of up to 4 bytes, by single threads
  long long shared = 0;              // accesses of shared memory
  long long warps = 0, lanes = 0;    // instructions of whole warps, and the threads that took part
  long long sectors = 0, least = 0;  // of 32 bytes that global loads touch; as many would do for these bytes
  long long conflicts = 0;           // how often a bank of shared memory is asked again within an instruction
};

struct Tally {
  enum class Space { global, shared, constant_memory };

  void begin_launch(std::uint32_t threads_of_a_block);
  void begin_thread(std::uint32_t block, std::uint32_t index);
  void access(Space, std::uint64_t code, std::uintptr_t address, std::size_t bytes, bool write, std::uint32_t index);
  void end_launch();  // what is still being gathered is counted

  std::map<std::uint64_t, PlaceTally> places;  // by their code
  long long threads = 0;                       // that were started
  long long without_output = 0;                // that wrote nothing to global memory
  long long distinct = 0;                      // words of global memory that a block loads, summed over the blocks

 private:
  struct Lanes {
    Space space;
    bool write;
    std::uint32_t mask = 0;
    std::uintptr_t addresses[32] = {};
    std::uint8_t bytes = 0;
  };
  struct Warp {
    // By place: what each k-th visit was, and how often each lane has been there.
    std::unordered_map<std::uint64_t, std::vector<Lanes>> visits;
    std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> counts;
  };
  struct Thread {
    bool wrote = false;
    std::uintptr_t recent[4] = {};  // words that it has read just before: parts of one pixel are one load
    std::uint32_t next = 0;
  };

  void end_block();
  void count(PlaceTally&, const Lanes&) const;

  std::uint32_t block_ = 0;
  std::vector<Warp> warps_;
  std::vector<Thread> threads_;
  std::unordered_map<std::uintptr_t, int> loaded_;  // words, of the running block
};

}  // namespace convoscope::own
