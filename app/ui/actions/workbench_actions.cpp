#include "app/ui/actions/workbench_actions.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>

#include "app/files/sentence.h"
#include "app/state/network_settings.h"
#include "app/ui/actions/filter_actions.h"
#include "app/ui/actions/layer_actions.h"
#include "app/ui/actions/learn_actions.h"
#include "app/ui/actions/pane_actions.h"
#include "app/ui/actions/sound_actions.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/action_names.h"
#include "app/ui/parts/format.h"
#include "app/ui/parts/key_names.h"

namespace convoscope::ui {
namespace {

// Of the filter's keys, those that a bank of filters leaves without a meaning.
constexpr std::array<std::string_view, 7> of_one_filter{action::more_gain,      action::less_gain, action::more_bias,
                                                        action::less_bias,      action::absolute,  action::next_border,
                                                        action::previous_border};

FilterHistory& pane_history(const Settings& settings) { return ui_state().history(settings.active()); }

// Of the picture, in the workbench that is shown.
std::uint64_t done_in(const Settings& settings) {
  return has_bank(settings) ? ui_state().layer_history.done_in() : pane_history(settings).done_in();
}
std::uint64_t undone_in(const Settings& settings) {
  return has_bank(settings) ? ui_state().layer_history.undone_in() : pane_history(settings).undone_in();
}

std::uint64_t turn_of(const std::vector<PaneStep>& steps) { return steps.empty() ? 0 : steps.back().turn; }

std::string in_pictures(const char* what) {
  return std::string(what) + keys_of(workbench_action(workbenches.front())) + ".";
}

// Panes that come, go or are moved are no choice among them.
bool observe_choices(const Settings& settings, bool settled, std::uint64_t turn) {
  ChoiceHistory& history = ui_state().choice_history;
  const bool drags = ui_state().drag.kind != PictureDrag::Kind::none;
  if (!history.current() || has_same_panes(*history.current(), settings))
    return history.observe(settings, settled && !drags, turn);
  history.go_on_from(settings);
  return false;
}

// False: all that was left of them was of panes that are gone.
bool turn_choice(bool (ChoiceHistory::*step)(Settings&, std::uint64_t), Settings& settings, std::uint64_t turn) {
  const ChoicesThen before(settings);
  while ((ui_state().choice_history.*step)(settings, turn))
    if (!same_choices(before, settings)) return true;
  return false;
}

// Whether what was put back learns on; where it cannot, it is said to have stopped.
bool learns_on(const Settings& settings) { return is_learning(settings) && why_not_learning(settings).empty(); }

}  // namespace

const char* workbench_action(const Workbench& bench) {
  static const auto names = [] {
    std::array<std::string, workbenches.size()> all;
    std::ranges::transform(workbenches, all.begin(),
                           [](const Workbench& each) { return std::string(each.title) + " workbench"; });
    return all;
  }();
  return names[static_cast<std::size_t>(&bench - workbenches.data())].c_str();
}

std::string show_first(const Workbench& bench) {
  const char* const name = workbench_action(bench);
  return "Show the " + lower_case(name) + " first" + keys_of(name) + ".";
}

bool has_bank(const Settings& settings) { return workbench_of(settings.workbench).has_bank; }
bool has_filter(const Settings& settings) { return !has_bank(settings); }

const char* action_in(const Settings& settings, const char* action) {
  constexpr std::pair<std::string_view, const char*> of_banks[] = {
      {action::next_filter, "Next bank"},        {action::previous_filter, "Previous bank"},
      {action::larger_radius, "Larger filters"}, {action::smaller_radius, "Smaller filters"},
      {action::save_filter, "Save the bank"},    {action::load_filter, "Load a bank"},
  };
  if (!has_bank(settings)) return action;
  const auto found = std::ranges::find(of_banks, action, &std::pair<std::string_view, const char*>::first);
  return found == std::end(of_banks) ? action : found->second;
}

std::string why_not(const KeyBinding& binding, const Settings& settings) {
  const std::string_view action = binding.action;
  if (has_bank(settings) && std::ranges::find(of_one_filter, action) != of_one_filter.end())
    return "Instead, a layer has a bank of filters, with a bias for each map and zeros around the picture: see the "
           "Layer panel" +
           keys_of("Layer panel") + ".";
  if (has_bank(settings) && action == action::link_pane) return "All panes of a layer have the same bank.";
  // What runs may be ended.
  if (action == action::learn && !momentary().learning) return why_not_learning(settings);
  return {};
}

std::string work_text(const PaneSettings& pane, const Settings& settings) {
  const Work work = work_of(settings);
  if (has_bank(work)) return filter_text(pane, work);
  const std::string name = display_name(pane.filter);
  if (!over_frames(work)) return name;
  return name + (pane.frames > 0 ? ", " + std::to_string(2 * pane.frames + 1) + " frames" : ", 1 frame");
}

Problem problem_of(const PaneSettings& pane, const Stats& stats, const Settings& settings) {
  constexpr int likely_width = 1280, likely_height = 720;
  const SourceStats& source = stats.source;
  const bool known = source.width > 0 && source.height > 0;
  return problem_of(pane, work_of(settings), known ? source.width : likely_width, known ? source.height : likely_height,
                    settings.format);
}

std::string why_invalid(const PaneSettings& pane, const Stats& stats, const Settings& settings) {
  if (work_of(settings).kind->invalid_can_be_seen) return {};
  const Problem problem = problem_of(pane, stats, settings);
  return as_sentence(problem.kind->invalid(problem));
}

std::string why_no_filter(const FilterKind& kind, const Settings& settings) {
  if (!over_frames(work_of(settings)) || !kind.make) return {};
  FilterSpec spec;
  if (kind.id != "custom") choose_kind(spec, kind);  // a custom one has the weights at hand
  return spec.filter.is_magnitude() ? in_pictures("An edge magnitude is for single pictures: see the Picture workbench")
                                    : std::string();
}

void choose_next_filter(Settings& settings, int direction) {
  if (has_bank(settings)) return choose_next_bank(settings, direction);
  FilterSpec& spec = settings.active().filter;
  FilterSpec next = spec;
  for (std::size_t tried = 0; tried < filter_kinds().size(); ++tried) {
    choose_next_kind(next, direction);
    const FilterKind* const kind = find_filter_kind(next.kind);
    if (!kind || why_no_filter(*kind, settings).empty()) {
      spec = std::move(next);
      return;
    }
    next.filter = spec.filter;  // a custom one takes the weights at hand, not those that were passed over
  }
}

std::string grow_filters(Settings& settings, int steps) {
  if (has_filter(settings)) return grow(settings.active().filter, steps);
  LayerSettings& layer = settings.layer;
  const int size = std::clamp(layer.weights.width + 2 * steps, 1, std::max(largest_bank_filter, layer.weights.width));
  if (size != layer.weights.width) reshape_bank(layer, layer.weights.maps, size, layer.depthwise);
  return {};
}

FilterSpec shown_weights(const Settings& settings) {
  if (has_filter(settings)) return settings.active().filter;
  const Filter& bank = seen_bank(settings.layer);
  if (!bank.is_bank()) return {};
  const BankChoice chosen = bank_choice(bank);
  const double radius = bank.width / 2;
  return {"custom", {radius, radius}, plane_of(bank, chosen.map, chosen.channel)};
}

std::string change_weights(Settings& settings, const std::function<std::string(FilterSpec&)>& change) {
  if (has_filter(settings)) return change(settings.active().filter);
  LayerSettings& layer = settings.layer;
  if (!layer.weights.is_bank()) return {};
  FilterSpec plane = shown_weights(settings);
  const std::string why = change(plane);
  const BankChoice chosen = bank_choice(seen_bank(layer));
  return why.empty() ? put_plane(layer, chosen.map, chosen.channel, plane.filter) : why;
}

bool can_undo(const Settings& settings) {
  const UiState& state = ui_state();
  return done_in(settings) > 0 || state.sound_history.undo_count() > 0 || state.choice_history.undo_count() > 0 ||
         !state.pane_steps.empty();
}
bool can_redo(const Settings& settings) {
  const UiState& state = ui_state();
  return undone_in(settings) > 0 || state.sound_history.redo_count() > 0 || state.choice_history.redo_count() > 0 ||
         !state.undone_pane_steps.empty();
}

std::string undo_tip(const char* action) {
  return std::string(action) +
         " what was last changed: the filter and border of this pane, a strategy, the view, what " +
         "is done to the sound, or a pane that was closed" + keys_of(action);
}

void take_back(Settings& settings, bool one_go) {
  ui_state().sound_history.take_back(settings.sound);
  if (one_go) return;
  if (has_filter(settings)) return pane_history(settings).take_back(settings.active());
  ui_state().layer_history.take_back(settings);
}

// What is changed after something was undone takes the place of that, whichever of them it is.
void observe_history(const Settings& settings, bool settled, bool one_go) {
  UiState& state = ui_state();
  const std::uint64_t turn = ++state.turns;
  const bool settled_picture = settled && !one_go;
  const bool sound = state.sound_history.observe(settings.sound, settled, turn),
             picture = has_filter(settings) ? pane_history(settings).observe(settings.active(), settled_picture, turn)
                                            : state.layer_history.observe(settings, settled_picture, turn),
             choice = observe_choices(settings, settled, turn);
  if (picture || sound || choice) state.undone_pane_steps.clear();
  if ((picture || choice) && !sound) state.sound_history.forget_undone();
  if ((picture || sound) && !choice) state.choice_history.forget_undone();
  if ((sound || choice) && !picture)
    has_filter(settings) ? pane_history(settings).forget_undone() : state.layer_history.forget_undone();
}

// What changed together is undone together.
std::string undo(Settings& settings) {
  observe_history(settings, true);
  UiState& state = ui_state();
  const std::uint64_t picture = done_in(settings), sound = state.sound_history.done_in(),
                      choice = state.choice_history.done_in(), panes = turn_of(state.pane_steps),
                      last = std::max({picture, sound, choice}), turn = ++state.turns;
  if (std::max(last, panes) == 0) return "There is nothing to undo.";
  if (panes > last) return undo_pane_step(settings);
  if (choice == last && !turn_choice(&ChoiceHistory::undo, settings, turn) && choice > std::max(picture, sound))
    return undo(settings);
  std::string text;
  if (sound == last) {
    const SoundThen before(settings.sound);
    state.sound_history.undo(settings.sound, turn);
    text = "Undone; now " + sound_change(before, settings.sound);
  }
  if (picture < last) return text;
  has_filter(settings) ? pane_history(settings).undo(settings.active(), turn)
                       : state.layer_history.undo(settings, turn);
  return learns_on(settings) ? "Undone. The layer goes on learning from these weights." : text;
}

std::string redo(Settings& settings) {
  observe_history(settings, true);
  UiState& state = ui_state();
  const std::uint64_t picture = undone_in(settings), sound = state.sound_history.undone_in(),
                      choice = state.choice_history.undone_in(), panes = turn_of(state.undone_pane_steps),
                      last = std::max({picture, sound, choice}), turn = ++state.turns;
  if (panes > last) return redo_pane_step(settings);
  if (last == 0)
    return is_learning(settings)
               ? "There is nothing to redo: what was undone is forgotten as soon as the layer learns on."
               : "There is nothing to redo.";
  if (choice == last && !turn_choice(&ChoiceHistory::redo, settings, turn) && choice > std::max(picture, sound))
    return redo(settings);
  std::string text;
  if (sound == last) {
    const SoundThen before(settings.sound);
    state.sound_history.redo(settings.sound, turn);
    text = "Redone; now " + sound_change(before, settings.sound);
  }
  if (picture < last) return text;
  has_filter(settings) ? pane_history(settings).redo(settings.active(), turn)
                       : state.layer_history.redo(settings, turn);
  return learns_on(settings) ? "Redone. The layer goes on learning from these weights." : text;
}

void follow_workbench(const Settings& settings) {
  UiState& state = ui_state();
  if (state.workbench == settings.workbench) return;
  if (!state.workbench.empty()) {
    state.momentary.flick_pane = flick_none;
    state.other_histories[state.workbench] = std::move(state.histories);
    state.histories = std::move(state.other_histories[settings.workbench]);
    // Panes are named anew when they come back.
    std::erase_if(state.histories, [](const auto& each) { return each.first > 0; });
    state.pane_steps.clear();
    state.undone_pane_steps.clear();
    state.choice_history = {};
    state.strategy_before_source.clear();
    state.grid = {};
    state.shown_strategy.clear();
  }
  state.workbench = settings.workbench;
}

}  // namespace convoscope::ui
