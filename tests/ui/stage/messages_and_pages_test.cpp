// A page has its place to itself: messages and feedback wait until it is closed.
#include <gtest/gtest.h>

#include "app/ui/files/file_browser.h"
#include "app/ui/files/save_dialog.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/windows/palette_place.h"
#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

TEST(Messages, WaitWhileAPageIsOpen) {
  Harness ui;
  ui.stats.now = 100;
  ui.stats.messages = {{MessageLevel::information, "Saved.", 99, "saved"}};
  ASSERT_TRUE(drawn(ui, "message/saved"));
  for (bool Momentary::*const page : {&Momentary::show_settings, &Momentary::show_help}) {
    ui::momentary().*page = true;
    EXPECT_FALSE(drawn(ui, "message/saved"));
    ui::give_feedback("Light", ui.stats.now);
    EXPECT_FALSE(drawn(ui, "feedback"));
    // Longer than it is there for.
    for (int i = 0; i < 600; ++i) {
      ui.stats.now += ImGui::GetIO().DeltaTime;
      ui.frame();
    }
    ui::momentary().*page = false;
    EXPECT_TRUE(drawn(ui, "message/saved"));
  }
}

TEST(Messages, WaitWhileASheetIsOpen) {
  Harness ui;
  ui.stats.now = 100;
  ui.stats.messages = {{MessageLevel::information, "Saved.", 99, "saved"}};
  ASSERT_TRUE(drawn(ui, "message/saved"));
  const auto is_covered_by = [&](const char* sheet) {
    EXPECT_TRUE(drawn(ui, sheet));
    EXPECT_FALSE(drawn(ui, "message/saved")) << sheet;
    ui::give_feedback("Light", ui.stats.now);
    EXPECT_FALSE(drawn(ui, "feedback")) << sheet;
    ui.click(sheet);
    EXPECT_TRUE(drawn(ui, "message/saved")) << sheet;
  };
  ui::open_browser(ui::FileBrowser::Purpose::source);
  is_covered_by("browser-close");
  ui::open_save_dialog(ui::Saved::session, ui.stats, ui.settings);
  is_covered_by("save-close");
}

TEST(Messages, TheHintOfAFirstStartIsShownAgainToo) {
  Harness ui;
  ASSERT_FALSE(ui.settings.show_hint);
  ui.stats.now += 100;
  for (int again = 0; again < 2; ++again) {
    ui::momentary().show_settings = true;
    ui.click("settings/notices");
    ui::momentary().show_settings = false;
    EXPECT_TRUE(drawn(ui, "hint")) << again;
    ui.stats.now += 25;
    EXPECT_TRUE(drawn(ui, "hint")) << "for its whole time";
    ui.click("hint/close");
    EXPECT_FALSE(drawn(ui, "hint"));
  }
}

TEST(Messages, NoticesAreShownAgainAsOftenAsIsAsked) {
  Harness ui(cpu_sample());
  ui.stats.messages.clear();
  ui.stats.interop_notice.clear();
  for (int again = 0; again < 3; ++again) {
    ASSERT_TRUE(drawn(ui, "message/backend")) << again;
    ui.stats.now += 20;
    EXPECT_FALSE(drawn(ui, "message/backend")) << again;
    ui::momentary().show_settings = true;
    ui.click("settings/notices");
    EXPECT_FALSE(drawn(ui, "message/backend")) << "it covers no page";
    EXPECT_TRUE(drawn(ui, "settings/notices/done"));
    ui::momentary().show_settings = false;
  }
}

TEST(Messages, NoneLiesOnThePaletteThatIsOpen) {
  Harness ui(typical_sample(), 700, 420);
  ui::momentary().show_palette = true;
  ui.frame(3);
  ui.stats.messages = {{MessageLevel::error, std::string(200, 'x') + " is full.", ui.stats.now},
                       {MessageLevel::information, "Saved.", ui.stats.now}};
  ui::give_feedback("What a key has changed, in so many words that they need more than one line here", ui.stats.now);
  ui.frame(3);
  const ui::Area palette = ui::palette_area();
  ASSERT_GT(palette.width, 0);
  for (const ui::Mark& mark : ui::marks()) {
    if (!mark.id.starts_with("message") && mark.id != "feedback") continue;
    EXPECT_FALSE(ui::overlap(area_of(mark.at), palette)) << mark.id;
  }
}

}  // namespace
}  // namespace convoscope::test
