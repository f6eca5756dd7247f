// The stage between decoder and screen, on the cores of this machine.
#include "app/panes/filter_stage.h"

#include <gtest/gtest.h>

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

// A source that is faster than the filter always has a frame to come when another one is finished.
TEST(FilterStage, ShowsThePictureThatItSaysItShows) {
  const std::unique_ptr<Compute> compute = make_compute(Backend::cpu);
  std::vector<PaneSettings> panes(2);
  panes[0].strategy = "source";
  panes[1].strategy = "cpu-direct";
  for (PaneSettings& pane : panes) pane.filter = parse_filter("box:radius=3");
  std::vector<PaneStats> stats;
  FilterStage stage(*compute, false);
  int finished = 0, number = 0;
  for (double now = 0; finished < 20; now += 0.001) {
    stage.give(frame_of(number = (number + 1) % 250), PixelFormat::rgba8, false);
    stage.arrange(panes, stats, 60, now);
    if (stage.filter({.now = now})) {
      ++finished;
      EXPECT_EQ(stage.position(), static_cast<double>(stage.frame_number()));
      for (const Image& output : stage.panes().outputs()) EXPECT_EQ(byte_of(output), stage.frame_number());
    }
    std::this_thread::yield();
  }
}

// While `auto` tries other strategies the picture is there already, and so is what is said of it.
TEST(FilterStage, SaysWhichPictureItShowsWhileOtherStrategiesAreTried) {
  const std::unique_ptr<Compute> compute = make_compute(Backend::cpu);
  std::vector<PaneSettings> panes(1);
  panes[0].strategy = "auto";
  panes[0].filter = parse_filter("disk:radius=5");
  std::vector<PaneStats> stats;
  FilterStage stage(*compute, false);
  int finished = 0, number = 0;
  for (double now = 0; finished < 20; now += 0.001) {
    stage.give(frame_of(number = (number + 1) % 250), PixelFormat::rgba8, false);
    stage.arrange(panes, stats, 60, now);
    finished += stage.filter({.now = now});
    const Image& shown = stage.panes().outputs().empty() ? Image() : stage.panes().outputs()[0];
    if (stage.has_finished_any() && shown.data && stage.panes().show_one_frame(0, 0)) {
      ASSERT_EQ(byte_of(shown), stage.frame_number());
    }
    std::this_thread::yield();
  }
}

TEST(FilterStage, TimesComeFromASourceThatIsFasterThanTheFilter) {
  const std::unique_ptr<Compute> compute = make_compute(Backend::cpu);
  std::vector<PaneSettings> panes(1);
  panes[0].strategy = "cpu-direct";
  panes[0].filter = parse_filter("box:radius=3");
  std::vector<PaneStats> stats;
  FilterStage stage(*compute, false);
  int finished = 0, number = 0, conversions = 0;
  const auto frame = [&](double now) {
    stage.arrange(panes, stats, 60, now);
    finished += stage.filter({.now = now});
    stage.panes().collect(stats);
    while (stage.poll_convert_ms()) ++conversions;
  };
  for (double now = 0; finished < 12; now += 0.001) {
    // Two at a time: one is always to come when another is finished, so the cores are at work whenever anybody asks.
    for (int i = 0; i < 2; ++i) stage.give(frame_of(number = (number + 1) % 250), PixelFormat::rgba8, false);
    frame(now);
    std::this_thread::yield();
  }
  EXPECT_GT(stats[0].kernel.count(), 0);
  EXPECT_GT(conversions, 0);
}

}  // namespace
}  // namespace convoscope
