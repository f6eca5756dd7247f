#include "tests/ui/harness.h"

#include <gtest/gtest.h>
#include <imgui_internal.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "app/ui/memory/inspect_state.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/widgets.h"

namespace convoscope::test {
namespace {

std::string clipboard;

}  // namespace

Harness::Harness(Sample sample, float width, float height, float scale)
    : settings(std::move(sample.settings)),
      stats(std::move(sample.stats)),
      size_(width, height),
      context_(ImGui::CreateContext()) {
  ImGui::SetCurrentContext(context_);
  ui::reset_ui_state();
  ui::momentary() = sample.momentary;
  ui::inspect_state() = {};
  ui::watch_items(true);
  clipboard.clear();
  ImGuiIO& io = ImGui::GetIO();
  io.SetClipboardTextFn = [](void*, const char* text) { clipboard = text; };
  io.GetClipboardTextFn = [](void*) -> const char* { return clipboard.c_str(); };
  io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;
#if IMGUI_VERSION_NUM >= 19200
  io.BackendFlags |= ImGuiBackendFlags_RendererHasTextures;
#endif
  settings.ui_scale = scale;
}

Harness::~Harness() {
  ui::watch_items(false);
  ImGui::DestroyContext(context_);
}

void Harness::frame(int count) {
  for (int i = 0; i < count; ++i) {
    setup_ui_style(settings, 1, size_.x);
    if (!ImGui::GetIO().Fonts->IsBuilt()) ImGui::GetIO().Fonts->Build();  // a renderer's work
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = size_;
    io.DeltaTime = 1.0f / 60;
    io.MousePos = mouse_;
    for (std::size_t button = 0; button < down_.size(); ++button) io.MouseDown[button] = down_[button];
    io.AddInputCharactersUTF8(typed_.c_str());
    typed_.clear();
    ImGui::NewFrame();
    layout = layout_ui(settings, size_.x, size_.y);
    layout.pictures = pictures;
    layout.panes = panes;
    draw_ui(stats, settings, requests, layout);
    ImGui::Render();
  }
}

void Harness::resize(float width, float height) { size_ = {width, height}; }

void Harness::move_to(const std::string& item) {
  const ui::ItemRectangle* const rectangle = ui::item_rectangle(item);
  ASSERT_NE(rectangle, nullptr) << "nothing named " << item << " was drawn";
  mouse_ = rectangle->centre();
}

void Harness::press(int button) {
  down_[static_cast<std::size_t>(button)] = true;
  frame();
}

void Harness::drag_right(ImVec2 from) {
  move(from.x, from.y);
  frame(2);
  press();
  for (int i = 1; i <= 10; ++i) {
    move(from.x + 8.0f * static_cast<float>(i), from.y);
    frame();
  }
}

void Harness::release(int button) {
  down_[static_cast<std::size_t>(button)] = false;
  frame();
}

void Harness::click(const std::string& item) {
  frame(3);  // a window that fits its contents needs some to find its place
  move_to(item);
  frame(2);
  press();
  release();
  frame(40);  // longer than a double click
}

void Harness::right_click(const std::string& item) {
  frame(3);
  move_to(item);
  right_click_at(mouse_.x, mouse_.y);
}

void Harness::right_click_at(float x, float y) {
  mouse_ = {x, y};
  frame(2);
  press(1);
  release(1);
  frame(3);
}

void Harness::double_click(const std::string& item) {
  frame(3);  // a window that fits its contents needs some to find its place
  move_to(item);
  double_click_at(mouse_.x, mouse_.y);
}

void Harness::double_click_at(float x, float y) {
  mouse_ = {x, y};
  frame(2);
  float& limit = ImGui::GetIO().MouseDoubleClickTime;
  const float usual = limit;
  for (const float soon_after_another : {0.0f, 60.0f}) {  // as the window says of each press
    limit = soon_after_another;
    press();
    release();
  }
  limit = usual;
  frame(2);
}

void Harness::drag(const std::string& item, float dx, float dy) {
  frame(3);  // a window that fits its contents needs some to find its place
  move_to(item);
  frame(2);
  press();
  constexpr int steps = 8;
  for (int i = 0; i < steps; ++i) {
    mouse_.x += dx / steps;
    mouse_.y += dy / steps;
    frame();
  }
  release();
  frame(2);
}

void Harness::type(const std::string& text) {
  typed_ = text;
  frame(2);
}

bool Harness::key(int key, int modifiers, unsigned character) {
  const bool meant = handle_key({key, modifiers, false, true, character}, stats, settings, requests);
  frame(3);
  return meant;
}

bool drawn(Harness& ui, const std::string& item) {
  ui::watch_items(true);
  ui.frame(2);
  return ui::item_rectangle(item) != nullptr;
}

bool says(const std::string& words) {
  return std::ranges::any_of(ui::drawn_texts(),
                             [&](const ui::DrawnText& drawn) { return drawn.text.find(words) != std::string::npos; });
}
std::string all_said() {
  std::string all;
  for (const ui::DrawnText& drawn : ui::drawn_texts()) all += (all.empty() ? "" : " ") + drawn.text;
  return all;
}
bool is_said(const std::string& text) {
  return std::ranges::any_of(ui::drawn_texts(), [&](const ui::DrawnText& drawn) { return drawn.text == text; });
}

void change_problem(PixelExplanation& explained, const std::function<void(Problem&)>& change) {
  Problem problem = *explained.problem;
  change(problem);
  explained.problem = std::make_shared<const Problem>(std::move(problem));
}

ui::Area area_of(const ui::ItemRectangle& r) { return {r.from.x, r.from.y, r.to.x - r.from.x, r.to.y - r.from.y}; }

std::optional<ui::Area> tooltip_area() {
  const ImGuiWindow* const window = ImGui::FindWindowByName("##Tooltip_00");
  if (!window || !window->Active) return {};
  return ui::Area{window->Pos.x, window->Pos.y, window->Size.x, window->Size.y};
}

}  // namespace convoscope::test
