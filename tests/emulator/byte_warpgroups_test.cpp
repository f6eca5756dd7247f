// tensor-core-wgmma: its strips, its walks, what it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/check/verify.h"
#include "kernels/compute/compute.h"
#include "kernels/filter/filter_catalogue.h"
#include "kernels/kinds/frames.h"

namespace convoscope {
namespace {

using testing::HasSubstr;

const Strategy& strategy_of_bytes() { return *find_strategy(Backend::emulated, "tensor-core-wgmma"); }

// Of a size that one round of 16 bits holds.
Filter any_filter(int columns, int rows) {
  Filter filter = random_filter(columns, rows);
  filter.gain = 1.0f / static_cast<float>(columns * rows);
  return filter;
}

// Wider and narrower than a strip, heights that leave some of a tile, both sizes of the matrices, filters that are wide
// or high alone, blocks that begin in the middle of a strip and go on in the next.
TEST(ByteWarpgroups, AreRightInEveryStrip) {
  const auto compute = make_compute(Backend::emulated);
  struct Row {
    int width, height, filter_width, filter_height, steps;
  };
  for (const Row& row : {Row{129, 65, 3, 3, 0}, Row{128, 32, 5, 17, 1}, Row{259, 97, 17, 5, 4}, Row{70, 33, 17, 17, 2},
                         Row{257, 70, 3, 19, 2}, Row{300, 40, 33, 33, 0}, Row{520, 100, 1, 33, 4}, Row{40, 7, 33, 1, 0},
                         Row{1, 1, 5, 5, 0}})
    for (const Border border : {Border::zero, Border::mirror}) {
      SCOPED_TRACE(testing::Message() << row.width << " " << row.height << " " << row.filter_width << " "
                                      << row.filter_height << " " << to_string(border));
      const Problem problem{row.width, row.height, PixelFormat::rgba8, border,
                            any_filter(row.filter_width, row.filter_height)};
      const VerifyRow result = verify_one(*compute, strategy_of_bytes(), problem, {{"steps", row.steps}}, 7);
      EXPECT_TRUE(result.passed) << result.failure << result.skipped_reason;
    }
}

TEST(ByteWarpgroups, RefuseWithAReason) {
  Device device = make_compute(Backend::emulated)->device();
  const auto why_not = [&](Filter filter, PixelFormat format = PixelFormat::rgba8) {
    return strategy_of_bytes().unsupported({64, 64, format, Border::zero, std::move(filter)}, device, {});
  };
  EXPECT_EQ(why_not(any_filter(33, 33)), "");
  EXPECT_THAT(why_not(any_filter(3, 3), PixelFormat::gray32f), HasSubstr("gray32f"));
  EXPECT_THAT(why_not(any_filter(35, 3)), HasSubstr("this filter's is 17"));
  EXPECT_THAT(why_not(parse_filter("sobel-magnitude").filter), HasSubstr("tensor-core-int8 takes several"));
  device.compute_capability = 120;
  EXPECT_THAT(why_not(any_filter(3, 3)), HasSubstr("this device has 12.0"));
}

}  // namespace
}  // namespace convoscope
