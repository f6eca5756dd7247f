// The step between decoder and screen, on the cores of this machine.
#include "app/panes/filter_step.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <initializer_list>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "kernels/filter/filter_catalogue.h"
#include "tests/app/panes/held_compute.h"

namespace convoscope {
namespace {

constexpr int frame_width = 320, frame_height = 240;

// So that cpu-direct takes half a second or some; the sanitizers make it slower yet.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr const char *slow_filter = "disk:radius=5", *slower_filter = "disk:radius=9";
#else
constexpr const char *slow_filter = "disk:radius=24", *slower_filter = "disk:radius=40";
#endif

// Between two looks at what others do, who get the cores.
void rest() { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }

// Every byte is the frame's number.
VideoFrame frame_of(int number) {
  const auto pixels =
      std::make_shared<std::vector<std::uint8_t>>(frame_width * frame_height * 4, static_cast<std::uint8_t>(number));
  VideoFrame frame;
  frame.format.width = frame_width;
  frame.format.height = frame_height;
  frame.planes[0] = pixels->data();
  frame.pitch[0] = frame_width * 4;
  frame.owner = pixels;
  frame.number = number;
  frame.seconds = number;
  return frame;
}

int byte_of(const Image& image) {
  return static_cast<const std::uint8_t*>(image.data)[image.pitch * (frame_height / 2) + frame_width * 2];
}

// Panes behind a source that is faster than the filter: a frame is to come whenever another one is finished.
struct FedStep {
  // `stop`: where nobody watches, so that filter() waits.
  FedStep(std::initializer_list<const char*> strategies, const char* filter, const std::function<bool()>& stop = {})
      : step(make_filter_step(*compute, stop != nullptr, {}, stop)) {
    for (const char* const strategy : strategies) {
      PaneSettings& pane = panes.emplace_back();
      pane.strategy = strategy;
      pane.filter = parse_filter(filter);
    }
  }

  void give() { step->give(frame_of(number = (number + 1) % 250), PixelFormat::rgba8, false); }
  bool filter() {
    now += 0.001;
    step->arrange(panes, stats, 60, now);
    return step->filter({.now = now, .seen = seen});
  }

  // Lets so many seconds pass, and what begins then come to its end. How many times of the first pane are known.
  int times_after(double seconds, bool held = false) {
    now += seconds;
    do {
      step->arrange(panes, stats, 60, now);
      step->filter({.held = held, .now = now});
      rest();
    } while (step->panes().at_work());
    step->panes().collect(stats);
    return stats[0].kernel.count();
  }

  std::unique_ptr<Compute> compute = make_compute(Backend::cpu);
  std::unique_ptr<FilterStep> step;
  std::vector<PaneSettings> panes;
  std::vector<PaneStats> stats;
  int number = 0;
  double now = 0;
  std::function<bool(int)> seen;
};

TEST(FilterStep, ShowsThePictureThatItSaysItShows) {
  FedStep fed({"source", "cpu-direct"}, "box:radius=3");
  const FilterStep& step = *fed.step;
  for (int finished = 0; finished < 20; rest()) {
    fed.give();
    if (!fed.filter()) continue;
    ++finished;
    EXPECT_EQ(step.position(), static_cast<double>(step.frame_number()));
    step.panes().tell_progress(fed.stats);
    bool is_shown = false;
    for (std::size_t i = 0; i < fed.stats.size(); ++i) {  // on a busy machine the quick one goes ahead
      EXPECT_EQ(byte_of(step.panes().outputs()[i]), fed.stats[i].frame_number);
      is_shown |= fed.stats[i].frame_number == step.frame_number();
    }
    EXPECT_TRUE(is_shown);
  }
}

// While `auto` tries other strategies the picture is there already, and so is what is said of it.
TEST(FilterStep, SaysWhichPictureItShowsWhileOtherStrategiesAreTried) {
  FedStep fed({"auto"}, "disk:radius=5");
  const FilterStep& step = *fed.step;
  for (int finished = 0; finished < 20; rest()) {
    fed.give();
    finished += fed.filter();
    const Image& shown = step.panes().outputs().empty() ? Image() : step.panes().outputs()[0];
    if (step.shows_any() && shown.data && step.panes().show_one_frame(0, 0)) {
      ASSERT_EQ(byte_of(shown), step.frame_number());
    }
  }
}

// A slow pane shows a frame now and then, and says how far it lags; its time is its own.
TEST(FilterStep, AQuickPaneGoesOnWhileASlowOneIsAtWork) {
  FedStep fed({"cpu-direct", "cpu-parallel", "source"}, "box:radius=1");
  fed.panes[0].filter = parse_filter(slower_filter);
  FilterStep& step = *fed.step;
  int number = 0, newest = 0, shown_before_the_slow_one = 0;
  std::int64_t most_behind = 0;
  for (int slow = 0, last = -1; slow < 3; rest()) {
    if (!step.owes_picture() || step.panes().at_work()) step.give(frame_of(++number), PixelFormat::rgba8, false);
    const bool finished = fed.filter();
    step.panes().tell_progress(fed.stats);
    if (!step.panes().runner(0).input() && finished) ++shown_before_the_slow_one;
    if (!step.shows_any()) continue;
    const auto at = static_cast<int>(step.frame_number());
    EXPECT_EQ(step.position(), at);
    EXPECT_GE(at, newest) << "it goes forward only";
    newest = at;
    for (const int quick : {1, 2}) {
      if (fed.stats[static_cast<std::size_t>(quick)].stands_in) continue;
      const PaneStats& pane = fed.stats[static_cast<std::size_t>(quick)];
      EXPECT_EQ(byte_of(step.panes().outputs()[static_cast<std::size_t>(quick)]),
                static_cast<std::uint8_t>(pane.frame_number));
      EXPECT_EQ(pane.frame_number, at - pane.frames_behind);
    }
    if (fed.stats[0].stands_in) continue;
    EXPECT_EQ(byte_of(step.panes().outputs()[0]), static_cast<std::uint8_t>(fed.stats[0].frame_number));
    EXPECT_EQ(fed.stats[0].frames_behind, newest - fed.stats[0].frame_number);
    most_behind = std::max(most_behind, fed.stats[0].frames_behind);
    if (std::exchange(last, static_cast<int>(fed.stats[0].frame_number)) != last) ++slow;
  }
  EXPECT_GE(shown_before_the_slow_one, 3) << "a quick one does not wait for it";
  EXPECT_GE(most_behind, 3);
  step.panes().collect(fed.stats);
  EXPECT_GT(fed.stats[1].kernel.count(), 0);

  // Once no other comes, all show the newest.
  while (step.busy() || step.owes_picture()) {
    fed.filter();
    rest();
  }
  step.panes().tell_progress(fed.stats);
  for (const PaneStats& pane : fed.stats) {
    EXPECT_EQ(pane.frame_number, number);
    EXPECT_EQ(pane.frames_behind, 0);
  }
}

// Half a second is long, and nothing to what takes ten times as long.
TEST(FilterStep, ASlowPaneGoesOnWhileAMuchSlowerOneIsAtWork) {
  FedStep fed({"cpu-direct", "cpu-direct"}, "disk:radius=63");
  fed.panes[1].filter = parse_filter(slow_filter);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(90);
  int shown = 0;
  for (std::int64_t last = -1; shown < 3 && std::chrono::steady_clock::now() < end; rest()) {
    fed.give();
    fed.filter();
    fed.step->panes().tell_progress(fed.stats);
    if (fed.stats.size() < 2 || fed.stats[1].stands_in) continue;
    shown += std::exchange(last, fed.stats[1].frame_number) != last;
  }
  EXPECT_EQ(shown, 3);
  EXPECT_TRUE(fed.step->panes().runner(0).frame().number == 0 || fed.stats[0].frames_behind != 0);
}

TEST(FilterStep, WhatIsComparedIsNotOvertaken) {
  FedStep fed({"cpu-direct", "source"}, slow_filter);
  for (int finished = 0; finished < 2; rest()) {
    fed.give();
    fed.now += 0.001;
    fed.step->arrange(fed.panes, fed.stats, 60, fed.now);
    if (!fed.step->filter({.together = true, .now = fed.now})) continue;
    ++finished;
    EXPECT_TRUE(fed.step->panes().show_one_frame(0, 1));
  }
}

TEST(FilterStep, AChangeWhileItIsOvertakenLosesNoFrame) {
  FedStep fed({"cpu-direct", "source"}, slow_filter);
  for (; !fed.step->panes().overtakes(); rest()) {
    fed.give();
    fed.filter();
  }
  const int newest = fed.number;
  fed.panes[0].filter = parse_filter("box:radius=1");
  while (fed.step->busy() || fed.step->owes_picture()) {
    fed.filter();
    rest();
  }
  for (const Image& output : fed.step->panes().outputs()) EXPECT_EQ(byte_of(output), newest);
}

// The frame that overtook is at hand by then: the slow pane has still to make it, as it is now, or is not there any
// more.
TEST(FilterStep, AChangeOnceItIsOvertakenComesToAnEnd) {
  for (const bool closed : {false, true}) {
    FedStep fed({"cpu-direct", "source"}, "disk:radius=63");
    for (; !fed.step->panes().overtakes(); rest()) {
      fed.give();
      fed.filter();
    }
    for (; fed.step->panes().overtakes(); rest()) fed.filter();
    ASSERT_TRUE(fed.step->panes().at_work());
    if (closed)
      fed.panes.erase(fed.panes.begin());
    else
      fed.panes[0].filter = parse_filter("box:radius=1");
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while ((fed.step->busy() || fed.step->owes_picture()) && std::chrono::steady_clock::now() < end) {
      fed.filter();
      rest();
    }
    EXPECT_FALSE(fed.step->busy()) << (closed ? "closed" : "changed");
    for (const Image& output : fed.step->panes().outputs()) EXPECT_EQ(byte_of(output), fed.number);
  }
}

TEST(FilterStep, IsNowhereInASourceThatHasShownNothing) {
  FedStep fed({"cpu-parallel"}, "box:radius=1");
  for (fed.give(); !fed.filter();) rest();
  EXPECT_EQ(fed.step->position(), 1);
  fed.step->begin_source();
  EXPECT_EQ(fed.step->position(), 0);
}

// Of a rendering this would be a frame too many.
TEST(FilterStep, WhatWasUnderWayOrJustFinishedIsNoPictureOfTheNextSource) {
  FedStep fed({"cpu-parallel"}, "box:radius=1");
  fed.give();
  fed.filter();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));  // it is finished, and nobody has looked yet
  fed.step->begin_source();
  for (int i = 0; i < 50; ++i, rest()) EXPECT_FALSE(fed.filter());
  FedStep slow({"cpu-direct"}, "disk:radius=63");
  slow.give();
  slow.filter();
  slow.step->begin_source();
  slow.panes[0].filter = parse_filter("box:radius=1");
  for (int i = 0; i < 50; ++i, rest()) EXPECT_FALSE(slow.filter());
  for (slow.give(); !slow.filter();) rest();
}

TEST(FilterStep, ASlowFrameThatIsWaitedForIsGivenUpWhenTheProgramShallEnd) {
  FedStep fed({"cpu-direct"}, "disk:radius=63", [] { return true; });
  fed.give();
  EXPECT_FALSE(fed.filter());
  EXPECT_FALSE(fed.step->panes().at_work());
  EXPECT_FALSE(fed.step->shows_any());
}

TEST(FilterStep, AFrameThatIsWaitedForIsFinishedOtherwise) {
  FedStep fed({"cpu-direct"}, "box:radius=1", [] { return false; });
  fed.give();
  EXPECT_TRUE(fed.filter());
  EXPECT_FALSE(fed.step->panes().at_work());
}

TEST(FilterStep, FramesGoOnWhateverAPaneThatIsNotSeenTakes) {
  FedStep fed({"cpu-direct", "source"}, "disk:radius=63");  // seconds
  fed.seen = [](int pane) { return pane == 1; };
  for (int finished = 0; finished < 20; rest()) {
    fed.give();
    if (!fed.filter()) continue;
    ++finished;
    EXPECT_EQ(byte_of(fed.step->panes().outputs()[1]), fed.step->frame_number());
  }
  EXPECT_FALSE(fed.step->panes().runner(0).input()) << "it was not slow";
}

// How soon, and how seldom later, is RepeatPace's.
TEST(FilterStep, APictureThatStaysIsFilteredAgainForItsTimes) {
  constexpr double rarely = 1e6;  // seconds
  FedStep fed({"cpu-parallel"}, "box:radius=1");
  for (fed.give(); !fed.filter();) rest();
  EXPECT_EQ(fed.times_after(0.1), 0) << "the next frame may still come";
  EXPECT_EQ(fed.times_after(rarely, true), 0) << "it is held";
  for (int i = 0; i < 12; ++i) fed.times_after(rarely);
  const int known = fed.times_after(rarely);
  EXPECT_EQ(known, 1 + 12 + 1 - runs_uncounted_after_change);
  EXPECT_EQ(fed.times_after(4.9), known) << "it rests";
  EXPECT_EQ(fed.times_after(rarely), known + 1);

  fed.give();
  fed.times_after(0.001);
  EXPECT_EQ(fed.times_after(rarely), known + 3) << "another picture, and that again";
}

// A window at rest draws nothing for it: no picture comes of it, and nobody is told to wait for one.
TEST(FilterStep, WhatIsFilteredAgainNeedsNoFrameOfTheWindow) {
  FedStep fed({"cpu-parallel"}, "box:radius=1");
  fed.give();
  EXPECT_TRUE(fed.step->owes_picture());
  while (!fed.filter()) rest();
  EXPECT_FALSE(fed.step->owes_picture());
  const auto at_rest = [&](double seconds) {
    fed.now += seconds;
    do {
      fed.step->filter_again({.now = fed.now});
      EXPECT_FALSE(fed.step->owes_picture());
      fed.step->panes().tell_progress(fed.stats);
      EXPECT_EQ(fed.stats[0].filtering_seconds, 0);
      rest();
    } while (fed.step->panes().at_work());
    fed.step->panes().collect(fed.stats);
    return fed.stats[0].kernel.count();
  };
  EXPECT_EQ(at_rest(0.1), 0) << "the next frame may still come";
  for (int i = 0; i < runs_uncounted_after_change; ++i) at_rest(1e6);
  EXPECT_EQ(at_rest(1e6), 2);

  fed.give();
  fed.step->filter_again({.now = fed.now += 1e6});
  EXPECT_TRUE(fed.step->owes_picture()) << "the frame that is drawn takes it";
  EXPECT_FALSE(fed.step->panes().at_work());
  while (!fed.filter()) rest();

  fed.panes[0].filter = parse_filter("box:radius=2");
  fed.step->arrange(fed.panes, fed.stats, 60, fed.now);
  fed.step->filter({.now = fed.now});
  EXPECT_TRUE(fed.step->owes_picture()) << "another filter's is to be seen";
}

// Nobody would ever see it filtered otherwise: the next frame takes its place, or none comes.
TEST(FilterStep, AFrameThatIsWaitedForIsFilteredByTheNextStrategyWhereOneFails) {
  HeldCompute compute;
  const std::unique_ptr<FilterStep> step = make_filter_step(compute, true);
  std::vector<PaneSettings> panes(1);
  panes[0].strategy = "cpu-direct";
  panes[0].filter = parse_filter("box:radius=1");
  std::vector<PaneStats> stats;
  compute.clockwork.good_starts = 1;  // of the conversion
  compute.clockwork.failing_starts = 2;
  step->give(frame_of(9), PixelFormat::rgba8, false);
  step->arrange(panes, stats, 60, 0);
  EXPECT_TRUE(step->filter({.now = 0}));
  step->panes().collect(stats);
  EXPECT_EQ(step->frame_number(), 9);
  EXPECT_TRUE(step->panes().is_complete());
  EXPECT_NE(step->panes().outputs()[0].data, step->panes().input().image().data) << "the source";
  EXPECT_NE(stats[0].substitute, "");
  EXPECT_EQ(stats[0].problem, "");
}

TEST(FilterStep, WhatIsWatchedIsFilteredOnceMoreByTheNextStrategyWhereOneFails) {
  HeldCompute compute;
  const std::unique_ptr<FilterStep> step = make_filter_step(compute, false);
  std::vector<PaneSettings> panes(1);
  panes[0].strategy = "cpu-direct";
  panes[0].filter = parse_filter("box:radius=1");
  std::vector<PaneStats> stats;
  compute.clockwork.good_starts = 1;  // of the conversion
  compute.clockwork.failing_starts = 1;
  step->give(frame_of(9), PixelFormat::rgba8, false);
  for (bool finished = false; !finished; rest()) {  // one frame, and no other comes
    step->arrange(panes, stats, 60, 0);
    finished = step->filter({.now = 0});
  }
  step->panes().collect(stats);
  EXPECT_NE(stats[0].substitute, "");
  EXPECT_NE(step->panes().outputs()[0].data, step->panes().input().image().data) << "the source";
}

TEST(FilterStep, TimesComeFromASourceThatIsFasterThanTheFilter) {
  FedStep fed({"cpu-direct"}, "box:radius=3");
  int conversions = 0;
  for (int finished = 0; finished < 12; rest()) {
    // Two at a time: one is always to come when another is finished, so the cores are at work whenever anybody asks.
    for (int i = 0; i < 2; ++i) fed.give();
    finished += fed.filter();
    fed.step->panes().collect(fed.stats);
    while (fed.step->poll_convert_ms()) ++conversions;
  }
  EXPECT_GT(fed.stats[0].kernel.count(), 0);
  EXPECT_GT(conversions, 0);
}

}  // namespace
}  // namespace convoscope
