#include "app/cli/stop_signal.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>

namespace convoscope {
namespace {

void wait_for(const StopSignal& stop) {
  for (int i = 0; i < 10000 && !stop; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

TEST(StopSignal, IsHeardWhileALibraryHasItsOwnHandlerInPlace) {
  StopSignal stop;
  EXPECT_FALSE(stop);
  for (const int number : {SIGINT, SIGTERM}) signal(number, [](int) { _exit(4); });  // as NVRTC does
  kill(getpid(), SIGTERM);
  wait_for(stop);
  EXPECT_EQ(stop.number(), SIGTERM);
  EXPECT_EQ(stop.exit_code(), 128 + SIGTERM);
  EXPECT_STREQ(stop.name(), "SIGTERM");
  for (const int number : {SIGINT, SIGTERM}) signal(number, SIG_DFL);
}

// timeout(1) signals the program and then its whole group.
TEST(StopSignal, TheSameOneTwiceAtOnceIsOne) {
  StopSignal stop;
  kill(getpid(), SIGTERM);
  wait_for(stop);
  kill(getpid(), SIGTERM);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_EQ(stop.number(), SIGTERM);
}

TEST(StopSignal, SetsTheFlagOfWhoeverWaitsInALibraryAlsoWhenItCameBefore) {
  StopSignal stop;
  std::atomic<bool> before = false, after = false;
  {
    const SetBySignal setting(stop, before);
    kill(getpid(), SIGHUP);
    wait_for(stop);
  }
  const SetBySignal setting(stop, after);
  EXPECT_TRUE(before);
  EXPECT_TRUE(after);
}

TEST(ComputesUntilSignal, GivesUpWhatIsComputedOnceASignalComes) {
  StopSignal stop;
  const ComputesUntilSignal computing(stop);
  EXPECT_FALSE(stop_requested());
  kill(getpid(), SIGTERM);
  for (int i = 0; i < 10000 && !stop_requested(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_TRUE(stop_requested());
}

// What is measured meanwhile must not share its core with whoever waits.
TEST(ComputesUntilSignal, SleepsUntilThen) {
  StopSignal stop;
  const ComputesUntilSignal computing(stop);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // until its thread has begun to wait
  const auto waits = [] {
    rusage used;
    getrusage(RUSAGE_SELF, &used);
    return used.ru_nvcsw;
  };
  const long before = waits();
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  EXPECT_LT(waits() - before, 8) << "each time that a thread of this process has gone to sleep";
}

TEST(StopSignal, WakesAReadInWhichMainWaits) {
  StopSignal stop;
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  std::thread later([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    kill(getpid(), SIGINT);
  });
  char byte;
  EXPECT_EQ(read(ends[0], &byte, 1), -1);
  EXPECT_EQ(errno, EINTR);
  later.join();
  EXPECT_EQ(stop.number(), SIGINT);
  for (const int end : ends) close(end);
}

TEST(StopSignalDeathTest, LeavesAtOnceAtTheSecondOne) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        StopSignal stop;
        kill(getpid(), SIGTERM);
        wait_for(stop);
        std::this_thread::sleep_for(std::chrono::milliseconds(500));  // else it would be the same one
        kill(getpid(), SIGTERM);
        for (;;) pause();
      },
      testing::ExitedWithCode(128 + SIGTERM), "");
}

// A terminal that goes away tells of it by the system and by its shell, which gets to run late on a busy machine.
TEST(StopSignalDeathTest, IsNotHurriedByATerminalThatIsGone) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        StopSignal stop;
        kill(getpid(), SIGHUP);
        wait_for(stop);
        for (const int number : {SIGHUP, SIGINT}) {
          std::this_thread::sleep_for(std::chrono::milliseconds(500));
          kill(getpid(), number);
        }
        for (;;) pause();
      },
      testing::ExitedWithCode(128 + SIGINT), "");
}

// All of the program is held up between the first one and the second, as on a machine that does too much.
TEST(StopSignal, TakesTwoThatCameTogetherForOneAlsoWhenItIsLate) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    StopSignal stop;
    bool told = write(ends[1], "r", 1) == 1;
    wait_for(stop);
    told &= write(ends[1], "c", 1) == 1;
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    _exit(told ? stop.exit_code() : 1);
  }
  char byte;
  ASSERT_EQ(read(ends[0], &byte, 1), 1);
  kill(child, SIGTERM);
  ASSERT_EQ(read(ends[0], &byte, 1), 1);
  int status = 0;
  kill(child, SIGSTOP);
  waitpid(child, &status, WUNTRACED);
  kill(child, SIGINT);
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  kill(child, SIGCONT);
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 128 + SIGTERM);
  for (const int end : ends) close(end);
}

TEST(StopSignal, LeavesSignalsAsTheyWere) {
  { StopSignal stop; }
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  EXPECT_FALSE(sigismember(&blocked, SIGTERM));
}

}  // namespace
}  // namespace convoscope
