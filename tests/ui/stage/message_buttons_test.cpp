// Messages that offer something: their buttons stay where they are, and what was said is found again.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "app/ui/keys/keys.h"
#include "app/ui/ui_state.h"
#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

Message saved(double seconds) {
  return {MessageLevel::information,
          "Saved a screenshot as /home/me/Pictures/shot.png.",
          seconds,
          "saved",
          {{Offer::open, "/home/me/Pictures/shot.png"}, {Offer::show_in_folder, "/home/me/Pictures/shot.png"}}};
}

TEST(MessageButtons, AClickThatMissesThemLeavesTheMessage) {
  Harness ui;
  ui.stats.messages = {saved(ui.stats.now)};
  ASSERT_TRUE(drawn(ui, "message/saved/Open"));
  const ui::ItemRectangle button = *ui::item_rectangle("message/saved/Open");
  ui.move(button.from.x - 6, button.centre().y);
  ui.frame(2);
  ui.press();
  ui.release();
  ui.frame(3);
  EXPECT_TRUE(drawn(ui, "message/saved"));
  ui.click("message/saved/close");
  EXPECT_FALSE(drawn(ui, "message/saved"));
}

TEST(MessageButtons, StayWhereTheyAreWhenAnotherMessageComesOrGoes) {
  Harness ui;
  ui.stats.messages = {saved(ui.stats.now)};
  ASSERT_TRUE(drawn(ui, "message/saved"));
  const auto top = [] { return ui::item_rectangle("message/saved/Open")->from.y; };
  const float before = top();
  ui.stats.messages.push_back({MessageLevel::information, "Copied the picture.", ui.stats.now, "copied"});
  ASSERT_TRUE(drawn(ui, "message/copied"));
  EXPECT_EQ(top(), before);
  ui.stats.source.error = "The file is empty.";
  ASSERT_TRUE(drawn(ui, "failure"));
  EXPECT_EQ(top(), before);
  ui.stats.source.error.clear();
  ui.stats.messages.pop_back();
  ui.frame(3);
  EXPECT_EQ(top(), before);
  // Nor do those of a message that comes behind another one, when that goes.
  ui.stats.messages.push_back(
      {MessageLevel::information, "Opened.", ui.stats.now, "session", {{Offer::go_back, "/s"}}});
  ASSERT_TRUE(drawn(ui, "message/session"));
  const float second = ui::item_rectangle("message/session/Go back")->from.y;
  ui.click("message/saved/close");
  ASSERT_FALSE(drawn(ui, "message/saved"));
  EXPECT_EQ(ui::item_rectangle("message/session/Go back")->from.y, second);
}

TEST(MessageButtons, DoWhatTheySay) {
  Harness ui;
  ui.stats.messages = {saved(ui.stats.now)};
  ui.click("message/saved/Show in folder");
  EXPECT_EQ(ui.requests.show_in_folder, "/home/me/Pictures/shot.png");
  ui.stats.messages = {{MessageLevel::information,
                        "shot.png was made by Convoscope.",
                        ui.stats.now + 1,
                        "session",
                        {{Offer::play_unfiltered, "/x"}, {Offer::go_back, "/state/session-before.json"}}}};
  ui.click("message/session/Play unfiltered");
  EXPECT_EQ(ui.settings.active().strategy, "source");
  ui.stats.messages[0].seconds += 1;
  ui.click("message/session/Go back");
  EXPECT_EQ(ui.requests.load_session, "/state/session-before.json");
}

TEST(PastMessages, HoldHowTheProgramHadToStart) {
  Harness ui;
  ui.stats.backend_notice = "There is no driver.";
  ui.frame(2);
  ui.stats.backend_notice.clear();  // another backend was chosen
  ui.frame(2);
  EXPECT_TRUE(ui.key('H', ui::key::control));
  ui.frame(2);
  ui.click("past/copy-all");
  EXPECT_NE(std::string(ImGui::GetClipboardText()).find("There is no driver."), std::string::npos);
}

TEST(PastMessages, AreListedNewestFirstAndCounted) {
  Harness ui;
  const double now = ui.stats.now;
  ui.stats.messages = {{MessageLevel::error, "The disk is full.", now, "recording"}};
  ui.frame(2);
  ui.stats.messages = {{MessageLevel::error, "The disk is full.", now + 1, "recording"}, saved(now + 2)};
  ui.frame(2);
  ui.stats.messages.clear();
  ui.stats.now += 1000;
  ui.frame(2);
  EXPECT_TRUE(ui.key('H', ui::key::control));
  EXPECT_TRUE(ui.settings.show_messages);
  EXPECT_TRUE(is_said("2 times"));
  ASSERT_TRUE(drawn(ui, "past/1/Open")) << "the newest is the first, and can still be answered";
  EXPECT_LT(ui::item_rectangle("past/1/copy")->from.y, ui::item_rectangle("past/2/copy")->from.y);
  ui.click("past/2/copy");
  EXPECT_NE(std::string(ImGui::GetClipboardText()).find("The disk is full."), std::string::npos);
  ui.click("past/copy-all");
  const std::string all = ImGui::GetClipboardText();
  EXPECT_LT(all.find("Saved a screenshot"), all.find("The disk is full."));
  ui.click("past/1/Open");
  EXPECT_EQ(ui.requests.open, "/home/me/Pictures/shot.png");
  EXPECT_FALSE(ui.settings.show_messages);
  ui.key('H', ui::key::control);
  ui.key(ui::key::escape);
  EXPECT_FALSE(ui.settings.show_messages);
}

}  // namespace
}  // namespace convoscope::test
