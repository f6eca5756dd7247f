// What is said while the whole source is rendered.
#include <gtest/gtest.h>

#include "app/ui/keys/keys.h"
#include "app/ui/ui_state.h"
#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

TEST(Rendering, SaysHowMuchTimeIsLeft) {
  Harness ui;
  ui.stats.render = {true, "/tmp/clip.mkv", 1, 900, ui.stats.now};
  ui.frame(2);
  EXPECT_FALSE(says(" left")) << "one frame says nothing";
  ui.stats.render.done = 100;
  ui.stats.now += 20;
  ui.frame(2);
  EXPECT_TRUE(says("About 3 minutes left"));
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

}  // namespace
}  // namespace convoscope::test
