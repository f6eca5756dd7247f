#include "app/ui/parts/key_names.h"

#include <map>

#include "app/ui/ui.h"

namespace convoscope::ui {

std::string keys_of(const char* action) {
  // Tooltips ask in every frame, and the table stays as it is.
  static const std::map<std::string_view, std::string> keys_of_actions = [] {
    std::map<std::string_view, std::string> found;
    for (const KeyBinding& binding : key_bindings()) {
      std::string& keys = found[binding.action];
      if (!keys.ends_with(binding.keys)) keys += (keys.empty() ? "" : ", ") + std::string(binding.keys);
    }
    return found;
  }();
  const auto found = keys_of_actions.find(action);
  const bool has_keys = found != keys_of_actions.end() && !found->second.empty();
  return has_keys ? " (" + found->second + ")" : std::string();
}

std::string with_keys(const char* action) { return action + keys_of(action); }

std::string first_key_of(std::string_view action) {
  for (const KeyBinding& binding : key_bindings())
    if (binding.action == action) return binding.keys;
  return {};
}

}  // namespace convoscope::ui
