// How compiling ends when nobody waits for it any more: the job has gone, the Background, or the program.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "kernels/jit/compiler.h"
#include "kernels/threads/background.h"
#include "tests/kernels/cache_home.h"

namespace convoscope {
namespace {

// The library that the compiler has opened; see nvrtc.cpp beside this.
template <class Function>
Function* of_fake(const char* name) {
  static void* const library = dlopen("libnvrtc.so.13", RTLD_NOW | RTLD_LOCAL);
  return library ? reinterpret_cast<Function*>(dlsym(library, name)) : nullptr;
}
int compiling() { return of_fake<int()>("fake_nvrtc_compiling")(); }
int cancelled() { return of_fake<int()>("fake_nvrtc_cancelled")(); }
bool asks() { return of_fake<int()>("nvrtcSetFlowCallback") != nullptr; }

// A compiler that is never done, nor cancelled, is ended by the test's own limit.
template <class Condition>
void wait_for(Condition condition) {
  while (!condition()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

std::shared_ptr<jit::Job> ask(const std::string& source) {
  auto job = std::make_shared<jit::Job>();
  job->source = [source] { return source; };
  job->compute_capability = 90;
  job->load = [](const std::string& cubin) { return std::make_shared<std::string>(cubin); };
  jit::request(job);
  return job;
}

class CompilingEnds : public testing::Test {
 protected:
  void SetUp() override {
    if (!of_fake<int()>("fake_nvrtc_compiling")) GTEST_SKIP() << "the stand-in is not the first NVRTC that is found";
    of_fake<void()>("fake_nvrtc_reset")();
  }
  // An NVRTC that does not ask goes on to its own end.
  std::jthread released_soon() {
    return std::jthread([] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      if (!asks()) of_fake<void()>("fake_nvrtc_release")();
    });
  }
  CacheHome home_;
};

TEST_F(CompilingEnds, WithTheBackground) {
  std::shared_ptr<jit::Job> job, waiting;
  std::jthread helper;
  {
    const Background background;
    job = ask("slow");
    wait_for([] { return compiling() == 1; });
    waiting = ask("another");
    helper = released_soon();
  }
  EXPECT_EQ(compiling(), 0);
  EXPECT_EQ(job->state, jit::Job::State::failed);
  EXPECT_EQ(waiting->state, jit::Job::State::waiting) << "what had not begun is not begun";
  EXPECT_EQ(cancelled(), asks() ? 1 : 0);
}

TEST_F(CompilingEnds, WithTheJob) {
  const Background background;
  std::shared_ptr<jit::Job> job = ask("slow");
  wait_for([] { return compiling() == 1; });
  job.reset();
  const std::jthread helper = released_soon();
  const auto next = ask("wanted");
  wait_for([&] { return next->state != jit::Job::State::waiting; });
  EXPECT_EQ(next->state, jit::Job::State::ready) << next->error;
  EXPECT_EQ(cancelled(), asks() ? 1 : 0);
}

// The library is unloaded by exit(), which must find nobody in it.
TEST_F(CompilingEnds, BeforeTheProgram) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const std::shared_ptr<jit::Job> job = [this] {
          const Background background;
          auto asked = ask("slow");
          wait_for([] { return compiling() == 1; });
          const std::jthread helper = released_soon();
          return asked;
        }();
        std::exit(7);
      },
      testing::ExitedWithCode(7), "");
}

TEST_F(CompilingEnds, WithoutABackgroundTheAskerWaits) {
  const auto job = ask("quick");
  EXPECT_EQ(job->state, jit::Job::State::ready) << job->error;
  EXPECT_EQ(*static_cast<std::string*>(job->result.get()), "quick");
}

}  // namespace
}  // namespace convoscope
