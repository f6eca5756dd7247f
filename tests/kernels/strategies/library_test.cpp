// A library is unknown until somebody opens it: asking what can run opens none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <thread>
#include <vector>

#include "kernels/check/verify.h"
#include "kernels/choose/auto_candidates.h"
#include "kernels/compute/compute.h"
#include "kernels/contract/kind.h"
#include "kernels/libraries/dynamic_library.h"
#include "kernels/libraries/optional_libraries.h"
#include "kernels/threads/background.h"

namespace convoscope {
namespace {

struct FakeApi {
  std::string missing;
};
int searches = 0;
FakeApi find_nothing() {
  ++searches;
  return {"fake is not installed"};
}
using Missing = Library<FakeApi, find_nothing>;

TEST(Libraries, AreUnknownThenLookedForOnceAndRemembered) {
  if (searches > 0) GTEST_SKIP() << "the tests are repeated in one process";
  EXPECT_EQ(Missing::missing(), "");
  EXPECT_EQ(searches, 0);
  const int before = libraries_opened;
  EXPECT_THROW(Missing::usable(), Error);
  EXPECT_EQ(Missing::missing(), "fake is not installed");
  EXPECT_EQ(Missing::opened().missing, "fake is not installed");
  EXPECT_THROW(Missing::usable(), Error);
  EXPECT_EQ(searches, 1);
  EXPECT_EQ(libraries_opened, before + 1);
}

TEST(Libraries, AreNotOpenedToSayWhatCanRun) {
  const int before = libraries_opened;
  for (const Kind* kind : kinds())
    for (const Problem& problem : kind->benchmarks())
      for (const Backend backend : {Backend::cpu, Backend::cuda, Backend::emulated})
        for (const Strategy* strategy : strategies(backend, *kind))
          strategy->unsupported(problem, typical_device(Backend::emulated), {});
  EXPECT_EQ(libraries_opened, before);
}

// Those of the peers and the compiler that are there answer as before; of those that are not, the plan's Error and
// unsupported() say the same.
TEST(Libraries, AreKnownToWhomTheyServeOnceOpened) {
  const Device& device = typical_device(Backend::emulated);
  const Problem problem = {64, 48, PixelFormat::gray32f, Border::replicate, image_kind.parse("gaussian:radius=1")};
  for (const Strategy* strategy : strategies(Backend::cuda)) {
    const std::string surely = surely_unsupported(*strategy, problem, device, {});
    EXPECT_EQ(strategy->unsupported(problem, device, {}), surely) << strategy->id;
    if (strategy->peer) {
      EXPECT_NE(strategy->open_library, nullptr) << strategy->id;
    }
  }
  for (const OptionalLibrary& library : optional_libraries())
    EXPECT_NE(library.path.empty(), library.missing.empty()) << library.name;
}

// What a library keeps from plan to plan is neither another thread's nor of a stream that is gone: the window, the
// planner and the thread that learns have one each, and theirs go first.
TEST(Libraries, ServeThreadsWhoseStreamsComeAndGo) {
  if (const std::string reason = why_unavailable(Backend::cuda); !reason.empty()) GTEST_SKIP() << reason;
  const auto check = [](const Strategy* strategy, const Problem* problem) {
    const VerifyRow row = verify_one(*make_compute(Backend::cuda), *strategy, *problem, {}, 1);
    EXPECT_FALSE(row.failed()) << strategy->id << ", " << row.filter << ": " << row.failure;
  };
  for (const Kind* kind : kinds()) {
    const std::vector<Case> cases = kind->cases({.small = true, .filters = {}});
    for (const Strategy* strategy : strategies(Backend::cuda, *kind)) {
      if (!strategy->calls_library) continue;
      for (std::size_t i = 0; i < cases.size() && i < 60; i += 20) {
        std::vector<std::jthread> beside;
        for (int thread = 0; thread < 3; ++thread) beside.emplace_back(check, strategy, &cases[i].problem);
        beside.clear();
        check(strategy, &cases[i].problem);
      }
    }
  }
}

// The window starts this; its rows follow libraries_opened.
TEST(Libraries, AreOpenedBesideTheLadder) {
  open_libraries_beside();
  std::promise<void> done;  // the planner does one thing after the other
  Background::current()->planner().add([&](const std::stop_token&) { done.set_value(); });
  done.get_future().wait();
  if (built_with_cuda()) {
    EXPECT_GE(libraries_opened, 5);
  }
}

}  // namespace
}  // namespace convoscope
