// Sound in blocks, against the same filter over all of it at once.
#include "app/media/sound/sound_filter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <vector>

#include "app/media/sound/sound_memory.h"

namespace convoscope::test {
namespace {

constexpr int filter_rate = 48000;

SoundSettings filtered_by(const std::string& filter, const std::string& strategy = "cpu-fft", int block = 1024) {
  SoundSettings settings;
  settings.filtered = true;
  settings.filter = parse_signal_filter(filter);
  settings.strategy = strategy;
  settings.block = block;
  return settings;
}

// Left and right are different tones with a little of what is no tone.
std::vector<float> some_sound(int length) {
  std::vector<float> samples;
  unsigned noise = 1;
  for (int i = 0; i < length; ++i)
    for (const double hertz : {440.0, 3000.0}) {
      noise = noise * 1664525u + 1013904223u;
      samples.push_back(static_cast<float>(0.4 * std::sin(2 * std::numbers::pi * hertz * i / filter_rate) +
                                           0.1 * (static_cast<double>(noise >> 8) / (1 << 24) - 0.5)));
    }
  return samples;
}

std::vector<double> whole(const std::vector<float>& samples, const Filter& filter) {
  std::vector<double> out(samples.size());
  for (std::size_t i = 0; i < samples.size(); ++i)
    for (int tap = 0; tap < filter.width; ++tap) {
      const auto from = static_cast<std::ptrdiff_t>(i) + 2 * (tap - filter.rx());
      if (from >= 0 && from < static_cast<std::ptrdiff_t>(samples.size()))
        out[i] += static_cast<double>(filter.weights[static_cast<std::size_t>(tap)]) *
                  static_cast<double>(samples[static_cast<std::size_t>(from)]);
    }
  return out;
}

// In parts of odd sizes, as a decoder gives them.
std::vector<float> through(SoundFilter& filter, const std::vector<float>& samples) {
  std::vector<float> out;
  std::size_t part = 0;
  for (std::size_t given = 0; given < samples.size();) {
    const std::size_t some = std::min(2 * (1 + part++ * 331 % 3000), samples.size() - given);
    filter.give(std::span(samples).subspan(given, some), out);
    given += some;
  }
  filter.end(out);
  return out;
}

double largest_difference(const std::vector<float>& made, const std::vector<double>& expected) {
  double largest = made.size() == expected.size() ? 0 : HUGE_VAL;
  for (std::size_t i = 0; i < std::min(made.size(), expected.size()); ++i)
    largest = std::max(largest, std::abs(static_cast<double>(made[i]) - expected[i]));
  return largest;
}

TEST(SoundFilter, GivesWhatWentInWhereItIsOff) {
  SoundFilter filter;
  const std::vector<float> samples = some_sound(20011);
  EXPECT_EQ(through(filter, samples), samples);
  filter.choose(SoundSettings(), filter_rate, {});
  EXPECT_EQ(through(filter, samples), samples);
  EXPECT_EQ(filter.stats().strategy, "");
}

TEST(SoundFilter, IsTheFilterOverAllOfIt) {
  for (const std::string strategy : {"cpu-direct", "cpu-parallel", "cpu-fft"})
    for (const int block : {64, 1024, 4096})
      for (const std::string text :
           {"low-pass:cutoff=1000,radius=512", "moving-average:radius=1", "0.1 0.3 0.2 -0.3 0.1"}) {
        SoundFilter filter;
        filter.choose(filtered_by(text, strategy, block), filter_rate, {});
        const std::vector<float> samples = some_sound(9973);
        const Filter taps = make_signal_filter(parse_signal_filter(text), filter_rate);
        EXPECT_LT(largest_difference(through(filter, samples), whole(samples, taps)), 2e-5)
            << strategy << " " << block << " " << text;
        EXPECT_EQ(filter.stats().strategy, strategy);
        EXPECT_EQ(filter.stats().taps, taps.width);
        EXPECT_NEAR(filter.stats().block_ms, 1e3 * block / filter_rate, 1e-9);
        EXPECT_EQ(filter.stats().blocks, std::max(0, (9973 + block - 1) / block - 3)) << "the first ones warm up";
      }
}

// A level that all these filters keep: whatever is changed, nothing jumps, and no sample is lost.
TEST(SoundFilter, ChangesWithoutAClick) {
  SoundFilter filter;
  const std::vector<float> level(2 * 1500, 0.5f);
  std::vector<float> out;
  std::size_t given = 0;
  const auto play = [&](const SoundSettings& settings) {
    filter.choose(settings, filter_rate, {});
    for (int i = 0; i < 4; ++i, given += level.size()) filter.give(level, out);
  };
  play(SoundSettings());
  for (const int block : {1024, 256}) {
    play(filtered_by("moving-average:radius=16", "cpu-fft", block));
    play(filtered_by("moving-average:radius=300", "cpu-fft", block));
    play(filtered_by("low-pass:cutoff=200", "cpu-parallel", block));
    play(filtered_by("low-pass:cutoff=4000", "cpu-parallel", block));
    play(filtered_by("low-pass:cutoff=4000", "cpu-direct", block));
  }
  play(SoundSettings());
  filter.end(out);
  EXPECT_EQ(out.size(), given);
  for (std::size_t i = 2048; i < out.size() - 2048; ++i) ASSERT_NEAR(out[i], 0.5f, 1e-4f) << i;
}

// From a filter that leaves nothing to the sound itself: louder over a block, and never at once.
TEST(SoundFilter, FadesFromOneToTheOther) {
  SoundFilter filter;
  filter.choose(filtered_by("0 0 0"), filter_rate, {});
  std::vector<float> out;
  const std::vector<float> level(2 * 8192, 1.0f);
  filter.give(level, out);
  filter.choose(filtered_by("0 1 0"), filter_rate, {});
  filter.give(level, out);
  filter.end(out);
  float last = 0, step = 0, most = 0;
  for (std::size_t i = 2 * 4096; i < out.size() - 4; i += 2) {
    step = std::max(step, std::abs(out[i] - std::exchange(last, out[i])));
    most = std::max(most, out[i]);
  }
  EXPECT_NEAR(most, 1, 1e-5);
  EXPECT_LT(step, 0.002f);
}

// What was chosen for a moment, while another change was faded in, is forgotten.
TEST(SoundFilter, ForgetsWhatIsNotWantedAnyMore) {
  SoundFilter filter;
  std::vector<float> out;
  const SoundSettings first = filtered_by("0 1 0"), second = filtered_by("0 0 0");
  filter.choose(first, filter_rate, {});
  filter.give(std::vector<float>(2 * 10, 1.0f), out);  // too few for a block: it is still to be faded in
  filter.choose(second, filter_rate, {});
  filter.choose(first, filter_rate, {});
  out.clear();
  filter.give(std::vector<float>(2 * 20000, 1.0f), out);
  EXPECT_NEAR(out.back(), 1, 1e-5);
}

TEST(SoundFilter, CutsOffWhatIsTooLoudAndCountsIt) {
  SoundFilter filter;
  filter.choose(filtered_by("1e30 3 1e30"), filter_rate, {});
  const std::vector<float> loud = through(filter, some_sound(8000));
  for (const float sample : loud) ASSERT_LE(std::abs(sample), 1.0f);
  EXPECT_GT(filter.stats().clipped, 1000);
  filter.choose(filtered_by("0 0.5 0"), filter_rate, {});
  through(filter, some_sound(8000));
  EXPECT_LT(filter.stats().clipped, 2100) << "but for the block over which the loud one fades out";
}

// What is only looked at, or compared, leaves what filters as it is, and what is counted of it.
TEST(SoundFilter, GoesOnWhateverIsLookedAt) {
  SoundFilter filter;
  SoundSettings settings = filtered_by("1e30 3 1e30");
  std::vector<float> out;
  const auto play = [&] {
    filter.choose(settings, filter_rate, {});
    filter.give(some_sound(8192), out);
    filter.try_another();
  };
  play();
  const std::int64_t clipped = filter.stats().clipped;
  ASSERT_GT(clipped, 1000);
  settings.scope = settings.compare = true;
  play();
  EXPECT_FALSE(filter.stats().trials.empty());
  settings.compare = false;
  play();
  EXPECT_TRUE(filter.stats().trials.empty());
  EXPECT_GE(filter.stats().clipped, 3 * clipped);
}

TEST(SoundFilter, BeginsAnewElsewhere) {
  SoundFilter filter;
  filter.choose(filtered_by("moving-average:radius=400"), filter_rate, {});
  std::vector<float> out;
  filter.give(std::vector<float>(2 * 10000, 1.0f), out);
  filter.restart();
  out.clear();
  filter.give(std::vector<float>(2 * 10000, 0.0f), out);
  filter.end(out);
  EXPECT_EQ(out.size(), 2 * 10000u);
  EXPECT_THAT(out, testing::Each(testing::FloatNear(0, 1e-6f)));
}

TEST(SoundFilter, SaysWhatFiltersInstead) {
  SoundFilter filter;
  filter.choose(filtered_by("low-pass", "tiled-uniform"), filter_rate, {});
  const std::vector<float> samples = some_sound(8000);
  EXPECT_EQ(through(filter, samples).size(), samples.size());
  EXPECT_EQ(filter.stats().strategy, "cpu-fft");
  EXPECT_THAT(filter.stats().why_not, testing::EndsWith(". cpu-fft filters instead."));
  filter.choose(filtered_by("low-pass", "no-such"), filter_rate, {});
  through(filter, samples);
  EXPECT_THAT(filter.stats().why_not, testing::HasSubstr("no-such"));
  filter.choose(filtered_by("low-pass", "cpu-parallel"), filter_rate, {});
  through(filter, samples);
  EXPECT_EQ(filter.stats().why_not, "");
  EXPECT_EQ(filter.stats().strategy, "cpu-parallel");
}

TEST(SoundFilter, ComparesAllThatRunHere) {
  SoundFilter filter;
  SoundSettings settings = filtered_by("low-pass:radius=64");
  settings.compare = true;
  filter.choose(settings, filter_rate, {});
  std::vector<float> out;
  for (int i = 0; i < 60; ++i) {
    filter.give(some_sound(1024), out);
    filter.try_another();
  }
  ASSERT_GE(filter.stats().trials.size(), 3u);
  for (const SoundTrial& trial : filter.stats().trials) {
    EXPECT_EQ(trial.reason, "") << trial.strategy;
    EXPECT_GT(trial.times.count(), 2) << trial.strategy;
    EXPECT_TRUE(trial.right) << trial.strategy << " " << trial.error;
    EXPECT_LT(trial.error, 1e-5);
  }
  settings.filter = parse_signal_filter("low-pass:radius=400");  // longer: other plans
  filter.choose(settings, filter_rate, {});
  for (int i = 0; i < 60; ++i) {
    filter.give(some_sound(1024), out);
    filter.try_another();
  }
  for (const SoundTrial& trial : filter.stats().trials) EXPECT_TRUE(trial.right) << trial.strategy;
  settings.compare = false;
  filter.choose(settings, filter_rate, {});
  filter.give(some_sound(4096), out);
  EXPECT_TRUE(filter.stats().trials.empty());
}

// What is compared is forgotten while nothing is filtered, and begun anew: it crashed here.
TEST(SoundFilter, ComparesAgainAfterItWasOff) {
  SoundFilter filter;
  SoundSettings settings = filtered_by("low-pass:radius=64");
  settings.compare = true;
  std::vector<float> out;
  const auto play = [&](bool filtered) {
    settings.filtered = filtered;
    filter.choose(settings, filter_rate, {});
    for (int i = 0; i < 30; ++i) {
      filter.give(some_sound(1024), out);
      filter.try_another();
    }
  };
  play(true);
  const std::size_t all = filter.stats().trials.size();
  ASSERT_GE(all, 3u);
  play(false);
  EXPECT_TRUE(filter.stats().trials.empty());
  play(true);
  ASSERT_EQ(filter.stats().trials.size(), all);
  for (const SoundTrial& trial : filter.stats().trials) EXPECT_TRUE(trial.right) << trial.strategy;
}

TEST(SoundMemory, ShowsTonesWhereTheyAre) {
  SoundMemory memory(filter_rate);
  std::vector<float> low, high;
  for (int i = 0; i < 30000; ++i)
    for (int channel = 0; channel < 2; ++channel) {
      low.push_back(static_cast<float>(std::sin(2 * std::numbers::pi * 440 * i / filter_rate)));
      high.push_back(static_cast<float>(0.1 * std::sin(2 * std::numbers::pi * 6000 * i / filter_rate)));
    }
  constexpr std::int64_t first = (1LL << 33) + 12345;
  memory.keep_before(first, low.data(), 30000);
  memory.keep_after(first, high.data(), 30000);
  SoundScope scope;
  memory.show_before(first + 20000, scope);
  EXPECT_TRUE(scope.present);
  EXPECT_EQ(scope.before.back(), low[2 * 19999]);
  EXPECT_EQ(scope.after.front(), high[2 * (20000 - SoundScope::samples)]);
  const auto loudest = [](const auto& spectrum) {
    const auto most = std::max_element(spectrum.begin(), spectrum.end());
    const double place = (static_cast<double>(most - spectrum.begin()) + 0.5) / SoundScope::bands;
    return std::pair(SoundScope::lowest * std::pow(SoundScope::highest / SoundScope::lowest, place), *most);
  };
  EXPECT_NEAR(loudest(scope.spectrum_before).first, 440, 20);
  EXPECT_NEAR(loudest(scope.spectrum_before).second, 0, 2);
  EXPECT_NEAR(loudest(scope.spectrum_after).first, 6000, 250);
  EXPECT_NEAR(loudest(scope.spectrum_after).second, -20, 2);
  EXPECT_LT(scope.spectrum_after[20], -90);
  memory.keep_silence(first + 20000, 8000);
  memory.show_before(first + 28000, scope);
  EXPECT_EQ(loudest(scope.spectrum_before).second, SoundScope::silence);
}

// A tone that the transform has a bin for, however many bands share that or it shares with others.
TEST(SoundMemory, ShowsEveryToneAtItsLevel) {
  constexpr int window = 4096;
  for (int bin = 4; bin < 1700; bin += bin < 100 ? 1 : 23) {
    SoundMemory memory(filter_rate);
    std::vector<float> tone;
    for (int i = 0; i < window; ++i)
      for (int channel = 0; channel < 2; ++channel)
        tone.push_back(static_cast<float>(0.1 * std::sin(2 * std::numbers::pi * bin * i / window)));
    memory.keep_before(0, tone.data(), window);
    SoundScope scope;
    memory.show_before(window, scope);
    EXPECT_NEAR(*std::ranges::max_element(scope.spectrum_before), -20, 0.1) << bin;
  }
}

// Wherever its memory happens to lie: FFmpeg's transforms want it aligned.
TEST(SoundMemory, LooksFromAnyPlace) {
  std::vector<std::unique_ptr<char[]>> between;
  for (std::size_t i = 0; i < 64; ++i) {
    between.push_back(std::make_unique<char[]>(1 + i * 24));
    SoundMemory memory(filter_rate);
    SoundScope scope;
    memory.show_before(5000, scope);
    EXPECT_TRUE(scope.present);
  }
}

}  // namespace
}  // namespace convoscope::test
