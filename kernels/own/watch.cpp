#include "kernels/own/watch.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "kernels/emulator/scheduler.h"
#include "kernels/own/tally.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope::own {
namespace {

constexpr std::size_t most_faults = 24;
constexpr int write_bit = 1, atomic_access = 2, any_alignment = 8;

const char* verb(bool write) { return write ? "writes" : "reads"; }

std::string name_of(const Buffer& buffer) {
  if (buffer.role == Buffer::Role::input) return "its input";
  if (buffer.role == Buffer::Role::output) return "its output";
  return (buffer.role == Buffer::Role::weights ? "the weights '" : "the memory '") + buffer.name + "'";
}

// Of the running thread, in its block.
std::uint32_t index_in_block() {
  using namespace emulated;
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

std::uint64_t code_of(const void* from) { return reinterpret_cast<std::uint64_t>(from); }

}  // namespace

Buffer make_buffer(Buffer::Role role, std::string name, std::size_t row_bytes, std::size_t rows, std::size_t pitch,
                   std::size_t element) {
  Buffer buffer{.role = role,
                .name = std::move(name),
                .pitch = pitch,
                .row_bytes = row_bytes,
                .rows = rows,
                .element = element,
                .bytes = {}};
  constexpr std::size_t alignment = 512;
  buffer.bytes.assign(pitch * rows + 2 * Buffer::guard + alignment, static_cast<char>(0xFF));
  const auto begin = reinterpret_cast<std::uintptr_t>(buffer.bytes.data()) + Buffer::guard;
  buffer.data = buffer.bytes.data() + Buffer::guard + (alignment - begin % alignment) % alignment;
  return buffer;
}

Watch::Watch(const Loaded& loaded) : loaded_(loaded) {
  for (const Variable& variable : loaded.variables()) {
    const bool shared = variable.kind == Variable::Kind::shared;
    const bool device = variable.kind == Variable::Kind::device;
    Region region{shared   ? Space::shared
                  : device ? Space::device
                           : Space::constant_memory,
                  (shared   ? "the shared array '"
                   : device ? "the variable '"
                            : "the constant array '") +
                      variable.name + "'",
                  variable.data, variable.bytes};
    region.read_only = variable.kind == Variable::Kind::constant_memory;
    region.cells.resize(variable.bytes);
    variables_.push_back(std::move(region));
  }
}

Watch::~Watch() = default;

void Watch::begin_run(std::vector<Buffer*> buffers) {
  regions_.clear();
  last_ = nullptr;
  for (const Buffer* buffer : buffers) {
    Region region{Space::global, name_of(*buffer), buffer->data, buffer->size(), buffer};
    region.read_only = buffer->role == Buffer::Role::input || buffer->role == Buffer::Role::weights;
    region.cells.resize(buffer->size());
    if (buffer->written)
      for (Cell& cell : region.cells) cell.written = true;
    regions_.push_back(std::move(region));
  }
  regions_.push_back({Space::shared, "shared memory", nullptr, 0});
  for (Region& region : variables_)
    for (Cell& cell : region.cells) cell.written = false;
}

void Watch::begin_launch() {
  for (std::vector<Region>* list : {&regions_, &variables_})
    for (Region& region : *list) ++region.epoch;
  in_block_ = false;
  atomic_ = nullptr;
  last_ = nullptr;
}

void Watch::begin_block() {
  using namespace emulated;
  const std::size_t threads = blockDim.count();
  phases_.assign(threads, 0);
  warp_phases_.assign(threads, 0);
  Region& window = regions_.back();
  const std::span<std::byte> bytes = block_shared_memory();
  window.begin = reinterpret_cast<const char*>(bytes.data());
  window.bytes = bytes.size();
  window.cells.resize(bytes.size());
  ++window.epoch;
  for (Region& region : variables_)
    if (region.space == Space::shared) {
      ++region.epoch;
      std::memset(const_cast<char*>(region.begin), 0xFF, region.bytes);
    }
}

void Watch::begin_thread() {
  using namespace emulated;
  const std::uint32_t block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z) + 1;
  if (!in_block_ || block != block_) {
    in_block_ = true;
    block_ = block;
    begin_block();
  }
  if (tally_) tally_->begin_thread(block_, index_in_block());
}

void Watch::passed_barrier() { ++phases_[index_in_block()]; }
void Watch::passed_warp() { ++warp_phases_[index_in_block()]; }

Watch::Region* Watch::find(const void* address) {
  const char* const at = static_cast<const char*>(address);
  const auto holds = [at](const Region& region) {
    const std::size_t guard = region.space == Space::global ? Buffer::guard : 0;
    return at >= region.begin - guard && at < region.begin + region.bytes + guard;
  };
  if (last_ && holds(*last_)) return last_;
  for (std::vector<Region>* list : {&regions_, &variables_})
    for (Region& region : *list)
      if (region.begin && holds(region)) return last_ = &region;
  return nullptr;
}

void Watch::access(const void* address, std::size_t bytes, int how, const void* from) {
  last_code_ = from;
  Region* const region = find(address);
  if (!region) return wild(address, bytes, how, from);
  index_ = index_in_block();
  thread_ = (block_ - 1) * static_cast<std::uint32_t>(phases_.size()) + index_ + 1;
  if ((how & 3) == atomic_access) {
    atomic_ = address;
    return;
  }
  const bool write = how & write_bit;
  const std::ptrdiff_t offset = static_cast<const char*>(address) - region->begin;
  if (!(how & any_alignment) && bytes <= 16 && reinterpret_cast<std::uintptr_t>(address) % bytes != 0)
    fault(Fault::Kind::misaligned, *region,
          std::string(verb(write)) + " " + std::to_string(bytes) + " bytes of " + region->name +
              " at once from an address that is no multiple of " + std::to_string(bytes),
          from);
  if (!is_inside(*region, offset, bytes, write, from)) return;
  if (write && region->read_only)
    return fault(Fault::Kind::read_only, *region, "writes to " + region->name + ", which is to be read only", from);
  see_bytes(*region, static_cast<std::size_t>(offset), bytes, write, atomic_ == address, from);
  if (tally_)
    tally_->access(region->space == Space::shared            ? Tally::Space::shared
                   : region->space == Space::constant_memory ? Tally::Space::constant_memory
                                                             : Tally::Space::global,
                   code_of(from), reinterpret_cast<std::uintptr_t>(address), bytes, write, index_);
}

bool Watch::is_inside(const Region& region, std::ptrdiff_t offset, std::size_t bytes, bool write, const void* from) {
  const Fault::Kind kind = write ? Fault::Kind::outside_write : Fault::Kind::outside_read;
  const auto size = static_cast<std::ptrdiff_t>(region.bytes), count = static_cast<std::ptrdiff_t>(bytes);
  const auto element = static_cast<std::ptrdiff_t>(region.buffer ? region.buffer->element : 1);
  const char* const unit = element > 1 ? "element" : "byte";
  std::string where;
  if (offset < 0)
    where = counted((-offset + element - 1) / element, unit) + " before the beginning of " + region.name;
  else if (offset + count > size)
    where = counted((offset + count - size + element - 1) / element, unit) + " behind the end of " + region.name;
  if (where.empty() && region.buffer && region.buffer->pitch > region.buffer->row_bytes) {
    const auto pitch = static_cast<std::ptrdiff_t>(region.buffer->pitch);
    const auto row_bytes = static_cast<std::ptrdiff_t>(region.buffer->row_bytes);
    if (offset % pitch + count > row_bytes)
      where = "element " + std::to_string(offset % pitch / element) + " of row " + std::to_string(offset / pitch) +
              " of " + region.name + ", whose rows have " + std::to_string(row_bytes / element);
  }
  if (where.empty()) return true;
  fault(kind, region, std::string(verb(write)) + " " + where, from);
  return false;
}

void Watch::see_bytes(Region& region, std::size_t offset, std::size_t bytes, bool write, bool atomic,
                      const void* from) {
  const std::uint64_t code = code_of(from);
  for (std::size_t i = offset; i < offset + bytes; ++i) {
    Cell& cell = region.cells[i];
    if (cell.epoch != region.epoch) {
      cell.epoch = region.epoch;
      cell.writer = cell.reader = cell.reader2 = 0;
      if (region.space == Space::shared) cell.written = false;
    }
    if (write) {
      see_write(region, cell, atomic, code);
    } else {
      const bool known = region.space == Space::device || region.space == Space::constant_memory;
      if (region.space == Space::device && !cell.written) {
        if (!cell.read_first) cell.read_code = code;
        cell.read_first = true;
      }
      if (!cell.written && !known) {
        const std::string place = region.buffer ? std::string() : ", byte " + std::to_string(i);
        fault(Fault::Kind::unwritten, region,
              "reads " + region.name + place + ", where " +
                  (region.space == Space::shared ? "no thread of the block has" : "nobody has") + " written before",
              from);
        cell.written = true;  // said once
      }
      see_read(region, cell, atomic, code);
    }
  }
}

bool Watch::ordered(const Region& region, std::uint32_t other, std::uint32_t phase, std::uint16_t warp_phase) const {
  if (other == thread_ || other == 0) return true;
  const auto threads = static_cast<std::uint32_t>(phases_.size());
  if (region.space != Space::shared && (other - 1) / threads != block_ - 1) return false;
  if (phase != phases_[index_]) return true;
  return (other - 1) % threads / 32 == index_ / 32 && warp_phase != warp_phases_[index_];
}

void Watch::see_read(Region& region, Cell& cell, bool atomic, std::uint64_t code) {
  if (region.read_only) return;
  if (!(atomic && cell.atomic) && !ordered(region, cell.writer, cell.write_phase, cell.write_warp))
    race(region, cell.write_code, code, "is read by one thread and written by another");
  const bool first = cell.reader == thread_ || ordered(region, cell.reader, cell.read_phase, cell.read_warp);
  if (first) {
    cell.reader = thread_;
    cell.read_phase = phases_[index_];
    cell.read_warp = warp_phases_[index_];
    if (!cell.read_first) cell.read_code = code;
  } else {
    cell.reader2 = thread_;
    cell.read2_phase = phases_[index_];
    cell.read2_warp = warp_phases_[index_];
    cell.read2_code = code;
  }
}

void Watch::see_write(Region& region, Cell& cell, bool atomic, std::uint64_t code) {
  if (!(atomic && cell.atomic)) {
    if (!ordered(region, cell.writer, cell.write_phase, cell.write_warp))
      race(region, cell.write_code, code, "is written by two threads");
    if (!ordered(region, cell.reader, cell.read_phase, cell.read_warp))
      race(region, cell.read_code, code, "is read by one thread and written by another");
    if (!ordered(region, cell.reader2, cell.read2_phase, cell.read2_warp))
      race(region, cell.read2_code, code, "is read by one thread and written by another");
  }
  cell.writer = thread_;
  cell.write_phase = phases_[index_];
  cell.write_warp = warp_phases_[index_];
  cell.write_code = code;
  cell.atomic = atomic;
  cell.written = cell.ever_written = true;
}

void Watch::race(const Region& region, std::uint64_t first, std::uint64_t second, const char* what) {
  const Fault::Kind kind = region.space == Space::shared ? Fault::Kind::race_shared : Fault::Kind::race_global;
  if (is_known(kind, loaded_.relative(reinterpret_cast<const void*>(second)))) return;
  const bool shared = region.space == Space::shared;
  const auto relative = [&](std::uint64_t code) {
    return code ? loaded_.relative(reinterpret_cast<const void*>(code)) : 0;
  };
  add({.kind = kind,
       .words = "an element of " + region.name + " " + what +
                (shared ? " with no barrier between them" : " in one launch, in no order"),
       .name = region.name,
       .code = relative(second),
       .other = relative(first),
       .thread = emulated::current_thread()});
}

void Watch::fault(Fault::Kind kind, const Region& region, std::string words, const void* from) {
  if (is_known(kind, loaded_.relative(from))) return;
  add({.kind = kind,
       .words = std::move(words),
       .name = region.name,
       .code = loaded_.relative(from),
       .thread = emulated::current_thread()});
}

void Watch::wild(const void* address, std::size_t bytes, int how, const void* from) {
  // Its own constants, and what lies on the stack of the running thread.
  const char* const here = static_cast<const char*>(__builtin_frame_address(0));
  const char* const at = static_cast<const char*>(address);
  if (loaded_.holds(address) || (at > here - (512 << 10) && at < here + (512 << 10))) return;
  const bool write = how & write_bit;
  add({.kind = Fault::Kind::wild,
       .words = std::string(verb(write)) + " " + counted(static_cast<long long>(bytes), "byte") +
                " far outside of all memory that it was given",
       .name = {},
       .code = loaded_.relative(from),
       .thread = emulated::current_thread()});
  throw Error("it cannot go on");
}

void* Watch::shared_window(std::size_t offset, int count, std::size_t element, const void* from) {
  const std::span<std::byte> bytes = emulated::block_shared_memory();
  const bool fits =
      count >= 0 && offset <= bytes.size() && static_cast<std::size_t>(count) * element <= bytes.size() - offset;
  if (!fits) {
    add({.kind = Fault::Kind::array_bounds,
         .words = "takes " + std::to_string(count) + " × " + std::to_string(element) +
                  " bytes of shared memory from byte " + std::to_string(offset) + " on; the launch gave the block " +
                  std::to_string(bytes.size()),
         .name = "shared memory",
         .code = loaded_.relative(from),
         .thread = emulated::current_thread()});
    throw Error("it cannot go on");
  }
  return bytes.data() + offset;
}

void Watch::outside_window(int index, int count, const void* from) {
  add({.kind = Fault::Kind::array_bounds,
       .words = "uses element " + std::to_string(index) + " of shared memory, where it has " + std::to_string(count),
       .name = "shared memory",
       .code = loaded_.relative(from),
       .thread = emulated::current_thread()});
  throw Error("it cannot go on");
}

void Watch::bounds(unsigned line, long index) {
  add({.kind = Fault::Kind::array_bounds,
       .words = "uses element " + std::to_string(index) + " of an array that has no such element",
       .name = "an array",
       .line = static_cast<int>(line),
       .thread = emulated::current_thread()});
  throw Error("it cannot go on");  // what lies there may be anything
}

bool Watch::is_known(Fault::Kind kind, std::uint64_t code) {
  const auto found = known_.find({static_cast<int>(kind), code});
  if (found != known_.end()) ++faults_[found->second].count;
  return found != known_.end() || faults_.size() >= most_faults;
}

void Watch::add(Fault fault) {
  const std::uint64_t place = fault.code ? fault.code : static_cast<std::uint64_t>(fault.line);
  const auto [at, is_new] = known_.try_emplace({static_cast<int>(fault.kind), place}, faults_.size());
  if (!is_new) {
    ++faults_[at->second].count;
  } else if (faults_.size() < most_faults) {
    faults_.push_back(std::move(fault));
  } else {
    known_.erase(at);
  }
}

std::vector<Fault> Watch::take_faults() {
  known_.clear();
  return std::exchange(faults_, {});
}

void Watch::judge_kept_state() {
  for (const Region& region : variables_) {
    if (region.space != Space::device) continue;
    const auto kept =
        std::ranges::find_if(region.cells, [](const Cell& cell) { return cell.read_first && cell.ever_written; });
    if (kept == region.cells.end()) continue;
    add({.kind = Fault::Kind::kept_state,
         .words = "reads " + region.name + " before it writes to it, and so gets what an earlier launch has left there",
         .name = region.name,
         .code = kept->read_code ? loaded_.relative(reinterpret_cast<const void*>(kept->read_code)) : 0});
  }
}

std::uint32_t Watch::writer_of(const Buffer& buffer, std::size_t offset) const {
  for (const Region& region : regions_)
    if (region.buffer == &buffer) {
      const Cell& cell = region.cells[offset];
      if (!cell.written || cell.writer == 0) return 0;
      return (cell.writer - 1) / static_cast<std::uint32_t>(phases_.size()) + 1;
    }
  return 0;
}

}  // namespace convoscope::own
