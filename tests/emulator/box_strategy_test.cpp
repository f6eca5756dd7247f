// The running sums of `box`: both widths of a lane, both packings, inside of the image and at its edges.
#include <gtest/gtest.h>

#include <random>

#include "kernels/compute/compute.h"
#include "kernels/contract/image_plan.h"
#include "kernels/filter/filter_catalogue.h"
#include "kernels/kinds/reference.h"

namespace convoscope {
namespace {

constexpr int width = 620, height = 61;

Image host(std::vector<std::uint32_t>& pixels) { return {pixels.data(), width, height, 4 * width, PixelFormat::rgba8}; }

TEST(BoxStrategy, IsRightInsideOfThePictureAndAtItsEdges) {
  const auto compute = make_compute(Backend::emulated);
  const Strategy& box = *find_strategy(Backend::emulated, "box");
  std::vector<std::uint32_t> noise(width * height), white(noise.size(), 0xFFFFFFFF), result(noise.size());
  std::mt19937 random(3);
  for (std::uint32_t& pixel : noise) pixel = static_cast<std::uint32_t>(random());
  const DeviceImage in = compute->allocate(width, height, PixelFormat::rgba8);
  const DeviceImage out = compute->allocate(width, height, PixelFormat::rgba8);
  // 7: the largest square whose sum fits in half a word, 8: the first that does not.
  for (const char* filter : {"box:radius=1", "box:radius=7", "box:radius=8", "box:rx=12,ry=3,gain=-2,bias=1",
                             "box:rx=0,ry=5,gain=-1,absolute=true", "box:rx=30,ry=9,gain=3"})
    for (const int columns : {4, 8})
      for (std::vector<std::uint32_t>* pixels : {&noise, &white}) {
        SCOPED_TRACE(std::string(filter) + ", " + std::to_string(columns) + " columns");
        const Problem problem{width, height, PixelFormat::rgba8, Border::mirror, parse_filter(filter).filter};
        const Tuning tuning{{"columns", columns}, {"strip_rows", 16}};
        ASSERT_EQ(box.unsupported(problem, compute->device(), tuning), "");
        compute->upload(host(*pixels), in.image());
        compute->fill(out.image(), 0x5A);
        const auto plan = box.plan(problem, compute->device(), tuning);
        plan->prepare(compute->stream());
        enqueue_image(*plan, in.image(), out.image(), compute->stream());
        compute->download(out.image(), host(result));
        const Difference worst = compare(problem, reference(problem, host(*pixels)), host(*pixels), host(result));
        EXPECT_LE(worst.max_error, box.tolerance(problem)) << "at " << worst.x << ", " << worst.y;
      }
}

}  // namespace
}  // namespace convoscope
