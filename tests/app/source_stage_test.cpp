// One source plays until the next one has a picture.
#include "app/stages/source_stage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace convoscope {
namespace {

class SourceStageTest : public ::testing::Test {
 protected:
  static constexpr int most_tries = 10'000;

  SourceStageTest() {
    invocation.offscreen = true;  // every frame once, whatever the clock says
    settings.source = {.input = "pattern:motion", .width = 64, .height = 48};
    stage.open(settings, stats);
    SourceStage::Taken taken;
    for (int i = 0; i < most_tries && !taken.frame; ++i) taken = take();
    EXPECT_TRUE(taken.frame);
    EXPECT_FALSE(taken.of_another) << "it was opened at once";
    EXPECT_TRUE(stage.take_awaited());
    stage.begin_to_play(settings, stats);
  }

  SourceStage::Taken take() { return stage.take(settings.playback, settings, stats); }
  bool open(const std::string& input) {
    Requests asked;
    asked.open = input;
    return stage.obey(asked, settings, stats);
  }

  Invocation invocation;
  Settings settings;
  Stats stats;
  Teller teller{stats.messages};
  SourceStage stage{invocation, teller};
};

TEST_F(SourceStageTest, TheNextOneTakesOverWithItsFirstFrame) {
  settings.playback.paused = true;
  settings.playback.loop_a = 0.1;
  settings.playback.loop_b = 0.2;
  EXPECT_FALSE(open("pattern:gradients"));
  EXPECT_TRUE(stage.opens_another());
  EXPECT_EQ(settings.source.input, "pattern:motion");
  SourceStage::Taken taken;
  for (int i = 0; i < most_tries && !taken.of_another; ++i) taken = take();
  ASSERT_TRUE(taken.of_another);
  ASSERT_TRUE(taken.frame);
  EXPECT_EQ(taken.frame->number, 0);
  EXPECT_EQ(settings.source.input, "pattern:gradients");
  EXPECT_FALSE(settings.playback.loop_a || settings.playback.loop_b) << "of the source before";
  EXPECT_FALSE(settings.playback.paused) << "what is opened plays";
  EXPECT_FALSE(stage.opens_another());
  EXPECT_FALSE(stage.plays());
  EXPECT_TRUE(stage.is_awaited());
  stage.begin_to_play(settings, stats);
  EXPECT_THAT(settings.recent, testing::ElementsAre("pattern:gradients", "pattern:motion"));
}

TEST_F(SourceStageTest, AJumpIsKnownUntilItsFrameComes) {
  stage.report(settings, stats);
  ASSERT_TRUE(stats.source.seekable);
  Requests asked;
  asked.seek_seconds = 2;
  stage.obey(asked, settings, stats);
  EXPECT_EQ(stage.sought(), 2);
  stage.obey({}, settings, stats);
  EXPECT_EQ(stage.sought(), 2);
  stage.take_awaited();
  EXPECT_FALSE(stage.sought());
}

TEST_F(SourceStageTest, WhatCannotBeOpenedLeavesWhatPlays) {
  EXPECT_FALSE(open("/nowhere/to/be/found.mp4"));
  for (int i = 0; i < most_tries && stage.opens_another(); ++i) take();
  EXPECT_FALSE(stage.opens_another());
  EXPECT_EQ(settings.source.input, "pattern:motion");
  EXPECT_TRUE(stage.plays());
  EXPECT_FALSE(stage.failed());
  ASSERT_FALSE(stats.messages.empty());
  EXPECT_THAT(stats.messages.back().text, testing::HasSubstr("The previous source is still shown."));
}

TEST_F(SourceStageTest, WhatComesAfterTheEndIsOpenedAtOnce) {
  stage.close();
  settings.playback.paused = true;
  EXPECT_TRUE(open("pattern:gradients"));
  EXPECT_FALSE(stage.opens_another());
  EXPECT_EQ(settings.source.input, "pattern:gradients");
  EXPECT_FALSE(settings.playback.paused);
}

TEST(FolderOfInput, IsThatOfAFileOrOfPictures) {
  const std::string here = std::filesystem::current_path().string();
  EXPECT_EQ(folder_of_input("/no/such/clip.mkv"), "/no/such");
  EXPECT_EQ(folder_of_input("clip.mkv"), here);
  EXPECT_EQ(folder_of_input("/no/such/*.png"), "/no/such");
  EXPECT_EQ(folder_of_input("/no/s*/a.png"), "/no");
  EXPECT_EQ(folder_of_input(here), here);
  for (const char* const nowhere : {"pattern:motion", "camera", "camera:1", "screen", "https://example.org/clip.mp4"})
    EXPECT_EQ(folder_of_input(nowhere), "") << nowhere;
}

}  // namespace
}  // namespace convoscope
