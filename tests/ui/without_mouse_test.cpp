// A frame that becomes a picture has nothing under the mouse.
#include "app/ui/parts/without_mouse.h"

#include <gtest/gtest.h>
#include <imgui_internal.h>

#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/tooltips.h"
#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

// One frame, as the window draws it for a screenshot: how many vertices it has.
int vertices(Harness& ui, bool wanted) {
  ImGui::NewFrame();
  {
    const ui::WithoutMouse picture(wanted);
    draw_ui(ui.stats, ui.settings, ui.requests, ui.layout);
  }
  ImGui::Render();
  return ImGui::GetDrawData()->TotalVtxCount;
}

TEST(WithoutMouse, APictureHasNeitherTooltipNorHighlight) {
  Harness ui;
  ui.frame(3);
  const int aside = vertices(ui, false);
  ui.move_to("settings");
  ui.frame(30);
  ASSERT_TRUE(tooltip_area());
  ASSERT_GT(vertices(ui, false), aside);
  EXPECT_EQ(vertices(ui, true), aside);
  EXPECT_GT(vertices(ui, false), aside) << "on the screen they go on";
  EXPECT_EQ(ImGui::GetIO().MousePos.x, ui::item_rectangle("settings")->centre().x);
}

TEST(WithoutMouse, ACardThatHasOpenedUnderTheMouseStaysOpenOnTheScreen) {
  Harness ui;
  ui.frame(3);
  ui.move_to("card/1");
  ui.frame(60);
  ASSERT_TRUE(ui::ui_state().hovered_card.open);
  vertices(ui, true);
  EXPECT_TRUE(ui::ui_state().hovered_card.open);
}

}  // namespace
}  // namespace convoscope::test
