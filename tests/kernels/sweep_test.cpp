// By what each kind can be swept, and the problems that come of it.
#include "kernels/contract/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <tuple>
#include <utility>

#include "kernels/filter/filter_catalogue.h"
#include "kernels/kinds/frames.h"
#include "kernels/kinds/layer.h"
#include "kernels/kinds/signal.h"
#include "kernels/kinds/volume.h"
#include "kernels/measure/benchmark.h"
#include "kernels/text/error.h"
#include "tests/error_of.h"

namespace convoscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A problem of each kind that every one of its parameters can vary.
Problem start_of(const Kind& kind) {
  if (kind.problem) return kind.problem("1,3,36,64,4,3,padding=1", Pass::forward, nullptr);
  return {64, 36, kind.formats.back(), Border::zero, kind.parse("gaussian:radius=2"), &kind};
}

class SweptKind : public testing::TestWithParam<const Kind*> {};

TEST_P(SweptKind, SaysByWhat) {
  const Kind& kind = *GetParam();
  ASSERT_FALSE(kind.parameters.empty());
  EXPECT_TRUE(kind.parameters[0].words.empty()) << "the first lies along the axis";
  std::set<std::string_view> ids, titles;
  for (const SweepParameter& parameter : kind.parameters) {
    EXPECT_TRUE(ids.insert(parameter.id).second) << parameter.id;
    EXPECT_TRUE(titles.insert(parameter.title).second) << parameter.title;
    EXPECT_EQ(parameter.unit.empty(), !parameter.words.empty()) << parameter.id;
    EXPECT_TRUE(parameter.idea.ends_with('.')) << parameter.id;
    EXPECT_TRUE(std::ranges::is_sorted(parameter.offered)) << parameter.id;
    EXPECT_LE(parameter.least, parameter.offered.front()) << parameter.id;
    EXPECT_GE(parameter.most, parameter.offered.back()) << parameter.id;
    EXPECT_GE(parameter.usual.size(), 2u) << parameter.id;
    for (const int value : parameter.usual)
      EXPECT_TRUE(std::ranges::find(parameter.offered, value) != parameter.offered.end()) << parameter.id << value;
    EXPECT_EQ(find_parameter(kind, parameter.id), &parameter);
  }
  EXPECT_EQ(find_parameter(kind, "nonsense"), nullptr);
}

TEST_P(SweptKind, TakesEveryValueThatIsOffered) {
  const Kind& kind = *GetParam();
  const Problem start = start_of(kind);
  for (std::size_t i = 0; i < kind.parameters.size(); ++i)
    for (const int value : kind.parameters[i].offered) {
      SCOPED_TRACE(std::string(kind.parameters[i].id) + " " + std::to_string(value));
      std::vector<int> values = sweep_values(start);
      values[i] = value;
      EXPECT_EQ(why_not_with(start, values), "");
      const Problem other = with_values(start, values);
      EXPECT_EQ(sweep_values(other), values);
      EXPECT_EQ(kind.invalid(other), "");
      EXPECT_EQ(value_text(kind.parameters[i], start, value), value_text(kind.parameters[i], other));
      EXPECT_FALSE(value_phrase(kind.parameters[i], other).empty());
    }
  EXPECT_EQ(with_values(start, sweep_values(start)).filter, start.filter) << "nothing has changed";
}

INSTANTIATE_TEST_SUITE_P(Book, SweptKind, testing::ValuesIn(kinds()),
                         [](const auto& kind) { return std::string(kind.param->id); });

Problem with(const Problem& start, std::initializer_list<std::pair<std::string_view, int>> changes) {
  std::vector<int> values = sweep_values(start);
  for (const auto& [id, value] : changes)
    values[static_cast<std::size_t>(find_parameter(*start.kind, id) - start.kind->parameters.data())] = value;
  if (const std::string why_not = why_not_with(start, values); !why_not.empty()) throw Error(why_not);
  return with_values(start, values);
}
std::string refusal(const Problem& start, std::initializer_list<std::pair<std::string_view, int>> changes) {
  return error_of([&] { with(start, changes); });
}

TEST(SweptPictures, KeepTheirKindOfFilterAndTheirProportions) {
  const Problem other = with(start_of(image_kind), {{"radius", 6}, {"size", 18}});
  EXPECT_EQ(other.filter, parse_filter("gaussian:radius=6").filter);
  EXPECT_EQ(other.width, 32);
  EXPECT_EQ(value_phrase(picture_size, other), "32×18");
  EXPECT_EQ(value_phrase(picture_radius, other), "radius 6");
  Problem sharp = start_of(image_kind);
  sharp.filter = parse_filter("gaussian:sigma=3,radius=2,gain=2,bias=-0.5,absolute=1").filter;
  EXPECT_EQ(with(sharp, {{"radius", 5}}).filter,
            parse_filter("gaussian:radius=5,sigma=3,gain=2,bias=-0.5,absolute=1").filter);
  sharp.filter = parse_matrix("0 -1 0; -1 5 -1; 0 -1 0");
  EXPECT_THAT(refusal(sharp, {{"radius", 5}}), HasSubstr("no radius to vary"));
  sharp.filter = random_filter(3, 3);
  EXPECT_THAT(refusal(sharp, {{"radius", 5}}), HasSubstr("no radius to vary"));
  sharp.filter = parse_filter("sobel-x").filter;
  EXPECT_THAT(refusal(sharp, {{"radius", 5}}), HasSubstr("has no parameter 'radius'"));
  EXPECT_THAT(refusal(start_of(image_kind), {{"radius", 64}}), HasSubstr("64"));
  EXPECT_THAT(refusal(start_of(image_kind), {{"size", 0}}), HasSubstr("0 rows, to which 1 columns"));
  Problem wide = start_of(image_kind);
  wide.width = 16384;
  EXPECT_THAT(refusal(wide, {{"size", 72}}), HasSubstr("72 rows, to which 32768 columns"));
  EXPECT_EQ(value_text(picture_size, wide, 72), "72") << "of what cannot be the number alone";
}

TEST(SweptVolumes, ReachOverSpaceAndTime) {
  Problem start = start_of(volume_kind);
  start.filter = over_time(parse_filter("gaussian:radius=2").filter, 3);  // as a pane has it
  const Problem wider = with(start, {{"radius", 4}});
  EXPECT_EQ(wider.filter.width, 9);
  EXPECT_EQ(wider.filter.depth, 7) << "the frames stay";
  const Problem both = with(start, {{"radius", 1}, {"rt", 2}});
  EXPECT_EQ(both.filter.taps(), 3 * 3 * 5);
  EXPECT_EQ(with(both, {{"rt", 0}}).filter.depth, 1);
  EXPECT_EQ(with(start, {{"radius", 32}, {"rt", 0}}).filter.width, 65) << "there would be no room over seven frames";
  EXPECT_THAT(refusal(start, {{"rt", 70}}), HasSubstr("70"));
  EXPECT_THAT(refusal(start, {{"radius", 32}, {"rt", 8}}), HasSubstr("has 71,825 weights"))
      << "more weights than there is room for";
}

TEST(SweptSignals, HaveOddNumbersOfTaps) {
  EXPECT_EQ(with(start_of(signal_kind), {{"taps", 1025}, {"samples", 7}, {"channels", 2}}).filter.width, 1025);
  EXPECT_THAT(refusal(start_of(signal_kind), {{"taps", 4}}), HasSubstr("this one has 4"));
  EXPECT_THAT(refusal(start_of(signal_kind), {{"samples", 0}}), HasSubstr("0 samples"));
}

TEST(SweptLayers, KeepWhatTheyAre) {
  const Problem start = start_of(layer_kind);
  const Problem other = with(start, {{"M", 8}, {"C", 5}, {"K", 7}, {"size", 72}});
  EXPECT_EQ(layer_kind.shape(other), "1,5,72,128,8,7,padding=3") << "maps as large as the input";
  EXPECT_EQ(other.filter, random_bank(8, 5, 7));
  EXPECT_EQ(layer_kind.shape(with(layer_problem("1,3,36,64,4,3", Pass::forward), {{"K", 5}})), "1,3,36,64,4,5");
  const Problem depthwise = layer_problem("1,3,36,64,6,3,groups=3", Pass::forward);
  EXPECT_EQ(layer_kind.shape(with(depthwise, {{"C", 2}})), "1,2,36,64,6,3,groups=2");
  EXPECT_THAT(refusal(depthwise, {{"M", 8}}), HasSubstr("must be a multiple of 3; it is 8"));
  EXPECT_THAT(refusal(layer_problem("1,3,4,4,6,3", Pass::forward), {{"K", 11}}), HasSubstr("spans 11 rows"));
  EXPECT_THAT(refusal(depthwise, {{"C", 0}}), HasSubstr("is 0; it must be from 1"));
  const Problem gradient = with(start, {{"pass", 2}, {"M", 2}});
  EXPECT_EQ(gradient.layer.pass, Pass::to_weights);
  EXPECT_TRUE(gradient.filter.weights.empty()) << "they are what is looked for";
  EXPECT_EQ(value_phrase(*find_parameter(layer_kind, "pass"), gradient), "to-weights");
  const Problem halves = with(start, {{"type", 2}, {"M", 2}});
  EXPECT_EQ(halves.layer.precision, Precision::f16);
  EXPECT_EQ(halves.filter, random_bank(2, 3, start.filter.width)) << "the same weights in every type";
  EXPECT_EQ(value_phrase(*find_parameter(layer_kind, "type"), halves), "f16");
}

TEST(SweptProblems, AreMeasured) {
  const auto compute = make_compute(Backend::cpu);
  for (const auto& [kind, id, strategies] : {std::tuple{&volume_kind, "rt", std::array{"cpu-direct", "cpu-parallel"}},
                                             {&layer_kind, "M", {"cpu-direct", "cpu-gemm"}}})
    for (const int value : {1, 3}) {
      const Problem problem = with(start_of(*kind), {{id, value}});
      std::vector<Contestant> contestants;
      for (const char* const strategy : strategies)
        contestants.push_back({find_strategy(Backend::cpu, strategy, *kind), {}});
      const BenchmarkResult result = benchmark(*compute, problem, contestants, {.rounds = 2, .warm_up_rounds = 0});
      ASSERT_EQ(result.rows.size(), 2u);
      for (const BenchmarkRow& row : result.rows) EXPECT_TRUE(row.verified) << row.strategy << ": " << row.reason;
    }
}

TEST(SweptProblems, ThatAreNoneOfTheirKindSayWhyInEachRow) {
  const auto compute = make_compute(Backend::cpu);
  Problem problem = layer_problem("1,3,1080,1920,4,3", Pass::to_weights);
  problem.layer.precision = Precision::f16;
  std::vector<Contestant> contestants;
  for (const char* const strategy : {"cpu-direct", "cpu-gemm"})
    contestants.push_back({find_strategy(Backend::cpu, strategy, layer_kind), {}});
  const BenchmarkResult result = benchmark(*compute, problem, contestants, {.rounds = 1, .warm_up_rounds = 0});
  ASSERT_EQ(result.rows.size(), 2u);
  EXPECT_EQ(result.rows[1].strategy, "cpu-gemm");
  for (const BenchmarkRow& row : result.rows) {
    EXPECT_FALSE(row.verified);
    EXPECT_THAT(row.reason, HasSubstr("a float16 holds only up to 65504"));
  }
}

}  // namespace
}  // namespace convoscope
