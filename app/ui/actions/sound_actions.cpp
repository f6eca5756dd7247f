#include "app/ui/actions/sound_actions.h"

namespace convoscope::ui {

std::string sound_filter_name(const SignalFilterSpec& spec) {
  return spec.kind == custom_taps ? "own taps" : spec_text(spec);
}

}  // namespace convoscope::ui
