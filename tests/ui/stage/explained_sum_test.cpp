// The sum of an explained pixel: weights times inputs, and what is said of it.
#include <gtest/gtest.h>

#include <cmath>

#include "app/ui/explain/sum.h"
#include "tests/ui/harness.h"
#include "tests/ui/stage/explained_picture.h"

namespace convoscope::test {
namespace {

TEST(ExplainedSum, AddsWhatTheDefinitionAdds) {
  // The worked example: the centre of the 5 × 5 patch is 321.
  PixelExplanation s = explained("1 2 3 2 1; 2 3 4 3 2; 3 4 5 4 3; 2 3 4 3 2; 1 2 3 2 1", Border::zero, {2, 2});
  change_problem(s, [](Problem& p) { p.width = p.height = 5; });
  s.inputs[0].area = {0, 0, 5, 5};
  s.inputs[0].pixels.clear();
  for (const unsigned v : {1, 2, 3, 4, 5, 2, 3, 4, 5, 6, 3, 4, 5, 6, 7, 4, 5, 6, 7, 8, 5, 6, 7, 8, 5})
    s.inputs[0].pixels.push_back(v);
  const ui::ExplainedSum sum = ui::add_up(s, 0);
  EXPECT_TRUE(sum.complete);
  EXPECT_EQ(sum.terms.size(), 25u);
  EXPECT_EQ(sum.sum, 321);
  EXPECT_EQ(sum.stored, 255);
  EXPECT_EQ(ui::add_up(s, 1).sum, 0);
}

TEST(ExplainedSum, BordersGainBiasAndMagnitude) {
  EXPECT_EQ(ui::add_up(explained("1 1 1", Border::zero, {0, 0}), 0).sum, 0 + 0 + 1);
  EXPECT_EQ(ui::add_up(explained("1 1 1", Border::mirror, {0, 0}), 0).sum, 1 + 0 + 1);
  EXPECT_EQ(ui::add_up(explained("1 1 1", Border::wrap, {0, 0}), 0).sum, 15 + 0 + 1);
  EXPECT_TRUE(ui::add_up(explained("1 1 1", Border::wrap, {0, 0}), 0).terms[0].outside);
  PixelExplanation s = explained("0 0 0; 0 1 0; 0 0 0", Border::zero, {5, 1});
  change_problem(s, [](Problem& p) {
    p.filter.gain = -2;
    p.filter.bias = 0.1f;
    p.filter.absolute = true;
  });
  const ui::ExplainedSum sum = ui::add_up(s, 0);
  EXPECT_NEAR(sum.scaled, -2 * 21 + 25.5, 1e-4);
  EXPECT_NEAR(sum.value, 16.5, 1e-4);
  EXPECT_EQ(ui::add_up(explained("sobel-magnitude", Border::replicate, {5, 5}), 0).magnitude,
            std::hypot(8.0, 8.0 * 16));
  EXPECT_NEAR(ui::add_up(explained("1", Border::zero, {4, 2}, PixelFormat::gray32f), 0).stored, 36.0 / 256, 1e-7);
  PixelExplanation late = explained("1 1 1", Border::zero, {5, 5});
  late.inputs.clear();
  EXPECT_FALSE(ui::add_up(late, 0).complete);
}

TEST(ExplainedSum, IsKeptUntilTheStoryOrTheChannelChanges) {
  ui::KeptExplainedSum kept;
  PixelExplanation s = explained("1 1 1", Border::zero, {5, 5});
  const ui::ExplainedTerm* const terms = kept.of(s, 0).terms.data();
  const double first = kept.of(s, 0).sum;
  for (int i = 0; i < 3; ++i) {
    const PixelExplanation arrived = s;  // as it comes anew with each frame
    EXPECT_EQ(kept.of(arrived, 0).terms.data(), terms);
  }
  EXPECT_EQ(kept.of(s, 1).sum, ui::add_up(s, 1).sum);
  EXPECT_NE(kept.of(s, 1).sum, first);
  s.inputs[0].pixels[5 + 5 * 16] ^= 1;
  EXPECT_EQ(std::abs(kept.of(s, 0).sum - first), 1);
  s.output = {6, 6};
  EXPECT_EQ(kept.of(s, 0).sum, ui::add_up(s, 0).sum);
  const double before = kept.of(s, 0).sum;
  change_problem(s, [](Problem& p) { p.filter.weights.assign(3, 2.0f); });
  EXPECT_EQ(kept.of(s, 0).sum, 2 * before);
}

TEST(ExplainedSum, IsSaidToBeThatOfTheProductsBeforeTheyAreRounded) {
  Harness harness(typical_sample(), 1600, 900);
  harness.settings.inspect.explain = true;
  for (const char* const filter : {"gaussian:radius=1", "gaussian:radius=4"}) {  // all terms, and the largest
    harness.stats.inspect.explained = explained(filter, Border::replicate, {5, 5});
    harness.frame(3);
    EXPECT_TRUE(says(", added before rounding")) << filter;
  }
  harness.stats.inspect.explained = explained("1 1 1", Border::replicate, {5, 5});
  harness.frame(3);
  EXPECT_FALSE(says(", added before rounding"));
}

}  // namespace
}  // namespace convoscope::test
