// What is measured of a frame.
#include "app/stages/measure_stage.h"

#include <gtest/gtest.h>

namespace convoscope {
namespace {

TEST(MeasureStage, AllTimesBeginAnewThoseOfLayersToo) {
  Stats stats;
  const Teller teller{stats.messages};
  MeasureStage stage{teller};
  stage.watch(stats, false);
  PaneStats& pane = stats.panes.emplace_back();
  pane.layers.resize(2);
  pane.kernel.add(3);
  for (LayerStats& layer : pane.layers) layer.times.add(1);
  stage.reset(stats);
  EXPECT_EQ(pane.kernel.count(), 0);
  for (const LayerStats& layer : pane.layers) EXPECT_EQ(layer.times.count(), 0);
}

}  // namespace
}  // namespace convoscope
