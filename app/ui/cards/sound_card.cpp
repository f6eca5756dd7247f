// What is heard, over the foot of the picture: before and after the filter, as a wave and as tones.
#include "app/ui/cards/sound_card.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "app/ui/actions/sound_actions.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/places/stage_places.h"
#include "app/ui/results/sound_plots.h"

namespace convoscope::ui {

void draw_sound_card(const Stats& stats, const Settings& settings, const Area& stage) {
  const SoundStats& sound = stats.sound;
  if (!settings.sound.scope || !sound.scope.present) return;
  const float margin = px(12), padding = px(9), title = px(18), gap = px(9);
  const float width = std::min(stage.width - 2 * margin, px(760));
  const float height = std::clamp(stage.height / 4, px(86), px(190));
  if (width < px(240) || height > stage.height / 2) return;
  const Area room{stage.x + margin, stage.y + margin, stage.width - 2 * margin, stage.height - 2 * margin};
  const std::optional<Area> place = place_at_foot(room, {width, height});
  if (!place) return;
  const Theme& t = theme();
  const bool filtered = settings.sound.filtered && !sound.filter.strategy.empty();
  const ImVec2 from = place->from(), to = place->to();
  ImDrawList& list = *ImGui::GetBackgroundDrawList();
  list.AddRectFilled(from, to, t.card, px(9));
  take_place("sound-card", *place);

  float x = from.x + padding;
  const float y = from.y + padding - px(3), end = to.x - padding;
  if (filtered) {
    x += draw_text(list, Font::small, {x, y}, t.dim, "before") + px(10);
    x += draw_text(list, Font::small, {x, y}, t.accent, "after") + px(10);
  }
  const std::string what = filtered ? sound_filter_name(settings.sound.filter) + "  ·  " + sound.filter.strategy
                                    : std::string("Sound, not filtered");
  draw_clipped(list, Font::small, {x, y}, t.dim, what, end - x);

  const float top = from.y + padding + title - px(4), foot = to.y - padding;
  const float middle = std::round((from.x + to.x) / 2);
  draw_waveforms(list, {from.x + padding, top}, {middle - gap / 2, foot}, sound.scope, filtered, sound.rate);
  const ImVec2 left{middle + gap / 2, top}, right{end, foot};
  constexpr Decibels range{-96, 0};
  const PlotArea area = draw_tones(list, left, right, range);
  if (filtered)
    draw_curve(list, area.from, area.to, range, sound.scope.spectrum_before, true, with_alpha(t.text, 0.45f), px(1), 0);
  draw_curve(list, area.from, area.to, range, filtered ? sound.scope.spectrum_after : sound.scope.spectrum_before, true,
             t.accent, std::max(1.5f, px(2)), 0.18f);
}

}  // namespace convoscope::ui
