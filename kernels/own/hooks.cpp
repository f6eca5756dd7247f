#include "kernels/own/hooks.h"

#include <bit>
#include <map>

#include "kernels/emulator/scheduler.h"

namespace convoscope::own {
namespace {

Watch* watching = nullptr;
std::string shown_file;

// The emulator asks for places as the compiler makes them; a library tells lines. What the compiler's are is a pointer
// to such a record.
struct PlaceRecord {
  const char *file, *function;
  unsigned line, column;
};
std::source_location where(int line) {
  static_assert(sizeof(std::source_location) == sizeof(const PlaceRecord*));
  static std::map<int, PlaceRecord> records;
  const auto [at, is_new] = records.try_emplace(line);
  if (is_new) at->second = {shown_file.c_str(), "", static_cast<unsigned>(line), 0};
  return std::bit_cast<std::source_location>(static_cast<const PlaceRecord*>(&at->second));
}

void on_access(const void* address, unsigned long bytes, int how, const void* from) {
  watching->access(address, bytes, how, from);
}
void on_bounds(const char*, unsigned line, long index) { watching->bounds(line, index); }
void on_outside(int index, int count, const void* from) { watching->outside_window(index, count, from); }
void* on_shared(unsigned long offset, int count, unsigned long element, const void* from) {
  return watching->shared_window(offset, count, element, from);
}
void on_barrier(int line) {
  emulated::__syncthreads(where(line));
  watching->passed_barrier();
}

int on_barrier_of(int line, int kind, int value) {
  static int threads = 0, yes = 0;
  ++threads;
  yes += value != 0;
  on_barrier(line);
  const int result = kind == 0 ? yes : kind == 1 ? yes == threads : yes > 0;
  on_barrier(line);  // all have read it
  threads = yes = 0;
  on_barrier(line);  // nobody counts again before that
  return result;
}

void on_meet(unsigned mask, int line) {
  emulated::__syncwarp(mask, where(line));
  watching->passed_warp();
}

unsigned on_exchange(unsigned mask, unsigned value, int how, int with, int width, int line) {
  emulated::WarpMeeting& meeting = emulated::WarpMeeting::join(mask, &value, sizeof value, where(line));
  const int lane = emulated::current_lane();
  const int size = width > 0 && width <= 32 ? width : 32, first = lane / size * size;
  int from = lane;
  if (how == 0) from = first + (with & (size - 1));
  if (how == 1) from = lane - with >= first ? lane - with : lane;
  if (how == 2) from = lane + with < first + size ? lane + with : lane;
  if (how == 3) from = (lane ^ with) < first + size ? lane ^ with : lane;
  const unsigned result = from >= 0 && from < 32 && meeting.has(from) ? meeting.value<unsigned>(from) : value;
  meeting.leave();
  watching->passed_warp();
  return result;
}

unsigned on_vote(unsigned mask, int value, int line) {
  const unsigned mine = value != 0;
  emulated::WarpMeeting& meeting = emulated::WarpMeeting::join(mask, &mine, sizeof mine, where(line));
  unsigned result = 0;
  for (int lane = 0; lane < 32; ++lane)
    if (meeting.has(lane) && meeting.value<unsigned>(lane)) result |= 1u << lane;
  meeting.leave();
  watching->passed_warp();
  return result;
}

}  // namespace

ConvoscopeHooks hooks_for(Watch& watch, const std::string& file) {
  watching = &watch;
  shown_file = file;
  const auto index = [](const auto& of) { return reinterpret_cast<const ConvoscopeIndex*>(&of); };
  return {.thread = index(emulated::threadIdx),
          .block = index(emulated::blockIdx),
          .block_size = index(emulated::blockDim),
          .grid = index(emulated::gridDim),
          .access = on_access,
          .bounds = on_bounds,
          .outside = on_outside,
          .shared = on_shared,
          .barrier = on_barrier,
          .barrier_of = on_barrier_of,
          .meet = on_meet,
          .exchange = on_exchange,
          .vote = on_vote};
}

}  // namespace convoscope::own
