// What becomes of learning when something changes under way.
#include <gtest/gtest.h>

#include "app/ui/keys/learn_actions.h"
#include "app/ui/panels/loss_plot.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/ui_state.h"
#include "app/ui/windows/save_dialog.h"
#include "tests/ui/learn_panel.h"

namespace convoscope::test {
namespace {

TEST_F(LearnPanel, StopsWhenTheLayerDoesNotFitAnyMore) {
  set_up();
  learn().running = true;
  ui.click("learn-layers/3");
  EXPECT_FALSE(learn().running);
  EXPECT_TRUE(ui::ui_state().learning_stopped) << "it is said";
  ui.click("learn-set-up");
  EXPECT_FALSE(learn().running) << "nobody pressed Learn";
  ui.frame(2);
  EXPECT_FALSE(ui::ui_state().learning_stopped);
}

TEST_F(LearnPanel, ACheckUnderWayIsNotAskedForAgain) {
  set_up();
  learnt().checking = true;
  ui.click("learn-check");
  EXPECT_FALSE(ui.requests.check_gradients);
  EXPECT_EQ(ui::check_text(learnt()), "Checking the gradients …");
  EXPECT_EQ(ui::check_text({.check_dropped_by = "the filter"}),
            "The check of the gradients was dropped, since the filter changed meanwhile.");
}

TEST_F(LearnPanel, SaysWhyTheCountIsANewOne) {
  set_up();
  EXPECT_EQ(ui::count_text({}, layer()), "");
  layer().weights.name = "learnt";
  EXPECT_NE(ui::count_text({}, layer()).find("earlier session"), std::string::npos);
  EXPECT_EQ(ui::count_text({.reset = true}, layer()), "");
  EXPECT_NE(ui::count_text({.anew = "the task"}, layer()).find("since the task changed"), std::string::npos);
  ui::open_save_dialog(ui::Saved::bank, ui.stats, ui.settings);
  EXPECT_STREQ(ui::ui_state().save.name.data(), "learnt.json");
}

}  // namespace
}  // namespace convoscope::test
