// What the device was doing while it was timed: clocks, heat, power, and whether the times can be compared at all.
#include <imgui.h>

#include "app/ui/parts/format.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/results/timing_results.h"

namespace convoscope::ui {

void draw_health(const Stats& stats) {
  const Theme& t = theme();
  const DeviceHealth& health = stats.health;
  if (!health.present) {
    if (health.absent_because.empty()) return;
    push_font(Font::small);
    text_coloured(t.faint, shortened(health.absent_because, 300));
    pop_font();
    return;
  }
  heading("DEVICE");
  tooltip("NVIDIA's management library gives these twice a second.");
  std::string text = std::to_string(health.sm_clock_mhz) + " MHz   memory " + std::to_string(health.memory_clock_mhz) +
                     " MHz   " + std::to_string(health.temperature_c) + " °C";
  if (health.power_w > 0) text += "   " + format_number(health.power_w) + " W";
  text_clipped(text, ImGui::GetContentRegionAvail().x, t.text);
  if (!health.throttling.empty())
    text_coloured(t.warning, "Slowed down by: " + shortened(health.throttling, 200) + ".");
  if (health.clocks_moved)
    text_coloured(t.warning,
                  "The clocks changed by more than 5 % while these frames were timed, so the medians mix times from "
                  "before and after. Clear the timings once the clocks are steady.");
}

}  // namespace convoscope::ui
