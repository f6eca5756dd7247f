#include "app/ui/windows/palette.h"

#include <imgui.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <functional>
#include <utility>

#include "app/state/workbench.h"
#include "app/ui/actions/command_table.h"
#include "app/ui/actions/filter_actions.h"
#include "app/ui/actions/pane_actions.h"
#include "app/ui/actions/strategy_actions.h"
#include "app/ui/actions/workbench_actions.h"
#include "app/ui/keys/key_table.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/key_codes.h"
#include "app/ui/parts/marks.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/windows/everyday_words.h"
#include "app/ui/windows/pages.h"
#include "app/ui/windows/palette_controls.h"
#include "app/ui/windows/palette_layer.h"
#include "app/ui/windows/palette_place.h"
#include "app/ui/windows/palette_strategies.h"
#include "app/ui/windows/palette_text.h"

namespace convoscope::ui {
namespace {

const std::string pick_pane = "Panes: Pick pane ";

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }
bool begins_word(std::string_view name, std::size_t i) {
  return i == 0 || !std::isalnum(static_cast<unsigned char>(name[i - 1]));
}

// Without the strategy of a pane: who types one means to choose it.
std::string called(const Command& command) {
  return command.name.starts_with(pick_pane) ? command.name.substr(0, command.name.find(',')) : command.name;
}

int word_score(std::string_view word, std::string_view name) {
  int best = 0;
  for (std::size_t start = 0; start < name.size(); ++start) {
    if (lower(name[start]) != lower(word[0])) continue;
    int score = 0, run = 0;
    std::size_t at = start, found = 0;
    for (; at < name.size() && found < word.size(); ++at) {
      if (lower(name[at]) != lower(word[found])) {
        run = 0;
        score -= 1;
        continue;
      }
      ++found;
      score += 4 + 3 * std::min(++run, 6) + (begins_word(name, at) ? 8 : 0);
    }
    if (found == word.size()) best = std::max(best, std::max(score, 1));
  }
  return best;
}

void add_table(std::vector<Command>& commands, const Settings& settings) {
  const std::vector<Binding>& table = bindings();
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table[i].release || !applies(table[i], settings)) continue;
    const std::string name = std::string(table[i].group) + ": " + action_in(settings, table[i].action);
    const bool known = std::ranges::any_of(commands, [&](const Command& c) { return c.name == name; });
    if (known) continue;
    commands.push_back({name, table[i].keys,
                        [i](const Stats& s, Settings& now, Requests& requests) { act_on(i, s, now, requests); },
                        everyday_words_of(name), why_not(table[i], settings)});
  }
}

void add_pick_panes(std::vector<Command>& commands, const Settings& settings) {
  std::erase_if(commands, [](const Command& c) { return c.keys.find("…") != std::string::npos; });
  for (int i = 0; i < static_cast<int>(settings.group().panes.size()); ++i)
    commands.push_back(
        {pick_pane + std::to_string(i + 1) + ", " + settings.group().panes[static_cast<std::size_t>(i)].strategy,
         std::to_string(i + 1), [i](const Stats&, Settings& s, Requests&) {
           if (i < static_cast<int>(s.group().panes.size())) s.group().active_pane = i;
         }});
  for (int i = 0; i < static_cast<int>(settings.group().panes.size()); ++i)
    if (i != settings.group().active_pane)
      commands.push_back({"Panes: Difference of the active pane and pane " + std::to_string(i + 1),
                          "Ctrl+" + std::to_string(i + 1),
                          [i](const Stats&, Settings& s, Requests&) { compare_with(s, i); }});
}

void add_filters(std::vector<Command>& commands, const Settings& settings) {
  if (has_bank(settings)) {
    add_layer_commands(commands, settings);
    add_banks(commands, settings);
    return;
  }
  for (const FilterKind& kind : filter_kinds()) {
    const std::string id(kind.id);
    commands.push_back({"Filter: " + std::string(kind.title), "",
                        [id](const Stats&, Settings& s, Requests&) {
                          s.active().filter = parse_filter(id);
                          begin_bright(s.active().filter);
                        },
                        id + ' ' + std::string(kind.also), why_no_filter(kind, settings)});
    commands.back().also_names_it = true;
  }
  for (const Border border : all_borders)
    commands.push_back({"Border: " + std::string(to_string(border)), "",
                        [border](const Stats&, Settings& s, Requests&) { s.active().border = border; }});
  add_banks(commands, settings);
}

void draw_row(const Command& command, bool chosen, bool& clicked) {
  const Theme& t = theme();
  const float width = std::max(ImGui::GetContentRegionAvail().x, 1.0f), height = px(28);
  clicked = ImGui::InvisibleButton(command.name.c_str(), {width, height});
  mark_item("command/" + command.name);
  const ImVec2 from = ImGui::GetItemRectMin(), to = ImGui::GetItemRectMax();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (chosen || ImGui::IsItemHovered())
    list.AddRectFilled(from, to, chosen ? t.accent_soft : with_alpha(t.text, 0.07f), px(5));
  const float y = std::round((from.y + to.y - font_size(Font::body)) / 2);
  const float keys_width = command.keys.empty() ? 0 : text_size(Font::small, command.keys).x + px(20);
  const std::string name = clipped(command.name, width - keys_width - px(20));
  const ImU32 refused = chosen ? t.dim : t.faint;
  draw_text(list, Font::body, {from.x + px(10), y}, command.why_not.empty() ? t.text : refused, name);
  tooltip(with_whole(command.name, name, command.why_not));
  const float after = px(24) + text_size(Font::body, name).x, rest = width - keys_width - after - px(10);
  const std::string why = rest > px(80) ? clipped(Font::small, command.why_not, rest) : std::string();
  draw_text(list, Font::small, {from.x + after, y + px(1)}, refused, why);
  watch_tip(why);
  if (keys_width > 0)
    draw_text(list, Font::small, {to.x - keys_width + px(8), y + px(1)}, chosen ? t.text : t.dim, command.keys);
}

// A filter that was typed is for a pane.
void refuse_filters(TypedText& typed) {
  for (Command& command : typed.commands)
    if (command.name.starts_with("Filter: "))
      command.why_not = "A layer has a bank of filters instead of one: choose a bank, or edit its weights.";
}

// What the text is by itself stands before what it finds.
FoundCommands find_typed(const std::vector<Command>& commands, const TypedText& typed, const std::string& text) {
  FoundCommands found = find_commands(commands, text);
  if (typed.commands.empty()) return found;
  if (found.by != Answers::words) found = {};
  for (const Command& command : typed.commands)
    std::erase_if(found.commands, [&](const Command* other) { return other->name == command.name; });
  for (std::size_t i = typed.commands.size(); i > 0; --i)
    found.commands.insert(found.commands.begin(), &typed.commands[i - 1]);
  return found;
}

std::string about_found(const FoundCommands& found) {
  if (found.commands.empty())
    return "Nothing matches. Try fewer letters, a filter such as gaussian:radius=3, or a file.";
  if (found.by == Answers::nearest) return "Nothing matches exactly. The nearest:";
  if (found.by == Answers::letters)
    return "Nothing matches. These only have the same letters, so none of them is chosen:";
  return {};
}

}  // namespace

int fuzzy_score(std::string_view typed, std::string_view name) {
  int total = 1;
  std::size_t begin = 0;
  while (begin < typed.size()) {
    const std::size_t end = std::min(typed.find(' ', begin), typed.size());
    if (end > begin) {
      const int score = word_score(typed.substr(begin, end - begin), name);
      if (score == 0) return 0;
      total += score;
    }
    begin = end + 1;
  }
  return total;
}

FoundCommands find_commands(const std::vector<Command>& commands, const std::string& typed) {
  FoundCommands found;
  struct Scored {
    bool refused, shows_place, elsewhere, in_name;
    int score;
    const Command* command;
  };
  std::vector<Scored> scored;
  for (const Command& command : commands)
    if (has_words(typed, command.name + ' ' + command.also))
      scored.push_back({!command.why_not.empty(), command.shows_place, command.is_elsewhere,
                        command.also_names_it || has_words(typed, called(command)),
                        fuzzy_score(typed, command.name + ' ' + command.also), &command});
  if (scored.empty()) {
    for (const std::size_t position : nearest_commands(typed, commands)) found.commands.push_back(&commands[position]);
    found.by = Answers::nearest;
    if (!found.commands.empty()) return found;
    for (const Command& command : commands)
      if (const int score = fuzzy_score(typed, command.name))
        scored.push_back({!command.why_not.empty(), command.shows_place, command.is_elsewhere, false, score, &command});
    found.by = Answers::letters;
  }
  const auto comes_first = [](const Scored& a, const Scored& b) {
    if (a.refused != b.refused) return b.refused;
    if (a.shows_place != b.shows_place) return b.shows_place;
    if (a.elsewhere != b.elsewhere) return b.elsewhere;
    return a.in_name != b.in_name ? a.in_name : a.score > b.score;
  };
  if (!typed.empty()) std::ranges::stable_sort(scored, comes_first);
  for (const Scored& each : scored) found.commands.push_back(each.command);
  return found;
}

std::vector<Command> palette_commands(const Stats& stats, const Settings& settings) {
  std::vector<Command> commands;
  add_table(commands, settings);
  add_pick_panes(commands, settings);
  add_strategies(commands, stats);
  add_filters(commands, settings);
  add_controls(commands, stats, settings);
  commands.push_back({"Settings: Reset everything to the defaults …", "", [](const Stats&, Settings&, Requests&) {
                        momentary().show_settings = ui_state().ask_for_reset = true;
                        momentary().show_help = momentary().show_messages = false;
                      }});
  if (stats.limits.copy_bytes_per_second > 0)
    commands.push_back(
        {"Timing: Measure the roof again", "", [](const Stats&, Settings&, Requests& r) { r.measure_limits = true; }});
  std::vector<std::string> inputs;
  for (const OfferedSource& source : stats.sources)
    for (const SourceChoice& choice : source.choices) inputs.push_back(choice.input);
  for (const std::string& recent : settings.recent)
    if (std::ranges::find(inputs, recent) == inputs.end()) inputs.push_back(recent);
  for (const std::string& input : inputs)
    commands.push_back({"Open: " + input, "", [input](const Stats&, Settings&, Requests& r) { r.open = input; }});
  add_strategies_of_others(commands, stats);
  return commands;
}

bool palette_key(int pressed, int modifiers) {
  Palette& palette = ui_state().palette;
  if (modifiers != 0) return false;
  switch (pressed) {
    case key::up:
      palette.chosen -= 1;
      return true;
    case key::down:
      palette.chosen += 1;
      return true;
    case key::page_up:
      palette.chosen -= palette_rows;
      return true;
    case key::page_down:
      palette.chosen += palette_rows;
      return true;
    case key::enter:
    case key::keypad_enter:
      palette.run = true;
      return true;
    case key::escape:
      palette.close = true;
      return true;
  }
  return false;
}

void draw_palette(const Stats& stats, Settings& settings, Requests& requests) {
  Palette& palette = ui_state().palette;
  const bool opening = momentary().show_palette && !palette.was_open;
  palette.was_open = momentary().show_palette;
  if (opening) palette = {.was_open = true};
  if (!momentary().show_palette) return;
  if (palette.close) {
    momentary().show_palette = palette.was_open = false;
    return;
  }
  const Area area = palette_area();
  if (area.width <= 0) return;
  const float row_height = palette_row_height();
  ImGui::SetNextWindowPos(area.from());
  ImGui::SetNextWindowSize({area.width, area.height});
  if (opening) ImGui::SetNextWindowFocus();
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, px(12));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1.0f);
  ImGui::PushStyleColor(ImGuiCol_WindowBg, theme().raised);
  ImGui::Begin(palette_window, nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoNavInputs);
  // A click elsewhere closes it.
  if (!opening && ImGui::IsMouseClicked(0) && !ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows))
    momentary().show_palette = false;
  // The keyboard belongs to the text for as long as it is open.
  if (!ImGui::IsAnyItemActive()) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(-1);
  text_field("palette-text", "Type a command, a strategy, a filter, a file …", palette.text, "");

  static std::vector<Command> commands;
  static FoundCommands found;
  static TypedText typed;
  static std::string typed_before;
  if (opening) commands = palette_commands(stats, settings);
  if (opening || typed_before != palette.text.data()) {
    typed_before = palette.text.data();
    typed = read_typed(typed_before, stats.sources);
    if (has_bank(settings)) refuse_filters(typed);
    found = find_typed(commands, typed, typed_before);
    palette.chosen = found.by == Answers::letters ? -1 : 0;
  }
  const int least = found.by == Answers::letters ? -1 : 0;  // Enter alone runs none of them
  palette.chosen = std::clamp(palette.chosen, least, std::max(static_cast<int>(found.commands.size()) - 1, least));

  static int shown_chosen = 0;
  int run = palette.run && !found.commands.empty() ? palette.chosen : -1;
  palette.run = false;
  if (!typed.problem.empty()) {
    text_dim(typed.problem);
  } else if (const std::string about = about_found(found); !about.empty()) {
    text_dim(about);
    mark_area("palette-about", ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
  }
  // Whole rows only.
  const float rows =
      std::max(std::floor((ImGui::GetContentRegionAvail().y + ImGui::GetStyle().ItemSpacing.y) / row_height), 1.0f);
  ImGui::BeginChild("##commands", {0, rows * row_height - ImGui::GetStyle().ItemSpacing.y}, false,
                    ImGuiWindowFlags_NoNavInputs);
  for (int i = 0; i < static_cast<int>(found.commands.size()); ++i) {
    bool clicked = false;
    const bool chosen = i == palette.chosen;
    draw_row(*found.commands[static_cast<std::size_t>(i)], chosen, clicked);
    if (chosen && (opening || shown_chosen != i)) {
      const float first = std::round(ImGui::GetScrollY() / row_height), row = static_cast<float>(i);
      ImGui::SetScrollY(std::clamp(first, row - rows + 1, row) * row_height);
    }
    if (clicked) run = i;
  }
  shown_chosen = palette.chosen;
  ImGui::EndChild();
  ImGui::End();
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(2);
  if (run < 0) return;
  momentary().show_palette = palette.was_open = false;
  const Command& command = *found.commands[static_cast<std::size_t>(run)];
  if (command.why_not.empty())
    command.run(stats, settings, requests);
  else
    give_feedback(command.why_not, stats.now);
}

}  // namespace convoscope::ui
