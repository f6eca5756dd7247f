// What tells the panes apart that are compared: their filters, their numbers, the strategies that really ran.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "app/ui/cards/cards.h"
#include "app/ui/parts/marks.h"
#include "app/ui/parts/tooltips.h"
#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

ui::CardLine line_of(const Harness& ui, int pane, float width = 900) {
  return ui::card_line(ui.stats, ui.settings, pane, {0, 0, width, 500}, 1e9f);
}

TEST(ComparedPanes, SayTheirFiltersWhereTheseDiffer) {
  Harness ui(panes_sample(3));
  ui.frame(2);
  const std::string title = line_of(ui, 1).title;
  EXPECT_EQ(title, "Sharpen") << "they have one filter";
  PaneSettings& own = ui.settings.group().panes[1];
  own.linked = false;
  EXPECT_EQ(line_of(ui, 1).title, title) << "it is still that of the others";
  own.filter = parse_filter("sobel-x");
  for (const int linked : {0, 2})
    ui.settings.group().panes[static_cast<std::size_t>(linked)].filter = parse_filter("sharpen");
  EXPECT_EQ(line_of(ui, 0).title, "Sharpen");
  EXPECT_EQ(line_of(ui, 1).title, "Sobel x");
  EXPECT_EQ(line_of(ui, 2).title, "Sharpen");
  own.strategy = "source";
  EXPECT_EQ(line_of(ui, 0).title, "Sharpen") << "the panel shows another while the source is the active pane";
  EXPECT_NE(line_of(ui, 1).title, "Sobel x") << "nothing is filtered there";
}

TEST(ComparedPanes, SayWhatTellsTwoFiltersOfOneNameApart) {
  Harness ui(panes_sample(2));
  ui.frame(2);
  for (PaneSettings& pane : ui.settings.group().panes) pane.linked = false;
  ui.settings.group().panes[0].filter = parse_filter("gaussian:radius=2");
  ui.settings.group().panes[1].filter = parse_filter("gaussian:radius=7");
  EXPECT_TRUE(line_of(ui, 0).title.starts_with("gaussian:radius=2")) << line_of(ui, 0).title;
  EXPECT_TRUE(line_of(ui, 1).title.starts_with("gaussian:radius=7")) << line_of(ui, 1).title;
  ui.settings.group().panes[1].filter = ui.settings.group().panes[0].filter;
  ui.settings.group().panes[1].border = Border::mirror;
  EXPECT_EQ(line_of(ui, 1).title, "Gaussian, mirror");
}

// The strategy and its time are what one looks for.
TEST(ComparedPanes, LeaveTheFilterOutBeforeTheStrategyAndItsTime) {
  Harness ui(panes_sample(2));
  ui.frame(2);
  ui.settings.group().panes[1].linked = false;
  ui.settings.group().panes[1].filter = parse_filter("sobel-x");
  const ui::CardLine whole = line_of(ui, 1);
  ASSERT_EQ(whole.title, "Sobel x");
  bool without = false;
  for (float width = whole.width; width > 110; --width) {
    const ui::CardLine line = line_of(ui, 1, width);
    EXPECT_TRUE(line.title.empty() || (line.id == whole.id && line.median == whole.median)) << width;
    without |= line.title.empty() && line.id == whole.id && line.median == whole.median;
  }
  EXPECT_TRUE(without);
}

TEST(ComparedPanes, TheValuesOfAPixelHaveTheNumbersOfTheCards) {
  Harness ui(panes_sample(2));
  ui.settings.inspect.values = ui.settings.inspect.magnifier = true;
  InspectStats& inspect = ui.stats.inspect;
  inspect.pane = 0;
  inspect.pixel = ui.settings.inspect.pinned = PixelAddress{5, 5};
  PixelPatch patch;
  patch.area = {0, 0, 15, 15};
  patch.pixels.assign(15 * 15, 0xFF8040C0u);
  inspect.patches.assign(2, patch);
  inspect.values.assign(2, patch.at(5, 5));
  ui.frame(3);
  const ui::Area box = area_of(*ui::item_rectangle("inspection"));
  for (const char* const number : {"1  ", "2  "})
    EXPECT_EQ(std::ranges::count_if(ui::drawn_texts(),
                                    [&](const ui::DrawnText& drawn) {
                                      return drawn.text.starts_with(number) &&
                                             box.contains(drawn.at.from.x, drawn.at.from.y);
                                    }),
              2)
        << "a magnifier and a row of pane " << number;
}

TEST(ComparedPanes, TheirCardsLieInOneRowHoweverNarrowOneIs) {
  Harness ui(panes_sample(2));
  ui.settings.group().view = View::split;
  ui.frame(2);
  const ui::Area stage = ui::picture_area(ui.layout);
  ui.panes = {{stage.x, stage.y, 200, stage.height}, {stage.x + 200, stage.y, stage.width - 200, stage.height}};
  ui.frame(2);
  ASSERT_NE(ui::item_rectangle("card/1"), nullptr);
  const ui::CardParts narrow = ui::card_parts(ui.stats, ui.settings, ui.layout, 0),
                      wide = ui::card_parts(ui.stats, ui.settings, ui.layout, 1);
  EXPECT_EQ(narrow.card.y, wide.card.y);
}

class Header : public testing::Test {
 protected:
  Header() {
    ui.settings.group().view = View::difference;
    for (PaneStats& pane : ui.stats.panes) {
      pane.runs = pane.substitute = "cpu-separable-int16";
      pane.why_substitute = pane.strategy + " cannot run: It needs CUDA. cpu-separable-int16 runs instead.";
    }
    ui.stats.difference = {.first = 0, .second = 1, .frame = 41};
    ui.stats.difference.found = {.pixels = 230400};
    ui.settings.show_hint = false;
    ui.stats.messages.clear();
    ui.frame();
    const UiLayout& l = ui.layout;
    ui.pictures.assign(2, {0, 74, l.picture_width, l.picture_height - 2 * 74});
  }
  Harness ui{panes_sample(2), 1280, 720};
};

TEST_F(Header, NamesWhatRanAndSaysThatItWasTheSame) {
  for (const bool bar : {true, false}) {
    if (!bar) ui.pictures.clear();
    ui.frame(4);
    ASSERT_NE(ui::item_rectangle("difference-card"), nullptr);
    EXPECT_TRUE(is_said("Identical; both run cpu-separable-int16")) << bar;
    EXPECT_EQ(is_said("1 constant → cpu-separable-int16  −  2 global → cpu-separable-int16"), bar);
    EXPECT_EQ(ui::layout_faults(), std::vector<std::string>()) << bar;
  }
  ui.stats.panes[1].runs = ui.stats.panes[1].substitute = "cpu-direct";
  ui.frame(2);
  EXPECT_TRUE(is_said("Identical"));
  EXPECT_TRUE(is_said("1 cpu-separable-int16  −  2 cpu-direct")) << "where there is no room for both";
  for (PaneStats& pane : ui.stats.panes) pane.runs = pane.strategy, pane.substitute.clear();
  ui.frame(2);
  EXPECT_TRUE(is_said("Identical"));
  EXPECT_FALSE(says("→"));
}

TEST_F(Header, ItsLegendIsWholeWhereThereIsRoom) {
  ui.settings.difference.mode = DifferenceMode::signed_values;
  ui.settings.difference.gain = 64;
  ui.settings.difference.threshold = 1;
  for (const bool measured : {true, false}) {
    if (!measured) ui.stats.difference = {};
    ui.frame(4);
    EXPECT_TRUE(is_said("signed  ·  gain 64×  ·  above 1")) << measured;
    EXPECT_EQ(ui::layout_faults(), std::vector<std::string>()) << measured;
  }
}

}  // namespace
}  // namespace convoscope::test
