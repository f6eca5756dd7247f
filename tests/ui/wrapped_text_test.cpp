#include "app/ui/parts/wrapped_text.h"

#include <gtest/gtest.h>
#include <imgui.h>

#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

TEST(FirstLines, TellThatThereIsMore) {
  Harness ui;
  ui.frame();
  ImGui::NewFrame();
  EXPECT_EQ(ui::first_lines("a\nb\nc", 2, 100), "a\nb…");
  EXPECT_EQ(ui::first_lines("a\nb\nc", 3, 100), "a\nb\nc");
  EXPECT_EQ(ui::count_lines("a\nb\nc"), 3);
  ImGui::EndFrame();
}

TEST(FirstLines, AreNoWiderForTellingIt) {
  Harness ui;
  ui.frame();
  ImGui::NewFrame();
  const std::string text =
      "Runs low-rank, as cv-cuda cannot run: calls CV-CUDA, which cannot be emulated; gauß-förmig-wie-es-ist";
  for (float width = 60; width < 400; ++width) {
    const std::string whole = ui::wrapped(text, width);
    for (int lines = 1; lines < ui::count_lines(whole); ++lines) {
      const std::string first = ui::first_lines(whole, lines, width);
      EXPECT_LE(ImGui::CalcTextSize(first.c_str()).x, width) << first;
      EXPECT_TRUE(first.ends_with("…") && first.size() > std::string("…").size()) << first;
      EXPECT_EQ(ui::count_lines(first), lines) << first;
    }
  }
  EXPECT_EQ(ui::first_lines("äöü\nb", 1, ImGui::CalcTextSize("äö…").x), "äö…") << "whole characters";
  ImGui::EndFrame();
}

TEST(WrappedText, ANumberIsNotPartedFromItsPercentSign) {
  Harness ui;
  ui.frame();
  ImGui::NewFrame();
  const float as_far_as_the_number = ImGui::CalcTextSize("by up to 0.022").x + 1;
  EXPECT_EQ(ui::wrapped("by up to 0.022 % of all", as_far_as_the_number), "by up to\n0.022 % of all");
  ImGui::EndFrame();
}

TEST(WrappedText, BreaksNoLineThatHasRoom) {
  for (const float scale : {1.0f, 1.25f, 1.7f}) {
    Harness ui(typical_sample(), 1600, 900, scale);
    ui.frame();
    ImGui::NewFrame();
    const std::string text =
        "Runs constant, as winograd cannot run: its tiles are for 3 × 3 filters; this one is 9 × 9.";
    EXPECT_EQ(ui::wrapped(text, ImGui::CalcTextSize(text.c_str()).x), text) << scale;
    ImGui::EndFrame();
  }
}

TEST(WrappedText, BreaksAPathBetweenItsFolders) {
  Harness ui;
  ui.frame();
  ImGui::NewFrame();
  const float width = ImGui::CalcTextSize("/home/somebody/.local/conv").x;
  EXPECT_EQ(ui::wrapped("/home/somebody/.local/convoscope/session.json", width),
            "/home/somebody/.local/\nconvoscope/session.json");
  const std::string name(60, 'x');
  EXPECT_NE(ui::wrapped("/" + name, width).find("x\nx"), std::string::npos) << "a name that is too long";
  ImGui::EndFrame();
}

}  // namespace
}  // namespace convoscope::test
