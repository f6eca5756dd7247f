#pragma once
// The panels without a window: an ImGui context whose mouse and clock the test holds.
#include <imgui.h>

#include <array>
#include <functional>
#include <optional>
#include <string>

#include "app/ui/parts/marks.h"
#include "app/ui/places/layout.h"
#include "app/ui/ui.h"
#include "tests/ui/sample.h"

namespace convoscope::test {

class Harness {
 public:
  explicit Harness(Sample = typical_sample(), float width = 1600, float height = 900, float scale = 1);
  ~Harness();
  Harness(const Harness&) = delete;
  Harness& operator=(const Harness&) = delete;

  void frame(int count = 1);
  void resize(float width, float height);
  void move(float x, float y) { mouse_ = {x, y}; }
  void move_to(const std::string& item);  // its centre; the item must be on screen
  void press(int button = 0);             // each lasts one frame
  void release(int button = 0);
  void drag_right(ImVec2 from);  // in ten steps of 8 pixels; the button stays down
  void click(const std::string& item);
  void right_click(const std::string& item);
  void right_click_at(float x, float y);
  void double_click(const std::string& item);
  void double_click_at(float x, float y);
  void drag(const std::string& item, float dx, float dy);
  void type(const std::string& text);                            // into the text field that has the keyboard
  bool key(int key, int modifiers = 0, unsigned character = 0);  // the character that it types, if that is not its code
  void take_requests() { requests = {}; }
  FilterSpec& filter() { return settings.active().filter; }

  Settings settings;
  Stats stats;
  Requests requests;
  UiLayout layout;
  std::vector<UiLayout::Pane> pictures, panes;  // as whoever composes the picture gives them

 private:
  ImVec2 size_, mouse_{-1000, -1000};
  std::array<bool, 2> down_{};
  std::string typed_;
  ImGuiContext* context_;
};

// Of a name, in the next frame.
bool drawn(Harness&, const std::string& item);
bool says(const std::string& words);    // whether a line of the last frame has them
std::string all_said();                 // every line of the last frame, one behind the other: sentences are wrapped
bool is_said(const std::string& text);  // whether a text of the last frame is this and no more
// The problem of a explained is shared with others; it has one of its own from then on.
void change_problem(PixelExplanation&, const std::function<void(Problem&)>& change);
ui::Area area_of(const ui::ItemRectangle&);
std::optional<ui::Area> tooltip_area();  // of the one that is shown

}  // namespace convoscope::test
