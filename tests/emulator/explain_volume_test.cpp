// What every volume strategy says of its blocks, threads and tiles is what its kernel does, as is seen in the emulator:
// who wrote each output, and what each block read of each frame.
#include <set>

#include "kernels/compute/compute.h"
#include "kernels/kinds/frames.h"
#include "kernels/kinds/volume.h"
#include "tests/emulator/support.h"
#include "tests/explanations.h"

namespace convoscope::emulated {
namespace {

Triple triple(const uint3& index) {
  return {static_cast<int>(index.x), static_cast<int>(index.y), static_cast<int>(index.z)};
}

class Trace final : public Observer {
 public:
  Trace(std::span<const Tensor> frames, const Image& out) : frames_(frames.begin(), frames.end()) {
    seen.output = Watched(out.data, out.pitch * static_cast<std::size_t>(out.height), 1);
    seen.pitch = out.pitch;
    set_observer(this);
  }
  ~Trace() override { set_observer(nullptr); }
  void launched() override { ++seen.launches; }
  void read(const void* from, std::size_t bytes) override {
    for (std::size_t t = 0; t < frames_.size(); ++t)
      note_read_of(seen, rows_of(frames_[t]), triple(blockIdx), from, bytes, static_cast<int>(t));
  }
  void copied_from(const void* from, std::size_t bytes) override { read(from, bytes); }
  void paused() override { seen.output.look({triple(blockIdx), triple(threadIdx)}); }

  Seen seen;

 private:
  std::vector<Tensor> frames_;
};

void compare(const Strategy& strategy, const Problem& problem, const Device& device, const Tuning& tuning) {
  const std::size_t pitch = (static_cast<std::size_t>(problem.width) * 4 + 31) / 32 * 32;
  const std::size_t bytes = pitch * static_cast<std::size_t>(problem.height);
  std::vector<DeviceBuffer<std::byte>> memory;
  std::vector<Tensor> tensors;
  for (int i = 0; i <= problem.filter.depth; ++i) {  // the output is the last
    memory.emplace_back(bytes);
    std::fill_n(memory.back().data(), bytes, std::byte{0x3F});  // 0.75 as a float
    tensors.push_back(tensor_of({memory.back().data(), problem.width, problem.height, pitch, problem.format}));
  }
  std::fill_n(memory.back().data(), bytes, std::byte{0});
  const std::span<const Tensor> frames = std::span(tensors).first(tensors.size() - 1), out = std::span(tensors).last(1);
  Trace trace(frames, rows_of(out[0]));
  const std::unique_ptr<Plan> plan = strategy.plan(problem, device, tuning);
  plan->prepare({});
  plan->enqueue(frames, out, {});
  set_observer(nullptr);
  hold_against(strategy, problem, device, tuning, trace.seen);
}

class ExplainsVolumes : public testing::TestWithParam<const Strategy*> {};

TEST_P(ExplainsVolumes, WhatTheKernelDoes) {
  const Strategy& strategy = *GetParam();
  if (!strategy.explains) GTEST_SKIP() << "not described";
  Filter box = volume_kind.parse("box:rx=2,ry=1,rt=1"), cube = volume_kind.parse("box:radius=1,rt=1"),
         wide = volume_kind.parse("box:radius=3,rt=1"), deep = volume_kind.parse("box:radius=2,rt=2");
  for (Filter* filter : {&box, &cube, &wide, &deep})
    filter->bias = 0.125f;  // so that no output is what was there before
  const Problem problems[] = {
      {37, 23, PixelFormat::rgba8, Border::zero, box, &volume_kind},
      {150, 21, PixelFormat::gray32f, Border::mirror, cube, &volume_kind},
      {290, 19, PixelFormat::gray32f, Border::wrap, wide, &volume_kind},
      {45, 60, PixelFormat::rgba8, Border::replicate, cube, &volume_kind},
      {140, 19, PixelFormat::gray32f, Border::replicate, deep, &volume_kind},
  };
  int ran = 0;
  for (const Problem& problem : problems) {
    std::vector<Tuning> tunings{{}};
    const bool tuned = &problem == &problems[3] || &problem == &problems[4];  // one of each format
    for (const Tunable& tunable : tuned ? strategy.tunables : std::span<const Tunable>{})
      for (const int value : {tunable.values.front(), tunable.values.back()})
        tunings.push_back({{std::string(tunable.id), value}});
    for (const Tuning& tuning : tunings) {
      std::set<std::vector<Triple>> grids;  // on most devices the launches are the same
      for (const int multiprocessors : {1, 5}) {
        Device device = make_compute(Backend::emulated)->device();
        device.multiprocessors = multiprocessors;
        if (!strategy.unsupported(problem, device, tuning).empty()) continue;
        if (!grids.insert(grids_of(*strategy.plan(problem, device, tuning))).second) continue;
        SCOPED_TRACE(
            volume_kind.describe(problem) + ", " + problem.filter.name +
            (tuning.empty() ? "" : ", " + tuning.begin()->first + " " + std::to_string(tuning.begin()->second)));
        compare(strategy, problem, device, tuning);
        ++ran;
        if (HasFailure()) return;
      }
    }
  }
  EXPECT_GT(ran, 4);
}

std::string test_name(const testing::TestParamInfo<const Strategy*>& parameter) {
  std::string name(parameter.param->id);
  std::ranges::replace(name, '-', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Ladder, ExplainsVolumes, testing::ValuesIn(strategies(Backend::emulated, volume_kind)),
                         test_name);

}  // namespace
}  // namespace convoscope::emulated
