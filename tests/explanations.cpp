#include "tests/explanations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <tuple>

#include "kernels/contract/kind.h"

namespace convoscope {
namespace {

// Of one plane: where it is one image, signal or frame, as Problem has it.
struct Extent {
  int width, height, planes;
};
Extent extent_of(const Problem& p, const Shape& shape) {
  if (!p.kind->problem) return {p.width, p.height, 1};
  return {shape.width(), shape.height(), shape.planes()};
}
Extent inputs_of(const Problem& p) { return extent_of(p, p.kind->inputs(p)[0]); }
Extent outputs_of(const Problem& p) { return extent_of(p, p.kind->outputs(p)[0]); }

// The places of the planes that stand in for an area of which some may lie outside.
void add_places(Places& places, const std::vector<int>& planes, const PixelArea& area, const Extent& in,
                Border border) {
  for (int y = area.y; y < area.y + area.height; ++y)
    for (int x = area.x; x < area.x + area.width; ++x) {
      const int sx = border_index(x, in.width, border), sy = border_index(y, in.height, border);
      if (sx < 0 || sy < 0) continue;
      for (const int plane : planes) places.insert(plane, sx, sy);
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
void expect_writer(const Extent& out, const Seen& seen, const KernelStep& step, int plane, int x, int y) {
  const int row = plane * out.height + y;
  int changed = 0;
  const auto element = static_cast<int>(seen.output.element());
  for (int byte = 0; byte < 4; byte += element) {
    const std::size_t at = static_cast<std::size_t>(row) * seen.pitch + static_cast<std::size_t>(4 * x + byte);
    const std::optional<Doer>& writer = seen.output.writer(at / seen.output.element());
    if (!writer) continue;
    ++changed;
    Doer told{step.block, step.thread};
    if (step.block_per_channel && byte < 3) told.block[2] += byte;
    if (writer->block[1] < told.block[1] + step.blocks_along_y)
      told.block[1] = std::max(told.block[1], writer->block[1]);  // each of them may have been the last
    ASSERT_TRUE(*writer == told) << step.kernel << " at (" << x << ", " << y << ") of plane " << plane << ", byte "
                                 << byte << ": seen " << text(writer) << ", told " << text(told);
  }
  ASSERT_GT(changed, 0) << "nobody wrote (" << x << ", " << y << ") of plane " << plane;
}

// A launch, a block, and how many from it on along y.
using Readers = std::tuple<int, Triple, int>;

class Expected {
 public:
  explicit Expected(const Problem& problem) : border_(problem.border), in_(inputs_of(problem)) {}
  void add(int launch, const Triple& block, const KernelStep& step) {
    const Readers readers{launch, block, step.blocks_along_y};
    for (const auto* areas : {&step.tile, &step.direct}) {
      auto& known = known_[readers];
      const std::pair told{step.input_planes, *areas};
      if (std::ranges::find(known, told) != known.end()) continue;  // as for the block's other outputs
      known.push_back(told);
      for (const PixelArea& area : *areas) add_places(reads[readers], step.input_planes, area, in_, border_);
    }
  }
  std::map<Readers, Places> reads;

 private:
  const Border border_;
  const Extent in_;
  std::map<Readers, std::vector<std::pair<std::vector<int>, std::vector<PixelArea>>>> known_;
};

// `out`: of the problem; asked for once, since every pixel needs it.
void hold_step(const Problem& p, const Extent& out, const Seen& seen, const KernelStep& step, bool last, int plane,
               int x, int y) {
  if (last) {
    ASSERT_NO_FATAL_FAILURE(expect_writer(out, seen, step, plane, x, y));
  } else if (!p.kind->problem) {
    const auto& writer =
        seen.intermediate.writer(static_cast<std::size_t>(y) * seen.intermediate_row + static_cast<std::size_t>(x));
    const Doer told{step.block, step.thread};
    ASSERT_TRUE(writer == told) << step.kernel << " at (" << x << ", " << y << "): seen " << text(writer) << ", told "
                                << text(told);
  }
  ASSERT_TRUE(any_contains(step.outputs, x, y) && any_contains(step.thread_outputs, x, y));
  for (const auto* planes : {&step.output_planes, &step.thread_planes})
    ASSERT_TRUE(std::ranges::find(*planes, plane) != planes->end());
  if (!last) return;
  for (const int own_plane : step.thread_planes)
    for (const PixelArea& own : step.thread_outputs) {
      const PixelArea inside = clipped(own, out.width, out.height);
      for (int oy = inside.y; oy < inside.y + inside.height; ++oy)
        for (int ox = inside.x; ox < inside.x + inside.width; ++ox)
          ASSERT_NO_FATAL_FAILURE(expect_writer(out, seen, step, own_plane, ox, oy)) << "the thread's other output";
    }
}

void expect_window_loaded(const Problem& p, const KernelStep& step, int x, int y) {
  const PixelArea window = grown(PixelArea{x, y, 1, 1}, p.filter.rx(), p.filter.ry());
  for (int wy = window.y; wy < window.y + window.height; ++wy)
    for (int wx = window.x; wx < window.x + window.width; ++wx)
      ASSERT_TRUE(any_contains(step.tile, wx, wy) || any_contains(step.direct, wx, wy)) << wx << ", " << wy;
}

// All that those blocks were seen to read.
Places reads_of(const Seen& seen, const Readers& readers) {
  auto [launch, block, count] = readers;
  Places all;
  for (int i = 0; i < count; ++i, ++block[1])
    if (const auto found = seen.reads.find({launch, block}); found != seen.reads.end()) all.insert(found->second);
  return all;
}

}  // namespace

std::vector<Triple> grids_of(const Plan& plan) {
  std::vector<Triple> grids;
  for (const KernelInfo& kernel : plan.kernels()) grids.push_back({kernel.grid_x, kernel.grid_y, kernel.grid_z});
  return grids;
}

void Places::insert(int plane, int x, int y, int count) {
  const auto p = static_cast<std::size_t>(plane), row = static_cast<std::size_t>(y),
             first = static_cast<std::size_t>(x), end = first + static_cast<std::size_t>(count);
  if (first == end) return;
  if (planes_.size() <= p) planes_.resize(p + 1);
  std::vector<Row>& rows = planes_[p];
  if (rows.size() <= row) rows.resize(row + 1);
  Row& flags = rows[row];
  if (flags.size() < end) flags.resize(end);
  std::memset(&flags[first], 1, end - first);
}

void Places::insert(const Places& others) {
  for (std::size_t plane = 0; plane < others.planes_.size(); ++plane)
    for (std::size_t y = 0; y < others.planes_[plane].size(); ++y)
      for (std::size_t x = 0; x < others.planes_[plane][y].size(); ++x)
        if (others.planes_[plane][y][x]) insert(static_cast<int>(plane), static_cast<int>(x), static_cast<int>(y));
}

std::size_t Places::size() const {
  std::ptrdiff_t count = 0;
  for (const std::vector<Row>& rows : planes_)
    for (const Row& row : rows) count += std::ranges::count(row, 1);
  return static_cast<std::size_t>(count);
}

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

void note_read_of(Seen& seen, const Image& in, const Triple& block, const void* from, std::size_t bytes, int plane) {
  const auto offset = static_cast<const std::byte*>(from) - static_cast<const std::byte*>(in.data);
  if (offset < 0 || offset >= static_cast<std::ptrdiff_t>(in.pitch) * in.height) return;
  const int y = static_cast<int>(offset / static_cast<std::ptrdiff_t>(in.pitch));
  const int x = static_cast<int>(offset % static_cast<std::ptrdiff_t>(in.pitch)) / 4;
  seen.reads[{seen.launches - 1, block}].insert(plane, x, y, static_cast<int>(bytes) / 4);
}

void hold_against(const Strategy& strategy, const Problem& p, const Device& device, const Tuning& tuning,
                  const Seen& seen, const SaidOfOutput& also) {
  Expected expected(p);
  const Extent out = outputs_of(p);
  const int channels_out = p.kind->problem ? p.kind->outputs(p)[0].channels() : 1;
  int launches = 0;
  const auto hold_output = [&](int plane, int x, int y) {
    const OutputIndex at{x, y, plane % channels_out, plane / channels_out};
    const Explanation said = strategy.explain(p, device, tuning, at);
    ASSERT_GT(said.steps.size(), 0u);
    if (also) also(at, said);
    for (std::size_t i = 0; i < said.steps.size(); ++i) {
      const KernelStep& step = said.steps[i];
      ASSERT_NO_FATAL_FAILURE(hold_step(p, out, seen, step, i + 1 == said.steps.size(), plane, x, y));
      // What layers leave between their launches is not watched.
      if (p.kind->problem && !step.of_input) continue;
      Triple block = step.block;
      for (int c = 0; c < (step.block_per_channel ? channels(p.format) : 1); ++c, ++block[2])
        expected.add(said.launches_before + static_cast<int>(i), block, step);
    }
    launches = std::max(launches, said.launches_before + static_cast<int>(said.steps.size()));
    if (said.steps.size() == 1 && !p.kind->problem) {
      ASSERT_NO_FATAL_FAILURE(expect_window_loaded(p, said.steps[0], x, y));
    }
  };
  for (int plane = 0; plane < out.planes; ++plane)
    for (int y = 0; y < out.height; ++y)
      for (int x = 0; x < out.width; ++x) ASSERT_NO_FATAL_FAILURE(hold_output(plane, x, y));
  ASSERT_EQ(launches, seen.launches);
  for (const auto& [readers, places] : expected.reads) {
    const auto& [launch, block, count] = readers;
    const Places read = reads_of(seen, readers);
    EXPECT_TRUE(read == places) << "block (" << block[0] << ", " << block[1] << ", " << block[2] << "), and "
                                << count - 1 << " after it, of launch " << launch << ": seen " << read.size()
                                << " places read, told " << places.size();
  }
}

}  // namespace convoscope
