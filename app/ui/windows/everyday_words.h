#pragma once
// What people call things in the palette who have not read their names yet.
#include <string>
#include <string_view>

namespace convoscope::ui {

// Other words for the command of this name: "exit" for "Window: Quit"; empty: none are known.
std::string everyday_words_of(std::string_view name);

}  // namespace convoscope::ui
