#include "app/steps/chosen_device.h"

#include <gtest/gtest.h>

#include "app/state/workbench.h"

namespace convoscope {
namespace {

TEST(ChosenDevice, IsAnotherOneOnceTheSettingsAskForOne) {
  Settings settings = default_settings();
  settings.backend = BackendChoice::cpu;
  Invocation invocation;
  invocation.offscreen = true;
  Stats stats;
  ChosenDevice device;
  EXPECT_FALSE(device.is_there());
  device.choose(invocation, settings, stats);
  ASSERT_TRUE(device.is_there());
  EXPECT_FALSE(device.is_gpu());
  EXPECT_EQ(stats.device.backend, Backend::cpu);
  EXPECT_EQ(stats.ladder_is_of, settings.workbench);
  EXPECT_FALSE(stats.ladder.empty());
  EXPECT_FALSE(device.is_other(settings));
  settings.device = 3;
  EXPECT_FALSE(device.is_other(settings)) << "it is the number of a GPU, and none computes";
  settings.backend = BackendChoice::emulated;
  EXPECT_TRUE(device.is_other(settings));
  device.choose(invocation, settings, stats);
  EXPECT_EQ(stats.device.backend, Backend::emulated);
  EXPECT_FALSE(device.is_other(settings));
}

TEST(ChosenDevice, ListsTheStrategiesOfTheWorkbench) {
  Settings settings = default_settings();
  settings.backend = BackendChoice::cpu;
  Invocation invocation;
  invocation.offscreen = true;
  Stats stats;
  ChosenDevice().choose(invocation, settings, stats);
  show_workbench(settings, "layer");
  ChosenDevice::list_strategies(settings, stats);
  EXPECT_EQ(stats.ladder_is_of, "layer");
  EXPECT_FALSE(stats.ladder.empty());
}

}  // namespace
}  // namespace convoscope
