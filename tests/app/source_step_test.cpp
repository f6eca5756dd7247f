// One source plays until the next one has a picture.
#include "app/steps/source_step.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace convoscope {
namespace {

class SourceStepTest : public ::testing::Test {
 protected:
  static constexpr int most_tries = 10'000;

  SourceStepTest() {
    invocation.offscreen = true;  // every frame once, whatever the clock says
    settings.source = {.input = "pattern:motion", .width = 64, .height = 48};
    step.open(settings, stats);
    SourceStep::Taken taken;
    for (int i = 0; i < most_tries && !taken.frame; ++i) taken = take();
    EXPECT_TRUE(taken.frame);
    EXPECT_FALSE(taken.of_another) << "it was opened at once";
    EXPECT_TRUE(step.take_awaited());
    step.begin_to_play(settings, stats);
  }

  SourceStep::Taken take() { return step.take_due(settings.playback, settings, stats); }
  bool open(const std::string& input) {
    Requests asked;
    asked.open = input;
    return step.obey(asked, settings, stats);
  }

  Invocation invocation;
  Settings settings;
  Stats stats;
  MessagePoster poster{stats.messages};
  SourceStep step{invocation, poster};
};

TEST_F(SourceStepTest, TheNextOneTakesOverWithItsFirstFrame) {
  settings.playback.paused = true;
  settings.playback.loop_a = 0.1;
  settings.playback.loop_b = 0.2;
  EXPECT_FALSE(open("pattern:gradients"));
  EXPECT_TRUE(step.opens_another());
  EXPECT_EQ(settings.source.input, "pattern:motion");
  SourceStep::Taken taken;
  for (int i = 0; i < most_tries && !taken.of_another; ++i) taken = take();
  ASSERT_TRUE(taken.of_another);
  ASSERT_TRUE(taken.frame);
  EXPECT_EQ(taken.frame->number, 0);
  EXPECT_EQ(settings.source.input, "pattern:gradients");
  EXPECT_FALSE(settings.playback.loop_a || settings.playback.loop_b) << "of the source before";
  EXPECT_FALSE(settings.playback.paused) << "what is opened plays";
  EXPECT_FALSE(step.opens_another());
  EXPECT_FALSE(step.plays());
  EXPECT_TRUE(step.is_awaited());
  step.begin_to_play(settings, stats);
  EXPECT_THAT(settings.recent, testing::ElementsAre("pattern:gradients", "pattern:motion"));
}

TEST_F(SourceStepTest, AJumpIsKnownUntilItsFrameComes) {
  step.report(settings, stats);
  ASSERT_TRUE(stats.source.seekable);
  Requests asked;
  asked.seek_seconds = 2;
  step.obey(asked, settings, stats);
  EXPECT_EQ(step.sought(), 2);
  step.obey({}, settings, stats);
  EXPECT_EQ(step.sought(), 2);
  step.take_awaited();
  EXPECT_FALSE(step.sought());
}

TEST_F(SourceStepTest, WhatCannotBeOpenedLeavesWhatPlays) {
  EXPECT_FALSE(open("/nowhere/to/be/found.mp4"));
  for (int i = 0; i < most_tries && step.opens_another(); ++i) take();
  EXPECT_FALSE(step.opens_another());
  EXPECT_EQ(settings.source.input, "pattern:motion");
  EXPECT_TRUE(step.plays());
  EXPECT_FALSE(step.failed());
  ASSERT_FALSE(stats.messages.empty());
  EXPECT_THAT(stats.messages.back().text, testing::HasSubstr("The previous source is still shown."));
}

TEST_F(SourceStepTest, WhatComesAfterTheEndIsOpenedAtOnce) {
  step.close();
  settings.playback.paused = true;
  EXPECT_TRUE(open("pattern:gradients"));
  EXPECT_FALSE(step.opens_another());
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
