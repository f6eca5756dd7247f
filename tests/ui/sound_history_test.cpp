// Changes of the sound's filter are undone among those of the picture's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/ui/actions/workbench_actions.h"
#include "app/ui/memory/filter_history.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/key_codes.h"
#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

using ui::key::control;
using ui::key::shift;

class SoundUndo : public testing::Test {
 protected:
  SoundUndo() {
    ui.settings.open_panels = {"sound"};
    ui.stats.sound.has_sound = true;
    ui.stats.sound.rate = 48000;
    ui.filter() = parse_filter("box:radius=1");
    ui.frame(3);
  }
  void change_picture(const char* filter) {
    ui.filter() = parse_filter(filter);
    ui.frame(2);
  }
  void change_sound(const char* filter) {
    sound.filter = parse_signal_filter(filter);
    ui.frame(2);
  }
  std::string undo() {
    ui.key('Z', control);
    return ui::ui_state().feedback.text;
  }
  std::string redo() {
    ui.key('Y', control);
    return ui::ui_state().feedback.text;
  }
  std::string picture() { return ui.filter().kind; }
  std::string heard() const { return spec_text(sound.filter); }

  Harness ui;
  SoundSettings& sound = ui.settings.sound;
};

TEST_F(SoundUndo, EverythingThatFiltersIsUndoneAndDoneAgain) {
  sound.filtered = true;
  ui.frame(2);
  change_sound("comb:delay=9");
  sound.strategy = "cpu-fft";
  ui.frame(2);
  sound.block = 256;
  ui.frame(2);
  EXPECT_EQ(undo(), "Undone; now sound is filtered in blocks of 1,024 samples.");
  EXPECT_EQ(sound.block, 1024);
  EXPECT_EQ(undo(), "Undone; now the strategy for sound is auto.");
  EXPECT_EQ(undo(), "Undone; now the filter for sound is low-pass.");
  EXPECT_EQ(heard(), "low-pass");
  EXPECT_EQ(undo(), "Undone; now sound is heard as it is.");
  EXPECT_FALSE(sound.filtered);
  EXPECT_EQ(undo(), "There is nothing to undo.");
  EXPECT_EQ(redo(), "Redone; now sound is filtered.");
  EXPECT_EQ(redo(), "Redone; now the filter for sound is comb:delay=9.");
  redo();
  redo();
  EXPECT_EQ(sound.strategy, "cpu-fft");
  EXPECT_EQ(sound.block, 256);
  EXPECT_EQ(redo(), "There is nothing to redo.");
}

TEST_F(SoundUndo, WhatCameLastComesFirst) {
  change_sound("comb");
  change_picture("gaussian:radius=2");
  change_picture("sharpen");
  change_sound("difference");
  EXPECT_TRUE(ui::can_undo(ui.settings));
  for (int round = 0; round < 2; ++round) {
    undo();
    EXPECT_EQ(heard(), "comb");
    EXPECT_EQ(picture(), "sharpen");
    undo();
    EXPECT_EQ(picture(), "gaussian");
    undo();
    EXPECT_EQ(picture(), "box");
    EXPECT_EQ(heard(), "comb");
    undo();
    EXPECT_EQ(heard(), "low-pass");
    EXPECT_FALSE(ui::can_undo(ui.settings));
    redo();
    EXPECT_EQ(heard(), "comb");
    EXPECT_EQ(picture(), "box");
    redo();
    EXPECT_EQ(picture(), "gaussian");
    redo();
    EXPECT_EQ(picture(), "sharpen");
    EXPECT_EQ(heard(), "comb");
    redo();
    EXPECT_EQ(heard(), "difference");
    EXPECT_FALSE(ui::can_redo(ui.settings));
  }
}

TEST_F(SoundUndo, AChangeOfEitherTakesThePlaceOfWhatWasUndone) {
  change_picture("sharpen");
  undo();
  EXPECT_TRUE(ui::can_redo(ui.settings));
  change_sound("comb");
  EXPECT_FALSE(ui::can_redo(ui.settings));
  undo();
  EXPECT_TRUE(ui::can_redo(ui.settings));
  change_picture("gaussian");
  EXPECT_EQ(redo(), "There is nothing to redo.");
  EXPECT_EQ(heard(), "low-pass");
}

TEST_F(SoundUndo, WhatChangedTogetherIsUndoneTogether) {
  ui.filter() = parse_filter("sharpen");
  change_sound("comb");
  EXPECT_EQ(undo(), "Undone; now the filter for sound is low-pass.");
  EXPECT_EQ(picture(), "box");
  EXPECT_EQ(heard(), "low-pass");
  redo();
  EXPECT_EQ(picture(), "sharpen");
  EXPECT_EQ(heard(), "comb");
}

TEST_F(SoundUndo, ADragIsOneStep) {
  ui.move_to("sound/cutoff");
  ui.press();
  for (int i = 0; i < 5; ++i) {
    const ui::ItemRectangle at = *ui::item_rectangle("sound/cutoff");
    ui.move(at.centre().x - 4 * static_cast<float>(i + 1), at.centre().y);
    ui.frame();
  }
  ui.release();
  ui.frame(40);
  ASSERT_NE(heard(), "low-pass");
  undo();
  EXPECT_EQ(heard(), "low-pass");
  EXPECT_FALSE(ui::can_undo(ui.settings));
}

TEST_F(SoundUndo, IsTheSameInEveryWorkbenchAndForWhatIsOnlyLookedAt) {
  change_sound("comb");
  show_workbench(ui.settings, "layer");
  ui.frame(2);
  sound.scope = sound.compare = true;
  ui.frame(2);
  EXPECT_EQ(undo(), "Undone; now the filter for sound is low-pass.");
  EXPECT_TRUE(sound.scope && sound.compare);
}

TEST_F(SoundUndo, TellsTheTapsThatItBroughtBack) {
  change_sound("1 2 1");
  change_sound("1 3 1");
  EXPECT_EQ(undo(), "Undone; now the taps for sound are 1 2 1.");
  EXPECT_EQ(undo(), "Undone; now the filter for sound is low-pass.");
  EXPECT_EQ(redo(), "Redone; now the filter for sound is own taps.");
}

}  // namespace
}  // namespace convoscope::test
