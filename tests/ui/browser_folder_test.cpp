// Where the file browser opens after the program was started again.
#include "app/ui/files/file_browser.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/key_codes.h"
#include "tests/ui/sheets.h"

namespace convoscope::test {
namespace {

using namespace ui::key;

TEST_F(Sheets, TheBrowserOpensInTheFolderThatWasUsedLastAlsoAfterARestart) {
  key('O', control);
  key(enter);  // the first row is the folder
  key(enter);
  EXPECT_EQ(ui.requests.open, "/class/clips/dog.mkv");
  ui::reset_ui_state();
  key('O', control);
  EXPECT_EQ(ui::ui_state().browser.seen, "/class/clips");
}

TEST_F(Sheets, TheBrowserOpensWhereTheProgramWasStartedOnceThatFolderIsGone) {
  ui.settings.browser_folder = "/stick";
  key('O', control);
  EXPECT_EQ(ui::ui_state().browser.seen, "/class");
  EXPECT_FALSE(says("There is no such folder."));
}

TEST_F(Sheets, WhatIsTypedStaysWhereItsFolderIsNotThere) {
  for (const std::string before : {"", "/class"})
    for (const std::string typed : {"http:/", "sub/thing/", "/nowhere/"}) {
      ui::reset_ui_state();
      ui.settings.browser_folder = before;
      key('O', control);
      type(typed);
      type("x");
      EXPECT_EQ(ui::ui_state().browser.field.typed(), typed + "x");
      key(escape);
    }
  ui::reset_ui_state();
  ui.settings.browser_folder = "/stick";
  is_slow = true;
  key('O', control);
  type("bi");
  is_slow = false;
  frames(6);
  EXPECT_EQ(ui::ui_state().browser.field.typed(), "bi");
  EXPECT_EQ(ui::ui_state().browser.seen, "/class");
}

TEST_F(Sheets, AnAddressIsNoFolderThatIsMissing) {
  key('O', control);
  type("https://example.org/a.mp4");
  EXPECT_EQ(ui::ui_state().browser.seen, "/class");
  key(enter);
  EXPECT_EQ(ui.requests.open, "https://example.org/a.mp4");
  EXPECT_EQ(ui.settings.browser_folder, "/class") << "where the next one is looked for";
}

TEST_F(Sheets, TheBrowserOpensBesideTheClipThatTheCommandLineNamed) {
  ui.settings.browser_folder = "/class";
  ui.stats.files.input_in = "/class/clips";
  key('O', control);
  EXPECT_EQ(ui::ui_state().browser.seen, "/class/clips");
  key(up, alt);
  key(escape);
  key('O', control);
  EXPECT_EQ(ui::ui_state().browser.seen, "/class") << "from then on, where one has been last";
}

TEST_F(Sheets, TheBrowserOpensWhereSomethingWasSaved) {
  ui.stats.files.input_in = "/class/clips";
  key('S', control);
  key(enter);
  ASSERT_EQ(ui.requests.save_session, "/class/session.json");
  key('O', control);
  EXPECT_EQ(ui::ui_state().browser.seen, "/class") << "and not beside the clip";
}

TEST_F(Sheets, TheBrowserOfFiltersOpensInTheFolderThatWasUsedLast) {
  ui.settings.browser_folder = "/class";
  ui.stats.files.input_in = "/class/clips";
  ui::open_browser(ui::FileBrowser::Purpose::filter);
  frames(6);
  EXPECT_EQ(ui::ui_state().browser.seen, "/class");
  key(escape);
  key('O', control);
  EXPECT_EQ(ui::ui_state().browser.seen, "/class/clips");
}

TEST(BrowserKeys, CtrlQIsNotForTheSheet) {
  Harness ui;
  ui.key('O', ui::key::control);
  ui.key('Q', ui::key::control);
  EXPECT_TRUE(ui.requests.quit) << "before it is drawn";
  ui.take_requests();
  ui.frame(3);
  ui.key('Q', ui::key::control);
  EXPECT_TRUE(ui.requests.quit) << "while its field has the keyboard";
}

}  // namespace
}  // namespace convoscope::test
