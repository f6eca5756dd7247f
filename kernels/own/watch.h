#pragma once
// Somebody who sees every load and store of a kernel while it is emulated, and knows of each byte what it is, whether
// it was written, and by whom last. One at a time, on the thread that launches.
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "kernels/own/loaded.h"

namespace convoscope::own {

struct Fault {
  enum class Kind {
    outside_read,  // of every buffer, or in the padding of a row
    outside_write,
    array_bounds,  // of an array whose size the compiler knows, or of a window on shared memory
    unwritten,     // a read of what nobody has written
    read_only,     // a write to the input, the weights or constant memory
    race_shared,
    race_global,
    misaligned,
    kept_state,  // a __device__ variable that one launch leaves for the next
    barrier,     // some threads miss it
    wild,        // an address where nothing is
    crash,
    deadline,
    other,
  };
  Kind kind = Kind::other;
  std::string words;                  // what was done, part of a sentence: "reads 1 element behind row 3 of its input"
  std::string name;                   // of the memory
  std::uint64_t code = 0, other = 0;  // addresses in the library; 0: unknown. other: of the second access of a race
  int line = 0, other_line = 0;       // where nobody has to look them up
  std::string thread;                 // "block (1, 0, 0), thread (3, 2, 0)"
  long long count = 1;                // how often, at this place
};

// Memory that a kernel is given, between guard bands.
struct Buffer {
  enum class Role { input, weights, output, memory };
  Role role = Role::memory;
  std::string name;
  char* data = nullptr;
  std::size_t pitch = 0, row_bytes = 0, rows = 1, element = 4;
  std::vector<char> bytes;  // guards and all
  bool written = false;     // at first

  static constexpr std::size_t guard = 4096;
  std::size_t size() const { return pitch * rows; }
};
// Filled with 0xFF, guards too.
Buffer make_buffer(Buffer::Role, std::string name, std::size_t row_bytes, std::size_t rows, std::size_t pitch,
                   std::size_t element);

// What each launch did, in numbers; see counts.h.
struct Tally;

class Watch {
 public:
  explicit Watch(const Loaded& loaded);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  void begin_run(std::vector<Buffer*> buffers);  // forgets everything but faults and what __device__ variables did
  void begin_launch();
  void begin_thread();  // of the emulated grid; the first of a block begins the block
  void passed_barrier();
  void passed_warp();

  // What the library calls; these throw Error where the kernel cannot go on.
  void access(const void* address, std::size_t bytes, int how, const void* from);
  void* shared_window(std::size_t offset, int count, std::size_t element, const void* from);
  [[noreturn]] void outside_window(int index, int count, const void* from);
  void bounds(unsigned line, long index);

  void add(Fault fault);
  bool is_known(Fault::Kind, std::uint64_t code);  // then it is counted once more, with no words made for it
  void judge_kept_state();                         // adds faults for what was found in all runs so far
  const std::vector<Fault>& faults() const { return faults_; }
  std::vector<Fault> take_faults();

  std::uint32_t writer_of(const Buffer&, std::size_t offset) const;  // the last: block + 1; 0: nobody has
  const void* last_code() const { return last_code_; }
  void count_into(Tally* tally) { tally_ = tally; }

 private:
  struct Cell {
    std::uint32_t epoch = 0;
    std::uint32_t writer = 0, reader = 0, reader2 = 0;  // thread of the launch + 1
    std::uint32_t write_phase = 0, read_phase = 0, read2_phase = 0;
    std::uint16_t write_warp = 0, read_warp = 0, read2_warp = 0;  // phases of the warp
    bool written = false, atomic = false;
    bool read_first = false, ever_written = false;  // of __device__ variables
    std::uint64_t write_code = 0, read_code = 0, read2_code = 0;
  };
  enum class Space { global, shared, device, constant_memory };
  struct Region {
    Space space;
    std::string name;
    const char* begin;
    std::size_t bytes;
    const Buffer* buffer = nullptr;
    bool read_only = false;
    std::uint32_t epoch = 1;  // of the accesses that may be in each other's way: a launch, or a block
    std::vector<Cell> cells;
  };

  Region* find(const void* address);
  void wild(const void* address, std::size_t bytes, int how, const void* from);
  void see_bytes(Region&, std::size_t offset, std::size_t bytes, bool write, bool atomic, const void* from);
  void see_read(Region&, Cell&, bool atomic, std::uint64_t code);
  void see_write(Region&, Cell&, bool atomic, std::uint64_t code);
  bool is_inside(const Region&, std::ptrdiff_t offset, std::size_t bytes, bool write, const void* from);
  bool ordered(const Region&, std::uint32_t other, std::uint32_t phase, std::uint16_t warp_phase) const;
  void race(const Region&, std::uint64_t first, std::uint64_t second, const char* what);
  void begin_block();
  void fault(Fault::Kind, const Region&, std::string words, const void* from);

  const Loaded& loaded_;
  std::vector<Region> regions_;
  std::vector<Region> variables_;
  Region* last_ = nullptr;
  std::vector<Fault> faults_;
  std::map<std::pair<int, std::uint64_t>, std::size_t> known_;
  std::vector<std::uint32_t> phases_;
  std::vector<std::uint16_t> warp_phases_;
  std::uint32_t block_ = 0, thread_ = 0;  // of the launch, + 1
  std::uint32_t index_ = 0;               // of the thread in its block
  bool in_block_ = false;
  const void* atomic_ = nullptr;
  const void* last_code_ = nullptr;
  Tally* tally_ = nullptr;
};

}  // namespace convoscope::own
