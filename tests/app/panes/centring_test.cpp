#include "app/panes/centring.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace convoscope {
namespace {

struct Seen {
  std::int64_t newest;  // that has gone in
  double seconds;
  bool operator==(const Seen&) const = default;
};

// Of a file of so many frames, one a second.
std::vector<Seen> pictures(int frames, Centring centring, int first = 0) {
  std::vector<Seen> seen;
  const auto see = [&](const VideoFrame& frame) {
    if (!frame.leads) seen.push_back({frame.number, frame.seconds});
  };
  for (int i = first; i < frames; ++i) {
    VideoFrame frame;
    frame.number = i;
    frame.seconds = i;
    see(centring.take_frame(frame));
  }
  while (centring.has_more()) see(*centring.take_border());
  EXPECT_FALSE(centring.take_border());
  return seen;
}

TEST(Centring, EveryFrameIsTheMiddleOfAPictureOnce) {
  EXPECT_EQ(pictures(5, Centring(2)), (std::vector<Seen>{{2, 0}, {3, 1}, {4, 2}, {5, 3}, {6, 4}}));
  EXPECT_EQ(pictures(3, Centring()), (std::vector<Seen>{{0, 0}, {1, 1}, {2, 2}}));
}

TEST(Centring, AFileMayBeShorterThanWhatGoesIntoAPicture) {
  EXPECT_EQ(pictures(1, Centring(3)), (std::vector<Seen>{{3, 0}}));
  EXPECT_EQ(pictures(2, Centring(3)), (std::vector<Seen>{{3, 0}, {4, 1}}));
  EXPECT_TRUE(pictures(0, Centring(3)).empty());
}

TEST(Centring, WhatLiesBeforeTheMarkGoesInAndIsNotSeen) {
  EXPECT_EQ(pictures(9, Centring(1, 4.0), 3), (std::vector<Seen>{{5, 4}, {6, 5}, {7, 6}, {8, 7}, {9, 8}}));
}

}  // namespace
}  // namespace convoscope
