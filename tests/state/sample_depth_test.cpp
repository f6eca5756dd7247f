#include "app/state/sample_depth.h"

#include <gtest/gtest.h>

namespace convoscope {
namespace {

TEST(SampleDepth, SaysWhatBecomesLess) {
  EXPECT_EQ(depth_loss({}), "");
  EXPECT_EQ(depth_loss({8, false, DynamicRange::standard}), "");
  EXPECT_EQ(depth_loss({10, false, DynamicRange::standard}), "8 of 10 bits kept");
  EXPECT_EQ(depth_loss({16, false, DynamicRange::hlg}), "8 of 16 bits kept, HLG taken for SDR");
  EXPECT_EQ(depth_loss({8, false, DynamicRange::pq}), "PQ taken for SDR");
  EXPECT_EQ(depth_loss({32, true, DynamicRange::standard}), "8 bits kept of 32-bit numbers");
  EXPECT_EQ(bits_text({1, false, DynamicRange::standard}), "1 bit");
  EXPECT_EQ(bits_text({}), "");
}

}  // namespace
}  // namespace convoscope
