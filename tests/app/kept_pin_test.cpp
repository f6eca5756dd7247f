#include "app/inspect/kept_pin.h"

#include <gtest/gtest.h>

namespace convoscope {
namespace {

constexpr Wall all{.maps = 9, .map_width = 192, .map_height = 108, .width = 192, .height = 108};
constexpr Wall alone{.maps = 9, .map_width = 192, .map_height = 108, .width = 192, .height = 108, .alone = 4};

TEST(KeptPin, StaysOnItsPlaceOfItsMap) {
  KeptPin pin;
  std::optional<PixelAddress> pinned{{146, 53}};
  pin.follow(pinned, alone);
  EXPECT_EQ(pinned, (PixelAddress{146, 53}));
  pin.follow(pinned, all);
  const MapPlace place = place_on_wall(all, pinned->x, pinned->y);
  EXPECT_EQ(place.map, 4);
  EXPECT_NEAR(place.x, 146, 3);
  EXPECT_NEAR(place.y, 53, 3);
  pin.follow(pinned, std::nullopt);  // another workbench for a while
  pin.follow(pinned, alone);
  EXPECT_NEAR(pinned->x, 146, 4);
  EXPECT_NEAR(pinned->y, 53, 4);
  pinned = PixelAddress{10, 20};  // by who knows how the maps will lie
  pin.follow(pinned, all);
  EXPECT_EQ(pinned, (PixelAddress{10, 20}));
}

TEST(KeptPin, OfASessionIsDroppedWhereItShowsNoMap) {
  const PixelAddress gap{63, 10};
  ASSERT_LT(place_on_wall(all, gap.x, gap.y).map, 0);
  KeptPin pin;
  std::optional<PixelAddress> pinned = gap;
  pin.follow(pinned, all);
  EXPECT_FALSE(pinned);
  pinned = gap;  // a click: the explanation says that there is no map
  pin.follow(pinned, all);
  EXPECT_TRUE(pinned);
}

}  // namespace
}  // namespace convoscope
