#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>

#include "app/measure/health_monitor.h"

namespace convoscope {
namespace {

using testing::HasSubstr;

const Device gpu{.backend = Backend::cuda, .name = "A GPU"};

// What the monitor says once `reached` holds; the last thing it said when that does not come to pass within seconds.
template <class Condition>
DeviceHealth watch(const char* mode, Condition reached, const char* library = FAKE_NVML_LIBRARY) {
  setenv("FAKE_NVML", mode, 1);
  HealthMonitor monitor(gpu, library, 0.01);
  DeviceHealth health;
  for (int i = 0; i < 1000 && !reached(health); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    monitor.read(health, 60);
  }
  return health;
}

TEST(HealthMonitor, ReadsWhatTheLibrarySays) {
  const DeviceHealth health = watch("", [](const DeviceHealth& h) { return h.present; });
  EXPECT_EQ(health.sm_clock_mhz, 1980);
  EXPECT_EQ(health.memory_clock_mhz, 3201);
  EXPECT_EQ(health.temperature_c, 41);
  EXPECT_NEAR(health.power_w, 123.4, 0.01);
  EXPECT_EQ(health.throttling, "") << "idle is no throttling";
  EXPECT_FALSE(health.clocks_moved);
  EXPECT_EQ(health.absent_because, "");
}

TEST(HealthMonitor, NamesWhyTheGpuSlowsDown) {
  EXPECT_EQ(watch("hot", [](const DeviceHealth& h) { return h.present; }).throttling, "power cap, thermal");
}

TEST(HealthMonitor, SeesClocksThatMove) {
  EXPECT_TRUE(watch("moving", [](const DeviceHealth& h) { return h.clocks_moved; }).clocks_moved);
}

TEST(HealthMonitor, SaysInPlainWordsWhatIsMissing) {
  const auto said = [](const DeviceHealth& h) { return !h.absent_because.empty(); };
  EXPECT_THAT(watch("", said, "libnot-there.so.1").absent_because, HasSubstr("libnot-there.so.1 was not found"));
  EXPECT_THAT(watch("", said, "libm.so.6").absent_because, HasSubstr("too old"));
  EXPECT_THAT(watch("dumb", said).absent_because, HasSubstr("does not start: Driver Not Loaded (9)"));
  EXPECT_THAT(watch("missing", said).absent_because, HasSubstr("does not know the GPU"));
  const DeviceHealth lost = watch("lost", said);
  EXPECT_THAT(lost.absent_because, HasSubstr("no longer"));
  EXPECT_FALSE(lost.present);
}

TEST(HealthMonitor, OnTheCpuThereIsNothingToWatch) {
  HealthMonitor monitor(Device{});
  DeviceHealth health;
  monitor.read(health, 4);
  EXPECT_FALSE(health.present);
  EXPECT_THAT(health.absent_because, HasSubstr("CPU"));
}

TEST(HealthMonitor, EndsAtOnce) {
  setenv("FAKE_NVML", "", 1);
  const auto start = std::chrono::steady_clock::now();
  { HealthMonitor monitor(gpu, FAKE_NVML_LIBRARY, 1000); }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

TEST(ClockHistory, FivePerCentWithinTheWindow) {
  ClockHistory clocks;
  clocks.add(0, 1000, 3000);
  clocks.add(1, 1950, 3000);
  clocks.add(2, 2000, 3000);
  EXPECT_TRUE(clocks.moved(2, 4));
  EXPECT_FALSE(clocks.moved(2, 1.5)) << "2.5 % since";
  clocks.forget_before(0.5);
  EXPECT_FALSE(clocks.moved(2, 4));
  clocks.add(3, 2000, 2000);
  EXPECT_TRUE(clocks.moved(3, 4)) << "the memory's counts too";
  EXPECT_FALSE(ClockHistory().moved(0, 10));
}

}  // namespace
}  // namespace convoscope
