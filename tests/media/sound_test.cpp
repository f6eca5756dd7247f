// What is heard of a file, by a sound card that keeps what it plays.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <mutex>
#include <thread>
#include <vector>

#include "app/media/play/decoder_thread.h"
#include "app/media/sound/sound_player.h"
#include "kernels/text/error.h"
#include "tests/media/media_test.h"
#include "tests/media/sound_clips.h"

namespace convoscope::test {
namespace {

// A sound card that keeps what it plays, with the time at which each sample is heard.
class KeepingCard : public SoundOutput {
 public:
  struct Kept {
    std::mutex mutex;
    std::vector<std::pair<double, float>> samples;  // the left channel
    std::atomic<int> opened{0};
    std::atomic<bool> pulled_out{false};
    // Those of the last `seconds`.
    std::vector<std::pair<double, float>> latest(double seconds) {
      const std::lock_guard lock(mutex);
      const auto count = std::min(samples.size(), static_cast<std::size_t>(seconds * test::rate));
      return {samples.end() - static_cast<std::ptrdiff_t>(count), samples.end()};
    }
  };
  explicit KeepingCard(Kept& kept) : kept_(kept), thread_([this](const std::stop_token& end) { play(end); }) {
    ++kept.opened;
  }
  SoundRing& ring() override { return ring_; }
  int rate() const override { return test::rate; }
  double latency() const override { return late; }
  std::string name() const override { return "test"; }
  bool lost() const override { return kept_.pulled_out; }

 private:
  static constexpr double late = 0.05;
  void play(const std::stop_token& end) {
    std::vector<float> block(2 * 480);
    for (double due = now_seconds(); !end.stop_requested(); due += 0.01) {
      while (now_seconds() < due) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      ring_.play(block.data(), 480, due + late);
      const std::lock_guard lock(kept_.mutex);
      for (std::size_t i = 0; i < 480; ++i)
        kept_.samples.emplace_back(due + late + static_cast<double>(i) / test::rate, block[2 * i]);
    }
  }
  SoundRing ring_{test::rate, test::rate / 2};
  Kept& kept_;
  std::jthread thread_;
};

class Hearing : public testing::Test {
 protected:
  SoundStats stats() const {
    SoundStats stats;
    player_.report(stats);
    return stats;
  }
  void play(PlayClock clock, double seconds, double volume = 1) {
    clock.at = now_seconds();
    clock.runs = true;
    clock_ = clock;
    follow(seconds, volume);
  }
  void follow(double seconds, double volume = 1) {
    for (const double end = now_seconds() + seconds; now_seconds() < end;) {
      player_.follow(clock_, volume, loop_, work_);
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  // The largest distance between the position that is heard and the picture's, in seconds of the source.
  double apart(double volume = 1, double of_last = 0.2) {
    double most = 0;
    for (const auto& [at, sample] : kept_.latest(of_last)) {
      const double picture = clock_.position + (at - clock_.at) * clock_.speed;
      most = std::max(most, std::abs(sample / volume * length - picture));
    }
    return most;
  }
  double loudest() {
    double most = 0;
    for (const auto& [at, sample] : kept_.latest(0.2)) most = std::max(most, std::abs(static_cast<double>(sample)));
    return most;
  }
  // A machine that does other things may have to mend it a second time.
  void expect_in_step(double volume = 1, double within = 0.05) {
    for (int tries = 0; tries < 8 && apart(volume) > within; ++tries) follow(0.5, volume);
    EXPECT_LE(apart(volume), within);
  }

  KeepingCard::Kept kept_;
  std::atomic<bool> has_card_{true};
  PlayClock clock_;
  SoundLoop loop_;
  SoundWork work_;
  SoundPlayer player_{[this]() -> std::unique_ptr<SoundOutput> {
    if (!has_card_) throw Error("There is no card.");
    return std::make_unique<KeepingCard>(kept_);
  }};
};

TEST_F(Hearing, IsInStepWithThePicture) {
  player_.open(source_of(plain_clip()));
  play({.position = 3}, 1);
  expect_in_step();
  EXPECT_TRUE(stats().has_sound);
  EXPECT_EQ(stats().card, "test");
  EXPECT_LT(std::abs(stats().ahead), 0.05);
  play({.position = 12}, 0.8);  // elsewhere
  expect_in_step();
  play({.position = 1}, 0.8, 0.5);  // back, and half as loud
  expect_in_step(0.5);
  play({.position = 2, .speed = 2}, 1);
  expect_in_step(1, 0.2);  // a window of FFmpeg's at twice the speed, and what is put up with
}

// What is told of the sound card stays true, what is told of the other source's sound does not.
TEST_F(Hearing, TellsOfTheNextSourceAndTheSameCard) {
  work_.settings.scope = true;
  player_.open(source_of(plain_clip()));
  play({.position = 3}, 0.8);
  expect_in_step();
  EXPECT_TRUE(stats().scope.present);
  player_.open(source_of(plain_clip()));
  clock_.runs = false;
  follow(0.3);
  EXPECT_TRUE(stats().has_sound);
  EXPECT_FALSE(stats().scope.present);
  play({.position = 3}, 0.8);
  expect_in_step();
  EXPECT_EQ(stats().card, "test");
  EXPECT_EQ(stats().rate, test::rate);
}

TEST_F(Hearing, IsSilentInAPauseAndWhereItIsOff) {
  player_.open(source_of(plain_clip()));
  play({.position = 10}, 0.8);
  expect_in_step();
  clock_.runs = false;
  follow(0.4);
  EXPECT_EQ(loudest(), 0);
  play({.position = 5}, 0.6);
  expect_in_step();
  follow(0.4, 0);
  EXPECT_EQ(loudest(), 0);
  follow(0.6);
  expect_in_step();
  player_.close();
  follow(0.4);
  EXPECT_EQ(loudest(), 0);
}

// From 5 s to 6.5 s and again: no hole where the picture goes back, three times.
TEST_F(Hearing, GoesOnOverTheSeamOfALoop) {
  player_.open(source_of(plain_clip()));
  loop_ = {5, 6.5};
  play({.position = 5.5}, 0.8);
  expect_in_step();
  const int jumps = stats().jumps;
  int seams = 0;
  for (const double end = now_seconds() + 4.5; now_seconds() < end;) {
    if (now_seconds() - clock_.at > loop_.end - clock_.position) {
      clock_.at += loop_.end - clock_.position;
      clock_.position = loop_.start;
      ++seams;
    }
    player_.follow(clock_, 1, loop_);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(seams, 3);
  EXPECT_EQ(stats().jumps, jumps) << "a machine that is too busy";
  int silent = 0;
  for (const auto& [at, sample] : kept_.latest(4)) {
    silent += sample < 0.9 * loop_.start / length;
    EXPECT_LT(sample, (loop_.end + 0.01) / length);
  }
  EXPECT_LT(silent, rate / 1000);
}

// The clip's sound is a level that grows, which all of these keep: it stays in step whatever filters it.
TEST_F(Hearing, IsInStepThroughAFilter) {
  player_.open(source_of(plain_clip()));
  work_.settings.filtered = true;
  for (const char* const filter : {"low-pass:cutoff=200,radius=512", "moving-average:radius=3"}) {
    work_.settings.filter = parse_signal_filter(filter);
    play({.position = 4}, 0.8);
    expect_in_step();
    EXPECT_THAT(stats().filter.strategy, testing::StartsWith("cpu-"));
    EXPECT_GT(stats().filter.blocks, 0);
  }
  loop_ = {5, 6.5};
  play({.position = 5.5}, 0.8);
  expect_in_step();
}

TEST_F(Hearing, IsFilteredWithinAMoment) {
  player_.open(source_of(both_alike()));
  work_.settings.scope = true;
  play({.position = 10}, 0.8);
  EXPECT_GT(loudest(), 0.4);
  EXPECT_TRUE(stats().scope.present);
  EXPECT_EQ(stats().scope.before, stats().scope.after);
  EXPECT_GT(stats().scope.before.back(), 0.4f);
  work_.settings.filtered = true;
  work_.settings.filter = parse_signal_filter("high-pass:cutoff=500");  // nothing is left of a level
  follow(1.2);
  EXPECT_LT(loudest(), 0.01);
  work_.settings.filter = parse_signal_filter("moving-average");
  follow(1);
  EXPECT_GT(loudest(), 0.4);
}

// Who only looks at sound need not hear it.
TEST_F(Hearing, IsSeenWhereItIsNotHeard) {
  has_card_ = false;
  player_.open(source_of(both_alike()));
  work_.settings.scope = true;
  play({.position = 3}, 0.8);
  EXPECT_THAT(stats().why_not, testing::StartsWith("There is no card. "));
  EXPECT_EQ(stats().card, "");
  EXPECT_TRUE(stats().scope.present);
  EXPECT_LT(std::abs(stats().ahead), 0.05);
  has_card_ = true;
  player_.retry();
  follow(0.8);
  EXPECT_EQ(stats().why_not, "");
  expect_in_step();
  follow(0.5, 0);  // off, and still seen
  EXPECT_EQ(loudest(), 0);
  const SoundScope before = stats().scope;
  follow(0.2, 0);
  EXPECT_NE(stats().scope.before, before.before);
}

TEST_F(Hearing, SaysWhyNothingIsHeard) {
  has_card_ = false;
  player_.open(source_of(plain_clip()));
  play({.position = 10}, 0.4);
  EXPECT_THAT(stats().why_not, testing::StartsWith("There is no card. "));
  EXPECT_TRUE(stats().has_sound);
  has_card_ = true;
  follow(0.3);
  EXPECT_EQ(kept_.opened, 0);
  player_.retry();
  follow(0.6);
  EXPECT_EQ(stats().why_not, "");
  expect_in_step();
}

TEST_F(Hearing, SaysInAPauseThatThereIsNoCard) {
  has_card_ = false;
  player_.open(source_of(plain_clip()));
  follow(0.3);
  EXPECT_THAT(stats().why_not, testing::StartsWith("There is no card. "));
  has_card_ = true;
  player_.retry();
  follow(0.3);
  EXPECT_EQ(stats().why_not, "");
  EXPECT_EQ(loudest(), 0);
  play({.position = 10}, 0.4);
  expect_in_step();
  EXPECT_EQ(kept_.opened, 1) << "the one that was found plays";
}

TEST_F(Hearing, ComesBackWithTheCard) {
  player_.open(source_of(plain_clip()));
  play({.position = 2}, 0.6);
  kept_.pulled_out = true;
  has_card_ = false;
  follow(0.2);
  EXPECT_THAT(stats().why_not, testing::StartsWith("There is no card. "));
  has_card_ = true;
  kept_.pulled_out = false;
  follow(3.5);
  EXPECT_EQ(kept_.opened, 2);
  expect_in_step();
}

TEST_F(Hearing, IsNothingWithoutSound) {
  player_.open(source_of("pattern"));
  play({.position = 2}, 0.3);
  EXPECT_FALSE(stats().has_sound);
  EXPECT_EQ(kept_.opened, 0);
  player_.open(source_of("missing.mkv"));
  play({.position = 2}, 0.3);
  EXPECT_NE(stats().why_not, "");
}

TEST(SoundRing, NeverClicks) {
  SoundRing ring(rate, rate);
  std::vector<float> ones(2 * 9600, 1.0f), minus(2 * 9600, -1.0f), out;
  const auto play = [&](int count) {
    std::vector<float> block(2 * static_cast<std::size_t>(count));
    ring.play(block.data(), count, 0);
    for (std::size_t i = 0; i < block.size(); i += 2) out.push_back(block[i]);
  };
  ring.write(ones.data(), 2000);
  ring.set_running(true);
  play(1000);
  EXPECT_EQ(out.back(), 1);
  ring.drop();
  ring.write(minus.data(), 2000);
  play(1000);
  EXPECT_EQ(out.back(), -1);
  EXPECT_EQ(ring.missed(), 0);
  play(2000);  // fewer are there
  EXPECT_NEAR(out.back(), 0, 1e-3);
  EXPECT_GT(ring.missed(), 0);
  ring.write(ones.data(), 4000);
  play(1000);
  ring.set_volume(0.25f);
  play(1000);
  EXPECT_EQ(out.back(), 0.25f);
  ring.set_running(false);
  play(1000);
  EXPECT_EQ(out.back(), 0);
  const std::int64_t kept = ring.heard().frame;
  play(1000);
  EXPECT_EQ(ring.heard().frame, kept);
  double step = 0;
  for (std::size_t i = 1; i < out.size(); ++i)
    step = std::max(step, std::abs(static_cast<double>(out[i]) - out[i - 1]));
  EXPECT_LT(step, 0.05);
}

TEST(PlayerClock, IsWhereThePictureIs) {
  const std::unique_ptr<Player> player = open(plain_clip(), Pace::clock);
  EXPECT_FALSE(player->clock().runs);
  for (int i = 0; i < 10; ++i) next(*player, once());
  const PlayClock first = player->clock();
  EXPECT_TRUE(first.runs);
  for (int i = 0; i < 20; ++i) next(*player, once());
  const PlayClock second = player->clock();
  EXPECT_NEAR(second.at - first.at, second.position - first.position, 1e-6);
  player->next_frame(paused());
  EXPECT_FALSE(player->clock().runs);
  player->next_frame(once());
  player->seek_seconds(10);
  EXPECT_FALSE(player->clock().runs);
  EXPECT_NEAR(next(*player, once()).seconds, 10, 0.03);
  EXPECT_TRUE(player->clock().runs);
  EXPECT_NEAR(player->clock().position, 10, 0.03);
}

}  // namespace
}  // namespace convoscope::test
