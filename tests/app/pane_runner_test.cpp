// Which frames leave a time behind, with timers whose results the test holds back as a GPU does.
#include "app/panes/pane_runner.h"

#include <gtest/gtest.h>

#include <deque>

#include "kernels/filter/filter_catalogue.h"

namespace convoscope {
namespace {

// Times are 1, 2, 3… ms in the order of starts; none is finished before the test says so.
struct Clockwork {
  int started = 0, finished = 0;
};

class HeldTimer final : public IntervalTimer {
 public:
  explicit HeldTimer(Clockwork& clockwork) : clockwork_(clockwork) {}
  void start(Stream) override { number_ = ++clockwork_.started; }
  void stop(Stream) override {}
  std::optional<double> poll_ms() override {
    return number_ <= clockwork_.finished ? std::optional<double>(number_) : std::nullopt;
  }

 private:
  Clockwork& clockwork_;
  int number_ = 0;
};

class HeldCompute final : public Compute {
 public:
  const Device& device() const override { return cpu_->device(); }
  Stream stream() const override { return {}; }
  DeviceImage allocate(int w, int h, PixelFormat f) override { return cpu_->allocate(w, h, f); }
  std::shared_ptr<void> allocate_bytes(std::size_t n) override { return cpu_->allocate_bytes(n); }
  std::shared_ptr<void> allocate_host(std::size_t n) override { return cpu_->allocate_host(n); }
  std::unique_ptr<IntervalTimer> make_timer() override { return std::make_unique<HeldTimer>(clockwork); }
  void upload(const Image& from, const Image& to) override { cpu_->upload(from, to); }
  void copy(const Image& from, const Image& to) override { cpu_->copy(from, to); }
  void copy_bytes(const void* from, void* to, std::size_t n) override { cpu_->copy_bytes(from, to, n); }
  void download(const Image& from, const Image& to) override { cpu_->download(from, to); }
  void start_download(const Image& from, const Image& to) override { cpu_->start_download(from, to); }
  void fill(const Image& image, unsigned char byte) override { cpu_->fill(image, byte); }
  void synchronize() override {}
  Clockwork clockwork;

 private:
  std::unique_ptr<Compute> cpu_ = make_compute(Backend::cpu);
};

class PaneRunnerTest : public testing::Test {
 protected:
  PaneRunnerTest() {
    settings_.strategy = "cpu-direct";
    settings_.filter = parse_filter("gaussian:radius=1");
    compute_.fill(in_.image(), 7);
  }
  void run(int frames, bool counts = true) {
    for (int i = 0; i < frames; ++i) {
      runner_.configure(settings_, 8, 8, PixelFormat::rgba8);
      runner_.begin(in_, counts);
      runner_.compute(in_.image());
      runner_.take(in_);
      runner_.settle();
    }
  }
  std::vector<float> collect() {
    runner_.collect(stats_);
    return stats_.kernel.history();
  }
  void finish_all() { compute_.clockwork.finished = compute_.clockwork.started; }

  HeldCompute compute_;
  DeviceImage in_ = compute_.allocate(8, 8, PixelFormat::rgba8);
  PaneRunner runner_{compute_};
  PaneSettings settings_;
  PaneStats stats_;
};

TEST_F(PaneRunnerTest, FirstLaunchesAreLeftOutHoweverLateTheyAreRead) {
  run(6);
  EXPECT_TRUE(collect().empty()) << "nothing is finished";
  finish_all();
  EXPECT_EQ(collect(), (std::vector<float>{4, 5, 6}));
}

TEST_F(PaneRunnerTest, WhatIsInFlightAtAChangeBelongsToNobody) {
  run(5);  // 4 and 5 would count
  settings_.strategy = "cpu-separable";
  run(1);
  finish_all();
  EXPECT_TRUE(collect().empty());
  run(3);
  finish_all();
  EXPECT_EQ(collect(), (std::vector<float>{9})) << "6, 7 and 8 are the first three of the new strategy";
  EXPECT_EQ(stats_.strategy, "cpu-separable");
}

TEST_F(PaneRunnerTest, NewWeightsKeepTheTimesAndLeaveOutTheFramesOfTheChange) {
  run(5);
  finish_all();
  EXPECT_EQ(collect(), (std::vector<float>{4, 5}));
  settings_.filter = parse_filter("gaussian:radius=1,sigma=0.4");
  run(4);
  finish_all();
  EXPECT_EQ(collect(), (std::vector<float>{4, 5, 9}));
}

TEST_F(PaneRunnerTest, AFrameThatDoesNotCountLeavesNoTime) {
  run(4);
  run(2, false);
  run(1);
  finish_all();
  EXPECT_EQ(collect(), (std::vector<float>{4, 7}));
}

TEST_F(PaneRunnerTest, WhenAllTimersAreInFlightFramesGoUntimed) {
  run(20);
  finish_all();
  EXPECT_EQ(collect(), (std::vector<float>{4, 5, 6, 7, 8}));
  run(1);
  finish_all();
  EXPECT_EQ(collect().back(), 9) << "and the ring goes on";
}

TEST_F(PaneRunnerTest, TimesComeThoughItIsSetToWorkAgainAtOnce) {
  run(5);
  finish_all();
  run(1);  // settled after 4 and 5 are finished, and at work again before anybody collects
  runner_.begin(in_);
  EXPECT_EQ(collect(), (std::vector<float>{4, 5}));
  runner_.compute(in_.image());
  runner_.take(in_);
  runner_.settle();
}

TEST_F(PaneRunnerTest, TimesThatNobodyCollectedBeforeAChangeBelongToNobody) {
  run(5);
  finish_all();
  run(1);
  settings_.strategy = "cpu-separable";
  runner_.configure(settings_, 8, 8, PixelFormat::rgba8);
  EXPECT_TRUE(collect().empty());
}

TEST_F(PaneRunnerTest, AnotherStandsInWhileTheChosenOneCannotRunAndNoLonger) {
  settings_.strategy = "cpu-separable";
  run(5);
  finish_all();
  EXPECT_EQ(collect().size(), 2u);
  EXPECT_EQ(stats_.runs, "cpu-separable");
  EXPECT_EQ(stats_.substitute, "");
  EXPECT_EQ(stats_.why_substitute, "");

  settings_.filter = parse_filter("disk:radius=1.4");  // of the same size, but its rank is not 1
  ASSERT_EQ(settings_.filter.filter.width, 3);
  run(1);
  EXPECT_TRUE(collect().empty()) << "the times are another strategy's";
  EXPECT_EQ(stats_.strategy, "cpu-separable") << "the choice stays the choice";
  EXPECT_EQ(stats_.runs, "cpu-parallel");
  EXPECT_EQ(stats_.substitute, "cpu-parallel");
  EXPECT_NE(stats_.why_substitute.find("cpu-parallel runs instead."), std::string::npos) << stats_.why_substitute;
  EXPECT_EQ(stats_.problem, "");
  ASSERT_TRUE(runner_.strategy());
  EXPECT_EQ(runner_.strategy()->id, "cpu-parallel") << "the check asks this one's tolerance";

  settings_.filter = parse_filter("gaussian:radius=1");
  run(1);
  collect();
  EXPECT_EQ(stats_.runs, "cpu-separable");
  EXPECT_EQ(stats_.substitute, "");
}

}  // namespace
}  // namespace convoscope
