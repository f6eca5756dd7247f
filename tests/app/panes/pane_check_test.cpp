#include "app/inspect/pane_check.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <random>

#include "app/inspect/check_samples.h"
#include "app/state/workbench.h"
#include "kernels/filter/filter_catalogue.h"
#include "kernels/kinds/layer.h"

namespace convoscope {
namespace {

using State = CheckResult::State;

class PaneCheckTest : public testing::Test {
 protected:
  void open(int width, int height, PixelFormat format = PixelFormat::rgba8) {
    input_ = compute_->allocate(width, height, format);
    std::minstd_rand random(3);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        const float gray = static_cast<float>(random() % 1000) / 1000.0f;
        const auto colour = static_cast<std::uint32_t>(random());
        std::memcpy(at(input_.image(), x, y),
                    format == PixelFormat::gray32f ? static_cast<const void*>(&gray) : &colour, 4);
      }
  }
  void add(const char* strategy, const char* filter, Border border = Border::wrap) {
    PaneSettings pane;
    pane.strategy = strategy;
    pane.filter = parse_filter(filter);
    pane.border = border;
    panes_.push_back(pane);
  }
  static unsigned char* at(const Image& image, int x, int y) {
    return static_cast<unsigned char*>(image.data) + static_cast<std::size_t>(y) * image.pitch + 4 * x;
  }
  // One frame; `spoil` may change what the panes have made before it is looked at.
  void frame(const std::function<void()>& spoil = {}) {
    set_.arrange(panes_, stats_, 60);
    set_.configure(panes_, input_.image().width, input_.image().height, input_.image().format, work_of(settings_));
    set_.filter(input_);
    set_.wait();
    if (spoil) spoil();
    checker_.observe(set_, ++frame_, now_, stats_);
    now_ += 0.5;
  }
  // Frames until every pane has been checked so often.
  void play(std::int64_t checks, const std::function<void()>& spoil = {}) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(5);  // hangs
    const auto done = [&] {
      return !stats_.empty() && std::ranges::all_of(stats_, [&](const PaneStats& s) {
        return s.check.frames >= checks || s.check.state == State::none || s.check.state == State::impossible;
      });
    };
    while (!done()) {
      ASSERT_LT(std::chrono::steady_clock::now(), end);
      frame(spoil);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  // All the panes of a workbench from now on.
  void show(const char* workbench) {
    settings_ = in_workbench(settings_, workbench);
    settings_.layer.weights = find_bank_kind("edges")->make(16, 3, 3);
  }
  // Where a layer's pane has its maps.
  float& map_value(int pane, int map, int x, int y) {
    return row_of<float>(set_.runner(pane).view()->outputs({})[0], 0, map, y)[x];
  }
  void brighten(int pane, int x, int y, int by) {
    unsigned char* const pixel = at(set_.runner(pane).output(), x, y);
    pixel[1] = static_cast<unsigned char>(pixel[1] > 127 ? pixel[1] - by : pixel[1] + by);
  }

  std::unique_ptr<Compute> compute_ = make_compute(Backend::cpu);
  DeviceImage input_;
  PaneSet set_{*compute_};
  Settings settings_;
  std::vector<PaneSettings> panes_;
  std::vector<PaneStats> stats_;
  PaneChecker checker_{*compute_};
  std::int64_t frame_ = 0;
  double now_ = 0;
};

TEST_F(PaneCheckTest, RightStrategiesAreRightWithEveryBorder) {
  for (const Border border : all_borders) add("cpu-parallel", "gaussian:radius=3", border);
  add("cpu-separable", "box:radius=12", Border::mirror);
  add("cpu-direct", "sobel-magnitude", Border::replicate);
  for (const PixelFormat format : {PixelFormat::rgba8, PixelFormat::gray32f})
    for (const auto& [width, height] : {std::pair{31, 17}, std::pair{160, 120}}) {
      open(width, height, format);
      stats_.clear();
      play(2);
      for (const PaneStats& pane : stats_) {
        EXPECT_EQ(pane.check.state, State::right) << pane.check.max_error << " of " << pane.check.tolerance;
        EXPECT_LE(pane.check.max_error, pane.check.tolerance);
        EXPECT_GT(pane.check.pixels, 300);
      }
    }
}

TEST_F(PaneCheckTest, ALayerIsCheckedInEveryTypeAndLayout) {
  show("layer");
  open(64, 48);
  add("cpu-direct", "box");
  for (const Precision precision : all_precisions)
    for (const Layout layout : all_layouts) {
      settings_.layer.precision = precision;
      settings_.layer.layout = layout;
      stats_.clear();
      play(2);
      EXPECT_EQ(stats_[0].check.state, State::right)
          << to_string(precision) << ": " << stats_[0].check.max_error << " of " << stats_[0].check.tolerance;
      EXPECT_GT(stats_[0].check.pixels, 300);
    }
}

TEST_F(PaneCheckTest, EachPaneIsCheckedInItsOwnType) {
  show("layer");
  open(64, 48);
  for (int i = 0; i < 3; ++i) add("cpu-direct", "box");
  panes_[1].precision = Precision::tf32;
  panes_[2].precision = Precision::f16;
  play(2);
  for (int i = 0; i < 3; ++i) {
    const CheckResult& check = stats_[static_cast<std::size_t>(i)].check;
    EXPECT_EQ(check.state, State::right) << i << ": " << check.max_error << " of " << check.tolerance;
    Problem own = set_.runner(i).problem();
    own.layer.precision = all_precisions[static_cast<std::size_t>(i)];
    EXPECT_EQ(check.tolerance, set_.runner(i).strategy()->tolerance(own)) << i;
  }
  EXPECT_GT(stats_[2].check.tolerance, 10 * stats_[0].check.tolerance);
}

TEST_F(PaneCheckTest, AWrongPixelTurnsTheBadgeRedAtItsPlace) {
  open(64, 48);
  add("cpu-parallel", "gaussian:radius=2");
  add("cpu-parallel", "gaussian:radius=2");
  play(1, [&] { brighten(1, 37, 5, 9); });
  EXPECT_EQ(stats_[0].check.state, State::right);
  const CheckResult& wrong = stats_[1].check;
  EXPECT_EQ(wrong.state, State::wrong);
  EXPECT_EQ(wrong.x, 37);
  EXPECT_EQ(wrong.y, 5);
  EXPECT_EQ(wrong.channel, 1);
  EXPECT_NEAR(std::abs(wrong.expected - wrong.actual), 9, 0.5001);  // the right pixel was rounded
  EXPECT_NEAR(wrong.max_error, std::abs(wrong.expected - wrong.actual) - 0.5, 1e-3);

  play(4);  // right ones after it do not wash it away
  EXPECT_EQ(stats_[1].check.state, State::wrong);
  panes_[1].filter = parse_filter("gaussian:radius=4");  // a change does
  frame();
  EXPECT_EQ(stats_[1].check.state, State::running);
  play(1);
  EXPECT_EQ(stats_[1].check.state, State::right);
}

TEST_F(PaneCheckTest, BordersAndCornersOfLargePicturesAreAlwaysLookedAt) {
  open(420, 260);  // ten times what is looked at
  add("cpu-separable", "gaussian:radius=16");
  const std::pair<int, int> corners[] = {{0, 0}, {419, 0}, {0, 259}, {419, 259}};
  for (const auto& [x, y] : corners) {
    stats_.clear();
    panes_[0].filter.filter.gain += 0.01f;  // starts anew
    play(1, [&] { brighten(0, x, y, 3); });
    EXPECT_EQ(stats_[0].check.state, State::wrong);
    EXPECT_EQ(stats_[0].check.x, x);
    EXPECT_EQ(stats_[0].check.y, y);
  }
}

TEST_F(PaneCheckTest, AFilterOfFewWeightsOnALargePictureIsComparedToo) {
  open(1920, 1080, PixelFormat::gray32f);
  add("cpu-parallel", "box:radius=1");
  play(1);
  EXPECT_EQ(stats_[0].check.state, State::right);
  EXPECT_GT(stats_[0].check.pixels, 1000);
}

TEST_F(PaneCheckTest, LayersAreRightWithEveryShape) {
  show("layer");
  add("cpu-gemm", "identity");
  add("cpu-direct", "identity");
  LayerSettings strided = settings_.layer, sparse = settings_.layer, deep = settings_.layer;
  strided.stride = 2;
  strided.weights.relu = true;
  sparse.weights = find_bank_kind("edges")->make(3, 3, 15);
  sparse.weights.biases.assign(3, 0.25f);
  sparse.dilation = 3;
  deep.weights = find_bank_kind("edges")->make(6, 1, 5);
  deep.depthwise = true;
  deep.padded = false;
  for (const LayerSettings& layer : {settings_.layer, strided, sparse, deep})
    for (const auto& [width, height] : {std::pair{31, 17}, std::pair{80, 60}}) {
      settings_.layer = layer;
      open(width, height);
      stats_.clear();
      play(2);
      for (const PaneStats& pane : stats_) {
        EXPECT_EQ(pane.check.state, State::right) << pane.check.max_error << " of " << pane.check.tolerance;
        EXPECT_GT(pane.check.pixels, 300);
      }
    }
}

TEST_F(PaneCheckTest, EveryMapIsLookedAtInTurn) {
  show("layer");
  settings_.layer.weights = find_bank_kind("edges")->make(4, 3, 15);
  add("cpu-gemm", "identity");
  add("cpu-gemm", "identity");
  for (const auto& [width, height] : {std::pair{40, 30}, std::pair{70, 56}})
    for (const int map : {0, 3}) {
      open(width, height);
      stats_.clear();
      settings_.layer.weights.weights[0] += 0.01f;  // starts anew
      play(4, [&] { map_value(1, map, width - 1, height - 1) += 0.5f; });
      EXPECT_EQ(stats_[0].check.state, State::right);
      const CheckResult& wrong = stats_[1].check;
      EXPECT_EQ(wrong.state, State::wrong) << "map " << map;
      EXPECT_EQ(wrong.channel, map);
      EXPECT_EQ(wrong.x, width - 1);
      EXPECT_EQ(wrong.y, height - 1);
      EXPECT_NEAR(wrong.actual - wrong.expected, 0.5, 1e-4);
    }
}

TEST_F(PaneCheckTest, FramesInTimeAreRightAndAWrongOneIsFound) {
  show("volume");
  for (const int frames : {0, 2}) {
    add("cpu-parallel", "gaussian:radius=2", all_borders[panes_.size()]);
    panes_.back().frames = frames;
  }
  for (const PixelFormat format : {PixelFormat::rgba8, PixelFormat::gray32f})
    for (const auto& [width, height] : {std::pair{31, 17}, std::pair{400, 300}}) {
      stats_.clear();
      for (int i = 0; i < 4; ++i) {  // different frames
        open(width, height, format);
        std::memset(at(input_.image(), i, i), i, 4);
        frame();
      }
      play(2);
      for (const PaneStats& pane : stats_)
        EXPECT_EQ(pane.check.state, State::right) << pane.check.max_error << " of " << pane.check.tolerance;
    }
  open(64, 48);
  stats_.clear();
  play(1, [&] { brighten(1, 37, 5, 9); });
  EXPECT_EQ(stats_[1].check.state, State::wrong);
  EXPECT_EQ(stats_[1].check.x, 37);
  EXPECT_EQ(stats_[1].check.y, 5);
  EXPECT_EQ(stats_[1].check.channel, 1);
}

// What is between pictures and plan belongs to the next frame then.
TEST_F(PaneCheckTest, MapsAreNotReadWhileTheCoresAreAtWork) {
  open(64, 48);
  show("layer");
  add("cpu-gemm", "identity");
  frame();
  play(1);
  const std::int64_t frames = stats_[0].check.frames;
  set_.filter(input_);
  ASSERT_TRUE(set_.at_work());
  EXPECT_FALSE(can_be_read(set_, set_.runner(0)));
  for (int i = 0; i < 100; ++i) checker_.observe(set_, ++frame_, now_ += 100, stats_);
  EXPECT_EQ(stats_[0].check.frames, frames);
  set_.wait();
  EXPECT_TRUE(can_be_read(set_, set_.runner(0)));
}

TEST_F(PaneCheckTest, ChecksWhatTakesTheChosenOnesPlace) {
  open(64, 48);
  add("source", "identity");
  add("cpu-separable", "1 2 0; 0 3 4; 5 0 6");  // of rank 3
  play(1);
  EXPECT_EQ(stats_[0].check.state, State::none);
  EXPECT_EQ(stats_[1].check.state, State::right);
  set_.collect(stats_);
  EXPECT_FALSE(stats_[1].substitute.empty());
}

TEST_F(PaneCheckTest, WhereAnyByteWouldPassNothingIsCalledRight) {
  open(64, 48);
  add("cpu-parallel", "1e8 -2e8 1e8");
  play(1);
  EXPECT_EQ(stats_[0].check.state, State::impossible);
  EXPECT_GT(stats_[0].check.tolerance, 255);
  EXPECT_NE(stats_[0].check.reason.find("255"), std::string::npos) << stats_[0].check.reason;
  panes_[0].filter = parse_filter("gaussian:radius=2");
  frame();
  EXPECT_EQ(stats_[0].check.state, State::running);
  play(1);
  EXPECT_EQ(stats_[0].check.state, State::right);
}

TEST_F(PaneCheckTest, ObservingNeverWaitsForTheComparison) {
  open(640, 360);
  add("source", "identity");  // so that only the observing is measured
  add("cpu-parallel", "gaussian:radius=16");
  set_.arrange(panes_, stats_, 60);
  set_.configure(panes_, input_.image().width, input_.image().height, input_.image().format);
  set_.filter(input_);
  set_.wait();
  // Far more observations than checks: an observation that waited would bring a result each.
  int observations = 0;
  while (stats_[1].check.frames < 2) {
    checker_.observe(set_, ++observations, now_ += 10, stats_);
    ASSERT_LT(observations, 1'000'000'000);
  }
  EXPECT_GT(observations, 100);
}

TEST(CheckSamples, TakeTheMapsOfALayerInTurn) {
  for (const char* shape : {"1,3,1080,1920,64,7,padding=3", "1,3,540,960,16,3,stride=2", "1,3,20,30,64,3"}) {
    const Problem p = layer_problem(shape, Pass::forward);
    const Shape out = layer_kind.outputs(p)[0];
    std::vector<int> corners(static_cast<std::size_t>(out.planes()));
    for (unsigned seed = 0; seed < 64; ++seed) {
      double products = 0;
      for (const PlaneArea& part : check_samples(p, seed)) {
        EXPECT_EQ(clipped(part.area, out.width(), out.height()), part.area);
        products += 3.0 * part.area.width * part.area.height * p.filter.width * p.filter.width;
        if (part.area.x == 0 && part.area.y == 0) ++corners.at(static_cast<std::size_t>(part.plane));
      }
      EXPECT_LT(products, 3e7);
    }
    for (const int times : corners) EXPECT_GT(times, 0) << shape;
  }
  EXPECT_TRUE(check_samples(layer_problem("1,3,20,30,4,3", Pass::to_weights), 1).empty());
}

TEST(CheckSamples, CoverCornersAndEdgesWithinTheirBudget) {
  for (const int radius : {1, 4, 16, 63}) {
    const Problem p{3840, 2160, PixelFormat::rgba8, Border::zero,
                    parse_filter("box:radius=" + std::to_string(radius)).filter};
    for (unsigned seed = 0; seed < 20; ++seed) {
      double products = 0;
      bool left = false, right = false, top = false, bottom = false;
      for (const PlaneArea& part : check_samples(p, seed)) {
        const PixelArea& a = part.area;
        products += 3.0 * a.width * a.height * static_cast<double>(p.filter.weights.size());
        EXPECT_EQ(clipped(a, p.width, p.height), a);
        left |= a.x == 0;
        top |= a.y == 0;
        right |= a.x + a.width == p.width;
        bottom |= a.y + a.height == p.height;
      }
      EXPECT_LT(products, 3e7) << "radius " << radius;
      EXPECT_TRUE(left && right && top && bottom);
    }
  }
}

}  // namespace
}  // namespace convoscope
