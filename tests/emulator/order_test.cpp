// A right kernel does not depend on the order of its threads: every strategy gives the same bits for every seed.
#include <cstring>
#include <random>

#include "kernels/compute/compute.h"
#include "kernels/contract/image_plan.h"
#include "kernels/filter/filter_catalogue.h"
#include "kernels/kinds/reference.h"
#include "tests/emulator/support.h"

namespace convoscope::emulated {
namespace {

Problem problem(PixelFormat format, Border border, const char* filter) {
  return {.width = 107, .height = 45, .format = format, .border = border, .filter = parse_filter(filter).filter};
}

std::vector<unsigned char> output(const Strategy& strategy, const Problem& p, std::uint64_t value) {
  const SeedScope scope(value);
  const std::unique_ptr<Compute> compute = make_compute(Backend::emulated);
  const DeviceImage in = compute->allocate(p.width, p.height, p.format),
                    out = compute->allocate(p.width, p.height, p.format);
  std::minstd_rand random(5);
  for (int y = 0; y < p.height; ++y)
    for (int x = 0; x < p.width; ++x) {
      unsigned char* pixel = static_cast<unsigned char*>(in.image().data) + y * in.image().pitch + 4 * x;
      const float gray = static_cast<float>(random() % 1000) / 1000.0f;
      if (p.format == PixelFormat::gray32f) std::memcpy(pixel, &gray, 4);
      if (p.format == PixelFormat::rgba8)
        for (int c = 0; c < 4; ++c) pixel[c] = static_cast<unsigned char>(random() >> 8);
    }
  compute->fill(out.image(), 0xFF);
  const std::unique_ptr<Plan> plan = strategy.plan(p, compute->device(), {});
  plan->prepare(compute->stream());
  enqueue_image(*plan, in.image(), out.image(), compute->stream());
  // Larger than the images of the sweep and aligned: kernels take their fast paths here. The other orders' bits are
  // those of the first.
  if (value == 0) {
    const Difference worst = compare(p, reference(p, in.image()), in.image(), out.image());
    EXPECT_LE(worst.max_error, strategy.tolerance(p)) << "at " << worst.x << ", " << worst.y;
  }
  std::vector<unsigned char> bytes;
  for (int y = 0; y < p.height; ++y) {
    const auto* row = static_cast<const unsigned char*>(out.image().data) + y * out.image().pitch;
    bytes.insert(bytes.end(), row, row + 4 * p.width);
  }
  return bytes;
}

TEST(Order, DoesNotMatterToAnyStrategy) {
  const std::unique_ptr<Compute> compute = make_compute(Backend::emulated);
  for (const Strategy* strategy : strategies(Backend::emulated)) {
    int ran = 0;
    for (const char* filter : {"gaussian:radius=1", "gaussian:radius=5", "sobel-magnitude"})
      for (const Problem& p :
           {problem(PixelFormat::rgba8, Border::mirror, filter), problem(PixelFormat::gray32f, Border::zero, filter)}) {
        if (!strategy->unsupported(p, compute->device(), {}).empty()) continue;
        SCOPED_TRACE(std::string(strategy->id) + ", " + filter + ", " + to_string(p.format));
        ++ran;
        const auto expected = output(*strategy, p, 0);
        for (const std::uint64_t value : {1, 2}) EXPECT_EQ(output(*strategy, p, value), expected) << "seed " << value;
      }
    RecordProperty(std::string(strategy->id), ran);
  }
}

}  // namespace
}  // namespace convoscope::emulated
