#pragma once
// The command palette: every action of the key table, strategies, filters, borders, views and recent files by name.
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/state/settings.h"
#include "app/state/stats.h"

namespace convoscope::ui {

struct Command {
  std::string name;  // "Strategy: constant"
  std::string keys;  // "Ctrl+O"; empty when it has none
  std::function<void(const Stats&, Settings&, Requests&)> run;
  std::string also = {};       // other words that people call it by
  std::string why_not = {};    // in the workbench that is shown; then it is greyed, and running it says so
  bool shows_place = false;    // does nothing but show where it is done; what does it comes first
  bool is_elsewhere = false;   // leaves the workbench that is shown for another one; what does not comes first
  bool also_names_it = false;  // `also` has names that are as good as the title: "edge"
};
std::vector<Command> palette_commands(const Stats&, const Settings&);

// How well `name` answers what was typed: its letters must come in order, small or capital; better when they begin
// words or follow each other. 0: not at all. Words may be typed in any order.
int fuzzy_score(std::string_view typed, std::string_view name);

// Whether each word that was typed is in the text as it stands, small or capital.
bool has_words(std::string_view typed, std::string_view text);

// What was found for what was typed, and how well it answers that.
enum class Answers { words, nearest, letters };  // of letters: they are scattered over the names
struct FoundCommands {
  std::vector<const Command*> commands;  // best first
  Answers by = Answers::words;
};
// In the table's order while nothing is typed.
FoundCommands find_commands(const std::vector<Command>&, const std::string& typed);

// Arrows, Enter and so on while the palette is open, straight from the window's events: a tap within one slow frame is
// not lost. False for a key that is text.
bool palette_key(int key, int modifiers);

}  // namespace convoscope::ui
