// The names of the workbenches, one after another: the one that is shown has the accent.
#include <imgui.h>

#include <cmath>

#include "app/state/workbench.h"
#include "app/ui/actions/workbench_actions.h"
#include "app/ui/panels/panels.h"
#include "app/ui/parts/key_names.h"
#include "app/ui/parts/widgets.h"

namespace convoscope::ui {

void draw_workbenches(Settings& settings) {
  const Theme& t = theme();
  const float height = px(28), gap = px(20), line = px(2);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const Workbench* clicked = nullptr;
  for (const Workbench& bench : workbenches) {
    if (&bench != &workbenches.front()) ImGui::SameLine(0, gap);
    const std::string name = "workbench/" + std::string(bench.id);
    const ImVec2 size = text_size(Font::strong, bench.title);
    if (ImGui::InvisibleButton(name.c_str(), {size.x, height})) clicked = &bench;
    mark_item(name);
    tooltip(bench.idea + keys_of(workbench_action(bench)));
    const bool shown = &bench == &workbench_of(settings.workbench);
    const ImVec2 from = ImGui::GetItemRectMin(), to = ImGui::GetItemRectMax();
    draw_text(list, Font::strong, {from.x, std::round((from.y + to.y - size.y) / 2)},
              shown                    ? t.accent
              : ImGui::IsItemHovered() ? t.text
                                       : t.dim,
              bench.title);
    if (shown) list.AddRectFilled({from.x, to.y - line}, to, t.accent);
  }
  if (clicked) show_workbench(settings, clicked->id);
}

}  // namespace convoscope::ui
