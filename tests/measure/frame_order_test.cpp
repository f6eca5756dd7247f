#include "app/measure/frame_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace convoscope {
namespace {

TEST(FrameOrder, EveryStrategyRunsOnceAFrame) {
  FrameOrder order;
  for (const int count : {1, 3, 9, 2, 0, 4}) {
    std::vector<int> seen(order.next(count).begin(), order.next(count).end());
    std::ranges::sort(seen);
    ASSERT_EQ(static_cast<int>(seen.size()), count);
    for (int i = 0; i < count; ++i) EXPECT_EQ(seen[static_cast<std::size_t>(i)], i);
  }
}

// Within five standard deviations of what chance gives.
void expect_even(int seen, int frames, double share, const std::string& what) {
  const double deviation = std::sqrt(frames * share * (1 - share));
  EXPECT_NEAR(seen, frames * share, 5 * deviation) << what;
}

TEST(FrameOrder, EveryPlaceAndEveryNeighbourEquallyOften) {
  constexpr int count = 4, frames = 24'000;
  std::map<std::pair<int, int>, int> places, neighbours;
  FrameOrder order;
  for (int frame = 0; frame < frames; ++frame) {
    const std::span<const int> now = order.next(count);
    for (int place = 0; place < count; ++place) {
      ++places[{place, now[static_cast<std::size_t>(place)]}];
      if (place > 0) ++neighbours[{now[static_cast<std::size_t>(place) - 1], now[static_cast<std::size_t>(place)]}];
    }
  }
  for (int a = 0; a < count; ++a)
    for (int b = 0; b < count; ++b) {
      const std::string what = std::to_string(a) + ", " + std::to_string(b);
      expect_even(places[{a, b}], frames, 1.0 / count, "place and strategy " + what);
      if (a != b) expect_even(neighbours[{a, b}], frames, 1.0 / count, "neighbours " + what);
    }
}

TEST(FrameOrder, KeepsItsMemory) {
  FrameOrder order;
  const int* const place = order.next(9).data();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(order.next(9).data(), place);
}

}  // namespace
}  // namespace convoscope
