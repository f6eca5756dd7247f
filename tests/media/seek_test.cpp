// Seeking, stepping and looping, checked by what the frames show.
#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>
#include <utility>

#include "tests/media/media_test.h"

namespace convoscope::test {
namespace {

constexpr int frames = 100;

struct SeekKind {
  const char *file, *encoder, *options;
};
const SeekKind seek_kinds[] = {
    {"seek-h264.mp4", "libx264", "-c:v libx264 -pix_fmt yuv420p -g 40 -bf 3"},
    {"seek-h264.mkv", "libx264", "-c:v libx264 -pix_fmt yuv420p -g 40 -bf 3"},
    {"seek-h264.ts", "libx264", "-c:v libx264 -pix_fmt yuv420p -g 20 -bf 3"},
    {"seek-open-gop.mp4", "libx264", "-c:v libx264 -pix_fmt yuv420p -g 20 -bf 3 -x264-params open-gop=1"},
    {"seek-hevc.mkv", "libx265", "-c:v libx265 -x265-params log-level=none:keyint=25:open-gop=1 -pix_fmt yuv420p"},
    {"seek-vp9.webm", "libvpx-vp9", "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -g 30 -pix_fmt yuv420p"},
    {"seek-mpeg4.avi", "mpeg4", "-c:v mpeg4 -bf 2 -g 15 -q:v 3"},
    {"seek.gif", "gif", "-c:v gif"},
    {"seek-ffv1.mkv", "ffv1", "-c:v ffv1 -pix_fmt yuv420p"},
    {"seek-raw.h264", "libx264", "-c:v libx264 -pix_fmt yuv420p -g 20 -bf 0 -f h264"},
};

std::string clip(const SeekKind& kind) { return coded_clip(kind.file, frames, kind.options, "25", 64, 32); }
std::string usual_clip() { return clip(seek_kinds[0]); }

class Seek : public testing::TestWithParam<SeekKind> {};

TEST_P(Seek, IsExact) {
  if (!has_encoder(GetParam().encoder)) GTEST_SKIP() << "this FFmpeg has no encoder " << GetParam().encoder;
  const auto player = open(clip(GetParam()));
  next(*player, once());
  for (const int target : {50, 51, 49, 0, 99, 41, 40, 39, 1, 98, 60, 60, 20, 19, 80}) {
    player->seek_frame(target);
    VideoFrame frame = next(*player, once());
    EXPECT_EQ(code_of(frame), target);
    EXPECT_EQ(frame.number, target);
    if (target == 99) continue;
    frame = next(*player, once());  // and goes on from there
    EXPECT_EQ(code_of(frame), target + 1);
    EXPECT_EQ(frame.number, target + 1);
  }
  for (const int target : {70, 3, 0, 33, 99, 40}) {
    // The frame shown at that time: begun and not yet followed by the next.
    player->seek_seconds(target / 25.0 + 0.02);
    EXPECT_EQ(code_of(next(*player, once())), target);
    player->seek_seconds(target / 25.0);
    EXPECT_EQ(code_of(next(*player, once())), target);
  }
}

TEST_P(Seek, StepsBothWaysWhilePaused) {
  if (!has_encoder(GetParam().encoder)) GTEST_SKIP() << "this FFmpeg has no encoder " << GetParam().encoder;
  const auto player = open(clip(GetParam()), Pace::clock);
  next(*player, paused());
  int expected = 0;
  for (const int step : {1, 1, 1, -1, 20, -2, 1, 7, -9, 1, -1, -1}) {
    player->step(step);
    const VideoFrame frame = next(*player, paused());
    expected += step;
    EXPECT_EQ(code_of(frame), expected);
    EXPECT_EQ(frame.number, expected);
    EXPECT_EQ(player->stats().frame_number, expected);
  }
  EXPECT_FALSE(player->next_frame(paused()));
  player->step(-1000);
  EXPECT_EQ(code_of(next(*player, paused())), 0);
  EXPECT_EQ(player->frames_dropped(), 0);
}

TEST_P(Seek, AFrameComesOnceMoreAfterThoseBeforeIt) {
  if (!has_encoder(GetParam().encoder)) GTEST_SKIP() << "this FFmpeg has no encoder " << GetParam().encoder;
  const auto player = open(clip(GetParam()), Pace::clock);
  EXPECT_FALSE(player->lead_in(4)) << "nothing has been shown";
  for (const auto& [number, first] : {std::pair(50, 46), std::pair(99, 95), std::pair(2, 0)}) {
    player->seek_frame(number);
    EXPECT_FALSE(player->lead_in(4)) << "another frame is asked for";
    EXPECT_EQ(next(*player, paused()).number, number);
    ASSERT_TRUE(player->lead_in(4));
    for (int i = first; i <= number; ++i) {
      const VideoFrame frame = next(*player, paused());
      EXPECT_EQ(code_of(frame), i);
      EXPECT_EQ(frame.number, i);
      EXPECT_EQ(frame.leads, i < number);
      EXPECT_EQ(player->stats().frame_number, number) << "what leads is not shown";
    }
    EXPECT_FALSE(player->next_frame(paused()));
  }
  player->step(1);
  EXPECT_EQ(next(*player, paused()).number, 3);
  ASSERT_TRUE(player->lead_in(2));
  player->seek_frame(70);
  const VideoFrame frame = next(*player, paused());
  EXPECT_EQ(frame.number, 70);
  EXPECT_FALSE(frame.leads);
}

INSTANTIATE_TEST_SUITE_P(Files, Seek, testing::ValuesIn(seek_kinds), [](const auto& parameter) {
  std::string name = parameter.param.file;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
});

TEST(Playback, LoopsWithoutASeam) {
  for (const SeekKind& kind : {seek_kinds[0], seek_kinds[1], seek_kinds[2], seek_kinds[7]}) {
    const auto player = open(clip(kind));
    for (int i = 0; i < 250; ++i) {
      const VideoFrame frame = next(*player, {});
      ASSERT_EQ(code_of(frame), i % frames) << kind.file;
      ASSERT_EQ(frame.number, i % frames) << kind.file;
    }
  }
}

TEST(Playback, RepeatsFromAToB) {
  const auto player = open(usual_clip());
  PlaybackSettings settings;
  settings.loop_a = 0.8;  // frame 20
  settings.loop_b = 1.2;  // up to frame 29
  std::vector<int> codes;
  for (int i = 0; i < 45; ++i) codes.push_back(code_of(next(*player, settings)));
  // It may begin before A; what lies after B never comes.
  const auto start = std::find(codes.begin(), codes.end(), 20);
  ASSERT_NE(start, codes.end());
  for (auto at = start; at != codes.end(); ++at) EXPECT_EQ(*at, 20 + (at - start) % 10);
  // Cleared: on to the end and round again.
  settings.loop_a.reset();
  settings.loop_b.reset();
  int last = codes.back();
  for (int i = 0; i < 120; ++i) {
    const int code = code_of(next(*player, settings));
    EXPECT_EQ(code, (last + 1) % frames);
    last = code;
  }
}

TEST(Playback, ALoopSetElsewhereIsGoneTo) {
  const auto player = open(usual_clip());
  PlaybackSettings settings;
  for (int i = 0; i < 50; ++i) next(*player, settings);
  settings.loop_a = 0.4;
  settings.loop_b = 0.6;
  for (int i = 0; i < 12; ++i) EXPECT_EQ(code_of(next(*player, settings)), 10 + i % 5);
}

TEST(Playback, LoopTurnedOffGoesOnBeyondB) {
  const auto player = open(usual_clip());
  PlaybackSettings settings;
  settings.loop_a = 0.4;
  settings.loop_b = 0.6;
  for (int i = 0; i < 40; ++i) next(*player, settings);
  settings.loop = false;
  int last = code_of(next(*player, settings));
  ASSERT_LE(last, 15);
  for (; last < frames - 1; ++last) ASSERT_EQ(code_of(next(*player, settings)), last + 1);
}

TEST(Playback, OneMarkAloneIsALoopToOrFromTheEnd) {
  const auto player = open(usual_clip());
  PlaybackSettings settings;
  settings.loop_b = 0.4;
  for (int i = 0; i < 25; ++i) EXPECT_EQ(code_of(next(*player, settings)), i % 10) << "to B";
  settings.loop_b.reset();
  settings.loop_a = 3.6;
  EXPECT_EQ(code_of(next(*player, settings)), 90);
  for (int i = 1; i < 25; ++i) EXPECT_EQ(code_of(next(*player, settings)), 90 + i % 10) << "from A";
}

TEST(Playback, AMarkThatIsSetWhilePausedLeavesTheFrame) {
  const auto player = open(usual_clip());
  PlaybackSettings settings;
  for (int i = 0; i < 20; ++i) next(*player, settings);
  settings.paused = true;
  settings.loop_a = 0.2;
  settings.loop_b = player->stats().position;
  for (int i = 0; i < 100; ++i) {
    EXPECT_FALSE(player->next_frame(settings));
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  settings.paused = false;
  EXPECT_EQ(code_of(next(*player, settings)), 5) << "A";
}

// As a session does that was kept so.
TEST(Playback, BeginsWherePausedAlsoAtB) {
  for (const Pace pace : {Pace::every, Pace::clock}) {
    const auto player = open(usual_clip(), pace);
    PlaybackSettings settings;
    settings.paused = true;
    settings.loop_a = 0.2;
    settings.loop_b = 0.8;
    player->seek_seconds(0.8);
    EXPECT_EQ(code_of(next(*player, settings)), 20);
    settings.paused = false;
    EXPECT_EQ(code_of(next(*player, settings)), 5) << "A";
  }
}

TEST(Playback, APlaceBehindTheLoopIsSeenAndTheLoopComesAfterTheEnd) {
  const auto player = open(usual_clip());
  PlaybackSettings settings;
  settings.loop_a = 0.4;
  settings.loop_b = 0.8;
  for (int i = 0; i < 15; ++i) next(*player, settings);
  settings.paused = true;
  player->seek_seconds(3.6);
  EXPECT_EQ(code_of(next(*player, settings)), 90);
  player->step(-1);
  EXPECT_EQ(code_of(next(*player, settings)), 89);
  settings.paused = false;
  for (int code = 90; code < frames; ++code) EXPECT_EQ(code_of(next(*player, settings)), code);
  for (int i = 0; i < 25; ++i) EXPECT_EQ(code_of(next(*player, settings)), 10 + i % 10);
}

TEST(Playback, AStepBackTakesNothingOfWhatWasDecodedAhead) {
  const auto player = open(usual_clip());
  PlaybackSettings settings;
  for (int i = 0; i < 5; ++i) next(*player, settings);
  wait_until_full(*player);
  settings.paused = true;
  player->step(-1);
  EXPECT_EQ(code_of(next(*player, settings)), 3);
}

TEST(Playback, LoopTurnedOffEndsAtTheEnd) {
  const auto player = open(usual_clip());
  for (int i = 0; i < 97; ++i) next(*player, {});
  wait_until_full(*player);  // with frames of the next round too
  EXPECT_GT(player->stats().queue_length, 3);
  const std::vector<VideoFrame> rest = play(*player);
  ASSERT_EQ(rest.size(), 3u);
  EXPECT_EQ(code_of(rest.back()), 99);
  EXPECT_TRUE(player->stats().ended);
  // Back on: it plays again; and a seek leaves the end too.
  EXPECT_EQ(code_of(next(*player, {})), 0);
  play(*player);
  EXPECT_TRUE(player->stats().ended);
  player->seek_frame(42);
  EXPECT_EQ(code_of(next(*player, once())), 42);
  EXPECT_FALSE(player->stats().ended);
}

TEST(Playback, SeekingPastTheEndEnds) {
  const auto player = open(usual_clip());
  next(*player, once());
  player->seek_frame(1000);
  EXPECT_TRUE(play(*player).empty());
  EXPECT_TRUE(player->stats().ended);
  player->seek_seconds(0.04);
  EXPECT_EQ(code_of(next(*player, once())), 1);
}

TEST(Playback, TheLastOfManySeeksWins) {
  const auto player = open(usual_clip(), Pace::clock);
  next(*player, paused());
  for (int i = 0; i < 60; ++i) {
    player->seek_frame(i * 37 % frames);
    player->next_frame(paused());
  }
  player->seek_frame(77);
  VideoFrame frame = next(*player, paused());
  EXPECT_EQ(code_of(frame), 77);
  EXPECT_FALSE(player->next_frame(paused()));
}

TEST(Playback, ASeekBeforeTheFileIsOpenCounts) {
  const auto player = open(usual_clip());
  player->seek_seconds(2);
  EXPECT_EQ(code_of(next(*player, once())), 50);
}

// It is neither opened again nor told to have failed.
TEST(Playback, WhatIsLiveGoesOnWhenItIsSentElsewhere) {
  const int port = 20000 + (::getpid() + 7) % 20000;
  const std::string address = "tcp://127.0.0.1:" + std::to_string(port);
  const std::string file = coded_clip("live.ts", 200, "-c:v libx264 -pix_fmt yuv420p -g 12");
  std::thread server([&] {
    run("timeout 20 ffmpeg -nostdin -v quiet -re -i '" + file + "' -c copy -f mpegts '" + address + "?listen=1'");
  });
  const auto player = open(address, Pace::clock);
  player->seek_seconds(2);  // before it is known to be live
  int shown = code_of(next(*player, {}));
  const std::string words = "'" + address + "' cannot go to another time: it is live. Record it to step through it.";
  std::optional<std::string> error;
  for (const int way : {0, 1, 2, 3}) {
    while (way == 0 && !error && (error = player->take_error()))
      if (error->find("live") == std::string::npos) error.reset();  // the server was not there yet
    if (way == 1) player->seek_frame(0);
    if (way == 2) player->seek_seconds(1e6);
    if (way == 3) player->step(-1);
    if (way > 0) error = wait_for_error(*player, {});
    EXPECT_EQ(error.value_or(""), words) << way;
    EXPECT_EQ(player->stats().error, "");
    const int before = std::exchange(shown, code_of(next(*player, {})));
    EXPECT_GT(shown, before) << way;
  }
  server.join();
}

TEST(Playback, PauseHoldsTheFrame) {
  const auto player = open(usual_clip(), Pace::clock);
  next(*player, once());
  for (int i = 0; i < 100; ++i) {
    EXPECT_FALSE(player->next_frame(paused()));
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  EXPECT_EQ(code_of(next(*player, once())), 1);
  EXPECT_EQ(player->frames_dropped(), 0);
}

TEST(Playback, RestartPlaysFromTheBeginning) {
  const auto player = open(usual_clip());
  for (int i = 0; i < 20; ++i) next(*player, once());
  player->restart();
  EXPECT_EQ(code_of(next(*player, once())), 0);
}

// Decoded before anybody has said whether it is to come again.
TEST(Looping, AClipShorterThanWhatIsDecodedAheadIsPlayedOnce) {
  const auto player = open(coded_clip("short.mkv", 3, "-c:v libx264 -pix_fmt yuv420p"));
  for (int i = 0; i < 2000 && player->stats().queue_length < 3; ++i) usleep(10'000);
  usleep(300'000);
  EXPECT_EQ(player->stats().queue_length, 3);
  EXPECT_EQ(play(*player).size(), 3u);
}

}  // namespace
}  // namespace convoscope::test
