// A folder of clips, and several that were dropped: one plays after another.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "app/steps/source_step.h"

namespace convoscope {
namespace {

namespace fs = std::filesystem;

class ClipsTest : public ::testing::Test {
 protected:
  ClipsTest() {
    fs::remove_all(folder);
    fs::create_directories(folder);
    for (const char* name : {"clip10.y4m", "clip2.y4m", "clip1.y4m"}) write_clip(name);
    std::ofstream(folder + "/clip3.mp4") << "This is no video.\n";
    std::ofstream(folder + "/notes.txt") << "Neither is this.\n";
    settings.source = {.input = folder};
  }
  ~ClipsTest() override { fs::remove_all(folder); }

  void write_clip(const std::string& name) const {
    std::ofstream clip(folder + "/" + name, std::ios::binary);
    clip << "YUV4MPEG2 W16 H16 F50:1 C420jpeg\n";
    for (int frame = 0; frame < 3; ++frame) clip << "FRAME\n" << std::string(16 * 16 * 3 / 2, 'x');
  }
  // As App does in each of its turns, until `done`.
  template <class Done>
  bool turn_until(Done done) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!done() && std::chrono::steady_clock::now() < end) {
      if (step.player() && step.take_due(settings.playback, settings, stats).frame) {
        if (!step.plays()) {
          step.begin_to_play(settings, stats);
          played.push_back(fs::path(settings.source.input).filename().string());
        }
        step.take_awaited();
      }
      step.report(settings, stats);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return done();
  }
  bool told(const std::string& text) const {
    return std::ranges::any_of(stats.messages,
                               [&](const Message& one) { return one.text.find(text) != std::string::npos; });
  }
  void ask(const Requests& asked) { step.obey(asked, settings, stats); }

  const std::string folder = (fs::temp_directory_path() / "convoscope-clips-test").string();
  Invocation invocation;
  Settings settings;
  Stats stats;
  std::vector<std::string> played;
  MessagePoster poster{stats.messages};
  SourceStep step{invocation, poster};
};

TEST_F(ClipsTest, OfAFolderPlayOneAfterAnotherAndBeginAnew) {
  step.open(settings, stats);
  ASSERT_TRUE(turn_until([&] { return played.size() >= 5; }));
  EXPECT_THAT(played, testing::ElementsAre("clip1.y4m", "clip2.y4m", "clip10.y4m", "clip1.y4m", "clip2.y4m"));
  EXPECT_EQ(stats.clips.size(), 4u);
  EXPECT_EQ(stats.clips.at, 1u);
  EXPECT_TRUE(stats.clips.goes_on);
  EXPECT_TRUE(told("The 4 clips in '" + folder + "' play one after another."));
  EXPECT_TRUE(told("clip3.mp4'")) << "what cannot be played is named";
  EXPECT_TRUE(told("It is left out."));
  EXPECT_THAT(settings.recent, testing::ElementsAre(folder)) << "the folder, not each clip of it";
}

TEST_F(ClipsTest, EndWithTheLastOneWithoutALoop) {
  settings.playback.loop = false;
  step.open(settings, stats);
  ASSERT_TRUE(turn_until([&] { return played.size() == 3 && stats.source.ended; }));
  EXPECT_FALSE(stats.clips.goes_on);
  EXPECT_FALSE(step.opens_another());
}

TEST_F(ClipsTest, AreChosenByNameAndInTurn) {
  step.open(settings, stats);
  ASSERT_TRUE(turn_until([&] { return !played.empty(); }));
  settings.playback.paused = true;
  Requests asked;
  asked.clip = 3;
  ask(asked);
  ASSERT_TRUE(turn_until([&] { return played.back() == "clip10.y4m"; }));
  EXPECT_FALSE(settings.playback.paused) << "what is opened plays";
  settings.playback.paused = true;
  Requests before;
  before.step_clip = -1;
  ask(before);
  ASSERT_TRUE(turn_until([&] { return played.back() == "clip2.y4m"; })) << "not the one that cannot be played";
  settings.playback.paused = true;
  ask(asked);
  ASSERT_TRUE(turn_until([&] { return played.back() == "clip10.y4m"; }));
  settings.playback.paused = true;
  Requests next;
  next.step_clip = 1;
  ask(next);
  EXPECT_TRUE(turn_until([&] { return played.back() == "clip1.y4m"; })) << "behind the last one";
}

TEST_F(ClipsTest, LoopWithinOneBetweenItsMarks) {
  step.open(settings, stats);
  ASSERT_TRUE(turn_until([&] { return !played.empty(); }));
  settings.playback.loop_a = 0.0;
  int turns = 0;
  turn_until([&] { return ++turns > 300; });
  EXPECT_EQ(played.size(), 1u);
  EXPECT_FALSE(stats.clips.goes_on);
}

TEST_F(ClipsTest, ThatWereDroppedPlayOneAfterAnother) {
  settings.source = {.input = "pattern", .width = 16, .height = 16};
  step.open(settings, stats);
  ASSERT_TRUE(turn_until([&] { return !played.empty(); }));
  Requests asked;
  asked.open_clips = {folder + "/clip2.y4m", folder + "/gone.mp4", folder + "/clip10.y4m"};
  ask(asked);
  ASSERT_TRUE(turn_until([&] { return played.size() >= 4; }));
  EXPECT_THAT(played, testing::ElementsAre("pattern", "clip2.y4m", "clip10.y4m", "clip2.y4m"));
  EXPECT_TRUE(told("gone.mp4'"));
  asked = {};
  asked.open = folder + "/clip1.y4m";
  ask(asked);
  ASSERT_TRUE(turn_until([&] { return played.back() == "clip1.y4m"; }));
  EXPECT_EQ(stats.clips.size(), 0u) << "it is not one of them";
}

TEST_F(ClipsTest, ThatCannotBePlayedAreToldOfOnce) {
  for (const char* name : {"clip10.y4m", "clip2.y4m", "clip1.y4m"}) std::ofstream(folder + "/" + name) << "x";
  step.open(settings, stats);
  ASSERT_TRUE(turn_until([&] { return told("None of the 4 clips can be played."); }));
  const std::size_t said = stats.messages.size();
  int turns = 0;
  turn_until([&] { return ++turns > 100; });
  EXPECT_EQ(stats.messages.size(), said);
}

TEST_F(ClipsTest, AreRefusedWithoutAWindow) {
  invocation.offscreen = true;
  step.open(settings, stats);
  ASSERT_TRUE(turn_until([&] { return step.failed(); }));
  EXPECT_TRUE(told("is a folder of 4 clips, and without a window one clip is played. Name it, such as '" + folder));
}

}  // namespace
}  // namespace convoscope
