#include <gtest/gtest.h>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  testing::FLAGS_gtest_death_test_style = "threadsafe";  // drivers start threads: a child starts from the beginning
  return RUN_ALL_TESTS();
}
