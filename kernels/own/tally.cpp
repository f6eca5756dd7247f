#include "kernels/own/tally.h"

#include <algorithm>
#include <array>
#include <bit>
#include <set>

namespace convoscope::own {
namespace {

constexpr std::size_t most_visits = 4096;  // of a place by a warp, so that memory is bounded

}  // namespace

void Tally::begin_launch(std::uint32_t threads_of_a_block) {
  block_ = 0;
  threads_.assign(threads_of_a_block, {});
  warps_.assign((threads_of_a_block + 31) / 32, {});
}

void Tally::begin_thread(std::uint32_t block, std::uint32_t) {
  if (block != block_ && block_ != 0) end_block();
  block_ = block;
  ++threads;
}

void Tally::access(Space space, std::uint64_t code, std::uintptr_t address, std::size_t bytes, bool write,
                   std::uint32_t index) {
  Thread& thread = threads_[index];
  PlaceTally& place = places[code];
  if (space == Space::global) {
    const std::uintptr_t word = address / 4;
    if (write) {
      ++place.stores;
      thread.wrote = true;
    } else {
      // A compiler for the host may read the channels of a pixel one by one.
      if (bytes < 4 && std::ranges::find(thread.recent, word) != std::end(thread.recent)) return;
      thread.recent[thread.next++ % 4] = word;
      ++place.loads;
      for (std::size_t i = 0; i < std::max<std::size_t>(bytes / 4, 1); ++i) ++loaded_[word + i];
    }
  } else if (space == Space::shared) {
    if (bytes < 4 && !write) {
      const std::uintptr_t word = address / 4;
      if (std::ranges::find(thread.recent, word) != std::end(thread.recent)) return;
      thread.recent[thread.next++ % 4] = word;
    }
    ++place.shared;
  }
  Warp& warp = warps_[index / 32];
  std::vector<std::uint32_t>& counts = warp.counts[code];
  counts.resize(32);
  const std::size_t visit = counts[index % 32]++;
  std::vector<Lanes>& visits = warp.visits[code];
  if (visit >= most_visits) return;
  if (visits.size() <= visit) visits.resize(visit + 1, {.space = space, .write = write});
  visits[visit].mask |= 1u << index % 32;
  visits[visit].addresses[index % 32] = address;
  visits[visit].bytes = static_cast<std::uint8_t>(std::min<std::size_t>(bytes, 16));
}

void Tally::count(PlaceTally& place, const Lanes& lanes) const {
  ++place.warps;
  place.lanes += std::popcount(lanes.mask);
  std::set<std::uintptr_t> parts;  // sectors, or words
  const bool global = lanes.space == Space::global;
  const std::uintptr_t size = global ? 32 : 4;
  for (int lane = 0; lane < 32; ++lane) {
    if (!(lanes.mask >> lane & 1)) continue;
    for (std::uintptr_t at = lanes.addresses[lane] / size; at <= (lanes.addresses[lane] + lanes.bytes - 1) / size; ++at)
      parts.insert(at);
  }
  if (global) {
    if (lanes.write) return;
    std::set<std::uintptr_t> words;
    for (int lane = 0; lane < 32; ++lane)
      if (lanes.mask >> lane & 1) words.insert(lanes.addresses[lane] / 4);
    place.sectors += static_cast<long long>(parts.size());
    place.least += (static_cast<long long>(words.size()) * std::max<long long>(4, lanes.bytes) + 31) / 32;
  } else if (lanes.space == Space::shared) {
    std::array<int, 32> banks{};
    for (const std::uintptr_t word : parts) ++banks[word % 32];
    // Wider loads take their turns anyway: 8 bytes in two, 16 in four.
    const int turns = std::max(1, lanes.bytes / 4);
    place.conflicts += std::max(0, *std::ranges::max_element(banks) - turns);
  }
}

void Tally::end_block() {
  for (Warp& warp : warps_)
    for (const auto& [code, visits] : warp.visits)
      for (const Lanes& lanes : visits) count(places[code], lanes);
  warps_.assign(warps_.size(), {});
  for (Thread& thread : threads_) without_output += !thread.wrote;
  std::ranges::fill(threads_, Thread());
  distinct += static_cast<long long>(loaded_.size());
  loaded_.clear();
}

void Tally::end_launch() {
  if (block_ != 0) end_block();
  block_ = 0;
}

}  // namespace convoscope::own
