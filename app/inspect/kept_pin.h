#pragma once
// What is pinned is a pixel of the picture. Where that shows feature maps a place of a map is meant: it stays pinned
// when the maps are shown in another way.
#include <algorithm>
#include <optional>

#include "app/state/settings.h"
#include "kernels/convert/wall.h"

namespace convoscope {

class KeptPin {
 public:
  // Once a frame. `wall`: as it is asked for; empty where no maps are.
  void follow(std::optional<PixelAddress>& pinned, const std::optional<Wall>& wall) {
    if (!wall) return;
    if (pinned && !wall_ && place_on_wall(*wall, pinned->x, pinned->y).map < 0)
      pinned.reset();  // kept in a session, of a wall that was another
    else if (pinned && wall_ && pinned == pinned_ && !alike(*wall_, *wall))
      pinned = moved(*pinned, *wall_, *wall);
    pinned_ = pinned;
    wall_ = wall;
  }

 private:
  static bool alike(const Wall& a, const Wall& b) {
    return a.maps == b.maps && a.map_width == b.map_width && a.map_height == b.map_height && a.width == b.width &&
           a.height == b.height && a.alone == b.alone;
  }
  static PixelAddress moved(const PixelAddress& pin, const Wall& before, const Wall& now) {
    const MapPlace place = place_on_wall(before, pin.x, pin.y);
    if (place.map < 0) return pin;
    const int map = now.alone < 0 ? std::min(place.map, now.maps - 1) : now.alone;
    const WallPixel at =
        pixel_on_wall(now, map, std::min(place.x, now.map_width - 1), std::min(place.y, now.map_height - 1));
    return {std::min(at.x, now.width - 1), std::min(at.y, now.height - 1)};
  }

  std::optional<PixelAddress> pinned_;  // in the last frame
  std::optional<Wall> wall_;            // then
};

}  // namespace convoscope
