#include "app/state/clip_list.h"

#include <gtest/gtest.h>

namespace convoscope {
namespace {

ClipList list_of_clips(std::size_t at, std::set<std::size_t> left_out = {}) {
  return {std::make_shared<const std::vector<std::string>>(std::vector<std::string>{"a", "b", "c", "d"}), "", at,
          std::move(left_out), false};
}

TEST(ClipList, TheFirstFollowsTheLastWhereItGoesRound) {
  EXPECT_EQ(clip_after(list_of_clips(3), 3, 1, true), 0u);
  EXPECT_EQ(clip_after(list_of_clips(3), 3, 1, false), std::nullopt);
  EXPECT_EQ(clip_after(list_of_clips(0), 0, -1, true), 3u);
  EXPECT_EQ(clip_after(list_of_clips(0), 0, -1, false), std::nullopt);
}

TEST(ClipList, WhatIsLeftOutIsPassedOver) {
  EXPECT_EQ(clip_after(list_of_clips(0, {1, 2}), 0, 1, false), 3u);
  EXPECT_EQ(clip_after(list_of_clips(0, {1, 2, 3}), 0, 1, true), std::nullopt);
  EXPECT_EQ(clip_after(list_of_clips(0, {2}), 2, 1, true), 3u) << "from one that could not be opened";
  EXPECT_EQ(clip_after(list_of_clips(0, {2, 3}), 2, 1, true), 1u) << "not the one that plays";
  EXPECT_EQ(clip_after({}, 0, 1, true), std::nullopt);
}

}  // namespace
}  // namespace convoscope
