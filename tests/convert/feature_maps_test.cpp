// Pictures to a layer's channels, and feature maps to a picture, on every backend that is there.
#include "kernels/convert/feature_maps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <set>

#include "kernels/contract/data/tensor_numbers.h"
#include "kernels/convert/feature_map_pixels.h"

namespace convoscope {
namespace {

TEST(Wall, PutsMapsSideBySideInTheirProportions) {
  const Wall wall{16, 320, 180, 640, 360, -1};
  EXPECT_EQ(wall.columns(), 4);
  EXPECT_EQ(wall.rows(), 4);
  EXPECT_EQ(wall.cell_width(), 160);
  EXPECT_EQ(wall.cell_height(), 90);
  const MapPlace first = place_on_wall(wall, 0, 0), sixth = place_on_wall(wall, 160 + 80, 90 + 45);
  EXPECT_EQ(first.map, 0);
  EXPECT_EQ(sixth.map, 5);
  EXPECT_EQ(sixth.x, 80 * 320 / 159);
  EXPECT_EQ(sixth.y, 45 * 180 / 89);
  EXPECT_EQ(place_on_wall(wall, 159, 0).map, -1) << "the gap";
}

TEST(Wall, LeavesThePlacesBeyondTheLastMapEmpty) {
  const Wall wall{3, 10, 10, 100, 100, -1};
  EXPECT_EQ(wall.columns(), 2);
  EXPECT_EQ(place_on_wall(wall, 10, 60).map, 2);
  EXPECT_EQ(place_on_wall(wall, 60, 60).map, -1);
  const Wall two{2, 10, 10, 100, 100, -1};
  EXPECT_EQ(two.top(), 25) << "a single row lies in the middle";
  EXPECT_EQ(place_on_wall(two, 10, 24).map, -1);
  EXPECT_EQ(place_on_wall(two, 10, 25).map, 0);
  EXPECT_EQ(place_on_wall(two, 10, 75).map, -1);
}

TEST(Wall, HasEmptyCellsAndAMarginAroundAllCells) {
  const Wall five{5, 10, 10, 100, 100, -1};  // 3 × 2 cells of 33 × 33
  EXPECT_EQ(five.top(), 16);
  EXPECT_TRUE(is_in_empty_cell(five, 66, 49));
  EXPECT_TRUE(is_in_empty_cell(five, 98, 81));
  EXPECT_FALSE(is_in_empty_cell(five, 40, 60)) << "the fifth map";
  for (const auto& [x, y] : {std::array{50, 15}, {50, 82}, {99, 60}}) EXPECT_FALSE(is_in_empty_cell(five, x, y));
  EXPECT_FALSE(is_in_empty_cell({5, 10, 10, 100, 100, 4}, 99, 99)) << "one map alone has no other cells";
}

TEST(Wall, ShowsOneMapAlone) {
  const Wall wall{16, 64, 36, 640, 360, 7};
  const MapPlace place = place_on_wall(wall, 639, 359);
  EXPECT_EQ(place.map, 7);
  EXPECT_EQ(place.x, 63);
  EXPECT_EQ(place.y, 35);
}

TEST(Wall, NeverLeavesItsMapsWhateverTheSizes) {
  for (const int maps : {1, 2, 5, 16, 63, 64})
    for (const int width : {1, 3, 17, 97, 640})
      for (const int height : {1, 2, 31, 360})
        for (const int alone : {-1, 0, maps - 1}) {
          const Wall wall{maps, 2 * width + 1, height / 2 + 1, width, height, alone};
          for (int y = 0; y < height; ++y)
            for (int x = 0; x < width; ++x) {
              const MapPlace place = place_on_wall(wall, x, y);
              if (place.map < 0) continue;
              ASSERT_LT(place.map, maps);
              ASSERT_TRUE(place.x >= 0 && place.x < wall.map_width && place.y >= 0 && place.y < wall.map_height)
                  << maps << " maps, " << width << " × " << height << " at " << x << ", " << y;
            }
        }
}

TEST(Wall, FindsThePixelOfAPlace) {
  for (const int maps : {1, 3, 16, 64})
    for (const int width : {96, 641})
      for (const int map_width : {5, 32, 33, 640, 1000})
        for (const int alone : {-1, maps - 1}) {
          const Wall wall{maps, map_width, map_width / 2, width, width / 2, alone};
          for (const int map : {0, maps / 2, maps - 1})
            for (int x = 0; x < map_width; ++x) {
              if (alone >= 0 && map != alone) continue;
              const int y = x * wall.map_height / wall.map_width;
              const WallPixel pixel = pixel_on_wall(wall, map, x, y);
              const MapPlace place = place_on_wall(wall, pixel.x, pixel.y);
              ASSERT_EQ(place.map, map) << x << " of " << map_width << " in " << width;
              ASSERT_TRUE(place.x <= x && place.y <= y);
              const MapPlace next = place_on_wall(wall, pixel.x + 1, pixel.y);
              ASSERT_TRUE(next.map != map || next.x > x);
              ASSERT_TRUE(place.x == x || wall.cell_width() - wall.gap() < map_width);
            }
        }
}

TEST(MapColours, AreOrangeAboveZeroBlueBelowAndSayWhatIsNoNumber) {
  const Rgba8 high = map_colour(0.5f, true), low = map_colour(-2, true), none = map_colour(0, true);
  EXPECT_GT(high.r, high.b);
  EXPECT_EQ(low.b, 255);
  EXPECT_LT(low.r, low.b);
  EXPECT_EQ(none.r + none.g + none.b, 0);
  EXPECT_EQ(map_colour(0, false).g, 128);
  EXPECT_EQ(map_colour(std::numeric_limits<float>::quiet_NaN(), true).g, 0);
  EXPECT_EQ(map_colour(std::numeric_limits<float>::quiet_NaN(), true).r, 255);
}

class FeatureMaps : public testing::TestWithParam<Backend> {
 protected:
  void SetUp() override {
    if (const std::string why = why_unavailable(GetParam()); !why.empty()) GTEST_SKIP() << why;
    compute_ = make_compute(GetParam());
  }
  Tensor make(const Shape& shape) {
    memory_.push_back(compute_->allocate_bytes(shape.bytes()));
    const Tensor tensor = tensor_of_rows(memory_.back().get(), shape, shape.row_bytes());
    compute_->fill(rows_of(tensor), 0xFF);
    return tensor;
  }
  // Planes of one value each, and these values.
  std::vector<float> fill_planes(const Tensor& tensor, std::initializer_list<float> of_planes) {
    std::vector<float> values;
    for (const float value : of_planes) values.insert(values.end(), tensor.shape.elements() / of_planes.size(), value);
    compute_->upload(rows_of(tensor_of_rows(values.data(), tensor.shape, tensor.shape.row_bytes())), rows_of(tensor));
    compute_->synchronize();
    return values;
  }
  // Each pixel of another colour.
  void make_picture() {
    for (std::size_t i = 0; i < pixels_.size(); ++i)
      pixels_[i] = {static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(255 - i), static_cast<std::uint8_t>(3 * i),
                    9};
    picture_ = compute_->allocate(width, height, PixelFormat::rgba8);
    compute_->upload({pixels_.data(), width, height, width * 4, PixelFormat::rgba8}, picture_.image());
  }

  static constexpr int width = 37, height = 5;  // of the picture
  std::unique_ptr<Compute> compute_;
  std::vector<std::shared_ptr<void>> memory_;
  std::vector<Rgba8> pixels_ = std::vector<Rgba8>(width * height);
  DeviceImage picture_;
};

TEST_P(FeatureMaps, ColoursBecomeChannelsFromZeroToOne) {
  make_picture();
  const Tensor x = make({{1, 3, 1, height, width}, Element::f32});
  split_channels(GetParam(), picture_.image(), x, compute_->stream());
  std::vector<float> found(3 * pixels_.size());
  compute_->download(rows_of(x), {found.data(), width, 3 * height, width * 4, PixelFormat::gray32f});
  for (std::size_t i = 0; i < pixels_.size(); ++i) {
    EXPECT_FLOAT_EQ(found[i], static_cast<float>(pixels_[i].r) / 255);
    EXPECT_FLOAT_EQ(found[pixels_.size() + i], static_cast<float>(pixels_[i].g) / 255);
    EXPECT_FLOAT_EQ(found[2 * pixels_.size() + i], static_cast<float>(pixels_[i].b) / 255);
  }
}

TEST_P(FeatureMaps, ChannelsOfAnyTypeAndLayoutHoldTheColoursAndComeBackInPlanes) {
  make_picture();
  for (const Element element : {Element::f32, Element::f16})
    for (const Layout layout : all_layouts) {
      const Shape shape{{1, 3, 1, height, width}, element, layout};
      const Tensor x = make(shape), planes = make(in_planes(shape));
      split_channels(GetParam(), picture_.image(), x, compute_->stream());
      copy_numbers(GetParam(), x, planes, compute_->stream());
      std::vector<float> found(3 * pixels_.size());
      compute_->download(rows_of(planes), {found.data(), width, 3 * height, width * 4, PixelFormat::gray32f});
      std::vector<char> bytes(shape.bytes());
      const Tensor stored = tensor_of_rows(bytes.data(), shape, shape.row_bytes());
      compute_->download(rows_of(x), rows_of(stored));
      EXPECT_EQ(numbers_of(stored), found);
      const auto precision = element == Element::f16 ? Precision::f16 : Precision::f32;
      for (std::size_t i = 0; i < pixels_.size(); ++i) {
        EXPECT_EQ(found[i], as_multiplied(static_cast<float>(pixels_[i].r) / 255, precision));
        EXPECT_EQ(found[2 * pixels_.size() + i], as_multiplied(static_cast<float>(pixels_[i].b) / 255, precision));
      }
    }
}

TEST_P(FeatureMaps, AWallShowsEachMapInItsCell) {
  constexpr int side = 64;
  const Tensor maps = make({{1, 4, 1, side, side}, Element::f32});
  const std::vector<float> values = fill_planes(maps, {0.5f, -0.5f, 2.0f, 0.0f});
  const Wall wall{4, side, side, side, side, -1};
  for (const PixelFormat format : {PixelFormat::rgba8, PixelFormat::gray32f}) {
    const DeviceImage picture = compute_->allocate(side, side, format);
    compute_->fill(picture.image(), 0xCD);
    paint_wall(GetParam(), maps, wall, {1, true}, picture.image(), compute_->stream());
    std::vector<std::uint32_t> found(side * side);
    compute_->download(picture.image(), {found.data(), side, side, side * 4, format});
    for (int map = 0; map < 4; ++map) {
      const std::size_t at = static_cast<std::size_t>((map / 2 * 32 + 10) * side + map % 2 * 32 + 10);
      const float value = values[static_cast<std::size_t>(map) * side * side];
      if (format == PixelFormat::rgba8) {
        const Rgba8 wanted = map_colour(value, true);
        EXPECT_EQ(std::memcmp(&found[at], &wanted, 4), 0) << map;
      } else {
        float grey = 0;
        std::memcpy(&grey, &found[at], 4);
        EXPECT_FLOAT_EQ(grey, 0.5f + 0.5f * std::min(value, 1.0f)) << map;
      }
    }
  }
}

TEST_P(FeatureMaps, ACellWithoutAMapIsNoMapOfZeros) {
  constexpr int side = 64;
  const Tensor maps = make({{1, 3, 1, side, side}, Element::f32});
  fill_planes(maps, {0, 0, 0});
  const DeviceImage picture = compute_->allocate(side, side, PixelFormat::rgba8);
  paint_wall(GetParam(), maps, {3, side, side, side, side, -1}, {1, true}, picture.image(), compute_->stream());
  std::vector<Rgba8> found(side * side);
  compute_->download(picture.image(), {found.data(), side, side, side * 4, PixelFormat::rgba8});
  const auto codes = [&](int left, int up) {
    std::set<int> seen;
    for (int y = up; y < up + 30; ++y)
      for (int x = left; x < left + 30; ++x) seen.insert(found[static_cast<std::size_t>(y * side + x)].g);
    return seen;
  };
  EXPECT_EQ(codes(0, 0), std::set<int>{0});
  EXPECT_EQ(codes(32, 32).size(), 2u) << "hatched";
  EXPECT_FALSE(codes(32, 32).contains(0));
  EXPECT_EQ(found[31].g, 0) << "the gap between two maps";
  paint_wall(GetParam(), maps, {2, side, side, side, side, -1}, {1, true}, picture.image(), compute_->stream());
  compute_->download(picture.image(), {found.data(), side, side, side * 4, PixelFormat::rgba8});
  EXPECT_EQ(codes(0, 0), std::set<int>{0}) << "the margin above the only row";
  EXPECT_EQ(codes(32, 34), std::set<int>{0}) << "and below it";
}

TEST_P(FeatureMaps, AWallOfFramesShowsWhatGoesInAndWhatComesOut) {
  constexpr int side = 64;
  const Shape shape{{1, 3, 1, side, side}, Element::f32};
  const Tensor x = make(shape), y = make(shape);
  fill_planes(x, {0.2f, 0.4f, 0.8f});
  fill_planes(y, {0.4f, -0.2f, 0.4f});
  const Wall wall{.maps = 2, .map_width = side, .map_height = side, .width = side, .height = side, .frames = true};
  const DeviceImage picture = compute_->allocate(side, side, PixelFormat::rgba8);
  const auto colour_at = [&](int column) {
    std::vector<Rgba8> found(side * side);
    compute_->download(picture.image(), {found.data(), side, side, side * 4, PixelFormat::rgba8});
    const Rgba8 pixel = found[static_cast<std::size_t>(side / 2 * side + column)];
    return std::array<int, 3>{pixel.r, pixel.g, pixel.b};
  };
  paint_frames(GetParam(), x, y, false, wall, picture.image(), compute_->stream());
  EXPECT_EQ(colour_at(10), (std::array{51, 102, 204})) << "X";
  EXPECT_EQ(colour_at(40), (std::array{102, 0, 102})) << "Y, nothing below black";
  paint_frames(GetParam(), x, y, true, wall, picture.image(), compute_->stream());
  EXPECT_EQ(colour_at(10), (std::array{51, 102, 204}));
  EXPECT_EQ(colour_at(40), (std::array{153, 51, 255})) << "X and what it lacks, nothing above white";
}

INSTANTIATE_TEST_SUITE_P(Backends, FeatureMaps, testing::Values(Backend::cpu, Backend::emulated, Backend::cuda),
                         [](const auto& test) { return to_string(test.param); });

}  // namespace
}  // namespace convoscope
