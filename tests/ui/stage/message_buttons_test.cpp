// Messages that offer something: their buttons stay where they are, and what was said is found again.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/key_codes.h"
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

std::vector<Message> questions(double now) {
  const std::string path = "/home/me/Pictures/a picture with a long name.png";
  std::vector<Message> all;
  for (const char* const subject : {"first", "second", "third", "fourth"})
    all.push_back(
        {MessageLevel::information,
         std::string("The ") + subject + " of the files that were made here was not filtered by this session.",
         now,
         subject,
         {{Offer::open_session, path}, {Offer::play_unfiltered, path}, {Offer::go_back, path}}});
  return all;
}

TEST(MessageButtons, TakeHalfOfASmallStageAndTheRestIsCounted) {
  Harness ui(panes_sample(3), 640, 480);
  ui.settings.show_hint = false;
  ui.stats.messages = questions(ui.stats.now);
  ui.stats.source.error = "The file is empty.";
  ui.frame(6);
  const ui::Area stage = ui::picture_area(ui.layout);
  float height = 0;
  int shown = 0;
  for (const ui::Mark& mark : ui::marks())
    if (mark.on_stage && (mark.id.starts_with("message/") || mark.id == "failure")) {
      height += mark.at.to.y - mark.at.from.y;
      ++shown;
    }
  EXPECT_GE(shown, 1);
  EXPECT_LE(height, stage.height / 2);
  EXPECT_TRUE(ui::drawn_labels().contains(std::to_string(5 - shown) + " more: Ctrl+H"));
  EXPECT_TRUE(ui::layout_faults().empty()) << ui::layout_faults().front();
  ui.click("messages-more");
  EXPECT_TRUE(ui::momentary().show_messages);
  EXPECT_TRUE(drawn(ui, "past/4/Go back"));
}

TEST(MessageButtons, StayWhereTheyAreInEveryViewAndPanel) {
  Harness ui(panes_sample(3), 640, 480);
  ui.settings.show_hint = false;
  ui.stats.messages = questions(ui.stats.now);
  ui.settings.group().view = View::single;
  ui.frame(6);
  const auto places = [&] {
    std::string all;
    for (const ui::Mark& mark : ui::marks())
      if (mark.id.starts_with("message/") && !mark.on_stage)
        all += mark.id + " " + std::to_string(mark.at.from.x) + ", " + std::to_string(mark.at.from.y) + "\n";
    return all;
  };
  const std::string before = places();
  ASSERT_FALSE(before.empty());
  for (const View view : {View::grid, View::split, View::difference, View::blink, View::single}) {
    ui.settings.group().view = view;
    ui.settings.inspect.histogram = view == View::split;
    ui.frame(4);
    EXPECT_EQ(places(), before) << static_cast<int>(view);
  }
  ui.settings.show_panels = false;  // the stage is larger
  ui.frame(4);
  EXPECT_TRUE(places().starts_with(before)) << places();
}

TEST(MessageButtons, NeverComeUnderTheMouse) {
  Harness ui(panes_sample(3), 640, 480);
  ui.settings.show_hint = false;
  ui.stats.messages = questions(ui.stats.now);
  ui.frame(6);
  for (int i = 0; i < 3; ++i) {
    const auto first = std::ranges::find_if(ui::marks(), [](const ui::Mark& mark) {
      return mark.id.starts_with("message/") && mark.id.ends_with("/close");
    });
    ASSERT_NE(first, ui::marks().end());
    const std::string closed = first->id;
    ui.click(closed);
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    for (const ui::Mark& mark : ui::marks()) {
      const bool is_button = mark.id.starts_with("message/") && !mark.on_stage;
      EXPECT_FALSE(is_button && area_of(mark.at).contains(mouse.x, mouse.y)) << mark.id << " came for " << closed;
    }
  }
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

TEST(PastMessages, HoldWhyAnEditWasRefused) {
  Harness ui;
  ui::ui_state().filter_error = "That is no number.";
  ui.frame(2);
  EXPECT_TRUE(ui.key('H', ui::key::control));
  ui.frame(2);
  ui.click("past/copy-all");
  EXPECT_NE(std::string(ImGui::GetClipboardText()).find("That is no number."), std::string::npos);
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
  EXPECT_TRUE(ui::momentary().show_messages);
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
  EXPECT_FALSE(ui::momentary().show_messages);
  ui.key('H', ui::key::control);
  ui.key(ui::key::escape);
  EXPECT_FALSE(ui::momentary().show_messages);
}

}  // namespace
}  // namespace convoscope::test
