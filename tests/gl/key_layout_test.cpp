#include "app/gl/window/key_layout.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <gtest/gtest.h>

namespace convoscope {
namespace {

TEST(KeyLayout, ALetterIsTheOneThatIsTyped) {
  EXPECT_EQ(key_of_place(GLFW_KEY_Q, "a"), GLFW_KEY_A);
  EXPECT_EQ(key_of_place(GLFW_KEY_SEMICOLON, "m"), GLFW_KEY_M);
  EXPECT_EQ(key_of_place(GLFW_KEY_2, "Z"), GLFW_KEY_Z);
}

TEST(KeyLayout, WhatTypesNoLatinLetterGoesByItsPlace) {
  EXPECT_EQ(key_of_place(GLFW_KEY_Q, "й"), GLFW_KEY_Q);
  EXPECT_EQ(key_of_place(GLFW_KEY_LEFT_BRACKET, "ü"), GLFW_KEY_LEFT_BRACKET);
  EXPECT_EQ(key_of_place(GLFW_KEY_SLASH, "!"), GLFW_KEY_SLASH);
  EXPECT_EQ(key_of_place(GLFW_KEY_LEFT_BRACKET, nullptr), GLFW_KEY_LEFT_BRACKET);
  EXPECT_EQ(key_of_place(GLFW_KEY_LEFT_BRACKET, ""), GLFW_KEY_LEFT_BRACKET);
}

TEST(KeyLayout, APunctuationMarkIsTheOneThatIsTyped) {
  EXPECT_EQ(key_of_place(GLFW_KEY_M, ","), GLFW_KEY_COMMA);
  EXPECT_EQ(key_of_place(GLFW_KEY_SLASH, "-"), GLFW_KEY_MINUS);
  EXPECT_EQ(key_of_place(GLFW_KEY_WORLD_1, "\\"), GLFW_KEY_BACKSLASH);
  EXPECT_EQ(key_of_place(GLFW_KEY_RIGHT_BRACKET, "+"), GLFW_KEY_EQUAL);
}

TEST(KeyLayout, AMarkIsTheKeyThatTypesItWithWhateverItNeeds) {
  EXPECT_EQ(key_of_mark('?')->key, GLFW_KEY_SLASH);
  EXPECT_EQ(key_of_mark('?')->modifiers, GLFW_MOD_SHIFT) << "as on a US keyboard";
  EXPECT_EQ(key_of_mark('[')->key, GLFW_KEY_LEFT_BRACKET);
  EXPECT_EQ(key_of_mark(']')->key, GLFW_KEY_RIGHT_BRACKET);
  EXPECT_EQ(key_of_mark('\\')->key, GLFW_KEY_BACKSLASH);
  EXPECT_EQ(key_of_mark('[')->modifiers, 0);
  for (const unsigned other : {'a', '5', ',', ' '}) EXPECT_FALSE(key_of_mark(other)) << other;
}

TEST(KeyLayout, PlacesOfDigitsStayDigitsWhereDigitsNeedShift) {
  EXPECT_EQ(key_of_place(GLFW_KEY_6, "-"), GLFW_KEY_6);
  EXPECT_EQ(key_of_place(GLFW_KEY_4, "'"), GLFW_KEY_4);
  EXPECT_EQ(key_of_place(GLFW_KEY_2, "é"), GLFW_KEY_2);
  EXPECT_EQ(key_of_place(GLFW_KEY_1, "+"), GLFW_KEY_1);
  EXPECT_EQ(key_of_place(GLFW_KEY_7, "8"), GLFW_KEY_8);
}

}  // namespace
}  // namespace convoscope
