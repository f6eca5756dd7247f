// What the window says where a picture is grey, or would have to be.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "app/ui/actions/strategy_actions.h"
#include "app/ui/panels/panel.h"
#include "app/ui/parts/tooltips.h"
#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

TEST(GreyPixels, TheLayersPanelSaysThatChannelsAreAdded) {
  Harness ui(layer_sample(), 1600, 1400);
  const auto panel_says = [&](const char* words) {
    ui.frame(2);
    ImGui::NewFrame();
    ImGui::SetNextWindowSize({400, 1400});
    ImGui::Begin("panel");
    ImGui::LogToClipboard();
    (*std::ranges::find(ui::panels(), "layer", &ui::Panel::id))->draw(ui.stats, ui.settings, ui.requests);
    ImGui::LogFinish();
    ImGui::End();
    ImGui::Render();
    std::string text = ImGui::GetClipboardText();
    std::ranges::replace(text, '\n', ' ');  // where it is wrapped is the panel's affair
    return text.find(words) != std::string::npos;
  };
  EXPECT_FALSE(panel_says("three channels are added"));
  ui.settings.format = PixelFormat::gray32f;
  EXPECT_TRUE(panel_says("three channels are added"));
}

// Of the sample's winograd, which then takes only floating-point pixels.
Sample refused_colours() {
  static Strategy choosy;
  Sample sample = emulated_sample();
  StrategyRow& row =
      *std::ranges::find(sample.stats.ladder, "winograd", [](const StrategyRow& each) { return each.strategy->id; });
  choosy = *row.strategy;
  choosy.refuses = [](const Problem& p, const Device&, const Tuned&) -> std::string {
    if (p.format != PixelFormat::gray32f) return "the matrices take gray32f; this image is rgba8";
    return p.filter.width > 9 ? "it is too wide" : "";
  };
  row.strategy = &choosy;
  sample.settings.format = PixelFormat::rgba8;
  sample.settings.group().panes[0].id = sample.stats.panes[0].id = 1;
  sample.settings.group().panes[0].strategy = "winograd";
  PaneStats& pane = sample.stats.panes[0];
  pane.strategy = "winograd";
  pane.runs = pane.substitute = "constant";
  pane.why_substitute = "winograd cannot run: the matrices take gray32f; this image is rgba8. constant runs instead.";
  return sample;
}

TEST(GreyPixels, TheOfferNamesTheKey) {
  EXPECT_EQ(ui::offer_of_format(PixelFormat::gray32f), "Show it grey (M)");
  EXPECT_EQ(ui::offer_of_format(PixelFormat::rgba8), "Show it in colour (M)");
}

TEST(GreyPixels, AreOfferedWhereOnlyTheyAreInTheWay) {
  for (const std::string button : {"pane/1/give-format", "give-format"}) {
    Harness ui(refused_colours(), 1600, 1400);
    ui.settings.open_panels = {"strategy"};
    ui.frame(3);
    EXPECT_TRUE(drawn(ui, "pane/1/choose-what-runs"));
    EXPECT_TRUE(ui::layout_faults().empty());
    ui.move_to(button);
    ui.frame(3);
    EXPECT_NE(ui::tooltip_text().find("grey pixels, gray32f, in all panes, so that winograd runs"), std::string::npos);
    ui.click(button);
    EXPECT_EQ(ui.settings.format, PixelFormat::gray32f);
    EXPECT_EQ(ui.settings.active().strategy, "winograd");
  }
}

TEST(GreyPixels, AreNotOfferedWhereSomethingElseIsInTheWayToo) {
  Harness ui(refused_colours(), 1600, 1400);
  ui.filter() = parse_filter("box:radius=5");
  ui.frame(3);
  EXPECT_FALSE(drawn(ui, "pane/1/give-format"));
  EXPECT_TRUE(drawn(ui, "pane/1/choose-what-runs"));
}

}  // namespace
}  // namespace convoscope::test
