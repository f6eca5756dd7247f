#include "kernels/device/retired.h"

#include <gtest/gtest.h>

namespace convoscope {
namespace {

struct FakeFence {
  const bool* passed;
  bool done() const { return *passed; }
};

// However often it is replaced: what a slow device has not come to yet must stay.
TEST(Retired, StaysUntilItsFenceIsPassedAndNoLonger) {
  bool first = false, second = false;
  std::vector<std::weak_ptr<int>> seen;
  Retired<FakeFence> retired;
  const auto replace = [&](const bool& fence) {
    auto old = std::make_shared<int>();
    seen.push_back(old);
    retired.add(std::move(old), {&fence});
  };
  for (int change = 0; change < 20; ++change) replace(first);
  for (const auto& each : seen) EXPECT_FALSE(each.expired());
  replace(second);
  first = true;
  replace(second);
  for (int change = 0; change < 20; ++change) EXPECT_TRUE(seen[static_cast<std::size_t>(change)].expired());
  EXPECT_EQ(retired.size(), 2u);
  EXPECT_FALSE(seen.back().expired());
}

TEST(Retired, GoesWithItsOwner) {
  const bool never = false;
  std::weak_ptr<int> seen;
  {
    Retired<FakeFence> retired;
    auto old = std::make_shared<int>();
    seen = old;
    retired.add(std::move(old), {&never});
    EXPECT_FALSE(seen.expired());
  }
  EXPECT_TRUE(seen.expired());
}

}  // namespace
}  // namespace convoscope
