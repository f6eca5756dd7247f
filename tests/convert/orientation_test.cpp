// The eight orientations as values.
#include "kernels/convert/orientation.h"

#include <gtest/gtest.h>

namespace convoscope::tests {
namespace {

TEST(Orientations, AreTheEightOfExif) {
  for (int tag = 1; tag <= 8; ++tag) {
    EXPECT_EQ(Orientation::of_exif(tag).exif(), tag);
    EXPECT_EQ(Orientation::of_exif(tag).exchanges_sides, tag > 4);
  }
  for (const int nonsense : {-1, 0, 9, 65535}) EXPECT_EQ(Orientation::of_exif(nonsense), Orientation());
}

TEST(Orientations, OfQuartersGoAroundClockwise) {
  constexpr int tags[] = {1, 6, 3, 8};
  for (int quarters = -4; quarters < 8; ++quarters)
    EXPECT_EQ(Orientation::of_quarters(quarters).exif(), tags[(quarters + 4) % 4]);
}

}  // namespace
}  // namespace convoscope::tests
