#include "app/ui/ui_state.h"

namespace convoscope::ui {
namespace {
UiState state;
}

UiState& ui_state() { return state; }
void reset_ui_state() { state = {}; }

}  // namespace convoscope::ui
