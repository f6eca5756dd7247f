// What is said while the whole source is rendered.
#include <gtest/gtest.h>

#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/key_codes.h"
#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

TEST(Rendering, SaysHowMuchTimeIsLeft) {
  Harness ui;
  ui.stats.render = {true, "/tmp/clip.mkv", 1, 900, ui.stats.now};
  ui.frame(2);
  EXPECT_FALSE(says(" left")) << "one frame says nothing";
  EXPECT_FALSE(says(" a second")) << "nor is the pace of what was shown before its own";
  ui.stats.render.done = 100;
  ui.stats.now += 20;
  ui.frame(2);
  EXPECT_TRUE(says("About 3 minutes left"));
  EXPECT_TRUE(says("100 of 900 frames, 5 a second"));
  ui.stats.render.done = 899;
  ui.frame(2);
  EXPECT_TRUE(says("About 1 second left"));
}

TEST(Rendering, AKeyThatCannotBeObeyedMeanwhileIsAnswered) {
  Harness ui;
  ui.stats.render = {true, "/tmp/clip.mkv", 10, 900, ui.stats.now};
  EXPECT_TRUE(ui.key('E', ui::key::control));
  EXPECT_FALSE(ui::ui_state().save.open);
  EXPECT_TRUE(says("The source is being rendered"));
  ui.stats.render.running = false;
  ui.frame();
  EXPECT_FALSE(says("The source is being rendered")) << "it has ended";
}

TEST(Rendering, OnlyASecondPressOfEscapeCancelsIt) {
  Harness ui;
  ui.stats.render = {true, "/tmp/clip.mkv", 10, 900, ui.stats.now};
  ui.frame(2);
  EXPECT_TRUE(ui.key(ui::key::escape));
  ui.frame();
  EXPECT_FALSE(ui.requests.cancel_render);
  EXPECT_TRUE(says("Press Esc again to cancel"));
  EXPECT_TRUE(handle_key({.key = ui::key::escape, .repeated = true}, ui.stats, ui.settings, ui.requests));
  EXPECT_FALSE(ui.requests.cancel_render) << "the key is held";
  ui.stats.now += 10;
  ui.frame();
  EXPECT_FALSE(says("Press Esc again to cancel"));
  ui.key(ui::key::escape);
  EXPECT_FALSE(ui.requests.cancel_render) << "too late for the first press";
  ui.stats.now += 1;
  ui.frame();
  ui.key(ui::key::escape);
  EXPECT_TRUE(ui.requests.cancel_render);
}

TEST(Rendering, OnlyASecondPressOfQuitEndsIt) {
  Harness ui;
  ui.stats.render = {true, "/tmp/clip.mkv", 10, 900, ui.stats.now};
  ui.frame(2);
  EXPECT_TRUE(ui.key('Q', ui::key::control));
  ui.frame();
  EXPECT_FALSE(ui.requests.quit);
  EXPECT_TRUE(says("Press Ctrl+Q again to quit"));
  handle_key({.key = 'Q', .modifiers = ui::key::control, .repeated = true}, ui.stats, ui.settings, ui.requests);
  EXPECT_FALSE(ui.requests.quit) << "the key is held";
  ui.key(ui::key::escape);
  EXPECT_FALSE(ui.requests.cancel_render) << "another key was pressed before";
  ui.stats.now += 1;
  ui.frame();
  ui.key('Q', ui::key::control);
  EXPECT_TRUE(ui.requests.quit);
}

TEST(Rendering, ItsButtonEndsWhereItsBarDoes) {
  Harness ui;
  ui.stats.render = {true, "/tmp/clip.mkv", 10, 900, ui.stats.now};
  ui.frame(2);
  EXPECT_NEAR(ui::item_rectangle("cancel-render")->to.x, ui::item_rectangle("render-progress")->to.x, 0.5);
}

TEST(Rendering, APressOfEscapeIsForgottenWithItsRendering) {
  Harness ui;
  ui.stats.render = {true, "/tmp/clip.mkv", 10, 900, ui.stats.now};
  ui.frame(2);
  ui.key(ui::key::escape);
  ui.stats.render.running = false;
  ui.frame(2);
  ui.stats.render.running = true;
  ui.frame();
  ui.key(ui::key::escape);
  EXPECT_FALSE(ui.requests.cancel_render);
}

}  // namespace
}  // namespace convoscope::test
