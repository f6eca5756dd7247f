#include "app/cli/standard_output.h"

#include <gtest/gtest.h>

namespace convoscope {
namespace {

// NVRTC remembers what stdout was when it was loaded, and flushes it when the process exits.
TEST(PlaceOfStandardOutput, MayBeFlushedAfterItsEndByWhoeverRemembersIt) {
  const StopSignal stop;
  std::FILE* const before = stdout;
  std::FILE* remembered = nullptr;
  for (int i = 0; i < 2; ++i) {
    {
      StandardOutput out(stop);
      remembered = stdout;
      EXPECT_NE(remembered, before);
      EXPECT_EQ(out.send(), 0);
    }
    EXPECT_EQ(stdout, before);
    EXPECT_EQ(std::fflush(remembered), 0);
    std::fputs("told to nobody", remembered);
    EXPECT_EQ(std::fflush(remembered), 0);
  }
}

}  // namespace
}  // namespace convoscope
