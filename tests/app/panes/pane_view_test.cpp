// Panes of other kinds than images: what they show must be what the kind's reference says of the pictures they saw.
#include "app/panes/pane_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <map>
#include <random>

#include "app/panes/pane_set.h"
#include "app/state/workbench.h"
#include "kernels/contract/data/tensor_numbers.h"
#include "kernels/convert/feature_map_pixels.h"
#include "kernels/kinds/reference.h"

namespace convoscope {
namespace {

class PaneViewTest : public testing::TestWithParam<Backend> {
 protected:
  static constexpr int width = 96, height = 64;

  void SetUp() override {
    settings_.layer.weights = find_bank_kind("edges")->make(4, 3, 3);
    settings_.group().panes[0].filter = parse_filter("box:radius=1");
  }
  DeviceImage random_picture(PixelFormat format) {
    std::vector<Rgba8> pixels(width * height);
    for (Rgba8& pixel : pixels)
      pixel = {static_cast<std::uint8_t>(random_()), static_cast<std::uint8_t>(random_()),
               static_cast<std::uint8_t>(random_()), 255};
    std::vector<float> grey(width * height);
    for (float& value : grey) value = static_cast<float>(random_() % 1000) / 1000;
    DeviceImage picture = compute_->allocate(width, height, format);
    void* const data = format == PixelFormat::rgba8 ? static_cast<void*>(pixels.data()) : grey.data();
    compute_->upload({data, width, height, width * 4, format}, picture.image());
    return picture;
  }
  void show(const DeviceImage& picture, std::int64_t number = 0) {
    set_.arrange(settings_.group().panes, stats_, 60);
    set_.configure(settings_.group().panes, width, height, picture.image().format, work_of(settings_));
    set_.filter(picture, {.frame = number});
    set_.wait();
    set_.collect(stats_);
  }
  const Image& shown() { return set_.outputs()[0]; }

  std::unique_ptr<Compute> compute_ = make_compute(GetParam());
  PaneSet set_{*compute_};
  Settings settings_ = default_settings();
  std::vector<PaneStats> stats_;
  std::minstd_rand random_{7};
};

TEST_P(PaneViewTest, ALayerShowsItsFeatureMaps) {
  settings_ = in_workbench(settings_, "layer");
  settings_.group().panes[0].strategy = GetParam() == Backend::cpu ? "cpu-gemm" : "direct";
  for (const PixelFormat format : {PixelFormat::rgba8, PixelFormat::gray32f}) {
    const DeviceImage picture = random_picture(format);
    show(picture);
    ASSERT_EQ(stats_[0].problem, "");
    EXPECT_EQ(stats_[0].filter, "edges 4×3×3×3");
    const PaneRunner& pane = set_.runner(0);
    ASSERT_EQ(pane.problem().layer.channels, channels(format));
    const std::vector<double> exact = layer_kind.reference(pane.problem(), pane.view()->inputs());
    std::vector<float> maps(exact.begin(), exact.end());
    const Tensor y = tensor_of_rows(maps.data(), {{1, 4, 1, height, width}, Element::f32}, width * 4);
    const Wall wall = *stats_[0].wall;
    EXPECT_EQ(wall.columns(), 2);
    DeviceImage wanted = compute_->allocate(width, height, format);
    paint_wall(Backend::cpu, y, wall, {1, true}, wanted.image(), {});
    for (int row = 0; row < height; ++row)
      for (int column = 0; column < width; ++column)
        if (format == PixelFormat::rgba8) {
          const Rgba8 a = picture_row<Rgba8>(shown(), row)[column], b = picture_row<Rgba8>(wanted.image(), row)[column];
          ASSERT_LE(std::abs(a.r - b.r) + std::abs(a.g - b.g) + std::abs(a.b - b.b), 3) << column << ", " << row;
        } else {
          ASSERT_NEAR(picture_row<float>(shown(), row)[column], picture_row<float>(wanted.image(), row)[column], 1e-5);
        }
  }
}

TEST_P(PaneViewTest, ALayerOfAnyTypeAndLayoutIsSeenAsFloat32InPlanes) {
  settings_ = in_workbench(settings_, "layer");
  const DeviceImage picture = random_picture(PixelFormat::rgba8);
  for (const Precision precision : {Precision::tf32, Precision::f16})
    for (const Layout layout : all_layouts) {
      settings_.layer.precision = precision;
      settings_.layer.layout = layout;
      settings_.group().panes[0].strategy = GetParam() == Backend::cpu ? "cpu-direct" : "implicit-gemm-tensor";
      show(picture);
      ASSERT_EQ(stats_[0].problem, "");
      EXPECT_THAT(stats_[0].filter, testing::EndsWith(", " + number_format(set_.runner(0).problem().layer)));
      const PaneRunner& pane = set_.runner(0);
      EXPECT_EQ(pane.runs()->id, settings_.group().panes[0].strategy);
      const Problem& problem = pane.problem();
      const std::vector<double> exact = layer_kind.reference(problem, pane.view()->inputs());
      const Tensor seen = pane.view()->seen_output(shown());
      EXPECT_EQ(seen.shape, in_planes(layer_kind.outputs(problem)[0]));
      EXPECT_LE(layer_kind.compare(problem, exact, {}, seen).max_error, pane.strategy()->tolerance(problem));
      EXPECT_EQ(numbers_of(seen), numbers_of(pane.view()->outputs(shown())[0]));
      EXPECT_EQ(numbers_of(pane.view()->seen_inputs()[0]), numbers_of(pane.view()->inputs()[0]));
      DeviceImage wanted = compute_->allocate(width, height, PixelFormat::rgba8);
      paint_wall(Backend::cpu, seen, *stats_[0].wall, {1, true}, wanted.image(), {});
      for (int row = 0; row < height; ++row)
        ASSERT_EQ(std::memcmp(picture_row<Rgba8>(shown(), row), picture_row<Rgba8>(wanted.image(), row),
                              width * sizeof(Rgba8)),
                  0)
            << row;
    }
}

TEST_P(PaneViewTest, AStrategyOfOtherNumbersIsRefusedWithItsSentence) {
  settings_ = in_workbench(settings_, "layer");
  settings_.layer.precision = Precision::f16;
  settings_.group().panes[0].strategy = GetParam() == Backend::cpu ? "cpu-gemm" : "direct";
  show(random_picture(PixelFormat::rgba8));
  EXPECT_THAT(stats_[0].why_substitute,
              testing::HasSubstr("float32 numbers in planes (f32 or tf32, nchw); this layer's are f16 nchw"));
  EXPECT_NE(set_.runner(0).strategy()->id, settings_.group().panes[0].strategy);
}

TEST_P(PaneViewTest, ANewWeightIsSeenWithoutANewPlan) {
  settings_ = in_workbench(settings_, "layer");
  settings_.group().panes[0].strategy = GetParam() == Backend::cpu ? "cpu-direct" : "constant";
  const DeviceImage picture = random_picture(PixelFormat::rgba8);
  show(picture);
  const PaneView* const view = set_.runner(0).view();
  std::ranges::fill(settings_.layer.weights.weights, 0.0f);
  show(picture);
  EXPECT_EQ(set_.runner(0).view(), view);
  for (int row = 0; row < height; ++row)
    for (int column = 0; column < width; ++column)
      ASSERT_EQ(picture_row<Rgba8>(shown(), row)[column].r, 0) << column << ", " << row;
}

TEST_P(PaneViewTest, ABankFileOfOneChannelIsForEachColourAlone) {
  settings_ = in_workbench(settings_, "layer");
  const std::string path = testing::TempDir() + "convoscope-one-channel.json";
  save_bank(find_bank_kind("edges")->make(6, 1, 3), path);
  load_layer_bank(path, settings_.layer);
  std::remove(path.c_str());
  show(random_picture(PixelFormat::rgba8));
  EXPECT_EQ(stats_[0].problem, "");
  EXPECT_EQ(set_.runner(0).problem().layer.groups, 3);
}

// Of three maps that are the colours again.
TEST_P(PaneViewTest, ALayerShowsWhatGoesInBesideWhatComesOut) {
  settings_ = in_workbench(settings_, "layer");
  settings_.wall.frames = true;
  settings_.layer.depthwise = true;
  settings_.layer.weights = find_bank_kind("identity")->make(3, 1, 3);
  settings_.group().panes[0].strategy = GetParam() == Backend::cpu ? "cpu-direct" : "direct";
  const DeviceImage picture = random_picture(PixelFormat::rgba8);
  const auto differences = [&](int left) {  // of the half that begins there, in code values
    int sum = 0;
    const Wall& wall = *stats_[0].wall;
    for (int row = wall.top(); row < wall.top() + wall.cell_height() - wall.gap(); ++row)
      for (int column = left; column < left + wall.cell_width() - wall.gap(); ++column) {
        const MapPlace at = place_on_wall(wall, column, row);
        const Rgba8 seen = picture_row<Rgba8>(shown(), row)[column],
                    was = picture_row<Rgba8>(picture.image(), at.y)[at.x];
        sum += std::abs(seen.r - was.r) + std::abs(seen.g - was.g) + std::abs(seen.b - was.b);
      }
    return sum;
  };
  show(picture);
  ASSERT_EQ(stats_[0].problem, "");
  ASSERT_TRUE(stats_[0].wall->frames);
  EXPECT_EQ(stats_[0].wall->columns(), 2);
  EXPECT_EQ(differences(0), 0);
  EXPECT_EQ(differences(width / 2), 0);
  settings_.layer.noise = 20;
  show(picture);
  EXPECT_GT(differences(0), 0) << "what goes in is noisy";
  EXPECT_EQ(differences(0), differences(width / 2));
  settings_.layer.noise = 0;
  settings_.layer.weights.weights.assign(27, 0.0f);
  show(picture);
  EXPECT_EQ(differences(0), 0);
  EXPECT_GT(differences(width / 2), 0) << "black comes out";
  settings_.layer.residual = true;
  show(picture);
  EXPECT_EQ(differences(width / 2), 0) << "the picture lacks nothing";
  settings_.layer.weights = find_bank_kind("edges")->make(6, 1, 3);
  show(picture);
  EXPECT_FALSE(stats_[0].wall->frames) << "more maps than colours";
}

// Three maps that are the colours of the frame before.
TEST_P(PaneViewTest, ALayerSeesTheLastFrames) {
  settings_ = in_workbench(settings_, "layer");
  Filter bank{
      .name = "before", .width = 1, .height = 1, .weights = std::vector<float>(3 * 6), .maps = 3, .channels = 6};
  for (std::size_t map = 0; map < 3; ++map) bank.weights[6 * map + map] = 1;
  settings_.layer.bank = custom_bank;
  settings_.layer.weights = bank;
  settings_.group().panes[0].strategy = GetParam() == Backend::cpu ? "cpu-gemm" : "direct";
  const std::vector<DeviceImage> pictures{random_picture(PixelFormat::rgba8), random_picture(PixelFormat::rgba8),
                                          random_picture(PixelFormat::rgba8)};
  const auto red_of = [](const DeviceImage& picture) {
    return static_cast<float>(picture_row<Rgba8>(picture.image(), 5)[7].r) / 255;
  };
  const auto red_out = [&] { return row_of<const float>(set_.runner(0).view()->seen_output(shown()), 0, 0, 5)[7]; };
  show(pictures[0], 10);
  ASSERT_EQ(stats_[0].problem, "");
  EXPECT_EQ(set_.runner(0).problem().layer.channels, 6);
  EXPECT_FLOAT_EQ(red_out(), red_of(pictures[0])) << "before the first one it was alike";
  show(pictures[1], 11);
  EXPECT_FLOAT_EQ(red_out(), red_of(pictures[0]));
  show(pictures[1], 11);
  EXPECT_FLOAT_EQ(red_out(), red_of(pictures[0])) << "filtered again, it is no other frame";
  show(pictures[2], 12);
  EXPECT_FLOAT_EQ(red_out(), red_of(pictures[1]));
  show(random_picture(PixelFormat::gray32f), 13);
  ASSERT_EQ(stats_[0].problem, "");
  EXPECT_EQ(set_.runner(0).problem().layer.channels, 2) << "of grey frames one channel each";
}

TEST_P(PaneViewTest, OneMapCanBeSeenAlone) {
  settings_ = in_workbench(settings_, "layer");
  settings_.group().panes[0].strategy = "auto";
  settings_.wall.map = 2;
  show(random_picture(PixelFormat::rgba8));
  ASSERT_TRUE(stats_[0].wall);
  EXPECT_EQ(stats_[0].wall->alone, 2);
  settings_.wall.map = 900;  // of a bank that had more
  show(random_picture(PixelFormat::rgba8));
  EXPECT_EQ(stats_[0].wall->alone, 3);
}

class PaneTimeTest : public PaneViewTest {
 protected:
  void SetUp() override {
    PaneViewTest::SetUp();
    settings_ = in_workbench(settings_, "volume");
    settings_.group().panes[0].frames = 1;
    settings_.group().panes[0].border = Border::mirror;
    settings_.group().panes[0].strategy = GetParam() == Backend::cpu ? "cpu-parallel" : "tiled";
  }
  void play(std::int64_t number) {
    seen_[number] = random_picture(PixelFormat::rgba8);
    show(seen_[number], number);
    show(seen_[number], number);  // filtered again, it is no other frame
  }
  void expect(int pane, const std::vector<std::int64_t>& numbers) {
    ASSERT_EQ(stats_[static_cast<std::size_t>(pane)].problem, "");
    std::vector<Tensor> in;
    for (const std::int64_t number : numbers) in.push_back(tensor_of(seen_.at(number).image()));
    const Problem& problem = set_.runner(pane).problem();
    const std::vector<double> exact = volume_kind.reference(problem, in);
    const Difference worst =
        volume_kind.compare(problem, exact, in, tensor_of(set_.outputs()[static_cast<std::size_t>(pane)]));
    EXPECT_LE(worst.max_error, set_.runner(pane).strategy()->tolerance(problem));
  }
  std::map<std::int64_t, DeviceImage> seen_;
};

TEST_P(PaneTimeTest, FiltersTheLastFrames) {
  for (int i = 0; i < 5; ++i) play(i);
  expect(0, {2, 3, 4});
  EXPECT_EQ(stats_[0].note.find("apart"), std::string::npos) << stats_[0].note;
  EXPECT_EQ(stats_[0].note.find("the same one"), std::string::npos) << stats_[0].note;
}

TEST_P(PaneTimeTest, ForgetsWhatCameBeforeAJump) {
  for (const int number : {100, 101, 102, 7}) play(number);
  expect(0, {7, 7, 7});
  EXPECT_NE(stats_[0].note.find("3 of the 3 frames are the same one"), std::string::npos) << stats_[0].note;
  play(8);
  expect(0, {7, 7, 8});
  play(500);
  expect(0, {500, 500, 500});
}

TEST_P(PaneTimeTest, SaysHowFarApartItsFramesAreWhereFilteringIsSlow) {
  for (int i = 0; i < 4; ++i) play(5 * i);
  expect(0, {5, 10, 15});
  EXPECT_NE(stats_[0].note.find("lie 10 apart"), std::string::npos) << stats_[0].note;
}

// As where it is paused while frames are left out, or sought: what lies before is decoded and goes in first.
TEST_P(PaneTimeTest, FramesThatLeadMakeItThePictureOfTrueNeighbours) {
  settings_.group().panes[0].frames = 2;
  for (const int number : {100, 106, 112}) play(number);
  EXPECT_EQ(stats_[0].frames.first, 100);
  EXPECT_EQ(stats_[0].frames.last, 112);
  ASSERT_EQ(set_.frames_before(112, {}), 4);
  EXPECT_EQ(set_.frames_before(113, {}), 4);
  EXPECT_EQ(set_.frames_before(3, {}), 3) << "no more lie before it";
  const auto lead_to = [&](std::int64_t number, const std::vector<std::int64_t>& before) {
    for (const std::int64_t each : before) seen_[each] = random_picture(PixelFormat::rgba8);
    seen_[number] = random_picture(PixelFormat::rgba8);
    const auto lead = [&] {
      for (const std::int64_t each : before) set_.take_before(seen_[each].image(), {each});
    };
    set_.filter(seen_[number], {.frame = {number}, .before = lead});
    set_.wait();
    set_.collect(stats_);
  };
  lead_to(112, {108, 109, 110, 111});
  expect(0, {108, 109, 110, 111, 112});
  EXPECT_EQ(stats_[0].frames.middle, 110);
  EXPECT_EQ(stats_[0].note.find("apart"), std::string::npos) << stats_[0].note;
  EXPECT_EQ(set_.frames_before(112, {}), 0);
  EXPECT_EQ(set_.frames_before(113, {}), 0) << "a step";
  EXPECT_EQ(set_.frames_before(111, {}), 4);
  lead_to(1, {0});
  expect(0, {0, 0, 0, 0, 1});
  EXPECT_EQ(set_.frames_before(1, {}), 0) << "the first one stands in for the time before it";
  lead_to(43, {41, 42});
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(set_.frames_before(43, {}), 4) << "two were lost on their way";
    lead_to(43, {41, 42});
  }
  EXPECT_EQ(set_.frames_before(43, {}), 0) << "a source that begins with 41 is not asked for ever";
  lead_to(40, {20, 25, 30, 35});  // numbers that a file's times have gaps in: it is all that there is
  EXPECT_EQ(set_.frames_before(40, {}), 0);
  play(60);
  EXPECT_EQ(set_.frames_before(60, {}), 4);
}

TEST_P(PaneTimeTest, PanesOfDifferentReachHaveTheSameFrameInTheMiddle) {
  settings_.group().panes.push_back(settings_.group().panes[0]);
  settings_.group().panes[1].id = 0;
  settings_.group().panes[1].frames = 2;
  for (int i = 0; i < 7; ++i) play(i);
  expect(0, {3, 4, 5});
  expect(1, {2, 3, 4, 5, 6});
}

TEST_P(PaneViewTest, WhatIsNoProblemOfTheKindIsSaidAndThePicturePasses) {
  settings_ = in_workbench(settings_, "layer");
  settings_.layer.padded = false;
  settings_.layer.dilation = 64;
  const DeviceImage picture = random_picture(PixelFormat::rgba8);
  show(picture);
  EXPECT_NE(stats_[0].problem.find("spans 129"), std::string::npos) << stats_[0].problem;
  EXPECT_FALSE(stats_[0].wall);
  settings_ = in_workbench(settings_, "volume");
  settings_.group().panes[0].filter = parse_filter("sobel-magnitude");
  show(picture);
  EXPECT_NE(stats_[0].problem.find("magnitude"), std::string::npos) << stats_[0].problem;
}

TEST_P(PaneViewTest, WorkbenchesKeepTheirPanes) {
  settings_.group().panes[0].strategy = "source";
  settings_.group().panes.push_back(settings_.group().panes[0]);
  show_workbench(settings_, "layer");
  EXPECT_EQ(settings_.group().panes.size(), 1u);
  show(random_picture(PixelFormat::rgba8));
  ASSERT_TRUE(stats_[0].wall);
  show_workbench(settings_, "image");
  show_workbench(settings_, "nonsense");
  EXPECT_EQ(settings_.group().panes.size(), 2u);
  show(random_picture(PixelFormat::rgba8));
  EXPECT_FALSE(stats_[0].wall);
  EXPECT_EQ(stats_.size(), 2u);
}

INSTANTIATE_TEST_SUITE_P(Backends, PaneTimeTest, testing::Values(Backend::cpu, Backend::emulated),
                         [](const auto& test) { return to_string(test.param); });
INSTANTIATE_TEST_SUITE_P(Backends, PaneViewTest, testing::Values(Backend::cpu, Backend::emulated),
                         [](const auto& test) { return to_string(test.param); });

}  // namespace
}  // namespace convoscope
