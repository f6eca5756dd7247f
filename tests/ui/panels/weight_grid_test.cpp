#include "app/ui/weights/weight_grid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "app/ui/memory/filter_history.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/format.h"
#include "app/ui/parts/key_codes.h"
#include "app/ui/parts/tooltips.h"
#include "app/ui/parts/widgets.h"
#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

using namespace ui::key;

class WeightGrid : public ::testing::Test {
 protected:
  WeightGrid() {
    ui.settings.open_panels = {"filter"};
    ui.filter() = parse_filter("1 2 3; 4 5 6; 7 8 9");
    ui.frame(2);
  }
  // The middle of a cell.
  ImVec2 cell(int column, int row) const {
    const ui::ItemRectangle& grid = *ui::item_rectangle("weights");
    const Filter& f = ui.settings.active().filter.filter;
    const float size = (grid.to.x - grid.from.x) / static_cast<float>(f.width);
    return {grid.from.x + size * (static_cast<float>(column) + 0.5f),
            grid.from.y + size * (static_cast<float>(row) + 0.5f)};
  }
  void click_cell(int column, int row) {
    const ImVec2 at = cell(column, row);
    ui.move(at.x, at.y);
    ui.frame(2);
    ui.press();
    ui.release();
    ui.frame(40);
  }
  float weight(int column, int row) {
    const Filter& f = ui.filter().filter;
    return f.weights[static_cast<std::size_t>(row * f.width + column)];
  }
  Harness ui;
};

// As the Web Content Accessibility Guidelines define it.
double contrast(ImU32 a, ImU32 b) {
  const auto luminance = [](ImU32 ink) {
    const auto linear = [](float c) { return c <= 0.04045f ? c / 12.92f : std::pow((c + 0.055f) / 1.055f, 2.4f); };
    const ImVec4 c = ui::colour(ink);
    return 0.2126f * linear(c.x) + 0.7152f * linear(c.y) + 0.0722f * linear(c.z);
  };
  return (std::max(luminance(a), luminance(b)) + 0.05) / (std::min(luminance(a), luminance(b)) + 0.05);
}

TEST_F(WeightGrid, TheLeastWeightIsToldFromZero) {
  for (const bool light : {false, true}) {
    ui.settings.light_theme = light;
    ui.frame(2);
    const ImU32 zero = ui::weight_tint(0, 1);
    for (const float weight : {-1e-6f, 1e-6f}) EXPECT_GT(contrast(ui::weight_tint(weight, 1), zero), 1.35) << light;
    EXPECT_GT(contrast(ui::weight_tint(-1, 1), zero), contrast(ui::weight_tint(-0.01f, 1), zero));
  }
}

TEST_F(WeightGrid, AClickSelectsAndArrowsAndTabMove) {
  const ui::GridState& grid = ui::ui_state().grid;
  click_cell(0, 2);
  EXPECT_TRUE(grid.focused);
  EXPECT_EQ(grid.column, 0);
  EXPECT_EQ(grid.row, 2);
  ui.key(right);
  ui.key(up);
  EXPECT_EQ(grid.column, 1);
  EXPECT_EQ(grid.row, 1);
  ui.key(tab);
  ui.key(tab);
  EXPECT_EQ(grid.column, 0) << "to the next row";
  EXPECT_EQ(grid.row, 2);
  ui.key(tab, shift);
  EXPECT_EQ(grid.column, 2);
  EXPECT_EQ(grid.row, 1);
  for (int i = 0; i < 5; ++i) ui.key(right);
  EXPECT_EQ(grid.column, 2) << "stops at the edge";
  EXPECT_TRUE(ui.settings.show_panels) << "Tab went to the grid";
  ui.key(escape);
  EXPECT_FALSE(grid.focused);
  ui.key(tab);
  EXPECT_FALSE(ui.settings.show_panels);
}

TEST_F(WeightGrid, DraggingChangesTheWeightInOneUndoStep) {
  ui.drag_right(cell(2, 0));
  const float dragged = weight(2, 0);
  EXPECT_GT(dragged, 3);
  ui.release();
  ui.frame(2);
  EXPECT_EQ(ui.filter().kind, "custom");
  EXPECT_EQ(weight(1, 0), 2) << "only the pressed one";
  ui.key('Z', control);
  EXPECT_EQ(weight(2, 0), 3);
  ui.key('Z', control | shift);
  EXPECT_EQ(weight(2, 0), dragged);
}

TEST_F(WeightGrid, ADoubleClickTypes) {
  const ImVec2 at = cell(1, 1);
  ui.double_click_at(at.x, at.y);
  ui.frame(3);
  ASSERT_TRUE(ImGui::GetIO().WantTextInput);
  ui.type("-0.125");
  ui.key(enter);
  EXPECT_EQ(weight(1, 1), -0.125f);
  EXPECT_EQ(ui::ui_state().grid.row, 2) << "Enter goes down, as in a table";
  ui.frame(2);
  EXPECT_FALSE(ImGui::GetIO().WantTextInput);
}

TEST_F(WeightGrid, ALetterIsAnsweredAsItIsInASlider) {
  const ImVec2 at = cell(1, 1);
  ui.double_click_at(at.x, at.y);
  ui.frame(3);
  ui::ui_state().feedback = {};
  ui.type("2e-1");
  EXPECT_EQ(ui::ui_state().feedback.text, "");
  ui.type("abc");
  EXPECT_EQ(ui::ui_state().feedback.text, "Only a number can be typed here.");
  ui.key(enter);
  EXPECT_EQ(weight(1, 1), 5);
  EXPECT_THAT(ui::ui_state().filter_error, testing::HasSubstr("is not a number"));
  EXPECT_EQ(ui::ui_state().grid.row, 1) << "where another can be typed at once";
  ui.key('3', 0, '3');
  ui.key(enter);
  EXPECT_EQ(weight(1, 1), 3);
  EXPECT_EQ(ui::ui_state().grid.row, 2);
}

// A hand moves a little while the button is down; what is typed still replaces the number.
TEST_F(WeightGrid, ADoubleClickSelectsTheWholeNumber) {
  ui.filter() = parse_filter("1 2 3; 4 5.125125 6; 7 8 9");
  ImVec2 at = cell(1, 1);
  at.x -= 8;  // over the figures
  ui.move(at.x, at.y);
  ui.frame(2);
  ui.press();
  ui.release();
  ui.press();
  for (float moved = 1; moved < 4; ++moved) {
    ui.move(at.x - moved, at.y);
    ui.frame(2);
  }
  ui.release();
  ui.frame(3);
  ui.type("8");
  ui.key(enter);
  EXPECT_EQ(weight(1, 1), 8);
}

TEST_F(WeightGrid, EscapeKeepsTheWeight) {
  click_cell(1, 1);
  ui.key('7');  // begins the typing
  ui.type("5");
  ui.key(escape);
  EXPECT_EQ(weight(1, 1), 5);
  EXPECT_TRUE(ui::ui_state().grid.focused);
  ui.key(enter);
  ui.type("9");
  ui.key(escape);
  EXPECT_EQ(weight(1, 1), 5);
  EXPECT_FALSE(ImGui::GetIO().WantTextInput);
}

TEST_F(WeightGrid, TypingWithTheKeyboardAlone) {
  ui.key('W');
  ui.key(enter);
  ui.frame(2);
  ui.type("1/4");
  ui.key(tab);
  EXPECT_EQ(weight(1, 1), 0.25f);
  EXPECT_EQ(ui::ui_state().grid.column, 2);
  ui.key('7');  // begins with the digit, and goes on behind it
  ui.frame(2);
  ui.type("5");
  ui.key(enter);
  EXPECT_EQ(weight(2, 1), 75);
  ui.key(up);
  ui.key(del);
  EXPECT_EQ(weight(2, 1), 0);
  ui.key(page_up);
  EXPECT_GT(weight(2, 1), 0);
}

TEST_F(WeightGrid, WhatIsNoNumberChangesNothing) {
  const ImVec2 at = cell(0, 0);
  for (const char* const text : {"abc", "1..2", "", "nan", "inf", "1/0", "1e99"}) {
    const Filter before = ui.filter().filter;
    ui.double_click_at(at.x, at.y);
    ui.frame(3);
    if (*text)
      ui.type(text);
    else
      std::snprintf(ui::ui_state().grid.text.data(), 2, "%s", "x");
    ui.key(enter);
    EXPECT_EQ(ui.filter().filter, before) << text;
    EXPECT_FALSE(ui::ui_state().filter_error.empty()) << text;
    const bool beyond = ui::ui_state().filter_error.find(beyond_float) != std::string::npos;
    EXPECT_EQ(beyond, std::string_view(text) == "1e99") << ui::ui_state().filter_error;
    ui.frame(60);
  }
}

TEST_F(WeightGrid, AnUnchangedNumberKeepsItsLastBits) {
  ui.filter() = parse_filter("gaussian:radius=1,sigma=0.7");
  ui.frame(2);
  const FilterSpec before = ui.filter();
  const ImVec2 at = cell(0, 0);
  ui.double_click_at(at.x, at.y);
  ui.frame(3);
  ui.key(enter);
  EXPECT_TRUE(ui::same_filter(ui.filter(), before));
}

TEST_F(WeightGrid, ALargeFilterIsChosenFromItsOverview) {
  ui.filter() = parse_filter("gaussian:radius=63");
  ui.frame(2);
  const ui::GridState& grid = ui::ui_state().grid;
  ASSERT_NE(ui::item_rectangle("overview"), nullptr);
  const ui::ItemRectangle overview = *ui::item_rectangle("overview");
  ui.move(overview.from.x + 1, overview.to.y - 1);
  ui.frame(2);
  ui.press();
  ui.release();
  EXPECT_EQ(grid.column, 0);
  EXPECT_EQ(grid.row, 126);
  ui.key(page_up);
  EXPECT_EQ(ui.filter().kind, "custom");
  EXPECT_GT(weight(0, 126), 0);
}

TEST_F(WeightGrid, TheSelectionKeepsItsPlaceFromTheCentre) {
  click_cell(1, 1);
  ui.key(escape);
  ui.key(up);  // 5 × 5
  EXPECT_EQ(ui::ui_state().grid.column, 2);
  EXPECT_EQ(ui::ui_state().grid.row, 2);
}

TEST_F(WeightGrid, BothFiltersOfAnEdgeMagnitude) {
  ui.filter() = parse_filter("sobel-magnitude");
  ui.click("weight-set/Second filter");
  const std::vector<float> first = ui.filter().filter.weights;
  click_cell(0, 0);
  ui.key(del);
  ui.key(page_up);
  EXPECT_EQ(ui.filter().filter.weights, first);
  EXPECT_NE(ui.filter().filter.weights_y[0], parse_filter("sobel-magnitude").filter.weights_y[0]);
}

// Who begins with a letter by mistake changes nothing else by it.
TEST_F(WeightGrid, LettersAreNoShortcutsWhileWeightsAreTyped) {
  const Border border = ui.settings.active().border;
  ui.key('W');
  for (const int letter : {'A', 'B', 'C', 'G'}) ui.key(letter);
  EXPECT_FALSE(ui.filter().filter.absolute);
  EXPECT_EQ(ui.settings.active().border, border);
  EXPECT_FALSE(ui.requests.reset_statistics);
  EXPECT_EQ(ui.filter().kind, "custom");
  EXPECT_THAT(ui::ui_state().feedback.text, testing::HasSubstr("Esc"));
  ui.key('7');
  ui.key(enter);
  EXPECT_EQ(weight(1, 1), 7);
  ui.key(escape);
  ui.key('B');
  EXPECT_NE(ui.settings.active().border, border);
}

// On a French keyboard digits need Shift, '-' is on the place of the 6, and the point is above the semicolon.
TEST_F(WeightGrid, ACharacterBeginsANumberWhateverKeyAndModifiersItNeeds) {
  const ui::GridState& grid = ui::ui_state().grid;
  constexpr int keypad_5 = 325;
  const double zoom = ui.settings.zoom.scale;
  struct Typed {
    int key, modifiers;
    unsigned character;
  };
  ui.key('W');
  for (const Typed& typed :
       {Typed{'0', shift, '0'}, Typed{'5', shift, '5'}, Typed{'6', 0, '-'}, Typed{semicolon, shift, '.'},
        Typed{comma, 0, ','}, Typed{keypad_5, 0, '5'}, Typed{keypad_subtract, 0, '-'}}) {
    EXPECT_TRUE(ui.key(typed.key, typed.modifiers, typed.character)) << typed.key;
    EXPECT_TRUE(grid.editing) << typed.key;
    EXPECT_EQ(std::string(grid.text.data()), std::string(1, static_cast<char>(typed.character)));
    ui.key(escape);
    EXPECT_EQ(weight(1, 1), 5) << typed.key;
  }
  EXPECT_EQ(ui.settings.zoom.scale, zoom);
  ui.key(comma, 0, ',');
  ui.frame(2);
  ui.type("5");
  ui.key(enter);
  EXPECT_EQ(weight(1, 1), 0.5f);
}

TEST_F(WeightGrid, AnotherMarkOnTheKeyOfADigitIsNoNumber) {
  const std::size_t panes = ui.settings.group().panes.size();
  const int active = ui.settings.group().active_pane;
  ui.key('W');
  ui.key('2', 0, 0xe9);  // é
  EXPECT_FALSE(ui::ui_state().grid.editing);
  EXPECT_THAT(ui::ui_state().feedback.text, testing::HasSubstr("type a number"));
  EXPECT_EQ(ui.settings.group().active_pane, active);
  EXPECT_EQ(ui.settings.group().panes.size(), panes);
}

TEST(Format, MinusIsWrittenAsSuch) {
  EXPECT_EQ(ui::with_minus("-3 × -0.5e-7 at (-1, 2)"), "−3 × −0.5e−7 at (−1, 2)");
  EXPECT_EQ(ui::with_minus("cpu-fft, 3-5, tile-2, -, a -b"), "cpu-fft, 3-5, tile-2, -, a -b");
}

TEST(Format, ZeroHasNoSign) {
  EXPECT_EQ(ui::format_number(-0.0), "0");
  EXPECT_EQ(ui::format_number(-0.5), "-0.5");
}

TEST(Format, ThousandsAreToldApartWhereverANumberIsRead) {
  EXPECT_EQ(ui::format_number(1234.5, 6), "1,234.5");
  EXPECT_EQ(ui::format_number(1e6), "1,000,000");
  EXPECT_EQ(ui::format_ms(9876), "9,876");
  EXPECT_EQ(ui::format_number(0.12345, 5), "0.12345");
}

TEST_F(WeightGrid, NumbersInFieldsHaveAMinusToo) {
  ui.filter() = parse_filter("-0.042 1 0");
  ui.filter().filter.bias = -0.25f;
  ui.frame(2);
  click_cell(0, 0);
  for (const char* const number : {"−0.042", "−0.25"})
    EXPECT_TRUE(std::ranges::any_of(ui::drawn_texts(), [&](const auto& drawn) { return drawn.text == number; }))
        << number;
}

TEST_F(WeightGrid, TheSumHasAMinusToo) {
  ui.filter() = parse_filter("-2 1 0");
  ui.frame(2);
  EXPECT_TRUE(says("sum −1"));
}

TEST_F(WeightGrid, APlaceIsCountedFromTheCentre) {
  const ImVec2 at = cell(1, 1);
  ui.move(at.x, at.y);
  ui.frame(4);
  EXPECT_NE(ui::tooltip_text().find("Weight (0, 0) = 5\nIts place (x, y) is counted from the centre"),
            std::string::npos)
      << ui::tooltip_text();
}

TEST_F(WeightGrid, AMinusTakesNoFigureAway) {
  ui.filter() = parse_filter("0.0834 -0.0834 1; 0 1 0; 0 0 0");
  ui.frame(2);
  const auto written = [](const std::string& beginning) {
    const auto& texts = ui::drawn_texts();
    const auto found = std::ranges::find_if(texts, [&](const auto& at) { return at.text.starts_with(beginning); });
    return found == texts.end() ? "nothing" : found->text;
  };
  EXPECT_EQ(written("−0.08"), "−" + written("0.08"));
}

TEST(FormatWeight, IsANumberAsPeopleWriteIt) {
  EXPECT_EQ(ui::format_weight(0.00081, 1), "0.0008");
  EXPECT_EQ(ui::format_weight(-0.25, 2), "−0.25");
  EXPECT_EQ(ui::format_weight(-3e-5, 2), "−3e−5");
  EXPECT_EQ(ui::format_weight(0, 3), "0");
}

TEST(FormatWeight, TheShortestHasOneFigure) {
  EXPECT_EQ(ui::shortest_weight(0.00029), "3e−4");
  EXPECT_EQ(ui::shortest_weight(-0.00029), "−3e−4");
  EXPECT_EQ(ui::shortest_weight(3e-12), "3e−12");
  EXPECT_EQ(ui::shortest_weight(-0.2), "−0.2");
  EXPECT_EQ(ui::shortest_weight(12345), "1e4");
  EXPECT_EQ(ui::shortest_weight(3), "3");
  EXPECT_EQ(ui::shortest_weight(0), "0");
}

TEST(FormatOffset, HasASignUnlessItIsNone) {
  EXPECT_EQ(ui::format_offset(0, 0), "(0, 0)");
  EXPECT_EQ(ui::format_offset(1, -2), "(+1, −2)");
}

}  // namespace
}  // namespace convoscope::test
