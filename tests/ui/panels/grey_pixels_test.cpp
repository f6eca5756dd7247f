// What the window says where a picture is grey.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "app/ui/panels/panel.h"
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

}  // namespace
}  // namespace convoscope::test
