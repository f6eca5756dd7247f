#include "app/ui/parts/marks.h"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "app/ui/parts/held_row.h"

namespace convoscope::ui {
namespace {

constexpr float tolerance = 1.5f;  // pixels: rounding

struct Watch {
  bool on = false;
  std::map<std::string, ItemRectangle, std::less<>> latest;
  std::vector<Mark> drawing, drawn;
  std::vector<DrawnText> drawing_texts, drawn_texts;
  std::set<std::string> drawing_labels, drawn_labels;
  std::vector<std::string> text_faults, faults;
  std::set<std::string, std::less<>> cut, told;  // texts as they were cut, and those whose whole is shown
};
Watch watch;

bool inside(const ItemRectangle& r, ImVec2 p) {
  return p.x >= r.from.x - tolerance && p.x <= r.to.x + tolerance && p.y >= r.from.y - tolerance &&
         p.y <= r.to.y + tolerance;
}

bool empty(const ItemRectangle& r) { return r.to.x - r.from.x <= 2 * tolerance || r.to.y - r.from.y <= 2 * tolerance; }

ItemRectangle both(const ItemRectangle& a, const ItemRectangle& b) {
  return {{std::max(a.from.x, b.from.x), std::max(a.from.y, b.from.y)},
          {std::min(a.to.x, b.to.x), std::min(a.to.y, b.to.y)}};
}

bool lies_within(const ItemRectangle& a, const ItemRectangle& b) { return inside(b, a.from) && inside(b, a.to); }

std::string text_of(const ItemRectangle& r) {
  return fmt::format("({:.0f}, {:.0f})–({:.0f}, {:.0f})", r.from.x, r.from.y, r.to.x, r.to.y);
}

enum class MarkKind { item, area, on_stage };

void add(std::string_view id, ImVec2 from, ImVec2 to, MarkKind kind) {
  if (!watch.on) return;
  const ImGuiContext& g = *ImGui::GetCurrentContext();
  const ImGuiWindow* const window = g.CurrentWindow;
  const bool of_a_window = window && !window->IsFallbackWindow;
  Mark mark{
      std::string(id),           {from, to}, {from, to}, of_a_window ? window->Name : "", false, kind != MarkKind::item,
      kind == MarkKind::on_stage};
  if (of_a_window) {
    mark.seen = both(mark.at, {window->ClipRect.Min, window->ClipRect.Max});
    mark.disabled = (g.CurrentItemFlags & ImGuiItemFlags_Disabled) != 0;
  }
  watch.latest[mark.id] = mark.at;
  watch.drawing.push_back(std::move(mark));
}

// Across, nothing scrolls; down, what has a scroll bar. A window that takes the size of its contents does so a frame
// later.
bool reaches_out(const Mark& mark) {
  const ImGuiWindow* const window = mark.window.empty() ? nullptr : ImGui::FindWindowByName(mark.window.c_str());
  if (!window) return false;
  const ImRect& inner = window->InnerRect;
  if (mark.at.from.x < inner.Min.x - tolerance || mark.at.to.x > inner.Max.x + tolerance) return true;
  const bool scrolls = (window->Flags & ImGuiWindowFlags_NoScrollbar) == 0;
  if (scrolls || (window->Flags & ImGuiWindowFlags_AlwaysAutoResize) != 0 || window->Hidden) return false;
  return mark.at.from.y < inner.Min.y - tolerance || mark.at.to.y > inner.Max.y + tolerance;
}

void find_mark_faults() {
  std::set<std::string_view> names;
  for (const Mark& mark : watch.drawn)
    if (!names.insert(mark.id).second) watch.faults.push_back("Two marks are named " + mark.id + ".");
  for (std::size_t i = 0; i < watch.drawn.size(); ++i) {
    const Mark& a = watch.drawn[i];
    if (a.holds_others || empty(a.seen)) continue;
    for (std::size_t k = i + 1; k < watch.drawn.size(); ++k) {
      const Mark& b = watch.drawn[k];
      // The rectangles first: few of all these pairs touch, and names take longer to compare.
      if (empty(both(a.seen, b.seen)) || b.holds_others || a.window != b.window || a.id == b.id) continue;
      watch.faults.push_back(a.id + " " + text_of(a.seen) + " lies over " + b.id + " " + text_of(b.seen) + ".");
    }
    if (reaches_out(a))
      watch.faults.push_back(a.id + " " + text_of(a.at) + " reaches out of its window " + a.window + ".");
  }
}

// Whatever their windows are.
void find_stage_faults() {
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  for (const Mark& mark : watch.drawn)
    if (mark.on_stage && !lies_within(mark.at, {{0, 0}, screen}))
      watch.faults.push_back(mark.id + " " + text_of(mark.at) + " lies outside of the window.");
  for (std::size_t i = 0; i < watch.drawn.size(); ++i)
    for (std::size_t k = i + 1; watch.drawn[i].on_stage && k < watch.drawn.size(); ++k) {
      const Mark &a = watch.drawn[i], &b = watch.drawn[k];
      if (b.on_stage && !empty(both(a.at, b.at)))
        watch.faults.push_back(a.id + " " + text_of(a.at) + " lies on " + b.id + " " + text_of(b.at) + ".");
    }
}

void find_cut_faults() {
  for (const DrawnText& drawn : watch.drawn_texts)
    if (watch.cut.contains(drawn.text) && !watch.told.contains(drawn.text))
      watch.faults.push_back("The text '" + drawn.text + "' is cut, and nothing shows its whole.");
}

// Contents that are wider than their window are cut, or moved where nobody sees them.
void find_window_faults() {
  const ImGuiContext& g = *ImGui::GetCurrentContext();
  const ImVec2 screen = g.IO.DisplaySize;
  for (const ImGuiWindow* const window : g.Windows) {
    if (!window->Active || window->Hidden || window->IsFallbackWindow || window->HiddenFramesCanSkipItems > 0) continue;
    const bool tip = (window->Flags & ImGuiWindowFlags_Tooltip) != 0;
    if (!tip && window->ContentSize.x > window->InnerRect.GetWidth() - window->WindowPadding.x + tolerance &&
        window->ScrollMax.x <= 0)
      watch.faults.push_back(fmt::format("The contents of {} are {:.0f} wide in {:.0f}.", window->Name,
                                         window->ContentSize.x, window->InnerRect.GetWidth()));
    // Its size was set for one text.
    if (window->Name == std::string_view("##Tooltip_00") &&
        window->DC.CursorMaxPos.y > window->Rect().Max.y - window->WindowPadding.y + tolerance)
      watch.faults.push_back(fmt::format("Two hints are shown at once, to {:.0f} in a window to {:.0f}.",
                                         window->DC.CursorMaxPos.y, window->Rect().Max.y));
    if (!(window->Flags & ImGuiWindowFlags_ChildWindow) && (window->Pos.x < -tolerance || window->Pos.y < -tolerance ||
                                                            window->Pos.x + window->Size.x > screen.x + tolerance ||
                                                            window->Pos.y + window->Size.y > screen.y + tolerance))
      watch.faults.push_back(fmt::format("The window {} {} lies outside of the screen.", window->Name,
                                         text_of({window->Pos, window->Rect().Max})));
  }
}

void find_unmarked() {
  const ImGuiContext& g = *ImGui::GetCurrentContext();
  const ImGuiWindow* const window = g.HoveredWindow;
  if (g.HoveredId == 0 || !window || !g.IO.WantCaptureMouse) return;
  // Its own: scroll bars, and what moves or sizes it.
  if (window->ScrollbarY && g.IO.MousePos.x >= window->InnerRect.Max.x) return;
  if (window->ScrollbarX && g.IO.MousePos.y >= window->InnerRect.Max.y) return;
  if (g.HoveredId == window->MoveId) return;
  for (const Mark& mark : watch.drawn)
    if (!mark.holds_others && inside(mark.at, g.IO.MousePos)) return;
  watch.faults.push_back(fmt::format("The control of {} at ({:.0f}, {:.0f}) has no mark.", window->Name,
                                     g.IO.MousePos.x, g.IO.MousePos.y));
}

}  // namespace

void watch_items(bool on) { watch = Watch{.on = on}; }
bool watching_items() { return watch.on; }

void mark_item(std::string_view id, ImVec2 from, ImVec2 to) {
  note_row(id, from, to);
  add(id, from, to, MarkKind::item);
}
void mark_area(std::string_view id, ImVec2 from, ImVec2 to) { add(id, from, to, MarkKind::area); }
void mark_on_stage(std::string_view id, ImVec2 from, ImVec2 to) { add(id, from, to, MarkKind::on_stage); }
void mark_item(std::string_view id) { mark_item(id, ImGui::GetItemRectMin(), ImGui::GetItemRectMax()); }

void watch_text(const ImDrawList& list, ImVec2 from, ImVec2 size, std::string_view text) {
  if (!watch.on || list._ClipRectStack.empty() || text.empty()) return;
  if (ImGui::GetCurrentWindowRead()->SkipItems) return;  // not drawn, and the item's place is that of another one
  watch.drawing_texts.push_back({std::string(text), {from, {from.x + size.x, from.y + size.y}}});
  const ImVec4 clip = list._ClipRectStack.back();
  const float below = clip.w + tolerance, right = clip.z + tolerance;
  const bool leaves_clip =
      from.x < clip.x - tolerance || from.y < clip.y - tolerance || from.x + size.x > right || from.y + size.y > below;
  if (&list == ImGui::GetBackgroundDrawList() && leaves_clip) {  // where nothing scrolls
    watch.text_faults.push_back(fmt::format("The text '{}' on the stage {} reaches out of {}.", text,
                                            text_of({from, {from.x + size.x, from.y + size.y}}),
                                            text_of({{clip.x, clip.y}, {clip.z, clip.w}})));
    return;
  }
  const bool starts_inside = from.x >= clip.x - tolerance && from.x < clip.z && from.y >= clip.y - tolerance &&
                             from.y + size.y <= clip.w + tolerance;
  if (starts_inside && from.x + size.x > clip.z + tolerance)
    watch.text_faults.push_back(fmt::format("The text '{}' is cut at x = {:.0f}.", text, clip.z));
}

void watch_label(std::string_view label) {
  if (watch.on) watch.drawing_labels.emplace(label);
}

void watch_cut(std::string_view shown) {
  if (watch.on) watch.cut.emplace(shown);
}

void watch_tip(std::string_view shown) {
  if (watch.on) watch.told.emplace(shown);
}

void begin_marks() {
  watch.cut.clear();
  watch.told.clear();
  watch.drawing.clear();
  watch.drawing_texts.clear();
  watch.drawing_labels.clear();
  watch.text_faults.clear();
}

void end_marks() {
  if (!watch.on) return;
  watch.drawn.swap(watch.drawing);
  watch.drawn_texts.swap(watch.drawing_texts);
  watch.drawn_labels.swap(watch.drawing_labels);
  watch.faults.swap(watch.text_faults);
  find_mark_faults();
  find_stage_faults();
  find_cut_faults();
  find_window_faults();
  find_unmarked();
}

const ItemRectangle* item_rectangle(std::string_view id) {
  const auto found = watch.latest.find(id);
  return found == watch.latest.end() ? nullptr : &found->second;
}

const std::vector<Mark>& marks() { return watch.drawn; }
const std::vector<DrawnText>& drawn_texts() { return watch.drawn_texts; }
const std::set<std::string>& drawn_labels() { return watch.drawn_labels; }
const std::vector<std::string>& layout_faults() { return watch.faults; }

// Put together by hand, but for its strings: as objects of the library it took as long as all that a frame draws.
std::string marks_json(int frame, bool busy) {
  const auto quoted = [](const nlohmann::json& value) {
    return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  };
  const ImGuiIO& io = ImGui::GetIO();
  std::string out = fmt::format(
      R"({{"frame":{},"busy":{},"mouse":[{:.7g},{:.7g}],"size":[{:.7g},{:.7g}],"wants_text":{},"faults":{})", frame,
      busy, io.MousePos.x, io.MousePos.y, io.DisplaySize.x, io.DisplaySize.y, io.WantTextInput, quoted(watch.faults));
  out += R"(,"marks":[)";
  for (const Mark& mark : watch.drawn)
    fmt::format_to(
        std::back_inserter(out),
        R"({}{{"id":{},"seen":[{:.7g},{:.7g},{:.7g},{:.7g}],"hidden":{},"window":{},"disabled":{},"area":{}}})",
        out.back() == '[' ? "" : ",", quoted(mark.id), mark.seen.from.x, mark.seen.from.y, mark.seen.to.x,
        mark.seen.to.y, empty(mark.seen), quoted(mark.window), mark.disabled, mark.holds_others);
  return out += "]}";
}

}  // namespace convoscope::ui
