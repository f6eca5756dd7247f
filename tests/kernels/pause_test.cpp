// Long work that stands still while something short is done.
#include "kernels/threads/pause.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "kernels/compute/compute.h"
#include "kernels/threads/stop.h"
#include "kernels/threads/thread_pool.h"

namespace convoscope {
namespace {

using namespace std::chrono_literals;

TEST(Pause, IsNoTimeOfTheWork) {
  Pause pause;
  std::stop_source stop;
  std::atomic<int> rounds = 0;
  const std::unique_ptr<Compute> compute = make_compute(Backend::cpu);
  const std::unique_ptr<IntervalTimer> timer = compute->make_timer();
  const auto began = std::chrono::steady_clock::now();
  std::thread work([&] {
    const StopScope scope(stop.get_token(), &pause);
    timer->start({});
    while (!stop_requested()) ++rounds;
    timer->stop({});
  });
  while (rounds == 0) std::this_thread::yield();
  pause.begin();
  std::this_thread::sleep_for(300ms);
  const int before = rounds;
  std::this_thread::sleep_for(100ms);
  EXPECT_EQ(rounds, before) << "it stands still";
  pause.end();
  while (rounds == before) std::this_thread::yield();
  stop.request_stop();
  work.join();
  const std::chrono::duration<double, std::milli> all = std::chrono::steady_clock::now() - began;
  ASSERT_TRUE(timer->poll_ms());
  EXPECT_LE(*timer->poll_ms(), all.count() - 100) << "of which it stood still for most of 400 ms";
}

TEST(Pause, WhatIsNotWantedAnyMoreDoesNotWaitForItsEnd) {
  Pause pause;
  pause.begin();
  std::stop_source stop;
  std::jthread work([&] {
    const StopScope scope(stop.get_token(), &pause);
    while (!stop_requested()) std::this_thread::yield();
  });
  std::this_thread::sleep_for(20ms);
  stop.request_stop();
  work.join();
}

// Those of the pool have half of what stands still on them.
TEST(Pause, WhatIsShortHasCoresOfItsOwn) {
  Pause pause;
  std::stop_source stop;
  std::atomic<int> begun = 0;
  std::thread work([&] {
    const StopScope scope(stop.get_token(), &pause);
    parallel_for(8, 4, [&](int, int) {
      ++begun;
      while (!stop_requested()) std::this_thread::yield();
    });
  });
  while (begun == 0) std::this_thread::yield();
  pause.begin();
  std::atomic<int> done = 0;
  {
    const CoresBeside others;
    parallel_for(100, 4, [&](int, int) { ++done; });
  }
  EXPECT_EQ(done, 100);
  pause.end();
  stop.request_stop();
  work.join();
}

}  // namespace
}  // namespace convoscope
