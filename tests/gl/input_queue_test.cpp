#include "app/gl/window/input_queue.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <gtest/gtest.h>

#include <string>

namespace convoscope {
namespace {

// Letters in capitals are presses, in small ones releases; '>' is Enter pressed, '<' released, '[' and ']' Control; 'x
// is a character; @12 the mouse at (12, 0); + and - the left button, * and / the right one; ^ the wheel.
class InputQueueTest : public ::testing::Test {
 protected:
  void tap(int key, int modifiers = 0, unsigned character = 0) {
    queue.add(KeyInput{key, 0, GLFW_PRESS, modifiers});
    if (character) queue.add(CharacterInput{character});
    queue.add(KeyInput{key, 0, GLFW_RELEASE, modifiers});
  }
  void control(bool down) {
    queue.add(KeyInput{GLFW_KEY_LEFT_CONTROL, 0, down ? GLFW_PRESS : GLFW_RELEASE, down ? 0 : GLFW_MOD_CONTROL});
  }
  void move(double x) { queue.add(MoveInput{x, 0}); }
  void click(int button = GLFW_MOUSE_BUTTON_LEFT) {
    queue.add(ButtonInput{button, true, 0});
    queue.add(ButtonInput{button, false, 0});
  }
  void turn() { queue.add(WheelInput{0, 1}); }

  static std::string text(const KeyInput& input) {
    const bool down = input.action != GLFW_RELEASE;
    if (input.key == GLFW_KEY_ENTER) return down ? ">" : "<";
    if (input.key == GLFW_KEY_LEFT_CONTROL) return down ? "[" : "]";
    return {static_cast<char>(down ? input.key : input.key + ('a' - 'A'))};
  }
  static std::string text(const CharacterInput& input) { return std::string("'") + static_cast<char>(input.character); }
  static std::string text(const MoveInput& input) { return "@" + std::to_string(static_cast<int>(input.x)); }
  static std::string text(const ButtonInput& input) {
    return input.button == GLFW_MOUSE_BUTTON_LEFT ? (input.down ? "+" : "-") : (input.down ? "*" : "/");
  }
  static std::string text(const WheelInput&) { return "^"; }

  std::string frame(bool typing = false) {
    std::string given;
    queue.give_out(typing,
                   [&](const Input& input) { given += std::visit([](const auto& one) { return text(one); }, input); });
    return given;
  }
  std::string frames(int count) {
    std::string given;
    for (int i = 0; i < count; ++i) given += frame() + " ";
    return given;
  }
  InputQueue queue;
};

TEST_F(InputQueueTest, APressIsSeenHeldForAFrame) {
  tap('A');
  tap('B');
  EXPECT_EQ(frame(), "A");
  EXPECT_EQ(frame(), "aB");
  EXPECT_EQ(frame(), "b");
  EXPECT_EQ(frame(), "");
  EXPECT_TRUE(queue.empty());
}

TEST_F(InputQueueTest, RepeatsOfAHeldKeyDoNotPileUp) {
  queue.add(KeyInput{'A', 0, GLFW_PRESS, 0});
  for (int i = 0; i < 3; ++i) queue.add(KeyInput{'A', 0, GLFW_REPEAT, 0});
  EXPECT_EQ(frame(), "AAAA");
}

TEST_F(InputQueueTest, AKeyThatWasLetGoRepeatsNoMore) {
  queue.add(KeyInput{'A', 0, GLFW_PRESS, 0});
  for (int i = 0; i < 3; ++i) queue.add(KeyInput{'A', 0, GLFW_REPEAT, 0});
  queue.add(KeyInput{'B', 0, GLFW_REPEAT, 0});
  queue.add(KeyInput{'A', 0, GLFW_RELEASE, 0});
  EXPECT_EQ(frames(3), "A B a ");
}

TEST_F(InputQueueTest, RepeatsOfAHeldKeyDoNotPileUpWhileTheMouseMoves) {
  for (int i = 0; i < 3; ++i) {
    queue.add(KeyInput{'A', 0, GLFW_REPEAT, 0});
    move(i);
  }
  EXPECT_EQ(frame(), "A@0A@1A@2");
}

TEST_F(InputQueueTest, TextIsGivenToAFieldAtOnceAndEnterAfterIt) {
  tap('A', 0, 'a');
  tap('B', 0, 'b');
  tap(GLFW_KEY_ENTER);
  tap('C', 0, 'c');
  EXPECT_EQ(frame(true), "A'aaB'bb");
  EXPECT_EQ(frame(true), ">") << "it finds the text written";
  // Until the field has closed, or for some frames when it stays.
  EXPECT_EQ(frame(true), "<");
  EXPECT_EQ(frame(true), "");
  EXPECT_EQ(frame(false), "C'c");
}

TEST_F(InputQueueTest, WhatFollowsAShortcutWaitsForTheFieldItOpens) {
  control(true);
  tap('O', GLFW_MOD_CONTROL);
  control(false);
  tap('A', 0, 'a');
  tap('B', 0, 'b');
  EXPECT_EQ(frame(), "[O");
  EXPECT_EQ(frame(), "o]");
  EXPECT_EQ(frame(), "");
  EXPECT_EQ(frame(true), "A'aaB'bb");
}

TEST_F(InputQueueTest, WhatFollowsShiftSWaitsForTheNameItAsksFor) {
  tap('S', GLFW_MOD_SHIFT);
  tap('A', 0, 'a');
  EXPECT_EQ(frame(), "S");
  EXPECT_EQ(frame(), "s");
  EXPECT_EQ(frame(true), "A'aa");
}

// Of a French keyboard: the character says so, also of keys whose code is another.
TEST_F(InputQueueTest, WhatFollowsTheFirstCharacterOfANumberWaitsForItsField) {
  queue.add(KeyInput{GLFW_KEY_SEMICOLON, 0, GLFW_PRESS, GLFW_MOD_SHIFT, '.'});
  queue.add(CharacterInput{'.'});
  tap('A', 0, 'a');
  EXPECT_EQ(frame(), ";'.");
  EXPECT_EQ(frame(), "");
  EXPECT_EQ(frame(true), "A'aa");
}

TEST_F(InputQueueTest, AShortcutThatOpensNothingHoldsUpForThreeFramesOnly) {
  tap('Z', GLFW_MOD_CONTROL);
  tap('A');
  EXPECT_EQ(frame(), "Z");
  EXPECT_EQ(frame(), "z");
  EXPECT_EQ(frame(), "");
  EXPECT_EQ(frame(), "");
  EXPECT_EQ(frame(), "A");
}

TEST_F(InputQueueTest, AClickWithinAFrameIsPressedWhereTheMouseWasThen) {
  move(10);
  click();
  move(20);
  click();
  EXPECT_EQ(frame(), "@10");
  EXPECT_EQ(frame(), "+");
  EXPECT_EQ(frame(), "-");
  EXPECT_EQ(frame(), "@20");
  EXPECT_EQ(frame(), "+");
  EXPECT_EQ(frame(), "-");
}

TEST_F(InputQueueTest, ADragWithinAFrameBeginsAndEndsWhereItShould) {
  move(10);
  queue.add(ButtonInput{GLFW_MOUSE_BUTTON_LEFT, true, 0});
  move(15);
  move(20);
  queue.add(ButtonInput{GLFW_MOUSE_BUTTON_LEFT, false, 0});
  move(30);
  EXPECT_EQ(frame(), "@10");
  EXPECT_EQ(frame(), "+");
  EXPECT_EQ(frame(), "@15@20");
  EXPECT_EQ(frame(), "-");
  EXPECT_EQ(frame(), "@30");
}

TEST_F(InputQueueTest, ButtonsAreGivenOneAFrame) {
  click();
  click(GLFW_MOUSE_BUTTON_RIGHT);
  EXPECT_EQ(frames(4), "+ - * / ");
}

TEST_F(InputQueueTest, TheWheelTurnsWhereTheMouseWas) {
  move(10);
  turn();
  turn();
  move(11);
  turn();
  move(200);
  turn();
  EXPECT_EQ(frame(), "@10^^@11^") << "a mouse that shakes a little does not hold up the wheel";
  EXPECT_EQ(frame(), "@200^");
}

TEST_F(InputQueueTest, KeysWaitForTheFieldThatAClickOpens) {
  click();
  tap('A', 0, 'a');
  EXPECT_EQ(frame(), "+");
  EXPECT_EQ(frame(), "-");
  EXPECT_EQ(frame(), "");
  EXPECT_EQ(frame(true), "A'aa");
}

TEST_F(InputQueueTest, AClickThatOpensNothingHoldsUpKeysForThreeFramesOnly) {
  click();
  tap('A');
  EXPECT_EQ(frames(6), "+ -    A ");
}

TEST_F(InputQueueTest, AClickComesAfterTheTextBeforeIt) {
  tap('A', 0, 'a');
  click();
  EXPECT_EQ(frame(true), "A'aa");
  EXPECT_EQ(frame(true), "+");
}

TEST_F(InputQueueTest, ControlIsHeldDuringTheClickItWasHeldFor) {
  control(true);
  click();
  control(false);
  EXPECT_EQ(frame(), "[+");
  EXPECT_EQ(frame(), "-");
  EXPECT_EQ(frame(), "]");
}

TEST_F(InputQueueTest, AKeyActsWhereTheMouseWasWhenItWentDown) {
  move(10);
  tap('Q');
  move(20);
  EXPECT_EQ(frame(), "@10");
  EXPECT_EQ(frame(), "Q");
  EXPECT_EQ(frame(), "q@20");
  move(30);
  tap('T', 0, 't');
  EXPECT_EQ(frame(true), "@30T'tt") << "a text is not for what lies there";
}

TEST_F(InputQueueTest, KnowsThatSomebodyWaitsForTheEnd) {
  click();
  tap('Q');
  EXPECT_FALSE(queue.has_quit()) << "that key alone means something else";
  control(true);
  tap('Q', GLFW_MOD_CONTROL);
  control(false);
  int before = 0;
  for (; queue.has_quit() && before < 20; ++before) frame();
  EXPECT_GT(before, 2) << "what came before it is given out first";
  EXPECT_LT(before, 20);
  EXPECT_FALSE(queue.empty()) << "the keys are let go in later frames";
}

}  // namespace
}  // namespace convoscope
