// What the marks find wrong with a frame: the walks look for nothing else.
#include "app/ui/parts/marks.h"

#include <gtest/gtest.h>

#include <functional>

#include "app/ui/parts/widgets.h"
#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

// The faults of frames that draw nothing else.
std::string faults_of(Harness& ui, const std::function<void()>& draw) {
  ui.frame();  // the style and the fonts
  for (int i = 0; i < 3; ++i) {
    ImGui::NewFrame();
    ui::begin_marks();
    draw();
    ui::end_marks();
    ImGui::Render();
  }
  std::string all;
  for (const std::string& fault : ui::layout_faults()) all += fault + "\n";
  return all;
}

void draw_window(const char* name, ImVec2 at, ImVec2 size, const std::function<void()>& contents, int flags = 0) {
  ImGui::SetNextWindowPos(at);
  ImGui::SetNextWindowSize(size);
  ImGui::Begin(name, nullptr, ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoSavedSettings | flags);
  contents();
  ImGui::End();
}

TEST(Marks, TellWhatLiesOnTheStageOverSomethingElseThere) {
  Harness ui;
  const auto card_and_message = [](float y) {
    ui::mark_on_stage("card", {100, 100}, {300, 200});
    draw_window("##told", {200, y}, {200, 60}, [&] { ui::mark_on_stage("told", {200, y}, {400, y + 60}); });
  };
  EXPECT_NE(faults_of(ui, [&] { card_and_message(150); }).find("lies on"), std::string::npos);
  EXPECT_EQ(faults_of(ui, [&] { card_and_message(200); }), "");
}

TEST(Marks, TellWhatReachesOutOfAWindowThatDoesNotScroll) {
  Harness ui;
  const auto button_at = [](float y, int flags) {
    draw_window(
        "##window", {100, 100}, {200, 100},
        [&] {
          ImGui::SetCursorPosY(y);
          ui::text_button("button", "Button", "");
        },
        flags);
  };
  EXPECT_NE(faults_of(ui, [&] { button_at(90, ImGuiWindowFlags_NoScrollbar); }).find("reaches out"), std::string::npos);
  EXPECT_EQ(faults_of(ui, [&] { button_at(40, ImGuiWindowFlags_NoScrollbar); }), "");
  EXPECT_EQ(faults_of(ui, [&] { button_at(90, 0); }), "") << "the wheel brings it";
}

TEST(Marks, TellWhatIsCutWithoutItsWhole) {
  Harness ui;
  const std::string text = "Kernels, median and its interval";
  const auto drawn = [&](const std::function<void(ImDrawList&, ImVec2)>& draw) {
    return faults_of(ui, [&] {
      draw_window("##window", {100, 100}, {200, 100},
                  [&] { draw(*ImGui::GetWindowDrawList(), ImGui::GetCursorScreenPos()); });
    });
  };
  const std::string alone = drawn([&](ImDrawList& list, ImVec2 at) {
    ui::draw_text(list, ui::Font::body, at, ui::theme().text, ui::clipped(ui::Font::body, text, 80));
  });
  EXPECT_NE(alone.find("nothing shows its whole"), std::string::npos) << alone;
  EXPECT_EQ(drawn([&](ImDrawList& list, ImVec2 at) {
              ui::draw_clipped(list, ui::Font::body, at, ui::theme().text, text, 80);
            }),
            "");
}

TEST(CutText, ShowsItsWholeUnderTheMouse) {
  Harness ui;
  ui.move(115, 115);
  const auto shows = [&](const std::function<void()>& draw) {
    faults_of(ui, [&] {
      draw_window("##window", {100, 100}, {120, 100}, [&] {
        ImGui::SetCursorScreenPos({108, 108});
        draw();
      });
    });
    return tooltip_area().has_value();
  };
  const char* const text = "Kernels, median and its interval";
  EXPECT_TRUE(shows([&] { ui::heading(text); }));
  EXPECT_FALSE(shows([&] { ui::heading("Kernels"); }));
  EXPECT_TRUE(shows([&] { ui::row_label(text); }));
  EXPECT_TRUE(shows([&] {
    if (ui::begin_combo("##combo", text)) ImGui::EndCombo();
  }));
  EXPECT_TRUE(shows([&] {
    ui::draw_clipped(*ImGui::GetWindowDrawList(), ui::Font::body, ImGui::GetCursorScreenPos(), ui::theme().text, text,
                     80);
  }));
}

}  // namespace
}  // namespace convoscope::test
