#include "app/ui/memory/ui_state.h"

#include <algorithm>

#include "app/ui/memory/inspect_state.h"

namespace convoscope::ui {
namespace {
UiState the_state;
}

UiState& ui_state() { return the_state; }
InspectState& inspect_state() {
  static InspectState state;
  return state;
}

void reset_ui_state() { the_state = {}; }
void draw_again_in(double seconds) { the_state.draw_again_in = std::min(the_state.draw_again_in, seconds); }

void give_feedback(const std::string& text, double now) {
  if (!text.empty()) ui_state().feedback = {text, now};
}

BankChoice bank_choice(const Filter& bank) {
  BankChoice chosen = the_state.bank_choice;
  chosen.map = std::clamp(chosen.map, 0, std::max(bank.maps - 1, 0));
  chosen.channel = std::clamp(chosen.channel, 0, std::max(bank.channels - 1, 0));
  return chosen;
}

}  // namespace convoscope::ui
