// What `specialised` says of its blocks and threads is what a kernel that was written for the filter does, compiled by
// the host's compiler: the strategy itself cannot be emulated.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "kernels/contract/data/image.h"
#include "kernels/filter/filter_catalogue.h"
#include "tests/explanations.h"
#include "tests/jit/host_kernel.h"

namespace convoscope {
namespace {

struct Trace {
  Image in;
  Seen seen;
};

Doer doer(const KernelThread& t) {
  return {{static_cast<int>(t.block_x), static_cast<int>(t.block_y), 0},
          {static_cast<int>(t.thread_x), static_cast<int>(t.thread_y), 0}};
}

struct Case {
  const char* filter;
  PixelFormat format;
  int rows, columns;  // as tuned
};

Seen run_watched(const Problem& p, const SpecialisedKernel& kernel, HostKernel::Run run) {
  const int pitch_pixels = (p.width + 3) / 4 * 4;
  const std::size_t pixels = static_cast<std::size_t>(pitch_pixels) * static_cast<std::size_t>(p.height);
  struct alignas(16) Four {
    std::uint32_t pixel[4];
  };
  std::vector<Four> in(pixels / 4), out(pixels / 4);
  std::minstd_rand random(7);
  for (Four& four : in)
    for (std::uint32_t& pixel : four.pixel) {
      pixel = (random() >> 4 & 0xFFFFFFu) | 0x50000000u;  // no alpha is as the output was before
      const float gray = static_cast<float>(random() % 900 + 50) / 1000.0f;
      if (p.format == PixelFormat::gray32f) std::memcpy(&pixel, &gray, 4);
    }
  const std::size_t pitch = 4 * static_cast<std::size_t>(pitch_pixels);
  Trace trace{{in.data(), p.width, p.height, pitch, p.format}, {}};
  trace.seen.launches = 1;
  trace.seen.pitch = pitch;
  trace.seen.output = Watched(out.data(), 4 * pixels, 1);
  const KernelWatcher watcher{
      &trace,
      [](void* self, const KernelThread& thread, const void* from, std::size_t bytes) {
        auto& [image, seen] = *static_cast<Trace*>(self);
        note_read_of(seen, image, doer(thread).block, from, bytes);
      },
      [](void* self, const KernelThread& thread) { static_cast<Trace*>(self)->seen.output.look(doer(thread)); }};
  const std::vector<int> columns = border_table(p.width, p.filter.rx(), p.border),
                         rows = border_table(p.height, p.filter.ry(), p.border);
  const auto blocks = [](int n, int each) { return static_cast<unsigned>((n + each - 1) / each); };
  run({in.data(), pitch, columns.data() + p.filter.rx(), rows.data() + p.filter.ry(), p.width, p.height, 1},
      {out.data(), pitch, 1}, {p.filter.gain, p.filter.bias * white_level(p.format), p.filter.absolute},
      blocks(p.width, SpecialisedKernel::block_width * kernel.columns),
      blocks(p.height, SpecialisedKernel::block_height * kernel.rows), &watcher);
  return std::move(trace.seen);
}

class SpecialisedExplains : public testing::TestWithParam<Case> {};

TEST_P(SpecialisedExplains, WhatItsKernelDoes) {
  const Case& c = GetParam();
  const Filter filter = parse_filter(c.filter).filter;
  ASSERT_EQ(specialised_reason(filter, c.format, c.columns), "");
  const SpecialisedKernel kernel = specialised_source(filter, c.format, c.rows, c.columns);
  const HostKernel host(kernel);
  ASSERT_NE(host.run, nullptr);
  const Strategy& strategy = *find_strategy(Backend::emulated, "specialised");
  const Tuning tuning{{"rows", c.rows}, {"columns", c.columns}};
  struct Size {
    int width, height;
  };
  for (const Size size : {Size{1, 1}, Size{3, 23}, Size{64, 9}, Size{131, 37}, Size{150, 140}, Size{260, 20}})
    for (const Border border : {Border::zero, Border::wrap}) {
      if (size.height == 140 && border == Border::zero) continue;  // several blocks down: with one border
      SCOPED_TRACE(std::to_string(size.width) + " × " + std::to_string(size.height) + ", " +
                   std::string(to_string(border)));
      const Problem problem{size.width, size.height, c.format, border, filter};
      hold_against(strategy, problem, Device{}, tuning, run_watched(problem, kernel, host.run));
      if (HasFatalFailure() || HasNonfatalFailure()) return;
    }
}

INSTANTIATE_TEST_SUITE_P(Filters, SpecialisedExplains,
                         testing::Values(Case{"gaussian:radius=1", PixelFormat::rgba8, 0, 0},
                                         Case{"gaussian:radius=2", PixelFormat::rgba8, 8, 4},
                                         Case{"gaussian:radius=3", PixelFormat::gray32f, 8, 4},
                                         Case{"gaussian:radius=3", PixelFormat::rgba8, 0, 2},
                                         Case{"box:rx=7,ry=2", PixelFormat::gray32f, 16, 4},
                                         Case{"disk:radius=4", PixelFormat::rgba8, 8, 1},
                                         Case{"sobel-magnitude", PixelFormat::rgba8, 0, 0}));

}  // namespace
}  // namespace convoscope
