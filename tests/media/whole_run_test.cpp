// The three steps of a whole file: in order, as one after the other, and ended in order.
#include "app/media/whole/whole_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

namespace convoscope::test {
namespace {

using namespace std::chrono_literals;

using Item = std::unique_ptr<int>;  // that cannot be copied

// Counts from 0 to `count` − 1.
struct Counting {
  explicit Counting(int count_) : count(count_) {}
  RunSteps<Item, Item> steps() {
    return {.read =
                [this](Item& next) {
                  if (stop || read == count) return false;
                  next = std::make_unique<int>(read++);
                  return true;
                },
            .filter = [this](Item& item) -> std::optional<Item> {
              if (stop) return {};
              return std::make_unique<int>(10 * *item);
            },
            .write =
                [this](Item& item) {
                  written.push_back(*item);
                  return 0.0;
                },
            .stopped = [this] { return stop.load(); },
            .meanwhile = [](std::int64_t) {}};
  }
  const int count;
  int read = 0;
  std::atomic<bool> stop{false};
  std::vector<int> written;
};

TEST(WholeRun, WritesEveryPictureOnceAndInOrder) {
  for (const int count : {0, 1, 2, 100}) {
    Counting counting(count);
    const RunTimes times = WholeRun(counting.steps()).run();
    EXPECT_EQ(times.written, count);
    ASSERT_EQ(counting.written.size(), static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) EXPECT_EQ(counting.written[static_cast<std::size_t>(i)], 10 * i);
  }
}

TEST(WholeRun, WhatAStepThrowsComesAfterWhatWasBeforeIt) {
  for (const int step : {0, 1, 2}) {
    Counting counting(50);
    auto steps = counting.steps();
    const auto fails_at_7 = [&](int at, int value) {
      if (step == at && value == 7) throw std::runtime_error("7");
    };
    auto read = steps.read;
    steps.read = [&, read](Item& next) {
      fails_at_7(0, counting.read);
      return read(next);
    };
    auto filter = steps.filter;
    steps.filter = [&, filter](Item& item) {
      fails_at_7(1, *item);
      return filter(item);
    };
    auto write = steps.write;
    steps.write = [&, write](Item& item) {
      fails_at_7(2, *item / 10);
      return write(item);
    };
    WholeRun run(std::move(steps));
    EXPECT_THROW(run.run(), std::runtime_error);
    EXPECT_THAT(counting.written, testing::ElementsAre(0, 10, 20, 30, 40, 50, 60)) << step;
    EXPECT_EQ(run.written(), 7);
  }
}

// One after the other, the earlier picture's would have come first.
TEST(WholeRun, TheErrorOfTheEarliestPictureIsTold) {
  Counting counting(50);
  auto steps = counting.steps();
  steps.read = [&](Item& next) {
    if (counting.read == 4) throw std::logic_error("read");
    next = std::make_unique<int>(counting.read++);
    return true;
  };
  steps.write = [](Item& item) -> double {
    if (*item == 20) throw std::runtime_error("written");
    return 0;
  };
  EXPECT_THROW(WholeRun(std::move(steps)).run(), std::runtime_error);
}

TEST(WholeRun, OnceStoppedNothingElseIsFiltered) {
  Counting counting(1000);
  auto steps = counting.steps();
  auto write = steps.write;
  steps.write = [&, write](Item& item) {
    if (*item == 50) counting.stop = true;
    return write(item);
  };
  const RunTimes times = WholeRun(std::move(steps)).run();
  EXPECT_EQ(times.written, static_cast<std::int64_t>(counting.written.size()));
  EXPECT_GE(times.written, 6);
  EXPECT_LE(times.written, 6 + static_cast<std::int64_t>(2 * most_ahead) + 3);
  EXPECT_LT(counting.read, 30);
}

TEST(WholeRun, TheSlowStepIsTheOneThatHardlyWaits) {
  for (const int slow : {0, 1, 2}) {
    Counting counting(20);
    auto steps = counting.steps();
    const auto slowly = [slow](int step) {
      if (step == slow) std::this_thread::sleep_for(5ms);
    };
    auto read = steps.read;
    steps.read = [=](Item& next) { return slowly(0), read(next); };
    auto filter = steps.filter;
    steps.filter = [=](Item& item) { return slowly(1), filter(item); };
    auto write = steps.write;
    steps.write = [=](Item& item) { return slowly(2), write(item); };
    const RunTimes times = WholeRun(std::move(steps)).run();
    const double waits[] = {times.read_held_up, times.filter_starved + times.filter_held_up, times.write_starved};
    EXPECT_EQ(std::min_element(waits, waits + 3) - waits, slow);
    EXPECT_GE(times.all, 0.1);
  }
}

TEST(WholeRun, AsksNowAndThenWhileASlowStepIsUnderWay) {
  Counting counting(3);
  auto steps = counting.steps();
  steps.write = [](Item&) { return std::this_thread::sleep_for(250ms), 0.0; };
  int asked = 0;
  steps.meanwhile = [&](std::int64_t) { ++asked; };
  WholeRun(std::move(steps)).run();
  EXPECT_GE(asked, 3 + 4);
}

}  // namespace
}  // namespace convoscope::test
