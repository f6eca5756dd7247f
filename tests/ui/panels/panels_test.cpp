// Every panel with nothing, with the usual and with the worst to show; the rest is AddressSanitizer's to find.
#include <gtest/gtest.h>
#include <imgui_internal.h>

#include <algorithm>
#include <string>

#include "app/state/workbench.h"
#include "app/ui/actions/panel_actions.h"
#include "app/ui/actions/window_actions.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/key_codes.h"
#include "app/ui/parts/widgets.h"
#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

struct Case {
  const char* name;
  Sample (*sample)();
};
const Case cases[] = {{"empty", empty_sample}, {"typical", typical_sample},
                      {"cpu", cpu_sample},     {"nine panes", [] { return panes_sample(9); }},
                      {"sound", sound_sample}, {"extreme", extreme_sample}};

TEST(Panels, DrawInEveryStateSizeScaleAndTheme) {
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    for (const ImVec2 size : {ImVec2(1600, 900), ImVec2(320, 200), ImVec2(1, 1), ImVec2(3840, 300)}) {
      for (const float scale : {1.0f, 2.0f}) {
        if (scale > 1 && size.x < 1000) continue;
        Harness ui(c.sample(), size.x, size.y, scale);
        ui.settings.open_panels = all_panels();
        ui.frame(2);
        const auto drawn = [] { return ImGui::GetDrawData()->TotalVtxCount; };
        const int with_panels = drawn();
        const bool has_panel = ui.layout.picture_width < size.x;  // there is room for it
        ui.settings.light_theme = true;
        ui::momentary().show_help = true;
        ui.frame(2);
        const bool has_help = std::ranges::find(ui::marks(), "close-help", &ui::Mark::id) != ui::marks().end();
        ui::momentary().show_help = false;
        ui.settings.show_panels = false;
        ui.frame();
        if (size.x < 2) continue;  // nothing fits
        EXPECT_TRUE(!has_panel || with_panels > drawn()) << "the panels are gone";
        EXPECT_TRUE(has_help) << "the sheet of keys lies over them";
      }
    }
  }
}

TEST(Panels, SurviveTheMouseEverywhere) {
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    Harness ui(c.sample(), 900, 1400);
    ui.settings.open_panels = all_panels();
    // Every other row is moved aside, so that half as many places leave no narrower column.
    for (auto [y, row] = std::pair{5.0f, 0}; y < 1400; y += 47, ++row) {
      for (float x = row % 2 ? 638 : 555; x < 900; x += 166) {
        ui.move(x, y);
        ui.frame();
        ui.press();
        ui.release();
      }
    }
  }
}

// ImGui ends the program when its stacks are out of step, which an open popup is the likeliest to bring about.
TEST(Panels, EveryListOpensAndCloses) {
  Harness ui(typical_sample(), 1600, 5000);  // tall: every section in sight
  ui.settings.source.input = "camera:0";
  ui.settings.open_panels = all_panels();
  const auto is_open = [](const std::string& list) {
    return std::ranges::any_of(ui::marks(), [&](const ui::Mark& mark) { return mark.id == list + "/list"; });
  };
  for (const std::string list : {"kind", "pattern", "camera", "mode", "view", "record-rate", "tunable/block_width",
                                 "sound-kind", "sound-strategy", "sound-block"}) {
    SCOPED_TRACE(list);
    ui.frame(2);
    ASSERT_TRUE(ui::item_rectangle(list));
    ui.click(list);
    EXPECT_TRUE(is_open(list));
    ui.move(2, 2);
    ui.press();
    ui.release();
    ui.frame(3);
    EXPECT_FALSE(is_open(list));
  }
  ui.click("kind");
  ui.click("kind/box");
  EXPECT_EQ(ui.filter().kind, "box");
}

TEST(Panels, EmptyFilterSaysSoInsteadOfAGrid) {
  Harness ui(empty_sample());
  ui.settings.open_panels = {"filter"};
  ui.frame(2);
  EXPECT_EQ(ui::item_rectangle("weights"), nullptr);
}

TEST(Layout, PictureGetsTheRestAndAllOfItWhenPanelsAreHidden) {
  Harness ui;
  ui.frame();
  const ui::ItemRectangle panel = *ui::item_rectangle("section/Filter"), progress = *ui::item_rectangle("progress");
  EXPECT_EQ(ui.layout.picture_x, 0);
  EXPECT_EQ(ui.layout.picture_y, 0);
  EXPECT_GT(ui.layout.picture_width, 1100);
  EXPECT_LE(ui.layout.picture_width, panel.from.x);
  EXPECT_LE(ui.layout.picture_height, progress.from.y);
  ui.settings.show_panels = false;
  ui.frame();
  EXPECT_EQ(ui.layout.picture_width, 1600);
  EXPECT_EQ(ui.layout.picture_height, 900);
}

TEST(Layout, EverythingGrowsWithTheScale) {
  Harness ui(typical_sample(), 3200, 1800, 1);
  ui.frame();
  const float once = 3200 - ui.layout.picture_width;
  ui.settings.ui_scale = 2;
  ui.frame();
  EXPECT_FLOAT_EQ(3200 - ui.layout.picture_width, 2 * once);
}

TEST(Style, TextGrowsOnlyAsFarAsTheWindowHasRoom) {
  Settings settings;
  settings.projector = true;
  EXPECT_EQ(ui_scale_of(settings, 1, 640), 1);
  EXPECT_EQ(ui_scale_of(settings, 1, 1280), 1.5f);
  settings.ui_scale = 3;
  EXPECT_EQ(ui_scale_of(settings, 1, 1280), 2);
  settings.projector = false;
  EXPECT_EQ(ui_scale_of(settings, 1, 2560), 3);
  settings.ui_scale = 0.7f;
  EXPECT_EQ(ui_scale_of(settings, 1, 320), 0.7f);
}

TEST(Style, SmallerIsSmallerThanWhatIsSeen) {
  Harness ui(typical_sample(), 640, 480, 3);
  ui.frame();
  ui.key(ui::key::minus, ui::key::control);
  EXPECT_FLOAT_EQ(ui.settings.ui_scale, 0.9f);
}

TEST(Style, TheTextSizeIsSaidAsItIsInForce) {
  Harness narrow(typical_sample(), 640, 480, 3);
  narrow.frame();
  EXPECT_EQ(ui::shown_text_size(narrow.settings), "100 %");
  narrow.settings.ui_scale = 0;
  EXPECT_EQ(ui::shown_text_size(narrow.settings), "auto");
}

TEST(Feedback, SaysWhereTheWindowIsTooNarrowForAProjectorsText) {
  for (const auto& [width, text] : {std::pair(640.0f, "Projector on; the window is too narrow for larger text"),
                                    std::pair(1600.0f, "Projector on")}) {
    Harness ui(typical_sample(), width, 900);
    ui.frame();
    ui.key(ui::key::f(12));
    EXPECT_EQ(ui::ui_state().feedback.text, text) << width;
  }
}

TEST(Feedback, IsThereAsLongAsItTakesToReadAndWhole) {
  Harness ui(typical_sample(), 640, 480);
  ui.frame();
  ui.key(ui::key::f(12));
  ui.stats.now += 2;
  ui.frame();
  EXPECT_TRUE(says("larger"));
  ui.stats.now += 2;
  ui.frame();
  EXPECT_FALSE(says("larger"));
}

TEST(Style, IsSetUpAnewOnlyWhenSomethingChanged) {
  Harness ui;
  ui.frame();
  EXPECT_FALSE(setup_ui_style(ui.settings, 1, 1600));
  ui.settings.light_theme = true;
  EXPECT_FALSE(setup_ui_style(ui.settings, 1, 1600)) << "a theme needs no new fonts";
  ui.settings.ui_scale = 1.5;
  EXPECT_TRUE(setup_ui_style(ui.settings, 1, 1600));
  ui.frame();
}

TEST(Messages, AFailedSourceOffersWaysOn) {
  Harness ui;
  ui.stats.source.error = "The file is empty.";
  ui.settings.open_panels = {};
  ui.click("failure-retry");
  EXPECT_TRUE(ui.requests.retry_source);
  ui.click("failure-pattern");
  EXPECT_EQ(ui.requests.open, "pattern");
  ui.click("failure-open");
  EXPECT_TRUE(ui.settings.open_panels.contains("source"));
  ui.frame(2);
  EXPECT_TRUE(ImGui::GetIO().WantTextInput) << "the field has the keyboard";
}

ImGuiWindow* column() {
  for (ImGuiWindow* const window : ImGui::GetCurrentContext()->Windows)
    if (window->Active && std::string(window->Name).find("sections") != std::string::npos &&
        std::string(window->Name).find("##panel") != std::string::npos)
      return window;
  return nullptr;
}

// In class F12 is pressed just while something is shown.
TEST(SidePanel, WhatIsInTheMiddleStaysThereWhenTextGetsLarger) {
  Harness ui(typical_sample(), 1600, 700);
  ui.settings.open_panels = all_panels();
  ui.frame(6);
  ASSERT_NE(column(), nullptr);
  for (const char* title : {"section/Filter", "section/Timing", "section/Recording"}) {
    SCOPED_TRACE(title);
    const auto top_of = [&] {
      ui.frame();
      const ui::ItemRectangle* item = ui::item_rectangle(title);
      return item ? item->from.y : -1.0f;
    };
    ImGui::SetScrollY(column(), column()->Scroll.y + top_of() - column()->Pos.y - column()->Size.y / 2 + 5);
    ui.frame(4);
    const float before = column()->Scroll.y, middle = column()->Pos.y + column()->Size.y / 2;
    EXPECT_NEAR(top_of(), middle, 10);
    ui.key(ui::key::f(12));
    ui.frame(6);
    EXPECT_NEAR(top_of(), middle, 15);
    EXPECT_NE(column()->Scroll.y, before);
    ui.key(ui::key::f(12));
    ui.frame(6);
    EXPECT_NEAR(column()->Scroll.y, before, 10);
  }
}

TEST(SidePanel, EachWorkbenchKeepsItsScrollPosition) {
  Harness ui(typical_sample(), 1600, 500);
  ui.settings.open_panels = all_panels();
  ui.frame(6);
  ASSERT_NE(column(), nullptr);
  const auto scroll_to = [&](float y) {
    ImGui::SetScrollY(column(), y);
    ui.frame(3);
  };
  scroll_to(300);
  show_workbench(ui.settings, "layer");
  ui.frame(4);
  EXPECT_EQ(column()->Scroll.y, 0);
  scroll_to(120);
  show_workbench(ui.settings, "image");
  ui.frame(4);
  EXPECT_EQ(column()->Scroll.y, 300);
  show_workbench(ui.settings, "layer");
  ui.frame(4);
  EXPECT_EQ(column()->Scroll.y, 120);
}

TEST(SidePanel, AtItsTopItStaysThereWhenTextGetsLarger) {
  Harness ui(typical_sample(), 1600, 700);
  ui.settings.open_panels = all_panels();
  ui.frame(6);
  ASSERT_NE(column(), nullptr);
  for (int i = 0; i < 2; ++i) {
    ImGui::SetScrollY(column(), 0);
    ui.frame(4);
    ui.key(ui::key::f(12));
    ui.frame(6);
    EXPECT_EQ(column()->Scroll.y, 0);
  }
}

}  // namespace
}  // namespace convoscope::test
