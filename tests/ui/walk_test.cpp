// Every panel, sheet and list at the sizes and themes that people have: nothing lies over anything else, nothing is
// cut unless its whole is shown under the mouse, tooltips lie beside what they explain, and whatever answers to the
// mouse has a mark, so that the walk through the real window (tests/window/walk_test.py) finds it.
#include <gtest/gtest.h>
#include <imgui_internal.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "app/ui/actions/learn_actions.h"
#include "app/ui/files/file_browser.h"
#include "app/ui/files/save_dialog.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/widgets.h"
#include "kernels/kinds/layer.h"
#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

struct State {
  const char* name;
  Sample (*sample)();
  std::function<void(Harness&)> set_up;
  friend void PrintTo(const State& state, std::ostream* out) { *out << state.name; }
};

void open_everything(Harness& ui) { ui.settings.open_panels = all_panels(); }

const State states[] = {
    {"usual", typical_sample, open_everything},
    {"without a driver", cpu_sample, open_everything},
    {"emulated", emulated_sample, open_everything},
    {"another one runs", substitute_sample, open_everything},
    {"four panes", [] { return panes_sample(4); }, open_everything},
    {"nine panes", [] { return panes_sample(9); }, open_everything},
    {"extreme", extreme_sample, open_everything},
    {"time", time_sample, open_everything},
    {"layer", layer_sample, open_everything},
    {"layer depthwise", layer_sample,
     [](Harness& ui) {
       open_everything(ui);
       ui.settings.layer.depthwise = true;
       ui.settings.layer.weights = random_bank(63, 1, 15);
       ui.settings.layer.stride = ui.settings.layer.dilation = 4;
     }},
    {"learning", learning_sample, [](Harness& ui) { ui.settings.open_panels = {"learn"}; }},
    {"cannot learn", learning_sample,
     [](Harness& ui) {
       ui.settings.open_panels = {"learn"};
       ui.settings.learn.target = parse_filter("box:rx=7,ry=7");
       ui.settings.layer.weights.relu = true;
       ui.stats.learn.gradients->error = 1;
     }},
    {"several layers learn", learning_sample,
     [](Harness& ui) {
       ui.settings.open_panels = {"learn"};
       ui.settings.learn.task = LearnTask::denoise;
       ui.settings.learn.layers = 2;
       ui::set_up_to_learn(ui.settings, ui.requests);
       ui.stats.learn.decibels = 6.25;
     }},
    {"removing noise", learning_sample,
     [](Harness& ui) {
       ui.settings.open_panels = {"learn"};
       ui.settings.learn.task = LearnTask::denoise;
       ui.stats.learn = {.problem = "This strategy cannot be used for learning, because it has no gradients."};
     }},
    {"sound", sound_sample, [](Harness& ui) { ui.settings.open_panels = {"sound"}; }},
    {"sound too late", sound_sample,
     [](Harness& ui) {
       ui.settings.open_panels = {"sound"};
       ui.settings.sound.filter = parse_signal_filter("band-pass:low=100,radius=512");
       ui.stats.sound.filter.times = times(40, 0.1);
       ui.stats.sound.filter.late = 123'456;
       ui.stats.sound.filter.why_not =
           "cudnn cannot run: libcudnn.so.9 was not found. cpu-fft runs instead of it, on one core.";
     }},
    {"own taps without a card", sound_sample,
     [](Harness& ui) {
       ui.settings.open_panels = {"sound"};
       ui.settings.sound.filter = parse_signal_filter("-1 0 2.5 0 1");
       ui.stats.sound.why_not = "No sound card was found, so nothing is heard.";
       ui.stats.sound.scope = {};
     }},
    {"help", typical_sample, [](Harness&) { ui::momentary().show_help = true; }},
    {"messages", typical_sample,
     [](Harness& ui) {
       ui.stats.messages = {{MessageLevel::error, std::string(300, 'x') + " cannot be opened.", ui.stats.now, "source"},
                            {MessageLevel::information,
                             "Saved a screenshot as /home/me/Pictures/shot.png.",
                             ui.stats.now + 1,
                             "saved",
                             {{Offer::open, "/x"}, {Offer::show_in_folder, "/x"}}}};
       ui::momentary().show_messages = true;
     }},
    {"settings", typical_sample,
     [](Harness& ui) {
       ui.stats.places = {{"Session", "/home/somebody/.local/state/convoscope/session.json", "Where"},
                          {"Cache", "", ""}};
       ui::momentary().show_settings = true;
     }},
    {"palette", typical_sample, [](Harness&) { ui::momentary().show_palette = true; }},
    {"sweep", typical_sample, [](Harness& ui) { ui.settings.sweep.open = true; }},
    {"explain", typical_sample, [](Harness& ui) { ui.settings.inspect.explain = true; }},
    {"sweep and explain", [] { return panes_sample(2); },
     [](Harness& ui) { ui.settings.inspect.explain = ui.settings.sweep.open = true; }},
    {"difference", [] { return panes_sample(2); },
     [](Harness& ui) {
       ui.settings.group().view = View::difference;
       ui.stats.difference = {.first = 0, .second = 1, .frame = 7};
       ui.stats.difference.found = {.pixels = 921600,
                                    .different = 1234,
                                    .largest = 17,
                                    .at = {1000, 300},
                                    .mean = 0.5,
                                    .psnr = 42.5,
                                    .ssim = 0.98};
     }},
    {"scopes", typical_sample,
     [](Harness& ui) {
       ui.settings.inspect.magnifier = ui.settings.inspect.values = true;
       ui.settings.inspect.histogram = ui.settings.inspect.vectorscope = true;
     }},
};

Sample camera_sample() {
  Sample sample = typical_sample();
  sample.settings.source.input = "camera:0";
  return sample;
}

Sample difference_sample() {
  Sample sample = panes_sample(2);
  sample.settings.group().view = View::difference;
  return sample;
}

std::function<void(Harness&)> click_on(const char* item) {
  return [item](Harness& ui) { ui.click(item); };
}

std::function<void(Harness&)> right_click_on(const char* item) {
  return [item](Harness& ui) { ui.right_click(item); };
}

std::function<void(Harness&)> save(ui::Saved what) {
  return [what](Harness& ui) { ui::open_save_dialog(what, ui.stats, ui.settings); };
}

void look_through_files(Harness& ui) {
  ui::open_browser(ui::FileBrowser::Purpose::source, "/class");
  ui.frame();
  ASSERT_TRUE(ui.requests.files.folder);
  FolderListing listing;
  listing.question = *ui.requests.files.folder;
  listing.entries = {{"clips", FileKind::folder}, {"bird.mp4", FileKind::video}, {"cat.png", FileKind::picture}};
  listing.pictures = 1;
  ui.stats.files.folder = std::make_shared<const FolderListing>(listing);
}

// What a click or a key opens over the rest.
const State opened[] = {
    {"kind", typical_sample, click_on("kind")},
    {"pattern", typical_sample, click_on("pattern")},
    {"camera", camera_sample, click_on("camera")},
    {"camera mode", camera_sample, click_on("mode")},
    {"no camera",
     [] {
       Sample sample = typical_sample();
       sample.stats.sources[1].choices.clear();
       return sample;
     },
     click_on("camera")},
    {"filters for sound", typical_sample, click_on("sound-kind")},
    {"strategies for sound", typical_sample, click_on("sound-strategy")},
    {"blocks of sound", typical_sample, click_on("sound-block")},
    {"recent", typical_sample, click_on("recent")},
    {"tunable", typical_sample, click_on("tunable/block_width")},
    {"view", typical_sample, click_on("view")},
    {"compared pane", difference_sample, click_on("first")},
    {"rate", typical_sample, click_on("record-rate")},
    {"parts of a name", typical_sample, click_on("record-name-parts")},
    {"speed", typical_sample, click_on("speed")},
    {"bank", layer_sample, click_on("bank")},
    {"what to learn", learning_sample, click_on("learn-target")},
    {"menu of a pane", typical_sample, [](Harness& ui) { ui.right_click_at(300, 300); }},
    {"menu of a layer", layer_sample, [](Harness& ui) { ui.right_click_at(300, 300); }},
    {"menu of the weights", typical_sample, right_click_on("weights")},
    {"menu of the transport", typical_sample, right_click_on("progress")},
    {"saving the session", typical_sample, save(ui::Saved::session)},
    {"saving the sweep", typical_sample, save(ui::Saved::sweep)},
    {"files", typical_sample, look_through_files},
};

struct WalkScreen {
  const char* name;
  float width, height;
  bool light, projector;
};
const WalkScreen screens[] = {{"1280x720", 1280, 720, false, false},   {"640x480", 640, 480, false, false},
                              {"2560x1440", 2560, 1440, false, false}, {"light", 1280, 720, true, false},
                              {"projector", 1600, 900, false, true},   {"200x120", 200, 120, false, false},
                              {"960x80", 960, 80, false, false}};

void collect(std::set<std::string>& faults) {
  for (const std::string& fault : ui::layout_faults()) faults.insert(fault);
}

std::string listed(const std::set<std::string>& faults) {
  std::string text;
  for (const std::string& fault : faults) text += "\n  " + fault;
  return text;
}

// A tooltip covers nothing of what it explains; of the grid of weights that is the one under the mouse.
void collect_covered(ImVec2 mouse, std::set<std::string>& faults) {
  const std::optional<ui::Area> tip = tooltip_area();
  if (!tip) return;
  const ImGuiWindow* const hovered = ImGui::GetCurrentContext()->HoveredWindow;
  for (const ui::Mark& mark : ui::marks()) {
    const ui::Area seen = area_of(mark.seen);
    if (mark.holds_others || mark.id == "weights" || mark.window != (hovered ? hovered->Name : "")) continue;
    if (seen.contains(mouse.x, mouse.y) && ui::overlap(seen, *tip))
      faults.insert("The tooltip of " + mark.id + " lies over it.");
  }
}

bool lies_in_a_window(ImVec2 place) {
  return std::ranges::any_of(ImGui::GetCurrentContext()->Windows, [&](const ImGuiWindow* window) {
    return window->Active && !window->Hidden && (window->Flags & ImGuiWindowFlags_NoInputs) == 0 &&
           window->OuterRectClipped.Contains(place);
  });
}

// Where only the picture is, one point in four, and of each state its quarter: there they all look much the same.
std::set<std::string> sweep_mouse(Harness& ui, ImVec2 from, ImVec2 to, int quarter) {
  constexpr float step_x = 31, step_y = 13;  // no control is smaller
  std::set<std::string> faults;
  for (float y = from.y + step_y / 2; y < to.y; y += step_y, ++quarter) {
    for (float x = from.x + step_x / 2; x < to.x; x += step_x, ++quarter) {
      if (quarter % 4 != 0 && !lies_in_a_window({x, y})) continue;
      ui.move(x, y);
      ui.frame();
      collect(faults);
      collect_covered({x, y}, faults);
    }
  }
  return faults;
}

// Without hints, and without what darkens everything else.
std::map<std::string, ui::ItemRectangle> windows_shown() {
  std::map<std::string, ui::ItemRectangle> shown;
  const ImGuiContext& g = *ImGui::GetCurrentContext();
  for (const ImGuiWindow* const window : g.Windows)
    if (window->Active && !window->Hidden && (window->Flags & ImGuiWindowFlags_Tooltip) == 0 &&
        window->Size.x < g.IO.DisplaySize.x)
      shown[window->Name] = {window->Pos, {window->Pos.x + window->Size.x, window->Pos.y + window->Size.y}};
  return shown;
}

// One test each, so that they can run beside one another.
class Walk : public testing::TestWithParam<State> {};
class WalkByTheMouse : public testing::TestWithParam<State> {};
class WalkThroughWhatIsOpen : public testing::TestWithParam<State> {};

TEST_P(Walk, NothingOverlapsOrIsCut) {
  const State& state = GetParam();
  for (const WalkScreen& screen : screens) {
    SCOPED_TRACE(screen.name);
    Harness ui(state.sample(), screen.width, screen.height, 0);
    ui.settings.light_theme = screen.light;
    ui.settings.projector = screen.projector;
    state.set_up(ui);
    ui.frame(6);
    std::set<std::string> faults;
    collect(faults);
    EXPECT_TRUE(faults.empty()) << listed(faults);
  }
}

TEST_P(Walk, EverySizeOfTextFits) {
  const State& state = GetParam();
  constexpr float sizes[] = {0.7f, 0.8f, 0.9f, 1.1f, 1.25f, 1.4f, 1.5f, 1.75f, 2.0f, 2.5f, 3.0f};
  const auto state_number = std::ranges::find(states, std::string(state.name), &State::name) - states;
  for (std::size_t i = static_cast<std::size_t>(state_number) % 2; i < std::size(sizes); i += 2) {  // every other one
    const float size = sizes[i];
    SCOPED_TRACE(size);
    Harness ui(state.sample(), 640, 480, size);
    state.set_up(ui);
    std::set<std::string> faults;
    for (const ImVec2 window : {ImVec2(640, 480), ImVec2(1280, 720), ImVec2(1920, 1080)}) {
      ui.resize(window.x, window.y);
      ui.frame(6);
      collect(faults);
    }
    EXPECT_TRUE(faults.empty()) << listed(faults);
  }
}

TEST_P(WalkByTheMouse, WhateverAnswersHasAMark) {
  const State& state = GetParam();
  Harness ui(state.sample(), 900, 2600, 1);  // tall: every section in sight
  state.set_up(ui);
  ui.frame(6);
  const int state_number = static_cast<int>(std::ranges::find(states, std::string(state.name), &State::name) - states);
  const std::set<std::string> faults = sweep_mouse(ui, {0, 0}, {900, 2600}, state_number);
  EXPECT_TRUE(faults.empty()) << listed(faults);
}

TEST_P(WalkThroughWhatIsOpen, WhateverAnswersHasAMark) {
  const State& state = GetParam();
  Harness ui(state.sample(), 1600, 4200, 1);  // tall: every section in sight
  open_everything(ui);
  ui.frame(6);
  const auto before = windows_shown();
  state.set_up(ui);
  ui.frame(6);
  auto there = windows_shown();
  std::erase_if(there, [&](const auto& window) { return before.contains(window.first); });
  ASSERT_FALSE(there.empty()) << "nothing has opened";
  for (const auto& [name, area] : there) {
    SCOPED_TRACE(name);
    EXPECT_TRUE(std::ranges::any_of(ui::marks(), [&](const ui::Mark& mark) {
      return mark.window.starts_with(name) && !mark.holds_others;
    })) << "nothing in it has a mark";
    const std::set<std::string> faults = sweep_mouse(ui, area.from, area.to, 0);
    EXPECT_TRUE(faults.empty()) << listed(faults);
    EXPECT_TRUE(windows_shown().contains(name)) << "it was closed meanwhile";
  }
}

std::string name_of(const testing::TestParamInfo<State>& state) {
  std::string name = state.param.name;
  std::ranges::replace(name, ' ', '_');
  return name;
}

// The rest of the window is as usual below it.
bool lies_over_the_rest(const State& state) {
  return std::ranges::count(std::vector<std::string>{"settings", "palette"}, state.name) > 0;
}

std::vector<State> states_with_other_controls() {
  std::vector<State> found;
  for (const State& state : states)
    if (!lies_over_the_rest(state) && (state.sample == typical_sample || state.sample == layer_sample ||
                                       state.sample == learning_sample || state.sample == time_sample))
      found.push_back(state);
  return found;
}

std::vector<State> states_with_something_open() {
  std::vector<State> found(std::begin(opened), std::end(opened));
  std::ranges::copy_if(states, std::back_inserter(found), lies_over_the_rest);
  return found;
}

INSTANTIATE_TEST_SUITE_P(States, Walk, testing::ValuesIn(states), name_of);
INSTANTIATE_TEST_SUITE_P(States, WalkByTheMouse, testing::ValuesIn(states_with_other_controls()), name_of);
INSTANTIATE_TEST_SUITE_P(States, WalkThroughWhatIsOpen, testing::ValuesIn(states_with_something_open()), name_of);

}  // namespace
}  // namespace convoscope::test
