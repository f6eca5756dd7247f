// Opening and saving: what the sheets ask of the disk, and what they make of its answers.
#include <gtest/gtest.h>

#include <cstdlib>

#include "app/files/paths.h"
#include "app/state/workbench.h"
#include "app/ui/files/file_browser.h"
#include "app/ui/files/save_dialog.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/key_codes.h"
#include "app/ui/parts/widgets.h"
#include "tests/ui/sheets.h"

namespace convoscope::test {
namespace {

using namespace ui::key;
using Purpose = ui::FileBrowser::Purpose;

TEST_F(Sheets, TheBrowserOpensWhatIsChosenWithTheKeys) {
  key('O', control);
  ASSERT_TRUE(ui::ui_state().browser.open);
  ASSERT_NE(ui::item_rectangle("file/bird.mp4"), nullptr);
  key(down);
  key(enter);
  EXPECT_EQ(ui.requests.open, "/class/bird.mp4");
  EXPECT_FALSE(ui::ui_state().browser.open);
}

TEST_F(Sheets, TheBrowserGoesIntoFoldersAndBack) {
  key('O', control);
  key(enter);  // the first row is the folder
  EXPECT_EQ(ui::ui_state().browser.folder, "/class/clips");
  EXPECT_FALSE(ui.requests.open);
  key(backspace);  // nothing is typed
  EXPECT_EQ(ui::ui_state().browser.folder, "/class");
  type("clips/do");
  key(enter);
  EXPECT_EQ(ui.requests.open, "/class/clips/dog.mkv");
}

TEST_F(Sheets, EnterMeansTheRowThatWasWalkedToAfterTyping) {
  key('O', control);
  type("/class/");
  key(down);
  key(down);
  key(enter);
  EXPECT_EQ(ui.requests.open, "/class/bird2.mp4");
  ui.requests.open.reset();
  key('O', control);
  type("bird.mp4");
  type("x");
  key(backspace);
  type("/class/");  // over what was selected, or after it: whatever is typed, no row is meant
  key(enter);
  EXPECT_FALSE(ui.requests.open);
}

TEST_F(Sheets, TheLongestNamesAndPathsAreWalkedThrough) {
  const std::string longest(255, 'W');
  files["/class"] = {{longest, FileKind::folder}, {longest.substr(4) + ".mp4", FileKind::video}};
  std::string folder = "/class";
  for (int i = 0; i < 20; ++i) {  // more than a field takes
    files[folder] = {{longest, FileKind::folder}};
    folder += "/" + longest;
  }
  files[folder] = {{longest.substr(4) + ".mp4", FileKind::video}};
  key('O', control);
  for (int i = 0; i < 20; ++i) {
    if (i % 2 == 0) key(tab);
    key(enter);
  }
  EXPECT_EQ(ui::ui_state().browser.folder, folder);
  key(tab);
  key(enter);
  EXPECT_EQ(ui.requests.open, folder + "/" + longest.substr(4) + ".mp4");
  ui.settings.recent = {*ui.requests.open};
  key('O', control);
}

TEST_F(Sheets, TypingNarrowsTheListAndTabCompletes) {
  key('O', control);
  type("bi");
  key(tab);
  EXPECT_EQ(ui::ui_state().browser.field.typed(), "bird") << "as far as both go alike";
  type("2");
  key(enter);
  EXPECT_EQ(ui.requests.open, "/class/bird2.mp4");
}

// ImGui's own, in the field.
void press_undo(Harness& ui) {
  ImGuiIO& io = ImGui::GetIO();
#if IMGUI_VERSION_NUM >= 18700
  const auto hold = [&](bool down) {
    io.AddKeyEvent(ImGuiMod_Ctrl, down);
    io.AddKeyEvent(ImGuiKey_Z, down);
  };
#else
  constexpr int z = 500;
  io.KeyMap[ImGuiKey_Z] = z;
  const auto hold = [&](bool down) { io.KeyCtrl = io.KeysDown[z] = down; };
#endif
  for (const bool down : {true, false}) {
    hold(down);
    ui.frame();
  }
}

TEST_F(Sheets, WhatWasTypedIsNotUndoneInAnotherText) {
  key('O', control);
  type("clips");
  key(enter);
  ASSERT_EQ(ui::ui_state().browser.folder, "/class/clips");
  ASSERT_EQ(ui::ui_state().browser.field.typed(), "");
  for (int i = 0; i < 3; ++i) press_undo(ui);
  type("7");
  EXPECT_EQ(ui::ui_state().browser.field.typed(), "7");
}

TEST_F(Sheets, WhatIsNoFileIsOpenedAsTyped) {
  for (const std::string typed : {"camera:1", "pattern:zone", "screen", "https://example.org/a.mp4"}) {
    key('O', control);
    type(typed);
    key(enter);
    EXPECT_EQ(ui.requests.open, typed);
    ui.take_requests();
  }
  key('O', control);
  type("clips/*.png");
  key(enter);
  EXPECT_EQ(ui.requests.open, "/class/clips/*.png");
}

TEST_F(Sheets, TheMouseOpensRowsPlacesAndSequences) {
  key('O', control);
  click("file/cat.png");
  EXPECT_FALSE(ui.requests.open) << "one click chooses";
  click("browser-open");
  EXPECT_EQ(ui.requests.open, "/class/cat.png");
  ui.take_requests();
  files["/class"].push_back({"cat2.png", FileKind::picture});
  key('O', control);
  click("browser-sequence");
  EXPECT_EQ(ui.requests.open, "/class");
  key('O', control);
  click("place/screen");
  EXPECT_EQ(ui.requests.open, "screen");
}

TEST_F(Sheets, OnlyPlacesThatAreThereAreOffered) {
  const std::string home = home_folder();
  ASSERT_FALSE(home.empty());
  key('O', control);
  EXPECT_EQ(ui::item_rectangle("place/videos"), nullptr);
  EXPECT_EQ(ui::item_rectangle("place/pictures"), nullptr);
  files[join(home, "Videos")] = {};
  frames(6);
  EXPECT_NE(ui::item_rectangle("place/videos"), nullptr);
  EXPECT_EQ(ui::item_rectangle("place/pictures"), nullptr);
}

TEST_F(Sheets, ToOverlayASweepOnlyItsFilesAreListed) {
  ui::open_browser(Purpose::sweep);
  ui.frame();
  EXPECT_EQ(ui.requests.files.folder->endings, std::vector<std::string>{"json"});
}

TEST_F(Sheets, AFolderThatCannotBeReadSaysSo) {
  ui::open_browser(Purpose::source, "/nowhere");
  frames(4);
  EXPECT_TRUE(ui::ui_state().browser.open);
  key(up, alt);
  EXPECT_EQ(ui::ui_state().browser.folder, "/");
  key(escape);
  EXPECT_FALSE(ui::ui_state().browser.open);
}

TEST_F(Sheets, AFilterIsSavedWithItsEndingAndItsWholePath) {
  key('S', control | shift);
  ASSERT_TRUE(ui::ui_state().save.open);
  type("mine");
  key(enter);
  EXPECT_EQ(ui.requests.save_filter, "/class/mine.json");
  EXPECT_FALSE(ui::ui_state().save.open);
}

TEST_F(Sheets, OfALayerTheBankIsSavedAndLoaded) {
  show_workbench(ui.settings, "layer");
  key('S', control | shift);
  type("mine");
  key(enter);
  EXPECT_EQ(ui.requests.save_bank, "/class/mine.json");
  EXPECT_FALSE(ui.requests.save_filter);
  files["/class"].push_back({"bank.npy", FileKind::data});
  key('O', control | shift);
  type("bank.npy");
  key(enter);
  EXPECT_EQ(ui.requests.load_bank, "/class/bank.npy");
  EXPECT_FALSE(ui.requests.load_filter);
}

TEST_F(Sheets, NothingIsReplacedWithoutAsking) {
  existing.insert("/class/mine.json");
  key('S', control | shift);
  type("mine.json");
  key(enter);
  EXPECT_FALSE(ui.requests.save_filter);
  EXPECT_TRUE(ui::ui_state().save.ask);
  frames();
  EXPECT_TRUE(ui::drawn_labels().contains("Replace (Enter)"));
  EXPECT_TRUE(ui::drawn_labels().contains("Another name (Esc)")) << "who presses it expects the dialog to close";
  handle_key({.key = enter, .repeated = true}, ui.stats, ui.settings, ui.requests);
  frames();
  EXPECT_FALSE(ui.requests.save_filter) << "Enter that is still held replaces nothing";
  key(escape);
  EXPECT_TRUE(ui::ui_state().save.open) << "another name can be typed";
  EXPECT_FALSE(ui::ui_state().save.ask);
  click("save-accept");
  click("save-replace");
  EXPECT_EQ(ui.requests.save_filter, "/class/mine.json");
}

TEST_F(Sheets, WhatCameSinceTheDiskWasLookedAtIsAskedAboutToo) {
  key('S', control | shift);
  type("mine.json");
  existing.insert("/class/mine.json");
  handle_key({enter, 0}, ui.stats, ui.settings, ui.requests);
  ui.requests.files = {};
  ui.frame();
  EXPECT_FALSE(ui.requests.save_filter) << "what was known is older than that";
  EXPECT_TRUE(ui.requests.files.look_again);
  answer();
  frames();
  EXPECT_FALSE(ui.requests.save_filter);
  EXPECT_FALSE(ui.requests.files.look_again) << "once is enough";
  EXPECT_TRUE(ui::ui_state().save.ask);
}

TEST_F(Sheets, EnterAnswersTheQuestionByTheButtonThatStandsOut) {
  existing.insert("/class/mine.json");
  key('S', control | shift);
  type("mine.json");
  key(enter);
  ASSERT_TRUE(ui::ui_state().save.ask);
  key(enter);
  EXPECT_FALSE(ui.requests.save_filter) << "twice out of habit";
  for (int i = 0; i < 60; ++i) frames();
  key(enter);
  EXPECT_EQ(ui.requests.save_filter, "/class/mine.json");
  EXPECT_FALSE(ui::ui_state().save.open);
}

TEST_F(Sheets, AFolderThatCannotBeWrittenIsToldBeforeSaving) {
  key('S', control | shift);
  type("/full/mine");
  key(enter);
  EXPECT_FALSE(ui.requests.save_filter);
  EXPECT_TRUE(ui::ui_state().save.open);
  key(escape);
  EXPECT_FALSE(ui::ui_state().save.open);
}

TEST_F(Sheets, AnOfferedNameIsOneThatIsFree) {
  existing = {"/class/shot-001.mkv", "/class/shot-002.mkv"};
  key('E', control);
  frames(10);
  key(enter);
  EXPECT_EQ(ui.requests.render, "/class/shot-003.mkv");
  existing.insert("/class/shot-001.csv");
  ui.stats.sweep.rows.emplace_back();  // something to save
  key(f(8), control);
  frames(10);
  key(enter);
  EXPECT_EQ(ui.requests.save_sweep, "/class/shot-002") << "all three of its files are new";
}

// Letters come also in the frame in which another name is offered, and in those after it.
TEST_F(Sheets, WhatIsTypedWhileAFreeNameIsLookedForIsKept) {
  existing = {"/class/shot-001.mkv", "/class/shot-002.mkv", "/class/shot-003.mkv"};
  paths_are_slow = true;
  key('E', control);
  paths_are_slow = false;
  frames(1);
  for (const char* const letter : {"b", "i", "r", "d"}) {
    ui.type(letter);
    answer();
  }
  frames(10);
  key(enter);
  EXPECT_EQ(ui.requests.render, "/class/bird.mkv");

  paths_are_slow = true;
  key('E', control);
  paths_are_slow = false;
  frames(10);
  type("cat");  // the name that is free is selected
  key(enter);
  EXPECT_EQ(ui.requests.render, "/class/cat.mkv");
}

TEST_F(Sheets, ASheetToSaveEndsWithItsButtons) {
  key('S', control);
  frames(4);
  EXPECT_NEAR(ui::item_rectangle("save-folder")->to.x, ui::item_rectangle("save-name")->to.x, 1);
  const float top = ui::item_rectangle("save-close")->from.y - 12;  // and as much is below it
  EXPECT_NEAR(ImGui::GetIO().DisplaySize.y - top - ui::item_rectangle("save-accept")->to.y, 16, 2);
}

TEST_F(Sheets, TheSessionAndAScreenshotAreNamedInTheSameSheet) {
  key('S', control);
  key(enter);
  EXPECT_EQ(ui.requests.save_session, "/class/session.json");
  key('S', shift);
  frames(10);
  key(enter);
  EXPECT_EQ(ui.requests.save_screenshot, "/class/shot-001.png");
}

TEST_F(Sheets, TheFolderOfAFileIsChosenInTheBrowser) {
  key('S', control | shift);
  click("save-folder");
  ASSERT_TRUE(ui::ui_state().browser.open);
  key(enter);  // into clips
  click("browser-open");
  EXPECT_EQ(ui::ui_state().save.folder, "/class/clips");
  click("save-accept");
  EXPECT_TRUE(ui.requests.save_filter.value_or("").starts_with("/class/clips/"));
}

TEST_F(Sheets, ThePanelChoosesWhereRecordingsGo) {
  ui.settings.open_panels = {"recording"};
  click("record-folder");
  ASSERT_TRUE(ui::ui_state().browser.open);
  key(enter);
  click("browser-open");
  EXPECT_EQ(ui.settings.recording.folder, "/class/clips");
  click("record-container/mp4");
  EXPECT_EQ(ui.settings.recording.container, RecordingContainer::mp4);
  click("record-quality/small");
  EXPECT_EQ(ui.settings.recording.quality, RecordingQuality::small);
  click("record-rate");
  click("record-rate/15");
  EXPECT_EQ(ui.settings.recording.rate, 15);
  click("record-name-parts");
  click("name-part/{date}");
  EXPECT_EQ(ui.settings.recording.name, "shot-{number}-{date}");
}

TEST_F(Sheets, AFolderIsChosenAsTypedAlsoBeforeItIsRead) {
  ui.settings.open_panels = {"recording"};
  click("record-folder");
  is_slow = true;
  type("/class/clips/");
  click("browser-open");
  EXPECT_EQ(ui.settings.recording.folder, "/class/clips");
}

TEST_F(Sheets, RecentEntriesThatAreGoneCanBeTakenOut) {
  ui.settings.open_panels = {"source"};
  ui.settings.recent = {"/class/bird.mp4", "/class/gone.mp4", "camera"};
  existing = {"/class/bird.mp4"};
  click("recent");
  click("forget/1");
  EXPECT_EQ(ui.settings.recent, (std::vector<std::string>{"/class/bird.mp4", "camera"}));
}

TEST_F(Sheets, TheFieldOfThePanelCompletesAPath) {
  ui.settings.open_panels = {"source"};
  click("open-path");
  type("/class/cli");
  key(tab);
  EXPECT_EQ(ui::ui_state().open_field.typed(), "/class/clips/");
  EXPECT_TRUE(ui.settings.show_panels) << "Tab went to the field";
}

TEST_F(Sheets, DrawInEverySizeAndThemeWithAnyNames) {
  const std::string endless(3000, 'W');
  files["/class"] = {{endless, FileKind::folder}, {"two\nlines", FileKind::video}, {"\xff\xfe.png", FileKind::picture}};
  for (const ImVec2 size : {ImVec2(1600, 900), ImVec2(640, 480), ImVec2(200, 100), ImVec2(1, 1)}) {
    ui.resize(size.x, size.y);
    for (const bool light : {false, true}) {
      ui.settings.light_theme = light;
      ui::open_browser(Purpose::source);
      frames(3);
      ui::ui_state().browser.open = false;
      ui::open_save_dialog(ui::Saved::sweep, ui.stats, ui.settings);
      frames(3);
      ui::ui_state().save.open = false;
    }
  }
}

}  // namespace
}  // namespace convoscope::test
