#include <gtest/gtest.h>

#include "app/ui/parts/key_codes.h"
#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

// What takes a second a frame would otherwise go on for as long again after the key was let go.
TEST(Keys, AHeldStepWaitsForItsFrame) {
  Harness ui;
  const auto steps_after = [&](int repeats) {
    for (int i = 0; i < repeats; ++i) handle_key({ui::key::right, 0, true}, ui.stats, ui.settings, ui.requests);
    return ui.requests.step;
  };
  handle_key({ui::key::right, 0, false}, ui.stats, ui.settings, ui.requests);
  EXPECT_EQ(steps_after(4), 1) << "all within one frame of the window";
  ui.take_requests();
  ui.stats.frame_awaited = true;
  EXPECT_EQ(steps_after(4), 0);
  handle_key({ui::key::right, 0, false}, ui.stats, ui.settings, ui.requests);
  EXPECT_EQ(ui.requests.step, 1) << "a press is a frame";
  ui.take_requests();
  ui.stats.frame_awaited = false;
  EXPECT_EQ(steps_after(1), 1);
}

// Slow panes may take long to show it.
TEST(Transport, AMarkIsWhereTheUserHasGone) {
  Harness ui;
  ui.settings.playback.loop_a = 30;
  ui.stats.source.position = 12;
  ui.stats.source.position_to_come = 40;
  ui.key(']');
  EXPECT_EQ(ui.settings.playback.loop_a, 30);
  EXPECT_EQ(ui.settings.playback.loop_b, 40);
  ui.requests.seek_seconds = 35;  // within the same frame of the window
  ui.key('[');
  EXPECT_EQ(ui.settings.playback.loop_a, 35);
  ui.take_requests();
  ui.stats.source.position_to_come.reset();
  ui.key('[');
  EXPECT_EQ(ui.settings.playback.loop_a, 12);
}

TEST(Transport, JumpsInQuickSuccessionAddUp) {
  Harness ui;
  ui.stats.source.position = 12;
  ui.key(ui::key::right, ui::key::control);
  ui.key(ui::key::right, ui::key::control);
  EXPECT_EQ(ui.requests.seek_seconds, 32) << "both before a picture";
  ui.take_requests();
  ui.stats.source.position_to_come = 32;
  ui.key(ui::key::left, ui::key::control);
  EXPECT_EQ(ui.requests.seek_seconds, 22) << "32 is on its way";
}

}  // namespace
}  // namespace convoscope::test
