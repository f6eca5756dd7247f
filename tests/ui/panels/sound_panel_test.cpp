// The sound panel and what it draws on the picture, by mouse and key.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/key_codes.h"
#include "app/ui/results/sound_plots.h"
#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Sample heard_sample() {
  Sample sample = cpu_sample();
  sample.settings.open_panels = {"sound"};
  sample.stats.sound.has_sound = true;
  sample.stats.sound.card = "default";
  sample.stats.sound.rate = 48000;
  return sample;
}

Sample filtered_sample() {
  Sample sample = heard_sample();
  sample.settings.sound.filtered = sample.settings.sound.scope = true;
  SoundFilterStats& filter = sample.stats.sound.filter;
  filter.strategy = "cpu-fft";
  filter.taps = 513;
  filter.block_ms = 1e3 * 1024 / 48000;
  filter.times = times(0.4, 0.01);
  filter.blocks = 1000;
  SoundScope& scope = sample.stats.sound.scope;
  scope.present = true;
  for (std::size_t i = 0; i < scope.before.size(); ++i) {
    scope.before[i] = std::sin(0.05f * static_cast<float>(i));
    scope.after[i] = 0.5f * scope.before[i];
  }
  return sample;
}

TEST(SoundPanel, ChoosesTheFilter) {
  Harness ui(heard_sample());
  ui.frame(3);
  SoundSettings& sound = ui.settings.sound;
  ui.click("sound-filtered");
  EXPECT_TRUE(sound.filtered);
  for (const SignalFilterKind& kind : signal_filter_kinds()) {
    ui.click("sound-kind");
    ui.click("sound-kind/" + std::string(kind.id));
    EXPECT_EQ(sound.filter, initial_spec(kind));
    ui.frame(2);
    for (const FilterParameter& parameter : kind.parameters) {
      const SignalFilterSpec before = sound.filter;
      ui.drag("sound/" + std::string(parameter.id), -30, 0);
      EXPECT_NE(sound.filter, before) << kind.id << " " << parameter.id;
      EXPECT_EQ(parse_signal_filter(spec_text(sound.filter)), sound.filter) << "what is dragged can be typed";
    }
  }
}

TEST(SoundPanel, TakesOwnTaps) {
  Harness ui(heard_sample());
  ui.frame(3);
  SignalFilterSpec& filter = ui.settings.sound.filter;
  filter = parse_signal_filter("comb:delay=2");
  ui.click("sound-kind");
  ui.click("sound-kind/custom");
  ui.frame(2);
  EXPECT_EQ(filter.kind, custom_taps);
  EXPECT_THAT(filter.taps, ElementsAre(0.5f, 0, 0.5f, 0, 0));
  ui.double_click("sound-taps");
  const std::vector<float> before = filter.taps;
  ui.type("7 7");                // instead of the last one, which the double click selects
  ui.click("sound-curve/taps");  // elsewhere: done
  ui.frame(2);
  EXPECT_EQ(filter.taps, before) << "six of them are no filter";
  EXPECT_TRUE(drawn(ui, "sound-taps/why-not"));
  ui.double_click("sound-taps");
  ui.type("7 8");
  ui.click("sound-curve/taps");
  ui.frame(2);
  EXPECT_EQ(filter.taps.size(), before.size() + 2);
  EXPECT_FALSE(drawn(ui, "sound-taps/why-not"));
  ui.click("sound-taps/normalise");
  double sum = 0;
  for (const float tap : filter.taps) sum += std::abs(static_cast<double>(tap));
  EXPECT_NEAR(sum, 1, 1e-5);
}

TEST(SoundPanel, KeepsOwnTapsWhileAnotherKindIsTried) {
  Harness ui(heard_sample());
  ui.frame(3);
  SignalFilterSpec& filter = ui.settings.sound.filter;
  filter = parse_signal_filter("3 1 -2");
  const SignalFilterSpec own = filter;
  for (const char* const kind : {"low-pass", "comb", "custom"}) {
    ui.click("sound-kind");
    ui.click(std::string("sound-kind/") + kind);
    ui.frame(2);
  }
  EXPECT_EQ(filter, own);
}

TEST(SoundPanel, SaysHowLongSamplesLast) {
  Harness ui(heard_sample());
  SignalFilterSpec& filter = ui.settings.sound.filter;
  ui.frame(3);
  EXPECT_TRUE(is_said("At 48 kHz, 513 taps last 10.7 ms."));
  filter = parse_signal_filter("delay:delay=-256");
  ui.frame(2);
  EXPECT_TRUE(is_said("At 48 kHz, the delay is −5.33 ms."));
  filter = parse_signal_filter("comb");
  ui.stats.sound.rate = 44100;
  ui.frame(2);
  EXPECT_TRUE(is_said("At 44.1 kHz, the delay is 1.09 ms."));
  filter = parse_signal_filter("2");
  ui.frame(2);
  EXPECT_TRUE(is_said("At 44.1 kHz, 1 tap lasts 0.0227 ms."));
}

// Others give way to it.
TEST(SoundPanel, NamesZeroDecibelsWhateverIsLouder) {
  for (const float width : {640.0f, 1280.0f, 2560.0f})
    for (const char* const taps : {"1 -2 1 0 0", "9 0 0", "100 0 0", "0.1 0 0"}) {
      Harness ui(heard_sample(), width, width * 3 / 4, 0);
      ui.settings.sound.filter = parse_signal_filter(taps);
      ui.frame(3);
      EXPECT_TRUE(is_said("0 dB")) << width << " " << taps;
    }
}

TEST(SoundPanel, OffersWhatRunsHere) {
  Harness ui(heard_sample());
  ui.frame(3);
  ui.click("sound-strategy");
  ui.click("sound-strategy/cpu-parallel");
  EXPECT_EQ(ui.settings.sound.strategy, "cpu-parallel");
  ui.click("sound-strategy");
  ui.click("sound-strategy/tiled-uniform");
  EXPECT_EQ(ui.settings.sound.strategy, "cpu-parallel") << "there is no GPU";
  ui.frame();
  ui.key(ui::key::escape);
  ui.frame(2);
  ui.click("sound-block");
  ui.click("sound-block/256");
  EXPECT_EQ(ui.settings.sound.block, 256);
}

TEST(SoundPanel, ShowsHowItKeepsUp) {
  Harness ui(filtered_sample(), 1600, 1400);
  ui.frame(3);
  EXPECT_TRUE(drawn(ui, "sound-deadline"));
  EXPECT_TRUE(says("none"));
  ui.stats.sound.filter.late = 3;
  ui.stats.sound.filter.why_not = "tiled-uniform cannot run: no. cpu-fft filters instead.";
  ui.stats.sound.missed_lately = 0.25;
  ui.stats.sound.filter.clipped = 12;
  ui.frame(2);
  EXPECT_TRUE(says("3 of 1,000"));
  EXPECT_TRUE(drawn(ui, "sound-strategy/why-not"));
  EXPECT_TRUE(drawn(ui, "sound-missed"));
  EXPECT_TRUE(drawn(ui, "sound-clipped"));
  ui.stats.sound.missed = 0.25;
  ui.stats.sound.missed_lately = 0;
  ui.frame(2);
  EXPECT_FALSE(says("silent")) << "that is past";
  ui.click("sound-compare");
  EXPECT_TRUE(ui.settings.sound.compare);
  EXPECT_TRUE(drawn(ui, "sound-trial/none"));
  ui.stats.sound.filter.trials = {{.strategy = "cpu-direct", .times = times(2, 0.1), .right = true, .error = 1e-7},
                                  {.strategy = "cudnn", .reason = "There is no library."}};
  ui.frame(2);
  EXPECT_TRUE(says("right"));
  EXPECT_TRUE(says("cannot run"));
}

TEST(SoundPanel, SaysWhyNothingIsHeard) {
  Sample sample = heard_sample();
  sample.stats.sound.has_sound = false;
  Harness ui(sample);
  ui.frame(3);
  EXPECT_TRUE(drawn(ui, "sound-none"));
  ui.stats.sound.has_sound = true;
  ui.stats.sound.why_not = "No sound card was found.";
  ui.frame(2);
  EXPECT_TRUE(drawn(ui, "sound-unheard"));
  ui.click("sound-retry");
  EXPECT_TRUE(ui.requests.retry_sound);
}

TEST(SoundPanel, HasItsKeys) {
  Harness ui(heard_sample());
  ui.frame(2);
  EXPECT_TRUE(ui.key('M', ui::key::control));
  EXPECT_TRUE(ui.settings.sound.filtered);
  EXPECT_TRUE(ui.key('M', ui::key::control | ui::key::shift));
  EXPECT_TRUE(ui.settings.sound.scope);
  EXPECT_TRUE(ui.key(ui::key::f(10)));
  EXPECT_FALSE(ui.settings.open_panels.contains("sound"));
}

// All of a comb's notches are silent: none is to look shallower for lying between two looks at it.
TEST(SoundCurves, FindTheFootOfANotch) {
  const ui::SoundCurves& curves = ui::curves_of(parse_signal_filter("comb:delay=48"), 48000);
  for (double hertz = 500; hertz < 6000; hertz += 1000) {
    const double place = std::log(hertz / SoundScope::lowest) / std::log(SoundScope::highest / SoundScope::lowest);
    EXPECT_LT(curves.least[static_cast<std::size_t>(place * SoundScope::bands)], -65) << hertz;
  }
}

TEST(SoundCurves, AreThoseOfTheFilter) {
  const ui::SoundCurves& curves = ui::curves_of(parse_signal_filter("low-pass:cutoff=1000"), 48000);
  EXPECT_EQ(curves.taps.width, 513);
  EXPECT_NEAR(curves.response.front(), 0, 0.1);
  EXPECT_LT(curves.response.back(), -70);
  EXPECT_LT(ui::curves_of(parse_signal_filter("high-pass"), 48000).response.front(), -60);
}

}  // namespace
}  // namespace convoscope::test
