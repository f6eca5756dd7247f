// Filtering beside the caller: given up half way, and never in its way.
#include "app/jobs/job_thread.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <ctime>
#include <latch>
#include <thread>

#include "app/jobs/background_jobs.h"
#include "app/panes/filter_step.h"
#include "kernels/filter/filter_catalogue.h"
#include "kernels/threads/stop.h"
#include "kernels/threads/thread_pool.h"

namespace convoscope {
namespace {

TEST(JobThread, AJobIsGivenUpHalfWay) {
  JobThread thread;
  std::atomic<bool> begun = false;
  thread.start([&] {
    begun = true;
    while (!stop_requested()) std::this_thread::yield();  // for ever, unless it is told
  });
  while (!begun) std::this_thread::yield();
  EXPECT_FALSE(thread.idle());
  EXPECT_FALSE(thread.wait(std::chrono::milliseconds(1)));
  thread.cancel();
  EXPECT_TRUE(thread.idle());
  bool asked = true;
  thread.start([&] { asked = stop_requested(); });
  thread.wait();
  EXPECT_FALSE(asked) << "the next job is wanted";
}

TEST(JobThread, EndsWithItsOwnerWhateverItDoes) {
  std::atomic<bool> begun = false;
  JobThread thread;
  thread.start([&] {
    begun = true;
    while (!stop_requested()) std::this_thread::yield();
  });
  while (!begun) std::this_thread::yield();
}

TEST(BackgroundJobs, HaveRoomForAFewPicturesAtATime) {
  BackgroundJobs jobs;
  std::latch disk_is_back(1);
  EXPECT_FALSE(jobs.has_room(BackgroundJobs::most_with_pictures));
  std::size_t started = 0;
  for (; jobs.has_room() && started < 1000; ++started)
    jobs.start([&] {
      disk_is_back.wait();
      return std::string();
    });
  EXPECT_EQ(started, BackgroundJobs::most_with_pictures) << "also once the first of them is at work";
  EXPECT_FALSE(jobs.has_room());
  disk_is_back.count_down();
  jobs.finish();
  EXPECT_TRUE(jobs.has_room(BackgroundJobs::most_with_pictures - 1));
}

// A pane whose picture would take minutes.
class SlowPanes : public testing::TestWithParam<std::pair<Backend, const char*>> {
 protected:
  SlowPanes() {
    PaneSettings pane;
    pane.strategy = GetParam().second;
    pane.filter = parse_filter("disk:radius=63");
    panes_.push_back(pane);
    compute_->fill(input_.image(), 77);
  }
  void begin() {
    set_.arrange(panes_, stats_, 60);
    set_.configure(panes_, 3840, 2160, PixelFormat::rgba8);
    if (!set_.at_work()) set_.filter(input_);
    set_.collect(stats_);
  }
  // What this process's cores have done meanwhile, in seconds: other programs do not count.
  template <class Act>
  static double work_of(Act act) {
    const std::clock_t before = std::clock();
    act();
    return static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
  }
  const double little = 2 + 0.5 * core_count();  // beside the picture's, though all cores are at it

  std::unique_ptr<Compute> compute_ = make_compute(GetParam().first);
  DeviceImage input_ = compute_->allocate(3840, 2160, PixelFormat::rgba8);
  std::vector<PaneSettings> panes_;
  std::vector<PaneStats> stats_;
  PaneSet set_{*compute_};
};

TEST_P(SlowPanes, DoNotHoldUpTheirCaller) {
  begin();
  ASSERT_TRUE(set_.at_work());
  while (stats_[0].filtering_seconds <= 0 || !stats_[0].stands_in) {  // the source, until there is a picture
    set_.take_finished_pictures();
    set_.collect(stats_);
    ASSERT_TRUE(set_.at_work()) << "it was not slow";
  }
  EXPECT_EQ(set_.outputs().size(), 1u);
  EXPECT_EQ(stats_[0].kernel.count(), 0);
}

TEST_P(SlowPanes, AreGivenUpForAChange) {
  begin();
  ASSERT_TRUE(set_.at_work());
  panes_[0].strategy = "source";
  EXPECT_LT(work_of([&] { begin(); }), little) << "what is under way was waited for";
  set_.wait();
  EXPECT_TRUE(set_.runner(0).is_current());
  EXPECT_EQ(set_.outputs()[0].data, input_.image().data);
  panes_[0].strategy = GetParam().second;
  begin();
  ASSERT_TRUE(set_.at_work());
  EXPECT_LT(work_of([&] { set_.cancel(); }), little);
  EXPECT_FALSE(set_.at_work());
  EXPECT_FALSE(set_.is_complete());
  EXPECT_FALSE(set_.runner(0).is_current());
  begin();  // what was given up is begun again
  EXPECT_TRUE(set_.at_work());
}

TEST_P(SlowPanes, AreWaitedForUntilTheProgramShallEnd) {
  begin();
  ASSERT_TRUE(set_.at_work());
  int asked = 0;
  EXPECT_LT(work_of([&] { set_.wait([&] { return ++asked == 3; }); }), little) << "it asked once and then no more";
  EXPECT_EQ(asked, 3);
  EXPECT_FALSE(set_.at_work());
  EXPECT_FALSE(set_.is_complete());
  EXPECT_FALSE(set_.runner(0).is_current());
}

INSTANTIATE_TEST_SUITE_P(Backends, SlowPanes,
                         testing::Values(std::pair{Backend::cpu, "cpu-direct"}, std::pair{Backend::cpu, "cpu-parallel"},
                                         std::pair{Backend::emulated, "constant"},
                                         std::pair{Backend::emulated, "cpu-direct"}),
                         [](const auto& each) {
                           std::string name = to_string(each.param.first) + std::string("_") + each.param.second;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(PaneSetOnCores, APaneThatIsDoneDoesNotWaitForTheOthers) {
  const std::unique_ptr<Compute> compute = make_compute(Backend::cpu);
  const DeviceImage input = compute->allocate(3840, 2160, PixelFormat::rgba8);
  compute->fill(input.image(), 77);
  std::vector<PaneSettings> panes(2);
  panes[0].strategy = "source";
  panes[1].strategy = "cpu-direct";
  panes[1].filter = parse_filter("disk:radius=63");
  std::vector<PaneStats> stats;
  PaneSet set(*compute);
  set.arrange(panes, stats, 60);
  set.configure(panes, 3840, 2160, PixelFormat::rgba8);
  // The order is random: cancelled until the quick one comes first.
  while (!set.runner(0).is_current() || !set.runner(0).input()) {
    set.cancel();
    set.filter(input);
    for (int i = 0; i < 400 && set.at_work() && !set.runner(0).input(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      set.take_finished_pictures();
    }
  }
  EXPECT_TRUE(set.at_work());
  EXPECT_FALSE(set.runner(1).is_current());
}

// However long the slower one takes, and also when it is given up: a difference of two frames says nothing.
TEST(PaneSetOnCores, PanesThatAreComparedAppearTogether) {
  const std::unique_ptr<Compute> compute = make_compute(Backend::cpu);
  const DeviceImage input = compute->allocate(3840, 2160, PixelFormat::rgba8);
  compute->fill(input.image(), 77);
  std::vector<PaneSettings> panes(2);
  panes[0].strategy = "source";
  panes[1].strategy = "cpu-direct";
  panes[1].filter = parse_filter("disk:radius=63");
  std::vector<PaneStats> stats;
  std::atomic<int> done = 0;
  PaneSet set(*compute, [&] { ++done; });
  set.arrange(panes, stats, 60);
  set.configure(panes, 3840, 2160, PixelFormat::rgba8);
  // The order is random: begun anew until the quick one comes first. What is given up counts as well, a little later.
  for (int seen = 0, begun = 0; done == seen; ++begun) {
    ASSERT_LT(begun, 200);
    set.cancel();
    while (begun > 0 && done == seen) std::this_thread::yield();
    seen = done;
    set.filter(input, {.together = true});
    for (int i = 0; i < 200 && done == seen; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  while (stats[1].filtering_seconds < 0.4) {  // longer than panes that are not compared wait
    set.take_finished_pictures();
    set.collect(stats);
    ASSERT_TRUE(set.at_work()) << "it was not slow";
  }
  EXPECT_TRUE(set.at_work());
  EXPECT_FALSE(set.runner(0).input()) << "the quick one is shown alone";
  set.cancel();
  EXPECT_FALSE(set.runner(0).input()) << "nor when the slow one is given up";

  panes[1].strategy = "source";
  set.configure(panes, 3840, 2160, PixelFormat::rgba8);
  set.filter(input, {.together = true});
  set.wait();
  for (const int i : {0, 1}) EXPECT_TRUE(set.runner(i).input());
}

// Behind one that takes a moment: it comes last whatever the order, and is given up for the next frame.
TEST(PaneSetOnCores, APaneThatIsNotSeenHoldsUpNothing) {
  const std::unique_ptr<Compute> compute = make_compute(Backend::cpu);
  const DeviceImage inputs[] = {compute->allocate(3840, 2160, PixelFormat::rgba8),
                                compute->allocate(3840, 2160, PixelFormat::rgba8)};
  for (const DeviceImage& input : inputs) compute->fill(input.image(), 77);
  std::vector<PaneSettings> panes(2);
  panes[0].strategy = "cpu-direct";
  panes[0].filter = parse_filter("disk:radius=63");  // minutes
  panes[1].strategy = "source";
  std::vector<PaneStats> stats;
  PaneSet set(*compute);
  set.arrange(panes, stats, 60);
  set.configure(panes, 3840, 2160, PixelFormat::rgba8);
  const auto seen = [](int pane) { return pane == 1; };
  const auto leave = [&] {
    while (set.at_work()) set.give_up_unseen();
  };
  for (int again = 0; again < 8; ++again) {  // the order is random
    set.cancel();
    set.filter(inputs[again % 2], {.seen = seen});
    while (set.runner(1).input().image().data != inputs[again % 2].image().data) {
      set.take_finished_pictures();
      ASSERT_FALSE(set.runner(0).input()) << "it was not slow";
    }
  }
  // The quick one's work alone is over in a moment; the slow one's is not.
  const auto moment = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
  while (set.at_work() && std::chrono::steady_clock::now() < moment) set.take_finished_pictures();
  if (!set.at_work()) set.filter(inputs[1], {.again_on_cores = false, .seen = seen});  // known by now to take long
  ASSERT_TRUE(set.at_work());
  EXPECT_TRUE(set.shows_what_is_at_work());
  leave();
  EXPECT_TRUE(set.is_complete()) << "what is seen is";
  EXPECT_TRUE(set.runner(0).is_unfinished());

  set.filter(inputs[0], {.unhurried = false, .seen = seen});
  set.wait();
  EXPECT_EQ(set.runner(1).input().image().data, inputs[0].image().data);
  EXPECT_FALSE(set.runner(0).input()) << "it is known to take long, and waits for a picture that stays";
  set.filter(inputs[0], {.again_on_cores = false, .seen = seen});
  EXPECT_TRUE(set.at_work()) << "as this one does";
  leave();

  const auto all = [](int) { return true; };
  set.filter(inputs[0], {.again_on_cores = false, .seen = all});
  set.follow_view(all);
  set.follow_view(seen);  // the view has changed meanwhile
  EXPECT_TRUE(set.at_work()) << "nothing waits for it";
  leave();
  for (int again = 1; again < 9; ++again) {
    const DeviceImage& input = inputs[again % 2];
    set.filter(input, {.seen = all});
    while (set.runner(1).input().image().data != input.image().data) {
      set.follow_view(seen);
      set.take_finished_pictures();
      if (!set.at_work()) set.filter(input, {.seen = seen});
      ASSERT_FALSE(set.runner(0).input()) << "it was not slow";
    }
    set.cancel();
  }
}

// A difference of pictures of two frames, or of a picture and what stands in for it, would be said of the strategies.
TEST(PaneSetOnCores, PanesShowOneFrameOnlyWhileBothAreMadeOfIt) {
  const std::unique_ptr<Compute> compute = make_compute(Backend::cpu);
  const DeviceImage inputs[] = {compute->allocate(320, 200, PixelFormat::rgba8),
                                compute->allocate(320, 200, PixelFormat::rgba8)};
  for (const DeviceImage& input : inputs) compute->fill(input.image(), 77);
  std::vector<PaneSettings> panes(2);
  panes[0].strategy = "cpu-parallel";
  panes[1].strategy = "cpu-separable";
  for (PaneSettings& pane : panes) pane.filter = parse_filter("gaussian:radius=2");
  std::vector<PaneStats> stats;
  PaneSet set(*compute);
  set.arrange(panes, stats, 60);
  set.configure(panes, 320, 200, PixelFormat::rgba8);
  EXPECT_FALSE(set.show_one_frame(0, 1)) << "nothing is made yet";
  set.filter(inputs[0]);
  set.wait();
  set.tell_progress(stats);
  EXPECT_FALSE(stats[0].stands_in || stats[0].filtering_seconds > 0) << "also before the times are collected";
  EXPECT_TRUE(set.show_one_frame(0, 1));
  EXPECT_FALSE(set.show_one_frame(0, 2)) << "there is no such pane";
  set.filter(inputs[1]);
  set.wait();
  EXPECT_TRUE(set.show_one_frame(0, 1));
  set.runner(0).begin(inputs[0]);
  set.runner(0).show(inputs[0]);
  EXPECT_FALSE(set.show_one_frame(0, 1)) << "one is a frame behind";
}

}  // namespace
}  // namespace convoscope
