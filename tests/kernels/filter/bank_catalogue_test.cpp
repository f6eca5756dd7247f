// The banks of a layer: what each kind's weights are, at every size that the window offers.
#include "kernels/filter/banks/bank_catalogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <set>

#include "tests/error_of.h"

namespace convoscope {
namespace {

using testing::ElementsAre;
using testing::FloatNear;
using testing::HasSubstr;
using testing::Pointwise;

Filter make(std::string_view id, int maps, int channels, int size) {
  return find_bank_kind(id)->make(maps, channels, size);
}

std::vector<float> map_of(const Filter& bank, int map) {
  const auto first = bank.weights.begin() + map * bank.channels * bank.taps();
  return {first, first + bank.channels * bank.taps()};
}

std::vector<float> weights_of(const Filter& bank, int map, int channel) {
  const auto first = bank.weights.begin() + (map * bank.channels + channel) * bank.taps();
  return {first, first + bank.taps()};
}

double sum(const std::vector<float>& weights) {
  double total = 0;
  for (const float w : weights) total += w;
  return total;
}

double magnitude(const std::vector<float>& weights) {
  double total = 0;
  for (const float w : weights) total += std::abs(w);
  return total;
}

// Calls back with every kind at its corners and between.
template <class F>
void for_each_bank(F check) {
  for (const BankKind& kind : bank_kinds())
    for (const int maps : {1, 2, 7, 16, most_maps})
      for (const int channels : {1, 2, 3, 5})
        for (int size = 1; size <= largest_bank_filter; size += 2) {
          SCOPED_TRACE(std::string(kind.id) + " " + std::to_string(maps) + ", " + std::to_string(channels) + ", " +
                       std::to_string(size));
          check(kind, kind.make(maps, channels, size), maps, channels, size);
        }
}

TEST(Banks, EntriesAreWhole) {
  std::set<std::string_view> ids;
  for (const BankKind& kind : bank_kinds()) {
    EXPECT_TRUE(ids.insert(kind.id).second) << kind.id;
    EXPECT_FALSE(kind.title.empty());
    EXPECT_TRUE(kind.idea.ends_with('.')) << kind.id;
    EXPECT_EQ(find_bank_kind(kind.id), &kind);
  }
  for (const char* id : {"edges", "gabor", "sobel", "colours", "blur", "identity", "random"})
    EXPECT_TRUE(ids.contains(id)) << id;
  EXPECT_EQ(find_bank_kind("custom"), nullptr);
  EXPECT_EQ(find_bank_kind(""), nullptr);
}

TEST(Banks, EverySizeIsABankAndTheSameEachTime) {
  for_each_bank([](const BankKind& kind, const Filter& bank, int maps, int channels, int size) {
    EXPECT_TRUE(bank.is_bank());
    EXPECT_EQ(bank.maps, maps);
    EXPECT_EQ(bank.channels, channels);
    EXPECT_EQ(bank.width, size);
    EXPECT_EQ(bank.height, size);
    EXPECT_NO_THROW(validate_bank(bank));
    EXPECT_EQ(kind.make(maps, channels, size), bank);
    for (int map = 0; map < maps; ++map) EXPECT_GT(magnitude(map_of(bank, map)), 1e-3) << "map " << map << " is black";
  });
}

TEST(Banks, NoTwoMapsOfEdgesOrGaborAreAlike) {
  for_each_bank([](const BankKind& kind, const Filter& bank, int maps, int, int) {
    if (kind.id != "edges" && kind.id != "gabor") return;
    std::set<std::vector<float>> different;
    for (int map = 0; map < maps; ++map) different.insert(map_of(bank, map));
    EXPECT_EQ(different.size(), static_cast<std::size_t>(maps));
  });
}

TEST(Banks, WhatAnswersToChangesIsBlindToAnEvenPicture) {
  for_each_bank([](const BankKind& kind, const Filter& bank, int maps, int, int size) {
    if ((kind.id != "edges" && kind.id != "gabor" && kind.id != "sobel" && kind.id != "colours") || size == 1) return;
    for (int map = 0; map < maps; ++map) {
      EXPECT_NEAR(sum(map_of(bank, map)), 0, 1e-6);
      EXPECT_NEAR(magnitude(map_of(bank, map)), 2, 1e-5);
    }
  });
}

// A half-plane that gets lighter in the map's direction, 0 to 1, with the edge through the filter's centre: what lies
// on the edge has a weight of 0.
TEST(Banks, EdgesAnswerOneToAStepOfTheirDirection) {
  for_each_bank([](const BankKind& kind, const Filter& bank, int maps, int channels, int size) {
    if (kind.id != "edges" || size == 1) return;
    for (int map = 0; map < maps; ++map) {
      const double x = std::cos(std::numbers::pi * map / maps), y = std::sin(std::numbers::pi * map / maps);
      double rising = 0, falling = 0;
      for (int channel = 0; channel < channels; ++channel) {
        const std::vector<float> weights = weights_of(bank, map, channel);
        for (int i = 0; i < bank.taps(); ++i) {
          const double way = x * (i % size - size / 2) + y * (i / size - size / 2);
          (way > 0 ? rising : falling) += weights[i];
        }
      }
      EXPECT_NEAR(rising, 1, 1e-5) << "map " << map;
      EXPECT_NEAR(falling, -1, 1e-5) << "map " << map;
    }
  });
}

// The same sharp edge between two columns, as in a picture, through all four directions.
TEST(Banks, EdgesTellDirectionsApart) {
  const Filter bank = make("edges", 4, 1, 3);
  const auto right_is_light = [&](int map) {
    const std::vector<float> w = map_of(bank, map);
    return w[2] + w[5] + w[8];
  };
  EXPECT_NEAR(right_is_light(0), 1, 1e-6);
  EXPECT_GT(right_is_light(1), 0.3);
  EXPECT_EQ(right_is_light(2), 0);
  EXPECT_NEAR(right_is_light(3), -right_is_light(1), 1e-6);
}

TEST(Banks, KnownWeights) {
  const auto near = [](std::vector<float> weights) { return Pointwise(FloatNear(1e-6f), weights); };
  const double e = std::exp(-0.5 / (0.85 * 0.85)), side = 1 / (1 + 2 * e);  // beside the row through the centre
  const float a = static_cast<float>(side), b = static_cast<float>(e * side);
  EXPECT_THAT(map_of(make("edges", 1, 1, 3), 0), near({-b, 0, b, -a, 0, a, -b, 0, b}));
  EXPECT_THAT(map_of(make("edges", 2, 1, 3), 1), near({-b, -a, -b, 0, 0, 0, b, a, b}));

  const Filter sobel = make("sobel", 16, 1, 3);
  const float s = 1 / 16.0f, p = 1 / 3.0f, l = 1 / 6.0f;
  EXPECT_THAT(map_of(sobel, 0), near({-.25f, 0, .25f, -.5f, 0, .5f, -.25f, 0, .25f}));
  EXPECT_THAT(map_of(sobel, 1), near({-3 * s, 0, 3 * s, -10 * s, 0, 10 * s, -3 * s, 0, 3 * s}));
  EXPECT_THAT(map_of(sobel, 2), near({-p, 0, p, -p, 0, p, -p, 0, p}));
  EXPECT_THAT(map_of(sobel, 3), near({-l, 2 * l, -l, -l, 2 * l, -l, -l, 2 * l, -l}));
  EXPECT_THAT(map_of(sobel, 4), near({0, .25f, 0, .25f, -1, .25f, 0, .25f, 0}));
  EXPECT_THAT(map_of(sobel, 5), near({.125f, .125f, .125f, .125f, -1, .125f, .125f, .125f, .125f}));
  EXPECT_THAT(map_of(sobel, 6), near({-.25f, -.5f, -.25f, 0, 0, 0, .25f, .5f, .25f}));
  EXPECT_THAT(map_of(sobel, 14), near({.25f, 0, .25f, 0, -1, 0, .25f, 0, .25f}));

  EXPECT_THAT(map_of(make("identity", 5, 3, 1), 4), ElementsAre(0, 1, 0));
  EXPECT_THAT(weights_of(make("identity", 5, 3, 3), 3, 0), ElementsAre(0, 0, 0, 0, 1, 0, 0, 0, 0));
}

TEST(Banks, SobelLiesInTheMiddleOfLargerFilters) {
  const std::vector<float> small = map_of(make("sobel", 9, 1, 3), 8), large = map_of(make("sobel", 9, 1, 7), 8);
  EXPECT_DOUBLE_EQ(magnitude(large), magnitude(small));
  for (int i = 0; i < 9; ++i) EXPECT_EQ(large[(i / 3 + 2) * 7 + i % 3 + 2], small[i]);
}

TEST(Banks, AllChannelsAlikeWhereAMapAnswersToBrightness) {
  for (const char* id : {"edges", "gabor", "sobel", "blur"})
    for (const int size : {1, 5}) {
      const Filter one = make(id, 6, 1, size), three = make(id, 6, 3, size);
      for (int map = 0; map < 6; ++map)
        for (int channel = 0; channel < 3; ++channel)
          EXPECT_NEAR(3 * magnitude(weights_of(three, map, channel)), magnitude(map_of(one, map)), 1e-5) << id;
      EXPECT_THAT(over_one_channel(three).weights, Pointwise(FloatNear(1e-6f), one.weights)) << id;
    }
}

TEST(Banks, BlursGrow) {
  const Filter bank = make("blur", 8, 3, 9);
  float centre = 1;
  for (int map = 0; map < 8; ++map) {
    EXPECT_NEAR(sum(map_of(bank, map)), 1, 1e-5);
    const float now = weights_of(bank, map, 0)[40];
    EXPECT_LT(now, centre);
    centre = now;
  }
}

TEST(Banks, ColoursAreOpponents) {
  const Filter bank = make("colours", 6, 3, 5);
  const auto answers = [&](int map) {  // to a picture of one colour
    std::vector<float> sums;
    for (int channel = 0; channel < 3; ++channel)
      sums.push_back(static_cast<float>(sum(weights_of(bank, map, channel))));
    return sums;
  };
  const auto near = [](std::vector<float> sums) { return Pointwise(FloatNear(1e-5f), sums); };
  for (const int map : {0, 3}) EXPECT_THAT(answers(map), near({1, -1, 0}));
  for (const int map : {1, 4}) EXPECT_THAT(answers(map), near({-.5f, -.5f, 1}));
  for (const int map : {2, 5}) EXPECT_THAT(answers(map), near({0, 0, 0}));
  for (int map = 0; map < 3; ++map) EXPECT_NE(map_of(bank, map), map_of(bank, map + 3)) << "the sizes differ";
  EXPECT_GT(weights_of(bank, 2, 0)[12], 0) << "light in the centre";
  EXPECT_LT(weights_of(bank, 2, 0)[11], 0) << "dark around it";
  EXPECT_THAT(map_of(make("colours", 3, 3, 1), 0), ElementsAre(1, -1, 0));
}

TEST(Banks, RandomHasTheSpreadOfHe) {
  const Filter bank = make("random", 64, 3, 7);
  double squares = 0;
  for (const float w : bank.weights) squares += w * w;
  EXPECT_NEAR(squares / static_cast<double>(bank.weights.size()), 2.0 / (3 * 7 * 7), 0.0007);
  EXPECT_NEAR(sum(bank.weights) / static_cast<double>(bank.weights.size()), 0, 0.004);
  EXPECT_NE(make("random", 64, 3, 5).weights[0], bank.weights[0]) << "seeded by its sizes";
}

TEST(Banks, OverOneChannelAddsUp) {
  Filter bank{.name = "own", .width = 1, .height = 1, .weights = {1, 2, 4, 8, 16, 32}, .maps = 2, .channels = 3};
  bank.biases = {0.5f, 1};
  bank.relu = true;
  const Filter one = over_one_channel(bank);
  EXPECT_THAT(one.weights, ElementsAre(7, 56));
  EXPECT_EQ(one.channels, 1);
  EXPECT_EQ(one.maps, 2);
  EXPECT_EQ(one.biases, bank.biases);
  EXPECT_TRUE(one.relu);
  EXPECT_NO_THROW(validate_bank(one));
  EXPECT_EQ(over_one_channel(one), one);
}

std::string error(const Filter& bank) {
  return error_of([&] { validate_bank(bank); });
}

TEST(Banks, ValidateNamesWhatIsWrong) {
  const Filter good = make("edges", 4, 3, 3);
  const auto wrong = [&](auto change) {
    Filter bank = good;
    change(bank);
    return error(bank);
  };
  EXPECT_EQ(error(good), "no error");
  EXPECT_THAT(wrong([](Filter& f) { f.maps = 0; }), HasSubstr("number of maps is 0"));
  EXPECT_THAT(wrong([](Filter& f) { f.channels = -2; }), HasSubstr("number of channels is -2"));
  EXPECT_THAT(wrong([](Filter& f) { f.width = f.height = 4; }), HasSubstr("has 108 weights"));
  EXPECT_EQ(wrong([](Filter& f) { f.width = f.height = 2, f.weights.resize(4 * 3 * 4); }), "no error")
      << "K may be even";
  EXPECT_THAT(wrong([](Filter& f) { f.width = f.height = 1 << 21; }), HasSubstr("width is 2097152"));
  EXPECT_THAT(wrong([](Filter& f) { f.width = 5; }), HasSubstr("5 × 3"));
  EXPECT_THAT(wrong([](Filter& f) { f.depth = 3; }), HasSubstr("for one frame; these are for 3"));
  EXPECT_THAT(wrong([](Filter& f) { f.weights_y = f.weights; }), HasSubstr("edge magnitudes"));
  EXPECT_THAT(wrong([](Filter& f) { f.maps = f.channels = 1 << 20; }), HasSubstr("the most is 67,108,864"));
  EXPECT_THAT(wrong([](Filter& f) { f.weights.pop_back(); }), HasSubstr("has 107 weights"));
  EXPECT_THAT(wrong([](Filter& f) { f.biases = {1}; }), HasSubstr("1 bias for 4 maps"));
  EXPECT_THAT(wrong([](Filter& f) { f.weights[27 + 9 + 5] = std::nanf(""); }),
              HasSubstr("The weight in row 2, column 3 of map 2, channel 2 is NaN"));
  EXPECT_THAT(wrong([](Filter& f) { f.weights[0] = -INFINITY; }), HasSubstr("map 1, channel 1 is infinite"));
  EXPECT_THAT(wrong([](Filter& f) { f.biases = {0, INFINITY, 0, 0}; }), HasSubstr("bias of map 2 is infinite"));
}

}  // namespace
}  // namespace convoscope
