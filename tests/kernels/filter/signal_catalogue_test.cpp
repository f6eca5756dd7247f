// What filters for sound let pass, by the tones that go through them.
#include "kernels/filter/signal_catalogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "kernels/kinds/signal.h"
#include "kernels/text/error.h"
#include "tests/error_of.h"

namespace convoscope {
namespace {

double decibels(const std::string& filter, double hertz, double rate = usual_signal_rate) {
  return 20 * std::log10(std::max(gain_at(make_signal_filter(parse_signal_filter(filter), rate), hertz / rate), 1e-12));
}

TEST(SignalCatalogue, KindsAreWhatTheSignalKindTakes) {
  for (const SignalFilterKind& kind : signal_filter_kinds()) {
    const SignalFilterSpec spec = initial_spec(kind);
    const Filter filter = make_signal_filter(spec);
    EXPECT_EQ(filter.width % 2, 1) << kind.id;
    EXPECT_EQ(filter.weights.size(), static_cast<std::size_t>(filter.width)) << kind.id;
    EXPECT_EQ(spec_text(spec), kind.id);
    EXPECT_EQ(signal_kind.parse(std::string(kind.id)).weights, filter.weights) << kind.id;
    SignalFilterSpec least = spec, most = spec;
    for (std::size_t i = 0; i < kind.parameters.size(); ++i) {
      least.values[i] = kind.parameters[i].minimum;
      most.values[i] = kind.parameters[i].maximum;
    }
    for (const SignalFilterSpec& one : {least, most}) {
      EXPECT_EQ(parse_signal_filter(spec_text(one)), one) << spec_text(one);
      for (const double rate : {8000.0, 44100.0, 192000.0}) {
        const Filter made = make_signal_filter(one, rate);
        EXPECT_LE(made.width, max_filter_taps_1d);
        for (const float tap : made.weights) ASSERT_TRUE(std::isfinite(tap)) << spec_text(one) << " at " << rate;
      }
    }
  }
}

// Half of a tone's height passes at the cut-off; Blackman's window leaves 74 dB of what lies well beyond it.
TEST(SignalCatalogue, CutsOffWhereItSays) {
  for (const double rate : {44100.0, 48000.0}) {
    EXPECT_NEAR(decibels("low-pass:cutoff=1000", 20, rate), 0, 0.01);
    EXPECT_NEAR(decibels("low-pass:cutoff=1000", 1000, rate), -6.02, 0.05);
    EXPECT_LT(decibels("low-pass:cutoff=1000", 1400, rate), -70);
    EXPECT_LT(decibels("high-pass:cutoff=1000", 600, rate), -70);
    EXPECT_NEAR(decibels("high-pass:cutoff=1000", 5000, rate), 0, 0.01);
    EXPECT_LT(decibels("band-pass:low=500,high=2000", 100, rate), -70);
    EXPECT_NEAR(decibels("band-pass:low=500,high=2000", 1000, rate), 0, 0.05);
    EXPECT_LT(decibels("band-pass:low=500,high=2000", 4000, rate), -70);
    EXPECT_NEAR(decibels("band-stop:low=500,high=2000", 100, rate), 0, 0.05);
    EXPECT_LT(decibels("band-stop:low=500,high=2000", 1000, rate), -60);
  }
  EXPECT_NEAR(decibels("band-pass:low=2000,high=500", 1000), 0, 0.05) << "the two may be given the other way round";
  EXPECT_NEAR(decibels("low-pass:cutoff=20000", 3900, 8000), 0, 0.01) << "more than that rate can hold passes all";
}

TEST(SignalCatalogue, TakesWholeTonesAway) {
  EXPECT_LT(decibels("moving-average:radius=2", usual_signal_rate / 5), -100);
  EXPECT_LT(decibels("comb:delay=24", usual_signal_rate / 48), -100);
  EXPECT_NEAR(decibels("comb:delay=24", usual_signal_rate / 24), 0, 1e-6);
  EXPECT_LT(decibels("comb:delay=24,amount=-1", usual_signal_rate / 24), -100);
  EXPECT_LT(decibels("difference", 0), -100);
  EXPECT_NEAR(decibels("difference", usual_signal_rate / 4), 0, 1e-6);
  for (const double hertz : {50.0, 5000.0, 20000.0}) EXPECT_NEAR(decibels("delay:delay=-100", hertz), 0, 1e-6);
}

// Correlation: a tap before the middle one takes a sample of before.
TEST(SignalCatalogue, DelaysToLater) {
  const Filter later = make_signal_filter(parse_signal_filter("delay:delay=3"));
  EXPECT_THAT(later.weights, testing::ElementsAre(1, 0, 0, 0, 0, 0, 0));
  const Filter comb = make_signal_filter(parse_signal_filter("comb:delay=2,amount=0.5"));
  EXPECT_THAT(comb.weights, testing::ElementsAre(0.25f, 0, 0.5f, 0, 0));
}

TEST(SignalCatalogue, TakesOwnTaps) {
  const SignalFilterSpec spec = parse_signal_filter(" 1 -2.5 1 ");
  EXPECT_EQ(spec.kind, custom_taps);
  EXPECT_THAT(make_signal_filter(spec).weights, testing::ElementsAre(1, -2.5f, 1));
  EXPECT_EQ(parse_signal_filter(spec_text(spec)), spec);
}

TEST(SignalCatalogue, SaysWhatIsWrong) {
  const auto why = [](const std::string& text) { return error_of([&] { parse_signal_filter(text); }); };
  EXPECT_THAT(why("lowpass"), testing::HasSubstr("did you mean 'low-pass'"));
  EXPECT_THAT(why("quiet"), testing::HasSubstr("there are moving-average, low-pass"));
  EXPECT_THAT(why("low-pass:cutoff=10"), testing::HasSubstr("is 10; it must be between 20 and 20000"));
  EXPECT_THAT(why("low-pass:cutoff=loud"), testing::HasSubstr("'loud'"));
  EXPECT_THAT(why("low-pass:radius=2.5"), testing::HasSubstr("a whole number"));
  EXPECT_THAT(why("low-pass:radius=600"), testing::HasSubstr("between 1 and 512"));
  EXPECT_THAT(why("low-pass:gain=2"), testing::HasSubstr("has no parameter 'gain'; it takes cutoff, radius"));
  EXPECT_THAT(why("difference:radius=2"), testing::HasSubstr("it takes none"));
  EXPECT_THAT(why("low-pass:cutoff"), testing::HasSubstr("without a value"));
  EXPECT_THAT(why("1 2"), testing::HasSubstr("odd"));
  EXPECT_THAT(why("1 2 1; 1 2 1"), testing::HasSubstr("one row of taps"));
  EXPECT_THAT(why("1 nan 1"), testing::HasSubstr("nan"));
  EXPECT_THAT(why("  "), testing::HasSubstr("empty"));
  std::string many = "1";
  for (int i = 0; i < 1026; ++i) many += " 1";
  EXPECT_THAT(why(many), testing::HasSubstr("1025"));
}

}  // namespace
}  // namespace convoscope
