// What becomes of learning when something changes under way.
#include <gtest/gtest.h>
#include <imgui.h>

#include <vector>

#include "app/state/network_settings.h"
#include "app/ui/actions/learn_actions.h"
#include "app/ui/files/save_dialog.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/key_codes.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/results/loss_plot.h"
#include "tests/ui/panels/learn_panel.h"

namespace convoscope::test {
namespace {

// The last steps come when it has paused already.
TEST_F(LearnPanel, WhatWasLearntIsOneStepBackAlsoWhereSomeIsStillUnderWay) {
  set_up();
  const std::size_t before = ui::ui_state().layer_history.undo_count();
  ui::momentary().learning = true;
  ui.frame(1);
  layer().weights.weights[0] = 1;
  learnt().under_way = true;
  ui.frame(1);
  ui::momentary().learning = false;
  ui.frame(2);
  EXPECT_EQ(ui::ui_state().layer_history.undo_count(), before);
  layer().weights.weights[0] = 2;
  learnt().under_way = false;
  ui.frame(2);
  EXPECT_EQ(ui::ui_state().layer_history.undo_count(), before + 1);
}

TEST_F(LearnPanel, StopsWhenTheLayerDoesNotFitAnyMore) {
  set_up();
  ui::momentary().learning = true;
  ui.click("learn-layers/3");
  EXPECT_FALSE(ui::momentary().learning);
  EXPECT_TRUE(ui::ui_state().learning_stopped) << "it is said";
  ui.click("learn-set-up");
  EXPECT_FALSE(ui::momentary().learning) << "nobody pressed Learn";
  ui.frame(2);
  EXPECT_FALSE(ui::ui_state().learning_stopped);
}

TEST_F(LearnPanel, StaysWhereItWasWhenTheLayerAboveItGetsShorter) {
  ui.resize(1280, 720);
  ui.settings.open_panels = {"layer"};
  ui.frame(3);
  ui.key(ui::key::f(3), ui::key::shift);
  ui.frame(6);
  ASSERT_TRUE(is_shown("learn-set-up"));
  ui.move_to("learn-set-up");
  ui.frame(2);
  const float before = ui::item_rectangle("section/Learn")->from.y;
  ui.click("learn-set-up");
  ASSERT_EQ(layer().weights.maps, 3);
  ui.frame(4);
  EXPECT_NEAR(ui::item_rectangle("section/Learn")->from.y, before, 1);
}

TEST_F(LearnPanel, NoButtonMovesWhenTheLayerIsSetUpAndLearns) {
  ASSERT_FALSE(why().empty());
  const auto tops = [&] {
    ui.frame(3);
    std::vector<float> all;
    for (const char* const button : {"learn-set-up", "learn-run", "learn-reset", "learn-check"})
      all.push_back(ui::item_rectangle(button)->from.y);
    return all;
  };
  const std::vector<float> before = tops();
  set_up();
  EXPECT_EQ(tops(), before);
  ui.click("learn-run");
  EXPECT_TRUE(ui::momentary().learning);
  EXPECT_EQ(tops(), before);
}

TEST_F(LearnPanel, ThatItStoppedIsNotSaidOnceItFitsAgain) {
  set_up();
  ui.settings.open_panels = {};
  ui::momentary().learning = true;
  layer().weights.relu = true;
  ui.frame(2);
  EXPECT_TRUE(ui::ui_state().learning_stopped);
  layer().weights.relu = false;
  ui.frame(2);
  EXPECT_FALSE(ui::ui_state().learning_stopped) << "with the panel closed, too";
}

TEST_F(LearnPanel, ANetworkOfTheCatalogueIsSaidNotToBeItsOwn) {
  load_layer_network("denoise", layer());
  EXPECT_EQ(why(),
            "This network was not set up by Learn. Its first layer has 60 maps. To learn alone, it needs three: one "
            "each for red, green and blue.");
  learn().layers = 2;
  EXPECT_TRUE(why().starts_with("This network was not set up by Learn. Its first layer has 60 maps, but")) << why();
  learn().layers = 1;
  layer().network.clear();  // it has been edited
  EXPECT_TRUE(why().starts_with("The layer has 60 maps. To learn, it needs three")) << why();
}

TEST_F(LearnPanel, ACheckUnderWayIsNotAskedForAgain) {
  set_up();
  learnt().checking = true;
  ui.click("learn-check");
  EXPECT_FALSE(ui.requests.check_gradients);
  EXPECT_EQ(ui::check_text(learnt()), "Checking the gradients …");
  EXPECT_EQ(ui::check_text({.check_dropped_by = "the filter"}),
            "The gradient check was stopped, because the filter changed meanwhile.");
}

TEST_F(LearnPanel, AMethodThatWasJustChosenIsSaidWithinThePlot) {
  learnt() = learning_sample().stats.learn;
  const std::size_t last = learnt().loss.size();
  learnt().marks = {0, last / 2, last / 2 + 1, last};
  ui.frame(3);
  const ui::ItemRectangle plot = *ui::item_rectangle("loss");
  int said = 0;
  float free_from = plot.from.x;
  for (const ui::DrawnText& drawn : ui::drawn_texts()) {
    if (drawn.text != "method") continue;
    ++said;
    EXPECT_GE(drawn.at.from.x, free_from);
    free_from = drawn.at.to.x;
  }
  EXPECT_EQ(said, 3) << "two of them have no room beside each other";
  EXPECT_LE(free_from, plot.to.x);
}

TEST_F(LearnPanel, SaysWhyTheCountIsANewOne) {
  set_up();
  EXPECT_EQ(ui::count_text({}, layer()), "");
  layer().weights.name = "learnt";
  EXPECT_NE(ui::count_text({}, layer()).find("earlier session"), std::string::npos);
  EXPECT_EQ(ui::count_text({.reset = true}, layer()), "");
  EXPECT_NE(ui::count_text({.anew = "the task"}, layer()).find("because the task changed"), std::string::npos);
  ui::open_save_dialog(ui::Saved::bank, ui.stats, ui.settings);
  EXPECT_STREQ(ui::ui_state().save.name.data(), "learnt.json");
}

TEST_F(LearnPanel, TheFirstPaneThatIsFilteredIsLearntFromAtFirst) {
  PaneGroup& pictures = ui.settings.groups["image"];
  pictures.panes.resize(2);
  pictures.panes[0].strategy = "source";
  pictures.panes[1].filter = parse_filter("gaussian:radius=3");
  ui.click("learn-task/A pane");
  EXPECT_EQ(learn().pane, 1);
  ui.click("learn-pane");
  ui.click("learn-pane/1");
  EXPECT_EQ(learn().pane, 0) << "the source, where it is chosen";
}

TEST_F(LearnPanel, SaysAtWhichStepTheGradientsWereRight) {
  const LearnStats::GradientCheck check{.error = 1e-5, .tolerance = 1e-3, .weights = 27, .step = 300};
  EXPECT_EQ(ui::gradient_text(check, 300), ui::gradient_text(check));
  EXPECT_TRUE(ui::gradient_text(check, 400).ends_with(" That was after 300 steps."));
}

TEST_F(LearnPanel, ACheckOfNoWeightsIsNotCalledRight) {
  const LearnStats::GradientCheck check{.weights = 0, .why_none = "the picture is black where it was looked at"};
  EXPECT_FALSE(ui::is_right(check));
  EXPECT_EQ(ui::gradient_text(check), "No weight could be checked: the picture is black where it was looked at.");
}

TEST_F(LearnPanel, SaysThatNothingCanBeLearntFromMapsThatAreZero) {
  EXPECT_EQ(ui::cut_off_text({.cut_off = {.layer = 1, .left = 0, .steps = 10}}), "") << "it may be the picture";
  learnt() = {.steps = 300, .loss = {0.5f}};
  ui.frame(3);
  const int before = ImGui::GetDrawData()->TotalVtxCount;
  learnt().cut_off = {.layer = 2, .left = 0, .steps = 100};
  EXPECT_EQ(ui::cut_off_text(learnt()),
            "All maps of layer 2 are 0 everywhere, since ReLU cuts off what they have, so nothing can be learnt from "
            "here on. Reset the weights, and learn at a lower rate.");
  ui.frame(3);
  EXPECT_GT(ImGui::GetDrawData()->TotalVtxCount, before);
  learnt().cut_off.left = 1e-4;
  EXPECT_NE(ui::cut_off_text(learnt()).find("0 nearly everywhere"), std::string::npos);
}

TEST_F(LearnPanel, ShowsNoLossOfSomethingElse) {
  learnt() = learning_sample().stats.learn;
  ui.frame(3);
  EXPECT_TRUE(is_said("12,345 steps"));
  EXPECT_FALSE(is_said("No steps yet."));
  learnt().other_goal = true;
  ui.frame(3);
  EXPECT_FALSE(is_said("12,345 steps") || is_said("12,345"));
  EXPECT_TRUE(is_said("No steps yet."));
  EXPECT_EQ(ui::learning_text(learnt()), "") << "closed, too";
  EXPECT_NE(ui::count_text(learnt(), layer()).find("for something else"), std::string::npos);
}

TEST_F(LearnPanel, TheAxisOfTheLossHasNumbersOfOneKind) {
  learnt() = learning_sample().stats.learn;
  learnt().loss = {0.05f, 0.004f, 0.00002f};
  ui.frame(3);
  for (const char* const power : {"10⁻²", "10⁻³", "10⁻⁴", "10⁻⁵"}) EXPECT_TRUE(is_said(power)) << power;
  EXPECT_FALSE(is_said("0.001"));
  learnt().loss = {0.5f, 0.004f};
  ui.frame(3);
  EXPECT_TRUE(is_said("0.001"));
}

TEST_F(LearnPanel, UndoAndRedoSayWhatTheyDidWhileItLearns) {
  set_up();
  ui::momentary().learning = true;
  ui.frame(2);
  const auto said = [&](int key) {
    ui::ui_state().feedback = {};
    ui.key(key, ui::key::control);
    return ui::ui_state().feedback.text;
  };
  layer().weights.weights[0] += 1;  // learnt
  EXPECT_TRUE(said('Z').starts_with("Undone. The layer goes on learning"));
  layer().weights.weights[0] += 2;
  EXPECT_TRUE(said('Y').starts_with("There is nothing to redo: what was undone is forgotten"));
  EXPECT_TRUE(said('Z').starts_with("Undone."));
  EXPECT_TRUE(said('Y').starts_with("Redone. The layer goes on learning"));
  EXPECT_TRUE(ui::momentary().learning);
  said('Z');
  EXPECT_TRUE(said('Z').starts_with("The layer stopped learning.")) << "the layer of before it was set up cannot learn";
}

}  // namespace
}  // namespace convoscope::test
