// Numbers in the cells of a picture.
#include "app/ui/stage/number_cells.h"

#include <gtest/gtest.h>

#include <bit>
#include <set>

#include "app/ui/parts/widgets.h"
#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

PixelPatch plane_of_numbers(int width, int height, const std::vector<float>& numbers) {
  PixelPatch patch;
  patch.area = {0, 0, width, height};
  patch.format = PixelFormat::gray32f;
  for (const float number : numbers) patch.pixels.push_back(std::bit_cast<std::uint32_t>(number));
  return patch;
}

std::multiset<std::string> texts_in(const ui::Area& area) {
  std::multiset<std::string> texts;
  for (const ui::DrawnText& text : ui::drawn_texts())
    if (area.contains(text.at.from.x, text.at.from.y)) texts.insert(text.text);
  return texts;
}

TEST(NumberCells, WriteEachValueIntoItsCell) {
  Sample sample = typical_sample();
  sample.stats.source.numbers = true;
  sample.stats.source.width = 7;
  sample.stats.source.height = 1;
  sample.stats.inspect.cells = {{plane_of_numbers(7, 1, {51, 53, -2.5f, 1e6f, 0.125f, 300, 1.0f / 3})}};
  Harness ui(sample);
  ui.settings.show_overlay = false;
  ui.pictures = {{20, 100, 980, 140}};
  ui.frame(3);
  ASSERT_TRUE(drawn(ui, "cells/0"));
  const std::multiset<std::string> texts = texts_in(area_of(*ui::item_rectangle("cells/0")));
  for (const char* const number : {"51", "53", "−2.5", "1000000", "0.125", "300", "0.333333"})
    EXPECT_EQ(texts.count(number), 1u) << number;
}

TEST(NumberCells, AreShadesAloneWhereNumbersHaveNoRoom) {
  Sample sample = typical_sample();
  sample.stats.source.numbers = true;
  sample.stats.source.width = sample.stats.source.height = 64;
  sample.stats.inspect.cells = {{plane_of_numbers(64, 64, std::vector<float>(64 * 64, 123456))}};
  Harness ui(sample);
  ui.pictures = {{20, 100, 640, 640}};
  ui.frame(3);
  ASSERT_TRUE(drawn(ui, "cells/0"));
  EXPECT_EQ(texts_in(area_of(*ui::item_rectangle("cells/0"))).count("123456"), 0u);
}

TEST(NumberCells, AreOfNumbersAlone) {
  Sample sample = typical_sample();
  sample.stats.inspect.cells = {{plane_of_numbers(2, 1, {1, 2})}};
  Harness ui(sample);
  ui.frame(3);
  EXPECT_FALSE(drawn(ui, "cells/0"));
}

TEST(NumberCells, WholeNumbersAreWrittenAsSuch) {
  const auto text = [](float value) {
    PixelValue one;
    one.channels = 1;
    one.values[0] = value;
    return ui::number_in_cell(one);
  };
  EXPECT_EQ(text(321), "321");
  EXPECT_EQ(text(-3), "−3");
  EXPECT_EQ(text(1234567), "1234567");
  EXPECT_EQ(text(2.0f / 3), "0.666667");
}

}  // namespace
}  // namespace convoscope::test
