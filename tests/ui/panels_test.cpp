// Every panel with nothing, with the usual and with the worst to show; the rest is AddressSanitizer's to find.
#include <gtest/gtest.h>

#include "app/ui/ui_state.h"
#include "app/ui/widgets.h"
#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

struct Case {
  const char* name;
  Sample (*sample)();
};
const Case cases[] = {{"empty", empty_sample},
                      {"typical", typical_sample},
                      {"cpu", cpu_sample},
                      {"nine panes", [] { return panes_sample(9); }},
                      {"extreme", extreme_sample}};

TEST(Panels, DrawInEveryStateSizeScaleAndTheme) {
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    for (const ImVec2 size : {ImVec2(1600, 900), ImVec2(320, 200), ImVec2(1, 1), ImVec2(3840, 300)}) {
      for (const float scale : {1.0f, 2.0f}) {
        if (scale > 1 && size.x < 1000) continue;
        Harness ui(c.sample(), size.x, size.y, scale);
        ui.settings.open_sections = 0x1f;
        ui.frame(2);
        ui.settings.light_theme = true;
        ui.settings.show_help = true;
        ui.frame(2);
        ui.settings.show_help = false;
        ui.settings.show_panels = false;
        ui.frame();
        EXPECT_GT(ImGui::GetDrawData()->CmdListsCount + 1, 0);
      }
    }
  }
}

TEST(Panels, SurviveTheMouseEverywhere) {
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    Harness ui(c.sample(), 900, 1400);
    ui.settings.open_sections = 0x1f;
    for (float y = 5; y < 1400; y += 47) {
      for (float x = 555; x < 900; x += 83) {
        ui.move(x, y);
        ui.frame();
        ui.press();
        ui.release();
      }
    }
  }
}

TEST(Panels, EmptyFilterSaysSoInsteadOfAGrid) {
  Harness ui(empty_sample());
  ui.settings.open_sections = 2;
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

TEST(Style, IsSetUpAnewOnlyWhenSomethingChanged) {
  Harness ui;
  ui.frame();
  EXPECT_FALSE(setup_ui_style(ui.settings, 1));
  ui.settings.light_theme = true;
  EXPECT_FALSE(setup_ui_style(ui.settings, 1)) << "a theme needs no new fonts";
  ui.settings.ui_scale = 1.5;
  EXPECT_TRUE(setup_ui_style(ui.settings, 1));
  ui.frame();
}

TEST(Messages, InformationFadesAndErrorsWaitForAClick) {
  Harness ui;
  ui.stats.now = 100;
  ui.stats.messages = {{MessageLevel::error, "The disk is full.", 50}, {MessageLevel::information, "Saved.", 99}};
  ui.frame(3);
  EXPECT_NE(ui::item_rectangle("close/##message0"), nullptr);
  EXPECT_NE(ui::item_rectangle("close/##message1"), nullptr);
  ui.stats.now = 200;
  ui::watch_items(true);
  ui.frame(2);
  EXPECT_NE(ui::item_rectangle("close/##message0"), nullptr) << "the error stays";
  EXPECT_EQ(ui::item_rectangle("close/##message1"), nullptr) << "the information is gone";
  ui.click("close/##message0");
  ui::watch_items(true);
  ui.frame(2);
  EXPECT_EQ(ui::item_rectangle("close/##message0"), nullptr) << "after the click";
}

TEST(Messages, ANoticeIsPutAwayUntilItSaysSomethingElse) {
  Harness ui(cpu_sample());
  ui.stats.messages.clear();
  ui.click("close/##backend-notice");
  ui::watch_items(true);
  ui.frame(2);
  EXPECT_EQ(ui::item_rectangle("close/##backend-notice"), nullptr);
  EXPECT_NE(ui::item_rectangle("close/##interop-notice"), nullptr);
  ui.stats.backend_notice = "Another reason.";
  ui.frame(2);
  EXPECT_NE(ui::item_rectangle("close/##backend-notice"), nullptr);
}

TEST(Messages, AFailedSourceOffersWaysOn) {
  Harness ui;
  ui.stats.source.error = "The file is empty.";
  ui.settings.open_sections = 0;
  ui.click("failure-retry");
  EXPECT_TRUE(ui.requests.retry_source);
  ui.click("failure-pattern");
  EXPECT_EQ(ui.requests.open, "pattern");
  ui.click("failure-open");
  EXPECT_TRUE(ui.settings.open_sections & 1u);
  ui.frame(2);
  EXPECT_TRUE(ImGui::GetIO().WantTextInput) << "the field has the keyboard";
}

}  // namespace
}  // namespace convoscope::test
