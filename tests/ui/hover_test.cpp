// What a plot says of the place under the mouse.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>
#include <vector>

#include "app/ui/parts/format.h"
#include "app/ui/parts/tooltips.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/results/loss_plot.h"
#include "app/ui/results/sweep_doubt.h"
#include "app/ui/results/sweep_plot.h"
#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;
using ui::px;

std::string said_at(Harness& ui, ImVec2 place) {
  ui.move(place.x, place.y);
  ui.frame(4);
  return ui::tooltip_text();
}

class Roofline : public testing::Test {
 protected:
  // The ridge is at 10 FLOP per byte, in the middle of axes that go from 1 to 100.
  static constexpr double copies = 1e12, multiplies = 1e13;
  Roofline() {
    ui.settings.open_panels = {"timing"};
    ui.stats.limits = {.copy_bytes_per_second = copies, .flop_per_second = multiplies};
    ui.stats.panes[0].cost = {};
    ui.frame(3);
  }
  ui::ItemRectangle axes() {
    const ui::ItemRectangle whole = *ui::item_rectangle("roofline");
    return {{whole.from.x + px(38), whole.from.y + px(18)}, {whole.to.x - px(4), whole.to.y - px(32)}};
  }
  // 0 to 1 along each axis.
  ImVec2 at(float x, float y) {
    const auto [from, to] = axes();
    return {from.x + x * (to.x - from.x), to.y - y * (to.y - from.y)};
  }
  // The mouse is at whole pixels.
  double intensity_at(float x) {
    const auto [from, to] = axes();
    return std::pow(100, static_cast<double>((std::floor(at(x, 0).x) - from.x) / (to.x - from.x)));
  }
  Harness ui{typical_sample(), 1600, 1400};
};

TEST_F(Roofline, SaysHowHighTheRoofIsWhereTheMouseIs) {
  EXPECT_EQ(said_at(ui, {5, 700}), "");
  EXPECT_EQ(said_at(ui, at(0.25f, 0.5f)), "At " + ui::format_number(intensity_at(0.25f)) +
                                              " FLOP per byte the roof is " +
                                              ui::format_si(intensity_at(0.25f) * copies, "FLOP/s") + ".");
  EXPECT_EQ(said_at(ui, at(0.75f, 0.5f)), "At " + ui::format_number(intensity_at(0.75f)) +
                                              " FLOP per byte the roof is " + ui::format_si(multiplies, "FLOP/s") +
                                              ".");
}

TEST_F(Roofline, SaysWhatADotIs) {
  PaneStats& pane = ui.stats.panes[0];
  pane.cost = {.flop = 1e9, .dram_bytes = 1e8};  // 10 a byte, in a millisecond: a tenth of the roof
  pane.kernel = times(1, 0);
  ui.frame(2);
  const std::string said = said_at(ui, at(0.5f, 1 / 3.0f));  // of the decades from 1e11 to 1e14
  EXPECT_EQ(said, "1  " + pane.title + "\n" + ui::format_number(10) + " FLOP per byte, " +
                      ui::format_si(1e12, "FLOP/s") + "\n" + ui::format_number(10) + " % of the roof");
  EXPECT_THAT(said_at(ui, at(0.5f, 0.8f)), StartsWith("At "));
}

TEST(Vectorscope, SaysHowManyPixelsHaveTheColourUnderTheMouse) {
  Harness ui(typical_sample(), 1600, 900);
  ui.settings.inspect.vectorscope = true;
  ui.stats.inspect.histogram_pane = 0;
  constexpr int squares = vectorscope_bins / 2, x = 40, y = 20;
  std::vector<std::uint32_t>& counts = ui.stats.inspect.vectorscope;
  counts.assign(vectorscope_bins * vectorscope_bins, 0);
  counts[2 * y * vectorscope_bins + 2 * x] = 1000;  // two of the four that are shown as one
  counts[(2 * y + 1) * vectorscope_bins + 2 * x + 1] = 234;
  ui.frame(3);
  const ui::ItemRectangle card = *ui::item_rectangle("scopes");
  const float side = px(132), left = card.from.x + px(11), bottom = card.from.y + px(29) + side;
  const auto square = [&](int column, int row) {
    return ImVec2{left + side * (static_cast<float>(column) + 0.5f) / squares,
                  bottom - side * (static_cast<float>(row) + 0.5f) / squares};
  };
  const ImVec2 place = square(x, y);
  const double cb = (std::floor(place.x) - left) / side * 2 - 1, cr = (bottom - std::floor(place.y)) / side * 2 - 1;
  EXPECT_EQ(said_at(ui, place), "Blue difference (Cb) " + ui::with_minus(ui::format_number(cb, 2)) +
                                    ", red difference (Cr) " + ui::with_minus(ui::format_number(cr, 2)) + "\n" +
                                    ui::format_count(1234) + " pixels counted");
  EXPECT_THAT(said_at(ui, square(x + 1, y)), HasSubstr("\n0 pixels counted"));
}

TEST(Loss, SaysTheStepUnderTheMouseAndItsLoss) {
  Harness ui(learning_sample(), 1600, 1400);
  ui.settings.open_panels = {"learn"};
  ui.stats.learn.steps = 1000;
  ui.stats.learn.loss = {0.5f, 0.25f, 0.125f};
  ui.frame(3);
  const ui::ItemRectangle plot = *ui::item_rectangle("loss");
  const float from = plot.from.x + px(40), to = plot.to.x - px(4), y = plot.centre().y;
  for (const int point : {0, 1, 2}) {
    const float x = from + (to - from) * static_cast<float>(point) / 2;
    EXPECT_EQ(said_at(ui, {x + (point == 2 ? -1.0f : 1.0f), y}),
              ui::loss_text(ui.stats.learn, static_cast<std::size_t>(point)));
  }
}

TEST(History, SaysTheTimeUnderTheMouseAndHowLongAgoItWas) {
  constexpr int count = 60;
  Harness ui(typical_sample(), 1600, 900);
  ui.settings.group().panes[0].card.shape = CardShape::open;
  RollingTimes& kernel = ui.stats.panes[0].kernel;
  kernel.clear();
  for (int i = 1; i <= count; ++i) kernel.add(i);
  ui.frame(4);
  const ui::ItemRectangle card = *ui::item_rectangle("card/1");
  float y = card.from.y;
  while (y < card.to.y && said_at(ui, {card.centre().x, y}).find("frames ago") == std::string::npos) y += px(6);
  ASSERT_LT(y, card.to.y) << "no history";
  double last = 0;
  for (const float share : {0.2f, 0.4f, 0.6f, 0.8f}) {
    const std::string said = said_at(ui, {card.from.x + share * (card.to.x - card.from.x), y});
    double milliseconds = 0;
    int ago = 0;
    ASSERT_EQ(std::sscanf(said.c_str(), "%lf ms, %d frames ago", &milliseconds, &ago), 2) << said;
    EXPECT_EQ(milliseconds + ago, count) << said;
    EXPECT_GT(milliseconds, last + 5) << "to the right they are newer";
    EXPECT_THAT(said, testing::EndsWith("median " + ui::format_milliseconds(kernel.median())));
    last = milliseconds;
  }
}

// A copy knows no radius: what differs from point to point is only how much it was disturbed.
TEST(SweepPlot, HasOneTimeOfACopyForAllRadii) {
  SweepStats sweep;
  const auto add = [&](int radius, double copy) {
    const Filter filter{.width = 2 * radius + 1, .height = 2 * radius + 1};
    sweep.rows.push_back({.strategy = "texture",
                          .filter = "gaussian",
                          .problem = {640, 360, PixelFormat::rgba8, Border::replicate, filter},
                          .median_ms = radius * 20.0,
                          .p05_ms = radius * 19.0,
                          .p95_ms = radius * 22.0,
                          .copy_ms = copy,
                          .verified = true});
  };
  add(1, 0.5), add(2, 0.1), add(4, 0.2);
  const SweepView view = shown_sweep(sweep, default_settings(), image_kind);
  Harness ui;
  ui.frame(2);
  std::set<std::string> said, points;
  ImGui::NewFrame();
  for (float x = 0; x < 600; x += 5)
    for (float y = 0; y < 400; y += 5)
      if (const std::string text = sweep_point_near({x, y}, {0, 0}, {600, 400}, sweep, view).text;
          text.starts_with("copy of the output"))
        said.insert(text);
      else if (text.starts_with("texture"))
        points.insert(text);
  ImGui::EndFrame();
  EXPECT_EQ(said.size(), 3u) << "a point for each radius";
  ASSERT_EQ(points.size(), 3u);
  int radius = 1;  // in the order of their texts
  for (const std::string& text : points) {
    EXPECT_THAT(text, HasSubstr("\n" + ui::format_number(radius * 20.0 / 0.2) + " × copy")) << "of the line's copy";
    radius *= 2;
  }
  for (const std::string& text : said) EXPECT_THAT(text, HasSubstr("median " + ui::format_milliseconds(0.2)));
}

TEST(SweepPlot, SaysWhatAutoRanAtAPoint) {
  SweepStats sweep;
  for (const char* const runs : {"texture", "separable"}) {
    const int radius = sweep.rows.empty() ? 1 : 8;
    const Filter filter{.width = 2 * radius + 1, .height = 2 * radius + 1};
    sweep.rows.push_back({.strategy = "auto",
                          .filter = "gaussian",
                          .problem = {640, 360, PixelFormat::rgba8, Border::replicate, filter},
                          .median_ms = radius * 2.0,
                          .verified = true,
                          .runs = runs});
  }
  const SweepView view = shown_sweep(sweep, default_settings(), image_kind);
  Harness ui;
  ui.frame(2);
  std::set<std::string> said;
  ImGui::NewFrame();
  for (float x = 0; x < 600; x += 5)
    for (float y = 0; y < 400; y += 5) {
      const std::string text = sweep_point_near({x, y}, {0, 0}, {600, 400}, sweep, view).text;
      said.insert(text.substr(0, text.find('\n')));
    }
  ImGui::EndFrame();
  EXPECT_EQ(said, (std::set<std::string>{"", "auto → texture, radius 1", "auto → separable, radius 8"}));
}

TEST(SweepPlot, SaysHowManySamplesAndWhichNotToBelieve) {
  SweepStats sweep;
  for (const bool busy : {false, true})
    sweep.rows.push_back({.strategy = "auto",
                          .filter = "gaussian",
                          .problem = {640, busy ? 360 : 180, PixelFormat::rgba8, Border::replicate, Filter()},
                          .median_ms = busy ? 108.0 : 2.0,
                          .verified = true,
                          .samples = 7,
                          .cpu_ms = busy ? 1.4 : 1.9,
                          .doubt = busy ? Doubt::processor : Doubt::none});
  const SweepView view = shown_sweep(sweep, default_settings(), image_kind);
  Harness ui;
  ui.frame(2);
  const std::string caption =
      ui::doubt_caption(sweep_curves(sweep.rows, view)) + ui::samples_caption(sweep_curves(sweep.rows, view));
  EXPECT_EQ(
      caption,
      "Points with ?: Other programs took most of the processor: do not believe this. 7 samples a point; each core "
      "computed for 1 to 95 % of the time. ");
  std::set<std::string> said;
  ImGui::NewFrame();
  for (float x = 0; x < 600; x += 5)
    for (float y = 0; y < 400; y += 5)
      if (const std::string text = sweep_point_near({x, y}, {0, 0}, {600, 400}, sweep, view).text; !text.empty())
        said.insert(text);
  ImGui::EndFrame();
  ASSERT_EQ(said.size(), 2u);
  for (const std::string& text : said) {
    const bool busy = text.find("108") != std::string::npos;
    EXPECT_THAT(text, HasSubstr("\n7 samples, processor time " + ui::format_milliseconds(busy ? 1.4 : 1.9)));
    EXPECT_EQ(text.find("do not believe this") != std::string::npos, busy) << text;
  }
}

// What a plot of 600 × 400 draws beside its legend.
std::vector<ImDrawVert> drawn_in_plot(const SweepStats& sweep) {
  ImGui::NewFrame();
  ImDrawList& list = *ImGui::GetForegroundDrawList();
  draw_sweep_plot(list, {0, 0}, {600, 400}, sweep, shown_sweep(sweep, default_settings(), image_kind));
  std::vector<ImDrawVert> corners(list.VtxBuffer.begin(), list.VtxBuffer.end());
  ImGui::EndFrame();
  std::erase_if(corners, [](const ImDrawVert& at) { return at.pos.x < 50 || at.pos.x > 410 || at.pos.y > 345; });
  return corners;
}

SweepRow swept_row(const char* strategy, double median, double p05, double p95, double copy = 0) {
  return {.strategy = strategy,
          .filter = "gaussian",
          .problem = {640, 360, PixelFormat::rgba8, Border::replicate, {.width = 3, .height = 3}},
          .median_ms = median,
          .p05_ms = p05,
          .p95_ms = p95,
          .copy_ms = copy,
          .verified = true};
}

TEST(SweepPlot, SaysAllThatIsToBeKnownOfIt) {
  Harness ui(typical_sample(), 1280, 800);
  ui.settings.sweep.open = true;
  ui.stats.sweep.rows = {swept_row("texture", 10, 9, 11), swept_row("auto", 10, 9, 11)};
  ui.frame(3);
  std::string said;
  for (const auto& drawn : ui::drawn_texts()) said += drawn.text + " ";
  std::ranges::replace(said, '\n', ' ');
  EXPECT_THAT(said, HasSubstr("Crossings with auto are not marked: it runs one of the others."));
}

TEST(SweepPlot, HoldsItsBarsAndEndsALongerOneInAnArrow) {
  Harness ui;
  ui.frame(2);
  SweepStats sweep;
  constexpr float edge = 42;
  const auto highest_bar = [&](double p95) {
    sweep.rows = {swept_row("texture", 10, 9, p95), swept_row("global", 12, 11, 13)};
    float top = 400;
    for (const ImDrawVert& corner : drawn_in_plot(sweep))
      if (corner.col >> 24 == 153) top = std::min(top, corner.pos.y);  // bars alone are as faint as that
    return top;
  };
  EXPECT_GT(highest_bar(60), edge + 2);
  EXPECT_LT(highest_bar(60), 345);
  EXPECT_NEAR(highest_bar(100000), edge, 2) << "with what smooths the arrow's edge";
}

TEST(SweepPlot, ShowsOnePointOfACopyAndOfAnOverlay) {
  Harness ui;
  ui.frame(2);
  SweepStats sweep;
  sweep.rows = {swept_row("texture", 10, 9, 11)};
  const auto count_dim = [&] { return std::ranges::count(drawn_in_plot(sweep), ui::theme().dim, &ImDrawVert::col); };
  const std::size_t alone = drawn_in_plot(sweep).size();
  const auto dim = count_dim();
  sweep.rows = {swept_row("texture", 10, 9, 11, 8)};
  EXPECT_GT(count_dim(), dim);
  sweep.rows = {swept_row("texture", 10, 9, 11)};
  sweep.loaded = sweep.rows;
  EXPECT_GT(drawn_in_plot(sweep).size(), alone);
}

TEST(Hover, AFeatureMapSaysWhichItIsAndOfWhichBank) {
  Harness ui(layer_sample());
  ui.pictures = {{0, 0, 1200, 675}};
  ui.move(450, 100);  // the second of four columns, the first row
  ui.frame(3);
  EXPECT_TRUE(says("Map 2 of 16"));
  EXPECT_TRUE(says("Edges"));
  ui.move(1400, 100);  // the panel
  ui.frame(3);
  EXPECT_FALSE(says("Map 2 of 16"));
}

}  // namespace
}  // namespace convoscope::test
