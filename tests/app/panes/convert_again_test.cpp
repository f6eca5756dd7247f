// A picture that stays is shown in another format: of the step, on the cores of this machine.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "app/panes/filter_step.h"
#include "kernels/filter/filter_catalogue.h"

namespace convoscope {
namespace {

class ConvertAgain : public ::testing::Test {
 protected:
  ConvertAgain() {
    for (const char* const strategy : {"cpu-direct", "source"}) {
      panes.emplace_back().strategy = strategy;
      panes.back().filter = parse_filter("box:radius=1");
    }
  }
  // All of one colour.
  void give(int number, std::uint8_t red) {
    const auto pixels = std::make_shared<std::vector<std::uint8_t>>(320 * 240 * 4, std::uint8_t{0});
    for (std::size_t i = 0; i < pixels->size(); i += 4) (*pixels)[i] = red;
    VideoFrame frame;
    frame.format.width = 320;
    frame.format.height = 240;
    frame.planes[0] = pixels->data();
    frame.pitch[0] = 320 * 4;
    frame.owner = pixels;
    frame.number = number;
    step.give(frame, format, false);
  }
  bool filter() {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    step.convert_to(format);
    step.arrange(panes, stats, 60, 0);
    return step.filter({.now = 0});
  }
  void filter_all() {
    do filter();
    while (step.busy());
  }
  // In the middle of each pane.
  void expect_shown(int number, std::uint8_t red) {
    ASSERT_EQ(step.shape().format, format);
    for (const Image& shown : step.panes().outputs()) {
      ASSERT_EQ(shown.format, format);
      const auto* const pixel = static_cast<const std::uint8_t*>(shown.data) + shown.pitch * 120 + 4 * 160;
      if (format == PixelFormat::rgba8)
        EXPECT_EQ(*pixel, red);
      else
        EXPECT_NEAR(*reinterpret_cast<const float*>(pixel), 0.2126 * red / 255, 0.1 * red / 255);
    }
    EXPECT_EQ(step.frame_number(), number);
    step.panes().tell_progress(stats);
    for (const PaneStats& pane : stats) EXPECT_FALSE(pane.stands_in);
  }

  std::unique_ptr<Compute> compute = make_compute(Backend::cpu);
  const std::unique_ptr<FilterStep> made = make_filter_step(*compute, false);
  FilterStep& step = *made;
  PixelFormat format = PixelFormat::rgba8;
  std::vector<PaneSettings> panes;
  std::vector<PaneStats> stats;
};

TEST_F(ConvertAgain, APictureThatStaysAndNoOtherComes) {
  give(7, 200);
  filter_all();
  expect_shown(7, 200);
  for (const PixelFormat other : {PixelFormat::gray32f, PixelFormat::rgba8}) {
    format = other;
    filter_all();
    expect_shown(7, 200);
  }
}

TEST_F(ConvertAgain, WhileItIsFiltered) {
  panes[0].filter = parse_filter("disk:radius=63");
  give(7, 200);
  while (!step.panes().at_work()) filter();
  panes[0].filter = parse_filter("box:radius=1");
  format = PixelFormat::gray32f;
  filter_all();
  expect_shown(7, 200);
}

TEST_F(ConvertAgain, TheNewestWhereSomePanesHaveGoneOnToIt) {
  panes[0].filter = parse_filter("disk:radius=63");
  int number = 0;
  while (!step.panes().overtakes()) {
    give(++number, 100);
    filter();
  }
  give(++number, 200);
  panes[0].filter = parse_filter("box:radius=1");
  format = PixelFormat::gray32f;
  filter_all();
  expect_shown(number, 200);
}

TEST_F(ConvertAgain, NothingOfASourceThatIsGone) {
  give(7, 200);
  filter_all();
  step.begin_source();
  format = PixelFormat::gray32f;
  filter();
  EXPECT_FALSE(step.busy());
  give(1, 100);
  filter_all();
  expect_shown(1, 100);
}

}  // namespace
}  // namespace convoscope
