#include "tests/explanations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>

namespace convoscope {
namespace {

// The places of the image that stand in for an area of which some may lie outside.
void add_places(std::set<Place>& places, const PixelArea& area, const Problem& p) {
  for (int y = area.y; y < area.y + area.height; ++y)
    for (int x = area.x; x < area.x + area.width; ++x) {
      const int sx = border_index(x, p.width, p.border), sy = border_index(y, p.height, p.border);
      if (sx >= 0 && sy >= 0) places.insert({sx, sy});
    }
}

bool any_contains(const std::vector<PixelArea>& areas, int x, int y) {
  return std::ranges::any_of(areas, [&](const PixelArea& area) { return area.contains(x, y); });
}

std::string text(const std::optional<Doer>& doer) {
  if (!doer) return "nobody";
  std::string result;
  for (const Triple& t : {doer->block, doer->thread})
    result += "(" + std::to_string(t[0]) + ", " + std::to_string(t[1]) + ", " + std::to_string(t[2]) + ") ";
  return result;
}

// What the step tells is who wrote all bytes of the output that were seen to change.
void expect_writer(const Seen& seen, const KernelStep& step, int x, int y) {
  int changed = 0;
  for (int byte = 0; byte < 4; ++byte) {
    const std::optional<Doer>& writer =
        seen.output.writer(static_cast<std::size_t>(y) * seen.pitch + static_cast<std::size_t>(4 * x + byte));
    if (!writer) continue;
    ++changed;
    Doer told{step.block, step.thread};
    if (step.block_per_channel && byte < 3) told.block[2] += byte;
    ASSERT_TRUE(*writer == told) << step.kernel << " at (" << x << ", " << y << "), byte " << byte << ": seen "
                                 << text(writer) << ", told " << text(told);
  }
  ASSERT_GT(changed, 0) << "nobody wrote (" << x << ", " << y << ")";
}

using BlockReads = std::map<std::pair<int, Triple>, std::set<Place>>;

class Expected {
 public:
  explicit Expected(const Problem& problem) : problem_(problem) {}
  void add(int launch, const Triple& block, const KernelStep& step) {
    for (const auto* areas : {&step.tile, &step.direct}) {
      auto& known = known_[{launch, block}];
      if (std::ranges::find(known, *areas) != known.end()) continue;  // as for the block's other outputs
      known.push_back(*areas);
      for (const PixelArea& area : *areas) add_places(reads[{launch, block}], area, problem_);
    }
  }
  BlockReads reads;

 private:
  const Problem& problem_;
  std::map<std::pair<int, Triple>, std::vector<std::vector<PixelArea>>> known_;
};

void hold_step(const Problem& p, const Seen& seen, const KernelStep& step, bool last, int x, int y) {
  if (last) {
    ASSERT_NO_FATAL_FAILURE(expect_writer(seen, step, x, y));
  } else {
    const auto& writer =
        seen.intermediate.writer(static_cast<std::size_t>(y) * seen.intermediate_row + static_cast<std::size_t>(x));
    const Doer told{step.block, step.thread};
    ASSERT_TRUE(writer == told) << step.kernel << " at (" << x << ", " << y << "): seen " << text(writer) << ", told "
                                << text(told);
  }
  ASSERT_TRUE(any_contains(step.outputs, x, y) && any_contains(step.thread_outputs, x, y));
  if (!last) return;
  for (const PixelArea& own : step.thread_outputs) {
    const PixelArea inside = clipped(own, p.width, p.height);
    for (int oy = inside.y; oy < inside.y + inside.height; ++oy)
      for (int ox = inside.x; ox < inside.x + inside.width; ++ox)
        ASSERT_NO_FATAL_FAILURE(expect_writer(seen, step, ox, oy)) << "the thread's other output";
  }
}

void expect_window_loaded(const Problem& p, const KernelStep& step, int x, int y) {
  const PixelArea window = grown(PixelArea{x, y, 1, 1}, p.filter.rx(), p.filter.ry());
  for (int wy = window.y; wy < window.y + window.height; ++wy)
    for (int wx = window.x; wx < window.x + window.width; ++wx)
      ASSERT_TRUE(any_contains(step.tile, wx, wy) || any_contains(step.direct, wx, wy)) << wx << ", " << wy;
}

}  // namespace

Watched::Watched(const void* memory, std::size_t bytes, std::size_t element)
    : memory_(static_cast<const std::byte*>(memory)),
      seen_(memory_, memory_ + bytes),
      element_(element),
      writers_(bytes / element) {}

void Watched::look(const Doer& doer) {
  if (writers_.empty() || std::memcmp(memory_, seen_.data(), seen_.size()) == 0) return;
  constexpr std::size_t stretch = 64;  // elements that are compared at once
  for (std::size_t first = 0; first < writers_.size(); first += stretch) {
    const std::size_t end = std::min(first + stretch, writers_.size());
    if (std::memcmp(memory_ + first * element_, &seen_[first * element_], (end - first) * element_) == 0) continue;
    for (std::size_t i = first; i < end; ++i) {
      if (std::memcmp(memory_ + i * element_, &seen_[i * element_], element_) == 0) continue;
      std::memcpy(&seen_[i * element_], memory_ + i * element_, element_);
      writers_[i] = doer;
    }
  }
}

void note_read_of(Seen& seen, const Image& in, const Triple& block, const void* from, std::size_t bytes) {
  const auto offset = static_cast<const std::byte*>(from) - static_cast<const std::byte*>(in.data);
  if (offset < 0 || offset >= static_cast<std::ptrdiff_t>(in.pitch) * in.height) return;
  const int y = static_cast<int>(offset / static_cast<std::ptrdiff_t>(in.pitch));
  const int x = static_cast<int>(offset % static_cast<std::ptrdiff_t>(in.pitch)) / 4;
  for (int i = 0; i < static_cast<int>(bytes) / 4; ++i) seen.reads[{seen.launches - 1, block}].insert({x + i, y});
}

void hold_against(const Strategy& strategy, const Problem& p, const Device& device, const Tuning& tuning,
                  const Seen& seen) {
  Expected expected(p);
  for (int y = 0; y < p.height; ++y)
    for (int x = 0; x < p.width; ++x) {
      const Explanation said = strategy.explain(p, device, tuning, x, y);
      ASSERT_EQ(static_cast<int>(said.steps.size()), seen.launches);
      for (std::size_t i = 0; i < said.steps.size(); ++i) {
        const KernelStep& step = said.steps[i];
        ASSERT_NO_FATAL_FAILURE(hold_step(p, seen, step, i + 1 == said.steps.size(), x, y));
        Triple block = step.block;
        for (int c = 0; c < (step.block_per_channel ? channels(p.format) : 1); ++c, ++block[2])
          expected.add(static_cast<int>(i), block, step);
      }
      if (said.steps.size() == 1) {
        ASSERT_NO_FATAL_FAILURE(expect_window_loaded(p, said.steps[0], x, y));
      }
    }
  for (const auto& [key, places] : expected.reads) {
    const auto found = seen.reads.find(key);
    ASSERT_NE(found, seen.reads.end()) << "nobody saw block (" << key.second[0] << ", " << key.second[1] << ", "
                                       << key.second[2] << ") of launch " << key.first << " read";
    EXPECT_EQ(found->second, places) << "block (" << key.second[0] << ", " << key.second[1] << ", " << key.second[2]
                                     << ") of launch " << key.first;
  }
}

}  // namespace convoscope
