// Whatever filter a pane has, something filters: the chosen strategy, or another one that says so.
#include "app/panes/pane_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/choose/ladder.h"
#include "kernels/choose/stand_in.h"
#include "kernels/compute/compute.h"
#include "kernels/contract/image_plan.h"
#include "kernels/contract/kind.h"
#include "kernels/filter/filter_catalogue.h"
#include "kernels/kinds/reference.h"

namespace convoscope {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr int plan_width = 13, plan_height = 9;
constexpr PixelFormat formats[] = {PixelFormat::rgba8, PixelFormat::gray32f};

PaneSettings pane_of(std::string strategy, const FilterSpec& filter) {
  PaneSettings pane;
  pane.strategy = std::move(strategy);
  pane.filter = filter;
  return pane;
}

// The whole catalogue, and the largest of what grows.
std::vector<FilterSpec> catalogue() {
  std::vector<FilterSpec> filters;
  for (const FilterKind& kind : filter_kinds()) filters.push_back(parse_filter(std::string(kind.id)));
  for (const char* large : {"gaussian:radius=63", "disk:radius=63", "box:radius=63"})
    filters.push_back(parse_filter(large));
  return filters;
}

class PanePlanOn : public testing::TestWithParam<Backend> {
 protected:
  PanePlan made(const PaneSettings& pane, const Problem& problem) {
    return make_pane_plan(pane, problem, compute_->device());
  }
  // How far the plan's picture is from the reference, over what its strategy allows.
  void expect_filtered(const PanePlan& made, const Problem& problem) {
    const std::size_t row = static_cast<std::size_t>(problem.width) * 4;
    std::vector<std::uint32_t> in(static_cast<std::size_t>(problem.width * problem.height)), out(in.size());
    for (std::size_t i = 0; i < in.size(); ++i) {
      const auto code = static_cast<std::uint32_t>(i * 2654435761u);
      in[i] = problem.format == PixelFormat::rgba8
                  ? code
                  : std::bit_cast<std::uint32_t>(static_cast<float>(code >> 8) / 16777216.0f);
    }
    const auto image = [&](std::vector<std::uint32_t>& pixels) {
      return Image{pixels.data(), problem.width, problem.height, row, problem.format};
    };
    const DeviceImage from = compute_->allocate(problem.width, problem.height, problem.format);
    const DeviceImage to = compute_->allocate(problem.width, problem.height, problem.format);
    compute_->upload(image(in), from.image());
    made.plan->prepare(compute_->stream());
    enqueue_image(*made.plan, from.image(), to.image(), compute_->stream());
    compute_->download(to.image(), image(out));
    const Difference worst = compare(problem, reference(problem, image(in)), image(in), image(out));
    EXPECT_LE(worst.max_error, made.strategy->tolerance(problem)) << made.strategy->id;
  }

  std::unique_ptr<Compute> compute_ = make_compute(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Backends, PanePlanOn, testing::Values(Backend::cpu, Backend::emulated),
                         [](const auto& backend) { return std::string(to_string(backend.param)); });

// Sums that overflow somewhere leave a picture to look at; what a kind does not want to be seen is refused with its
// reason.
TEST_P(PanePlanOn, TheKindSaysWhetherWhatIsInvalidCanBeSeen) {
  Problem problem{plan_width, plan_height, PixelFormat::gray32f, Border::zero, parse_matrix("2e38 -2e38 2e38")};
  ASSERT_THAT(problem.kind->invalid(problem), HasSubstr("6e+38"));
  const PanePlan seen = made(pane_of("cpu-direct", {}), problem);
  EXPECT_NE(seen.plan, nullptr) << seen.why_not;
  Kind strict = image_kind;
  strict.invalid_can_be_seen = false;
  problem.kind = &strict;
  const PanePlan refused = made(pane_of("cpu-direct", {}), problem);
  EXPECT_EQ(refused.plan, nullptr);
  EXPECT_THAT(refused.why_not, HasSubstr("6e+38"));
}

TEST_P(PanePlanOn, EveryFilterOfTheCatalogueIsDoneWhateverIsChosen) {
  int substitutes = 0;
  for (const FilterSpec& filter : catalogue())
    for (const PixelFormat format : formats)
      for (const StrategyRow& row : ladder_of(Backend::emulated)) {  // all rows: settings may name any
        SCOPED_TRACE(std::string(row.strategy->id) + " and " + filter.filter.name + ", " + to_string(format));
        const Problem problem{plan_width, plan_height, format, Border::replicate, filter.filter};
        const PaneSettings pane = pane_of(std::string(row.strategy->id), filter);
        const PanePlan plan = made(pane, problem);
        EXPECT_TRUE(plan.plan);
        EXPECT_THAT(plan.why_not, IsEmpty());
        ASSERT_TRUE(plan.strategy);
        EXPECT_EQ(plan.why_substitute.empty(), plan.strategy->id == row.strategy->id);
        substitutes += !plan.why_substitute.empty();
        EXPECT_TRUE(plan.why_substitute.empty() || !why_chosen_cannot(pane, problem, compute_->device()).empty());
      }
  EXPECT_GT(substitutes, 0) << "separable strategies refuse a disk";
}

TEST_P(PanePlanOn, TheDefaultFiltersTheWholeCatalogueRightly) {
  for (const FilterSpec& filter : catalogue())
    for (const PixelFormat format : formats)
      for (const Border border : all_borders) {
        if (filter.filter.width > 31 && border != Border::mirror) continue;  // seconds, in the emulator
        SCOPED_TRACE(filter.filter.name + ", " + to_string(format) + ", " + std::string(to_string(border)));
        const Problem problem{plan_width, plan_height, format, border, filter.filter};
        const PanePlan plan = made(pane_of(PaneSettings{}.strategy, filter), problem);
        ASSERT_TRUE(plan.plan) << plan.why_not;
        EXPECT_EQ(plan.strategy->id, "auto");
        expect_filtered(plan, problem);
      }
}

TEST_P(PanePlanOn, WhatStandsInFiltersRightly) {
  for (const char* chosen : {"cpu-separable", "separable", "winograd", "box", "no-such"})
    for (const char* spec : {"disk:radius=3", "sharpen", "gaussian:radius=2"}) {
      SCOPED_TRACE(std::string(chosen) + " and " + spec);
      const FilterSpec filter = parse_filter(spec);
      const Problem problem{plan_width, plan_height, PixelFormat::rgba8, Border::wrap, filter.filter};
      const PanePlan plan = made(pane_of(chosen, filter), problem);
      ASSERT_TRUE(plan.plan);
      EXPECT_FALSE(plan.strategy->chooses);
      EXPECT_FALSE(plan.strategy->calls_library);
      expect_filtered(plan, problem);
    }
}

TEST_P(PanePlanOn, TheSentenceNamesBothAndSaysWhy) {
  const FilterSpec disk = parse_filter("disk:radius=3");
  const Problem problem{plan_width, plan_height, PixelFormat::rgba8, Border::wrap, disk.filter};
  const PanePlan plan = made(pane_of("cpu-separable", disk), problem);
  ASSERT_TRUE(plan.plan);
  EXPECT_EQ(plan.strategy->id, "cpu-parallel") << "a CPU strategy for a CPU strategy, whatever the backend";
  const std::string sentence = substitute_sentence("cpu-separable", plan.why_substitute, plan.strategy);
  EXPECT_THAT(sentence, testing::StartsWith("cpu-separable cannot run: "));
  EXPECT_THAT(sentence, HasSubstr("rank"));
  EXPECT_THAT(sentence, testing::EndsWith(" cpu-parallel runs instead."));
}

TEST(PanePlan, ACudaStrategyOnTheCpuIsDoneByTheFastestThatCan) {
  const auto cpu = make_compute(Backend::cpu);
  const FilterSpec gaussian = parse_filter("gaussian:radius=4");
  const Problem problem{plan_width, plan_height, PixelFormat::rgba8, Border::mirror, gaussian.filter};
  const PanePlan plan = make_pane_plan(pane_of("constant", gaussian), problem, cpu->device());
  ASSERT_TRUE(plan.plan);
  EXPECT_EQ(plan.strategy->backend, Backend::cpu);
  EXPECT_THAT(plan.why_substitute, HasSubstr("needs CUDA"));
}

TEST(PanePlan, TheSourceIsNotAFailure) {
  const auto cpu = make_compute(Backend::cpu);
  const PanePlan plan = make_pane_plan(pane_of("source", {}), {plan_width, plan_height}, cpu->device());
  EXPECT_FALSE(plan.plan);
  EXPECT_THAT(plan.why_not, IsEmpty());
  EXPECT_THAT(plan.why_substitute, IsEmpty());
}

}  // namespace
}  // namespace convoscope
