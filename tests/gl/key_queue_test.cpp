#include "app/gl/key_queue.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <gtest/gtest.h>

#include <string>

namespace convoscope {
namespace {

// Letters in capitals are presses, in small ones releases; '>' is Enter pressed, '<' released; 'x is a character.
class KeyQueueTest : public ::testing::Test {
 protected:
  void tap(int key, int modifiers = 0, unsigned character = 0) {
    queue.add({key, 0, GLFW_PRESS, modifiers, 0});
    if (character) queue.add({0, 0, 0, 0, character});
    queue.add({key, 0, GLFW_RELEASE, modifiers, 0});
  }
  std::string frame(bool typing = false) {
    std::string given;
    queue.give_out(typing, [&](const KeyInput& input) {
      if (input.character) {
        given += std::string("'") + static_cast<char>(input.character);
        return;
      }
      const bool down = input.action != GLFW_RELEASE;
      if (input.key == GLFW_KEY_ENTER)
        given += down ? '>' : '<';
      else if (input.key == GLFW_KEY_LEFT_CONTROL)
        given += down ? "[" : "]";
      else
        given += static_cast<char>(down ? input.key : input.key + ('a' - 'A'));
    });
    return given;
  }
  KeyQueue queue;
};

TEST_F(KeyQueueTest, APressIsSeenHeldForAFrame) {
  tap('A');
  tap('B');
  EXPECT_EQ(frame(), "A");
  EXPECT_EQ(frame(), "aB");
  EXPECT_EQ(frame(), "b");
  EXPECT_EQ(frame(), "");
}

TEST_F(KeyQueueTest, RepeatsOfAHeldKeyDoNotPileUp) {
  queue.add({'A', 0, GLFW_PRESS, 0, 0});
  for (int i = 0; i < 3; ++i) queue.add({'A', 0, GLFW_REPEAT, 0, 0});
  EXPECT_EQ(frame(), "AAAA");
}

TEST_F(KeyQueueTest, TextIsGivenToAFieldAtOnceAndEnterAfterIt) {
  tap('A', 0, 'a');
  tap('B', 0, 'b');
  tap(GLFW_KEY_ENTER);
  tap('C', 0, 'c');
  EXPECT_EQ(frame(true), "A'aaB'bb>");
  // Until the field has closed, or for two frames when it stays.
  EXPECT_EQ(frame(true), "");
  EXPECT_EQ(frame(false), "<C'c");
}

TEST_F(KeyQueueTest, WhatFollowsAShortcutWaitsForTheFieldItOpens) {
  queue.add({GLFW_KEY_LEFT_CONTROL, 0, GLFW_PRESS, 0, 0});
  tap('O', GLFW_MOD_CONTROL);
  queue.add({GLFW_KEY_LEFT_CONTROL, 0, GLFW_RELEASE, GLFW_MOD_CONTROL, 0});
  tap('A', 0, 'a');
  tap('B', 0, 'b');
  EXPECT_EQ(frame(), "[O");
  EXPECT_EQ(frame(), "");
  EXPECT_EQ(frame(true), "o]A'aaB'bb");
}

TEST_F(KeyQueueTest, AShortcutThatOpensNothingHoldsUpForTwoFramesOnly) {
  tap('Z', GLFW_MOD_CONTROL);
  tap('A');
  EXPECT_EQ(frame(), "Z");
  EXPECT_EQ(frame(), "");
  EXPECT_EQ(frame(), "");
  EXPECT_EQ(frame(), "zA");
}

}  // namespace
}  // namespace convoscope
