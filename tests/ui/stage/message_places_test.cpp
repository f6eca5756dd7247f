// A message stays where it is read while labels open and close, and tells a way out where there is one.
#include <gtest/gtest.h>

#include "app/ui/memory/ui_state.h"
#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

TEST(MessagePlaces, ALabelThatOpensUnderTheMouseMovesNone) {
  for (const auto& [width, height] : {std::pair{640.0f, 480.0f}, {800.0f, 400.0f}, {1280.0f, 720.0f}}) {
    Harness ui(panes_sample(4), width, height);
    ui.settings.show_hint = false;
    ui.settings.group().view = View::grid;
    ui.stats.messages = {{MessageLevel::warning, "The camera has ended.", ui.stats.now, "source"}};
    ui.frame(4);
    if (!drawn(ui, "message/source")) continue;
    const float before = ui::item_rectangle("message/source")->from.y;
    for (const char* const card : {"card/1", "card/2", "card/3", "card/4"}) {
      if (!drawn(ui, card)) continue;
      ui.move_to(card);
      ui.frame(20);
      ASSERT_TRUE(drawn(ui, "message/source"));
      EXPECT_EQ(ui::item_rectangle("message/source")->from.y, before) << card << " at " << width;
      ui.move(-100, -100);
      ui.frame(20);
      ASSERT_TRUE(drawn(ui, "message/source"));
      EXPECT_EQ(ui::item_rectangle("message/source")->from.y, before) << "after " << card << " at " << width;
    }
  }
}

TEST(MessagePlaces, OneThatCameBesideAnOpenLabelDoesNotFallWhenThatCloses) {
  Harness ui(panes_sample(4), 640, 480);
  ui.settings.show_hint = false;
  ui.settings.group().view = View::grid;
  ui.frame(4);
  ui.move_to("card/3");
  ui.frame(20);
  ui.stats.messages = {{MessageLevel::warning, "The camera has ended.", ui.stats.now, "source"}};
  ui.frame(4);
  ASSERT_TRUE(drawn(ui, "message/source"));
  const float before = ui::item_rectangle("message/source")->from.y;
  ui.move(-100, -100);
  ui.frame(20);
  ASSERT_TRUE(drawn(ui, "message/source"));
  EXPECT_EQ(ui::item_rectangle("message/source")->from.y, before);
}

TEST(MessagePlaces, ANewerOneIsSeenBesideThoseThatStay) {
  Harness ui;
  ui.settings.show_hint = false;
  ui.stats.messages = {{MessageLevel::warning, "The camera has ended.", ui.stats.now, "source"}};
  ui.frame(3);
  const float before = ui::item_rectangle("message/source")->from.y;
  ui.stats.messages.push_back({MessageLevel::information, "Copied the picture.", ui.stats.now, "copied"});
  ui.frame(3);
  ASSERT_TRUE(drawn(ui, "message/copied"));
  EXPECT_EQ(ui::item_rectangle("message/source")->from.y, before);
}

TEST(MessagePlaces, APictureThatIsTooLargeCanBeOpenedAllTheSame) {
  Harness ui;
  ui.stats.source.error =
      "'a.png' has pictures of 12000 × 9000 pixels. The limit is 100,000,000 pixels, so that no file takes all the "
      "memory; --max-pixels 108000000 lets this one in.";
  ASSERT_TRUE(drawn(ui, "failure-allow"));
  ui.click("failure-allow");
  EXPECT_EQ(ui.requests.allow_pixels, 108'000'000);
  EXPECT_TRUE(ui.requests.retry_source);
  ui.stats.source.error = "'a.png' is damaged.";
  EXPECT_FALSE(drawn(ui, "failure-allow"));
  EXPECT_TRUE(drawn(ui, "failure-retry"));
}

}  // namespace
}  // namespace convoscope::test
