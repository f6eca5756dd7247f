// The stage between decoder and screen, on the cores of this machine.
#include "app/panes/filter_stage.h"

#include <gtest/gtest.h>

#include <functional>
#include <initializer_list>
#include <memory>
#include <thread>
#include <vector>

#include "kernels/filter/filter_catalogue.h"

namespace convoscope {
namespace {

constexpr int width = 320, height = 240;

// Every byte is the frame's number.
VideoFrame frame_of(int number) {
  const auto pixels =
      std::make_shared<std::vector<std::uint8_t>>(width * height * 4, static_cast<std::uint8_t>(number));
  VideoFrame frame;
  frame.format.width = width;
  frame.format.height = height;
  frame.planes[0] = pixels->data();
  frame.pitch[0] = width * 4;
  frame.owner = pixels;
  frame.number = number;
  frame.seconds = number;
  return frame;
}

int byte_of(const Image& image) {
  return static_cast<const std::uint8_t*>(image.data)[image.pitch * (height / 2) + width * 2];
}

// Panes behind a source that is faster than the filter: a frame is to come whenever another one is finished.
struct FedStage {
  // `stop`: where nobody watches, so that filter() waits.
  FedStage(std::initializer_list<const char*> strategies, const char* filter, const std::function<bool()>& stop = {})
      : stage(*compute, stop != nullptr, {}, stop) {
    for (const char* const strategy : strategies) {
      PaneSettings& pane = panes.emplace_back();
      pane.strategy = strategy;
      pane.filter = parse_filter(filter);
    }
  }

  void give() { stage.give(frame_of(number = (number + 1) % 250), PixelFormat::rgba8, false); }
  bool filter() {
    now += 0.001;
    stage.arrange(panes, stats, 60, now);
    return stage.filter({.now = now});
  }

  std::unique_ptr<Compute> compute = make_compute(Backend::cpu);
  FilterStage stage;
  std::vector<PaneSettings> panes;
  std::vector<PaneStats> stats;
  int number = 0;
  double now = 0;
};

TEST(FilterStage, ShowsThePictureThatItSaysItShows) {
  FedStage fed({"source", "cpu-direct"}, "box:radius=3");
  const FilterStage& stage = fed.stage;
  for (int finished = 0; finished < 20; std::this_thread::yield()) {
    fed.give();
    if (!fed.filter()) continue;
    ++finished;
    EXPECT_EQ(stage.position(), static_cast<double>(stage.frame_number()));
    for (const Image& output : stage.panes().outputs()) EXPECT_EQ(byte_of(output), stage.frame_number());
  }
}

// While `auto` tries other strategies the picture is there already, and so is what is said of it.
TEST(FilterStage, SaysWhichPictureItShowsWhileOtherStrategiesAreTried) {
  FedStage fed({"auto"}, "disk:radius=5");
  const FilterStage& stage = fed.stage;
  for (int finished = 0; finished < 20; std::this_thread::yield()) {
    fed.give();
    finished += fed.filter();
    const Image& shown = stage.panes().outputs().empty() ? Image() : stage.panes().outputs()[0];
    if (stage.has_finished_any() && shown.data && stage.panes().show_one_frame(0, 0)) {
      ASSERT_EQ(byte_of(shown), stage.frame_number());
    }
  }
}

TEST(FilterStage, IsNowhereInASourceThatHasShownNothing) {
  FedStage fed({"cpu-parallel"}, "box:radius=1");
  for (fed.give(); !fed.filter();) std::this_thread::yield();
  EXPECT_EQ(fed.stage.position(), 1);
  fed.stage.begin_source();
  EXPECT_EQ(fed.stage.position(), 0);
}

TEST(FilterStage, ASlowFrameThatIsWaitedForIsGivenUpWhenTheProgramShallEnd) {
  FedStage fed({"cpu-direct"}, "disk:radius=63", [] { return true; });
  fed.give();
  EXPECT_FALSE(fed.filter());
  EXPECT_FALSE(fed.stage.panes().at_work());
  EXPECT_FALSE(fed.stage.has_finished_any());
}

TEST(FilterStage, AFrameThatIsWaitedForIsFinishedOtherwise) {
  FedStage fed({"cpu-direct"}, "box:radius=1", [] { return false; });
  fed.give();
  EXPECT_TRUE(fed.filter());
  EXPECT_FALSE(fed.stage.panes().at_work());
}

TEST(FilterStage, TimesComeFromASourceThatIsFasterThanTheFilter) {
  FedStage fed({"cpu-direct"}, "box:radius=3");
  int conversions = 0;
  for (int finished = 0; finished < 12; std::this_thread::yield()) {
    // Two at a time: one is always to come when another is finished, so the cores are at work whenever anybody asks.
    for (int i = 0; i < 2; ++i) fed.give();
    finished += fed.filter();
    fed.stage.panes().collect(fed.stats);
    while (fed.stage.poll_convert_ms()) ++conversions;
  }
  EXPECT_GT(fed.stats[0].kernel.count(), 0);
  EXPECT_GT(conversions, 0);
}

}  // namespace
}  // namespace convoscope
