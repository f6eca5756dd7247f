#include "app/ui/actions/sound_actions.h"

#include <vector>

#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/format.h"
#include "app/ui/parts/widgets.h"
#include "kernels/text/number_text.h"

namespace convoscope::ui {

std::string sound_filter_name(const SignalFilterSpec& spec) {
  return spec.kind == custom_taps ? "own taps" : spec_text(spec);
}

void choose_sound_kind(SignalFilterSpec& spec, const SignalFilterKind& kind) {
  if (spec.kind == custom_taps) ui_state().sound_taps.kept = spec.taps;
  spec = initial_spec(kind);
}

void choose_own_taps(SignalFilterSpec& spec, double rate) {
  constexpr int editable = 65;
  if (const std::vector<float>& kept = ui_state().sound_taps.kept; !kept.empty()) {
    spec = {custom_taps, {}, kept};
    return;
  }
  const Filter before = make_signal_filter(spec, rate);
  spec = {custom_taps, {}, before.width <= editable ? before.weights : std::vector<float>{1, 2, 3, 2, 1}};
  if (before.width > editable)
    for (float& tap : spec.taps) tap /= 9;
}

std::string sound_change(const SoundThen& before, const SoundSettings& now) {
  constexpr std::size_t shown = 40;  // characters of a row of taps
  std::string text;
  const auto add = [&](bool changed, const std::string& what) {
    if (changed) text += (text.empty() ? "" : ", ") + what;
  };
  add(before.filtered != now.filtered, now.filtered ? "sound is filtered" : "sound is heard as it is");
  const bool both_own = before.filter.kind == custom_taps && now.filter.kind == custom_taps;
  add(before.filter != now.filter, both_own ? "the taps for sound are " + shortened(spec_text(now.filter), shown)
                                            : "the filter for sound is " + sound_filter_name(now.filter));
  add(before.strategy != now.strategy, "the strategy for sound is " + now.strategy);
  add(before.block != now.block, "sound is filtered in blocks of " + format_count(now.block) + " samples");
  return text + ".";
}

}  // namespace convoscope::ui
