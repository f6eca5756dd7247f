// What every strategy says of its blocks, threads and tiles is what its kernel does, seen in the emulator: who wrote
// each output, and what each block read.
#include <map>
#include <optional>
#include <random>
#include <set>

#include "kernels/compute.h"
#include "kernels/filter_catalogue.h"
#include "tests/emulator/support.h"

namespace convoscope::emulated {
namespace {

using Triple = std::array<int, 3>;
using Place = std::pair<int, int>;

Triple triple(const uint3& index) {
  return {static_cast<int>(index.x), static_cast<int>(index.y), static_cast<int>(index.z)};
}

struct Doer {
  Triple block{}, thread{};
  bool operator==(const Doer&) const = default;
};

// Device memory whose elements are watched: after each thread's run, what has changed was written by it.
class Watched {
 public:
  Watched() = default;
  Watched(const void* memory, std::size_t bytes, std::size_t element)
      : memory_(static_cast<const std::byte*>(memory)),
        seen_(memory_, memory_ + bytes),
        element_(element),
        writers_(bytes / element) {}
  void look(const Doer& doer) {
    if (!memory_ || std::memcmp(memory_, seen_.data(), seen_.size()) == 0) return;
    for (std::size_t i = 0; i < writers_.size(); ++i) {
      if (std::memcmp(memory_ + i * element_, &seen_[i * element_], element_) == 0) continue;
      std::memcpy(&seen_[i * element_], memory_ + i * element_, element_);
      writers_[i] = doer;
    }
  }
  const std::optional<Doer>& writer(std::size_t element) const { return writers_.at(element); }
  explicit operator bool() const { return memory_ != nullptr; }

 private:
  const std::byte* memory_ = nullptr;
  std::vector<std::byte> seen_;
  std::size_t element_ = 1;
  std::vector<std::optional<Doer>> writers_;
};

class Trace final : public Observer {
 public:
  Trace(const Image& in, const Image& out, bool by_copies, std::size_t intermediate_bytes, std::size_t wide)
      : by_copies_(by_copies), intermediate_bytes_(intermediate_bytes), wide_(wide), in_(in) {
    output = Watched(out.data, out.pitch * static_cast<std::size_t>(out.height), 4);
    set_observer(this);
  }
  ~Trace() override { set_observer(nullptr); }

  void allocated(void* memory, std::size_t bytes) override {
    if (intermediate_bytes_ && bytes == intermediate_bytes_) intermediate = Watched(memory, bytes, wide_);
  }
  void launched() override { ++launch; }
  void read(const void* from, std::size_t bytes) override {
    if (!by_copies_) note(from, bytes);
  }
  void copied_from(const void* from, std::size_t bytes) override {
    if (by_copies_) note(from, bytes);
  }
  void paused() override {
    const Doer doer{triple(blockIdx), triple(threadIdx)};
    output.look(doer);
    intermediate.look(doer);
  }

  int launch = -1;
  Watched output, intermediate;
  std::map<std::pair<int, Triple>, std::set<Place>> reads;  // by launch and block

 private:
  void note(const void* from, std::size_t bytes) {
    const auto offset = static_cast<const std::byte*>(from) - static_cast<const std::byte*>(in_.data);
    if (offset < 0 || offset >= static_cast<std::ptrdiff_t>(in_.pitch) * in_.height) return;
    const int y = static_cast<int>(offset / static_cast<std::ptrdiff_t>(in_.pitch));
    const int x = static_cast<int>(offset % static_cast<std::ptrdiff_t>(in_.pitch)) / 4;
    for (int i = 0; i < static_cast<int>(bytes) / 4; ++i) reads[{launch, triple(blockIdx)}].insert({x + i, y});
  }

  bool by_copies_;
  std::size_t intermediate_bytes_, wide_;
  Image in_;
};

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

struct Case {
  int width, height;
  PixelFormat format;
  Border border;
  const char* filter;
};

class Explained {
 public:
  Explained(const Strategy& strategy, const Case& c, const Tuning& tuning)
      : strategy_(strategy),
        tuning_(tuning),
        problem_{c.width, c.height, c.format, c.border, parse_filter(c.filter).filter} {}

  bool runs(const Device& device) const { return strategy_.unsupported(problem_, device, tuning_).empty(); }

  void compare(Compute& compute) {
    const std::size_t pitch = (static_cast<std::size_t>(problem_.width) * 4 + 31) / 32 * 32;
    DeviceBuffer<std::byte> in_memory(pitch * static_cast<std::size_t>(problem_.height)), out_memory(in_memory.size());
    const Image in{in_memory.data(), problem_.width, problem_.height, pitch, problem_.format};
    const Image out{out_memory.data(), problem_.width, problem_.height, pitch, problem_.format};
    std::minstd_rand random(7);
    for (int y = 0; y < problem_.height; ++y)
      for (int x = 0; x < problem_.width; ++x) {
        std::byte* const pixel = in_memory.data() + static_cast<std::size_t>(y) * pitch + 4 * x;
        const float gray = static_cast<float>(random() % 900 + 50) / 1000.0f;
        const std::uint32_t colour = (random() >> 4 & 0xFFFFFFu) | 0x50000000u;
        std::memcpy(pixel, problem_.format == PixelFormat::rgba8 ? static_cast<const void*>(&colour) : &gray, 4);
      }
    const bool by_copies = strategy_.id == "async-tile";
    const std::size_t wide = problem_.format == PixelFormat::rgba8 ? 16 : 4;
    const bool two_passes = strategy_.id == "separable" || strategy_.id == "separable-coalesced";
    const std::size_t pixels = static_cast<std::size_t>(problem_.width) * static_cast<std::size_t>(problem_.height);
    const std::size_t sums = problem_.filter.is_magnitude() ? 2 : 1;
    Trace trace(in, out, by_copies, two_passes ? pixels * wide * sums : 0, wide);
    const std::unique_ptr<Plan> plan = strategy_.plan(problem_, compute.device(), tuning_);
    plan->prepare({});
    plan->enqueue(in, out, {});
    set_observer(nullptr);
    hold_against(trace, pitch);
  }

 private:
  void hold_against(const Trace& trace, std::size_t pitch) {
    std::map<std::pair<int, Triple>, std::set<Place>> expected;
    std::map<std::pair<int, Triple>, std::vector<std::vector<PixelArea>>> areas_known;
    for (int y = 0; y < problem_.height; ++y)
      for (int x = 0; x < problem_.width; ++x) {
        const Explanation said = strategy_.explain(problem_, tuning_, x, y);
        ASSERT_EQ(static_cast<int>(said.steps.size()), trace.launch + 1);
        for (std::size_t i = 0; i < said.steps.size(); ++i) {
          const KernelStep& step = said.steps[i];
          const auto width = static_cast<std::size_t>(problem_.width);
          const bool last = i + 1 == said.steps.size();
          const std::optional<Doer>& seen =
              last ? trace.output.writer(static_cast<std::size_t>(y) * (pitch / 4) + static_cast<std::size_t>(x))
                   : trace.intermediate.writer(static_cast<std::size_t>(y) * width + static_cast<std::size_t>(x));
          const Doer told{step.block, step.thread};
          ASSERT_TRUE(seen == told) << step.kernel << " at (" << x << ", " << y << "): seen " << text(seen) << ", told "
                                    << text(told);
          ASSERT_TRUE(any_contains(step.outputs, x, y) && any_contains(step.thread_outputs, x, y));
          for (const PixelArea& own : step.thread_outputs)
            for (int oy = own.y; oy < own.y + own.height; ++oy)
              for (int ox = own.x; ox < own.x + own.width; ++ox) {
                if (ox >= problem_.width || oy >= problem_.height || !last) continue;
                const auto& other =
                    trace.output.writer(static_cast<std::size_t>(oy) * (pitch / 4) + static_cast<std::size_t>(ox));
                ASSERT_TRUE(other == told) << "the thread's other output (" << ox << ", " << oy << ")";
              }
          if (!step.of_input) continue;
          std::set<Place>& places = expected[{static_cast<int>(i), step.block}];
          for (const auto* areas : {&step.tile, &step.direct}) {
            auto& known = areas_known[{static_cast<int>(i), step.block}];
            if (std::ranges::find(known, *areas) != known.end()) continue;  // as for the block's other outputs
            known.push_back(*areas);
            for (const PixelArea& area : *areas) add_places(places, area, problem_);
          }
        }
        if (said.steps.size() == 1) {
          // The window is within what was loaded.
          const KernelStep& step = said.steps[0];
          const PixelArea window = grown(PixelArea{x, y, 1, 1}, problem_.filter.rx(), problem_.filter.ry());
          for (int wy = window.y; wy < window.y + window.height; ++wy)
            for (int wx = window.x; wx < window.x + window.width; ++wx)
              ASSERT_TRUE(any_contains(step.tile, wx, wy) || any_contains(step.direct, wx, wy)) << wx << ", " << wy;
        }
      }
    for (const auto& [key, places] : expected) {
      const auto found = trace.reads.find(key);
      ASSERT_NE(found, trace.reads.end());
      EXPECT_EQ(found->second, places) << "block (" << key.second[0] << ", " << key.second[1] << ") of launch "
                                       << key.first;
    }
  }

  const Strategy& strategy_;
  Tuning tuning_;
  Problem problem_;
};

class Explains : public testing::TestWithParam<const Strategy*> {};

TEST_P(Explains, WhatTheKernelDoes) {
  const Strategy& strategy = *GetParam();
  if (!strategy.explain) GTEST_SKIP() << "not described";
  const std::unique_ptr<Compute> compute = make_compute(Backend::emulated);
  const Case cases[] = {
      {1, 1, PixelFormat::rgba8, Border::replicate, "gaussian:radius=1"},
      {37, 23, PixelFormat::rgba8, Border::zero, "gaussian:radius=1"},
      {150, 41, PixelFormat::gray32f, Border::mirror, "gaussian:radius=1"},
      {45, 70, PixelFormat::rgba8, Border::wrap, "gaussian:radius=3"},
      {140, 37, PixelFormat::rgba8, Border::replicate, "box:radius=4"},
      {131, 23, PixelFormat::rgba8, Border::zero, "box:rx=1,ry=2"},
      {33, 19, PixelFormat::gray32f, Border::zero, "1 2 3 2 1"},
      {64, 48, PixelFormat::rgba8, Border::replicate, "sobel-magnitude"},
  };
  int ran = 0;
  for (const Case& c : cases) {
    std::vector<Tuning> tunings{{}};
    if (c.height == 23 || c.height == 70)
      for (const Tunable& tunable : strategy.tunables)
        for (const int value : {tunable.values.front(), tunable.values.back()})
          tunings.push_back({{std::string(tunable.id), value}});
    for (const Tuning& tuning : tunings) {
      Explained explained(strategy, c, tuning);
      if (!explained.runs(compute->device())) continue;
      SCOPED_TRACE(std::to_string(c.width) + " × " + std::to_string(c.height) + ", " + c.filter + ", " +
                   std::string(to_string(c.border)) +
                   (tuning.empty() ? "" : ", " + tuning.begin()->first + " " + std::to_string(tuning.begin()->second)));
      explained.compare(*compute);
      ++ran;
      if (HasFatalFailure() || HasNonfatalFailure()) return;
    }
  }
  if (ran == 0) GTEST_SKIP() << "calls a library";
  EXPECT_GT(ran, 1);
}

std::string test_name(const testing::TestParamInfo<const Strategy*>& parameter) {
  std::string name(parameter.param->id);
  std::ranges::replace(name, '-', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Ladder, Explains, testing::ValuesIn(strategies(Backend::emulated)), test_name);

TEST(Explains, RunsOfPixelsWrapFromRowToRow) {
  EXPECT_EQ(run_of_pixels(3, 4, 10), (std::vector<PixelArea>{{3, 0, 4, 1}}));
  EXPECT_EQ(run_of_pixels(7, 30, 10), (std::vector<PixelArea>{{7, 0, 3, 1}, {0, 1, 10, 2}, {0, 3, 7, 1}}));
  EXPECT_EQ(run_of_pixels(20, 5, 10), (std::vector<PixelArea>{{0, 2, 5, 1}}));
}

}  // namespace
}  // namespace convoscope::emulated
