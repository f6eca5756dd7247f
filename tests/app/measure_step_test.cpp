// What is measured of a frame.
#include "app/steps/measure_step.h"

#include <gtest/gtest.h>

namespace convoscope {
namespace {

TEST(MeasureStep, AllTimesBeginAnewThoseOfLayersToo) {
  Stats stats;
  const MessagePoster poster{stats.messages};
  MeasureStep step{poster};
  step.watch(stats, false);
  PaneStats& pane = stats.panes.emplace_back();
  pane.layers.resize(2);
  pane.kernel.add(3);
  for (LayerStats& layer : pane.layers) layer.times.add(1);
  step.reset(stats);
  EXPECT_EQ(pane.kernel.count(), 0);
  for (const LayerStats& layer : pane.layers) EXPECT_EQ(layer.times.count(), 0);
}

}  // namespace
}  // namespace convoscope
