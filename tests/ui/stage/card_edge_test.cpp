// A label lies wholly on its picture or wholly beside it, whatever bars the grid leaves around the pictures.
#include <gtest/gtest.h>

#include <string>

#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

bool lies_across_edge(const ui::Area& card, const UiLayout::Pane& picture) {
  const auto crosses = [](float from, float length, float edge) {
    return from + 0.5f < edge && edge < from + length - 0.5f;
  };
  const bool beside = card.y + card.height <= picture.y || card.y >= picture.y + picture.height;
  return crosses(card.y, card.height, picture.y) || crosses(card.y, card.height, picture.y + picture.height) ||
         (!beside &&
          (crosses(card.x, card.width, picture.x) || crosses(card.x, card.width, picture.x + picture.width)));
}

void expect_cards_off_the_edges(int panes, ImVec2 window, bool bars_at_sides) {
  Harness ui(panes_sample(panes), window.x, window.y);
  ui.settings.show_hint = false;
  ui.stats.messages.clear();
  for (float bar = 0; bar <= 84; bar += 3) {
    ui.pictures.clear(), ui.panes.clear();
    ui.frame();
    for (int i = 0; i < panes; ++i) {
      const ui::Area cell = ui::pane_area(ui.settings, ui.layout, i);
      ui.panes.push_back({cell.x, cell.y, cell.width, cell.height});
    }
    for (const UiLayout::Pane& cell : ui.panes)
      ui.pictures.push_back(bars_at_sides ? UiLayout::Pane{cell.x + bar, cell.y, cell.width - 2 * bar, cell.height}
                                          : UiLayout::Pane{cell.x, cell.y + bar, cell.width, cell.height - 2 * bar});
    ui.frame(2);
    for (int i = 0; i < panes; ++i) {
      const ui::ItemRectangle* const card = ui::item_rectangle("card/" + std::to_string(i + 1));
      ASSERT_NE(card, nullptr);
      const UiLayout::Pane& picture = ui.pictures[static_cast<std::size_t>(i)];
      EXPECT_FALSE(lies_across_edge(area_of(*card), picture))
          << "pane " << i + 1 << " of " << panes << ", bars of " << bar << (bars_at_sides ? " at the sides" : "")
          << ": the label from " << card->from.x << ", " << card->from.y << " to " << card->to.x << ", " << card->to.y
          << " and the picture's corner at " << picture.x << ", " << picture.y;
    }
  }
}

TEST(CardAtEdge, LiesOnThePictureOrAboveIt) {
  for (const int panes : {2, 3, 4, 9}) expect_cards_off_the_edges(panes, {1600, 900}, false);
}

TEST(CardAtEdge, LiesBetweenTheEdgesAtTheSides) {
  for (const int panes : {2, 3, 4}) expect_cards_off_the_edges(panes, {1600, 900}, true);
}

TEST(CardAtEdge, KeepsOffThemInASmallWindow) {
  for (const int panes : {2, 4}) expect_cards_off_the_edges(panes, {960, 540}, false);
}

}  // namespace
}  // namespace convoscope::test
