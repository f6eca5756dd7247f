// The threads that the program gives its strategies, for all tests here.
#include <gtest/gtest.h>

#include <optional>

#include "kernels/threads/background.h"

namespace convoscope {
namespace {

class BackgroundEnvironment : public testing::Environment {
  void SetUp() override { background_.emplace(); }
  void TearDown() override { background_.reset(); }
  std::optional<Background> background_;
};

[[maybe_unused]] const auto* const environment = testing::AddGlobalTestEnvironment(new BackgroundEnvironment);

TEST(Background, ThereIsOne) {
  EXPECT_TRUE(Background::current());
  EXPECT_THROW(Background(), std::logic_error);
  EXPECT_TRUE(Background::current()) << "the second one has taken nothing";
}

}  // namespace
}  // namespace convoscope
