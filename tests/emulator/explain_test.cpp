// What every strategy says of its blocks, threads and tiles is what its kernel does, seen in the emulator: who wrote
// each output, and what each block read.
#include <random>
#include <ranges>
#include <set>

#include "kernels/compute/compute.h"
#include "kernels/contract/kind.h"
#include "kernels/kinds/signal.h"
#include "tests/emulator/support.h"
#include "tests/explanations.h"

namespace convoscope::emulated {
namespace {

Triple triple(const uint3& index) {
  return {static_cast<int>(index.x), static_cast<int>(index.y), static_cast<int>(index.z)};
}

// The memory between two passes: a plane of the image's size for each of the filter's sums.
struct Intermediate {
  std::size_t wide = 0;  // bytes of a pixel
  std::size_t row = 0;   // pixels from row to row
  std::size_t planes = 0;
};

class Trace final : public Observer {
 public:
  Trace(const Image& in, const Image& out, bool by_copies, const Intermediate& between)
      : by_copies_(by_copies),
        wide_(between.wide),
        intermediate_bytes_(between.wide * between.row * between.planes * static_cast<std::size_t>(in.height)),
        in_(in) {
    seen.intermediate_row = between.row;
    seen.output = Watched(out.data, out.pitch * static_cast<std::size_t>(out.height), 1);
    seen.pitch = out.pitch;
    set_observer(this);
  }
  ~Trace() override { set_observer(nullptr); }

  void allocated(void* memory, std::size_t bytes) override {
    if (!intermediate_bytes_ || bytes != intermediate_bytes_) return;
    seen.intermediate = Watched(memory, bytes, wide_);
    intermediate_ = static_cast<const std::byte*>(memory);
  }
  void launched() override {
    look_at_rest();
    ++seen.launches;
  }
  void read(const void* from, std::size_t bytes) override {
    if (!by_copies_) note_read_of(seen, in_, triple(blockIdx), from, bytes);
    note_read_of_intermediate(static_cast<const std::byte*>(from), bytes);
  }
  void copied_from(const void* from, std::size_t bytes) override {
    if (by_copies_) note_read_of(seen, in_, triple(blockIdx), from, bytes);
  }
  void paused() override {
    Watched& written = intermediate_ && seen.launches == 1 ? seen.intermediate : seen.output;
    written.look({triple(blockIdx), triple(threadIdx)});
  }
  // What a launch wrote where it is not watched is nobody's, so that whatever is told of it is wrong.
  void look_at_rest() {
    constexpr Doer nobody{{-1, -1, -1}, {-1, -1, -1}};
    seen.output.look(nobody);
    seen.intermediate.look(nobody);
  }

  Seen seen;

 private:
  void note_read_of_intermediate(const std::byte* from, std::size_t bytes) {
    if (!intermediate_ || from < intermediate_ || from >= intermediate_ + intermediate_bytes_) return;
    const std::size_t first = static_cast<std::size_t>(from - intermediate_) / wide_;
    const std::size_t row = seen.intermediate_row, plane = row * static_cast<std::size_t>(in_.height);
    for (std::size_t i = first; i <= first + (bytes - 1) / wide_; ++i)
      seen.reads[{seen.launches - 1, triple(blockIdx)}].insert(0, static_cast<int>(i % plane % row),
                                                               static_cast<int>(i % plane / row));
  }

  const std::byte* intermediate_ = nullptr;
  bool by_copies_;
  std::size_t wide_, intermediate_bytes_;
  Image in_;
};

struct Case {
  int width, height;
  PixelFormat format;
  Border border;
  const char* filter;
  const Kind* kind = &image_kind;
};

class Explained {
 public:
  Explained(const Strategy& strategy, const Case& c, const Tuning& tuning)
      : strategy_(strategy), tuning_(tuning), problem_{c.width, c.height, c.format, c.border, c.kind->parse(c.filter),
                                                       c.kind} {}

  bool runs(const Device& device) const { return strategy_.unsupported(problem_, device, tuning_).empty(); }

  // Of the launches; they are the same on devices for which these are.
  std::vector<Triple> grids(const Device& device) const { return grids_of(*strategy_.plan(problem_, device, tuning_)); }

  void compare(const Device& device) const {
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
    const bool by_copies = strategy_.id == "async-tile" || strategy_.id == "tensor-core-half" ||
                           (strategy_.kind == &signal_kind && strategy_.id == "register-stream");
    Trace trace(in, out, by_copies, between_passes());
    const std::unique_ptr<Plan> plan = strategy_.plan(problem_, device, tuning_);
    plan->prepare({});
    const Tensor from = tensor_of_rows(in.data, problem_.kind->inputs(problem_)[0], pitch);
    const Tensor to = tensor_of_rows(out.data, problem_.kind->outputs(problem_)[0], pitch);
    plan->enqueue({&from, 1}, {&to, 1}, {});
    set_observer(nullptr);
    trace.look_at_rest();
    hold_against(strategy_, problem_, device, tuning_, trace.seen);
  }

 private:
  Intermediate between_passes() const {
    const bool texture = strategy_.id == "separable-texture";
    if (!texture && strategy_.id != "separable" && strategy_.id != "separable-coalesced") return {};
    const std::size_t wide = problem_.format == PixelFormat::rgba8 ? 16 : 4;
    int alignment = 0;  // of rows under a texture, in bytes
    CONVOSCOPE_CHECK(cudaDeviceGetAttribute(&alignment, cudaDevAttrTextureAlignment, 0));
    const std::size_t width = static_cast<std::size_t>(problem_.width);
    const std::size_t aligned = static_cast<std::size_t>(alignment) / wide;
    return {wide, texture ? (width + aligned - 1) / aligned * aligned : width,
            problem_.filter.is_magnitude() ? 2u : 1u};
  }

  const Strategy& strategy_;
  Tuning tuning_;
  Problem problem_;
};

constexpr Case tall{30, 140, PixelFormat::rgba8, Border::wrap, "gaussian:radius=1"};
constexpr Case cases[] = {
    tall,
    {1, 1, PixelFormat::rgba8, Border::replicate, "gaussian:radius=1"},
    {37, 23, PixelFormat::rgba8, Border::zero, "gaussian:radius=1"},
    {150, 41, PixelFormat::gray32f, Border::mirror, "gaussian:radius=1"},
    {45, 70, PixelFormat::rgba8, Border::wrap, "gaussian:radius=3"},
    {140, 37, PixelFormat::rgba8, Border::replicate, "box:radius=4"},
    {131, 23, PixelFormat::rgba8, Border::zero, "box:rx=1,ry=2"},
    {33, 19, PixelFormat::gray32f, Border::zero, "1 2 3 2 1"},
    {64, 48, PixelFormat::rgba8, Border::replicate, "sobel-magnitude"},
    {40, 94, PixelFormat::gray32f, Border::wrap, "sobel-magnitude"},
    {100, 110, PixelFormat::rgba8, Border::mirror, "disk:radius=5"},
    {70, 90, PixelFormat::rgba8, Border::zero, "box:rx=20,ry=1"},
    {90, 75, PixelFormat::rgba8, Border::wrap, "box:rx=2,ry=14"},
    {61, 140, PixelFormat::gray32f, Border::replicate, "gaussian:radius=8"},
};

// A channel in each row; blocks of 4 are too short for some of the halos.
constexpr Case signal_cases[] = {
    {300, 2, PixelFormat::gray32f, Border::wrap, "1 2 3 2 1", &signal_kind},
    {1, 1, PixelFormat::gray32f, Border::replicate, "1 2 1", &signal_kind},
    {131, 23, PixelFormat::gray32f, Border::zero, "box:rx=3,ry=0", &signal_kind},
    {45, 7, PixelFormat::gray32f, Border::mirror, "box:rx=40,ry=0", &signal_kind},
    {1100, 1, PixelFormat::gray32f, Border::zero, "box:rx=60,ry=0", &signal_kind},
    {2500, 1, PixelFormat::gray32f, Border::replicate, "gaussian:radius=5", &signal_kind},
};

// The emulated device with other numbers of multiprocessors, among which some kernels share out the image's rows.
std::vector<Device> devices() {
  std::vector<Device> result;
  for (const int multiprocessors : {2, 1, 3, 40}) {
    result.push_back(make_compute(Backend::emulated)->device());
    result.back().multiprocessors = multiprocessors;
  }
  return result;
}

class Explains : public testing::TestWithParam<const Strategy*> {};

TEST_P(Explains, WhatTheKernelDoes) {
  const Strategy& strategy = *GetParam();
  if (!strategy.explains) GTEST_SKIP() << "not described";
  const std::vector<Device> all_devices = devices();
  int ran = 0;
  const bool signals = strategy.kind == &signal_kind;
  for (const Case& c : signals ? std::span<const Case>(signal_cases) : std::span<const Case>(cases)) {
    std::vector<Tuning> tunings{{}};
    if (c.height == 23 || c.height == 70)
      for (const Tunable& tunable : strategy.tunables)
        for (const int value : {tunable.values.front(), tunable.values.back()})
          tunings.push_back({{std::string(tunable.id), value}});
    for (const Tuning& tuning : tunings) {
      std::set<std::vector<Triple>> grids;
      // Strips that depend on the device differ most where there are many rows.
      for (const Device& device : all_devices | std::views::take(c.height < 140 ? 2 : 4)) {
        const Explained explained(strategy, c, tuning);
        if (!explained.runs(device) || !grids.insert(explained.grids(device)).second) continue;
        SCOPED_TRACE(
            std::to_string(c.width) + " × " + std::to_string(c.height) + ", " + c.filter + ", " +
            std::string(to_string(c.border)) + ", " + std::to_string(device.multiprocessors) + " multiprocessors" +
            (tuning.empty() ? "" : ", " + tuning.begin()->first + " " + std::to_string(tuning.begin()->second)));
        explained.compare(device);
        ++ran;
        if (HasFatalFailure() || HasNonfatalFailure()) return;
      }
    }
  }
  if (ran == 0) GTEST_SKIP() << "cannot be emulated";
  EXPECT_GT(ran, 1);
}

std::string test_name(const testing::TestParamInfo<const Strategy*>& parameter) {
  std::string name(parameter.param->id);
  std::ranges::replace(name, '-', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Ladder, Explains, testing::ValuesIn(strategies(Backend::emulated)), test_name);
INSTANTIATE_TEST_SUITE_P(SignalLadder, Explains, testing::ValuesIn(strategies(Backend::emulated, signal_kind)),
                         test_name);

TEST(Explains, EveryStrategyWhoseKernelsAreWrittenHere) {
  for (const Kind* kind : kinds())
    for (const Strategy* strategy : strategies(Backend::emulated, *kind))
      EXPECT_TRUE(strategy->explains || strategy->chooses || strategy->calls_library)
          << strategy->id << " has no explain: see explain_windows() for kernels without tiles";
}

// Else the comparison above would see but one height of their strips.
TEST(Explains, StripsThatDependOnTheDevice) {
  for (const char* id : {"register-stream", "separable-stream", "dp2a-stream", "separable-dp2a"}) {
    const Explained explained(*find_strategy(Backend::emulated, id), tall, {});
    std::set<std::vector<Triple>> grids;
    for (const Device& device : devices()) grids.insert(explained.grids(device));
    EXPECT_EQ(grids.size(), devices().size()) << id;
  }
}

TEST(Explains, RunsOfPixelsWrapFromRowToRow) {
  EXPECT_EQ(run_of_pixels(3, 4, 10), (std::vector<PixelArea>{{3, 0, 4, 1}}));
  EXPECT_EQ(run_of_pixels(7, 30, 10), (std::vector<PixelArea>{{7, 0, 3, 1}, {0, 1, 10, 2}, {0, 3, 7, 1}}));
  EXPECT_EQ(run_of_pixels(20, 5, 10), (std::vector<PixelArea>{{0, 2, 5, 1}}));
}

}  // namespace
}  // namespace convoscope::emulated
