// The layer learns while the video plays: what, how fast, and how well it goes.
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <vector>

#include "app/ui/actions/filter_actions.h"
#include "app/ui/actions/learn_actions.h"
#include "app/ui/actions/workbench_actions.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/panels/panel.h"
#include "app/ui/parts/action_names.h"
#include "app/ui/parts/format.h"
#include "app/ui/parts/key_codes.h"
#include "app/ui/parts/key_names.h"
#include "app/ui/parts/lists.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/results/loss_plot.h"

namespace convoscope::ui {
namespace {

void draw_target(FilterSpec& target) {
  row_label("Filter",
            "The filter that the layer learns. The layer sees what goes into the filter and what comes out, but never "
            "its weights.");
  if (begin_combo("##learn-target", display_name(target))) {
    for (const FilterKind* const kind : learnable_kinds()) {
      if (list_entry(std::string(kind->title), target.kind == kind->id)) choose_kind(target, *kind);
      mark_item("learn-target/" + std::string(kind->id));
      tooltip(std::string(kind->idea));
    }
    ImGui::EndCombo();
  } else if (const FilterKind* const kind = find_filter_kind(target.kind)) {
    tooltip(std::string(kind->idea));
  }
}

void draw_noise(double& noise, LayerSettings& layer) {
  row_label("Noise σ",
            "The standard deviation of the noise that is added to each frame, in code values from 0 to 255.");
  auto value = static_cast<float>(noise);
  const auto low = static_cast<float>(learn_noises.low), high = static_cast<float>(learn_noises.high);
  if (slider("learn-noise", &value, low, high, "%.0f of 255", ImGuiSliderFlags_Logarithmic))
    noise = std::clamp<double>(value, learn_noises.low, learn_noises.high);
  bool shown = layer.noise > 0;
  toggle("learn-noisy", "In the panes", &shown,
         "On: the panes of this workbench see each frame with as much noise. Off: they see it as it is.");
  layer.noise = shown ? noise : 0;
}

double with_two_figures(double value) {
  const double step = std::pow(10, std::floor(std::log10(value)) - 1);
  return std::round(value / step) * step;
}

void draw_network(LearnSettings& learn) {
  constexpr const char* counts[] = {"1", "2", "3"};
  static_assert(std::size(counts) == most_layers);
  row_label("Layers",
            "How many layers learn together. The layer that is shown is the first one; of several, it has ReLU, and "
            "the others see its maps through filters of 3 × 3.");
  int more = std::clamp(learn.layers, 1, most_layers) - 1;
  if (segmented("learn-layers", counts, &more, "")) learn.layers = more + 1;
  if (learn.layers == 1) return;
  row_label("Maps", "How many maps each layer has, except the last one, which has one for each colour.");
  int maps = learn.maps;
  const auto low = static_cast<int>(hidden_maps.low), high = static_cast<int>(hidden_maps.high);
  if (slider("learn-maps", &maps, low, high, "%d")) learn.maps = std::clamp(maps, low, high);
}

void draw_method(LearnSettings& learn) {
  constexpr const char* methods[] = {"Adam", "SGD"};
  static_assert(std::size(methods) == std::size(descent_methods));
  row_label("Method",
            "How the weights follow their gradients. Adam gives each weight steps of its own length. SGD (stochastic "
            "gradient descent), here with a momentum of 0.9, moves all weights at the same rate.");
  int method = static_cast<int>(learn.method);
  if (segmented("learn-method", methods, &method, "")) choose_method(learn, static_cast<DescentMethod>(method));
}

void draw_rate(double& rate) {
  row_label("Rate",
            "How far each step moves the weights (the learning rate). If it is too high, the loss jumps around; if it "
            "is too low, the loss hardly falls. With several layers, learning starts at a lower rate and reaches this "
            "one after 200 steps.");
  auto value = static_cast<float>(rate);
  const auto low = static_cast<float>(learn_rates.low), high = static_cast<float>(learn_rates.high);
  // With fewer figures ImGui would take the lowest for 0, from where a logarithmic scale cannot begin.
  if (slider("learn-rate", &value, low, high, "%.5g", ImGuiSliderFlags_Logarithmic) && value > 0)
    rate = std::clamp(with_two_figures(value), learn_rates.low, learn_rates.high);
}

std::string pane_text(const std::vector<PaneSettings>& panes, std::size_t at) {
  const PaneSettings& pane = panes[at];
  return std::to_string(at + 1) + " · " +
         (pane.strategy == "source" ? "Source" : display_name(pane.filter) + ", " + pane.strategy);
}

void draw_pane(Settings& settings) {
  const std::vector<PaneSettings>& panes = picture_panes(settings);
  const std::string idea =
      "The pane of the Picture workbench whose picture the layer learns to make of each frame: with its filter, its "
      "strategy and its border. Change it there" +
      keys_of(workbench_action(workbenches.front())) + ".";
  row_label("Pane", idea);
  const std::size_t shown = std::min(static_cast<std::size_t>(std::max(settings.learn.pane, 0)), panes.size() - 1);
  if (begin_combo("##learn-pane", pane_text(panes, shown))) {
    for (std::size_t i = 0; i < panes.size(); ++i) {
      if (list_entry(pane_text(panes, i), i == shown)) settings.learn.pane = static_cast<int>(i);
      mark_item("learn-pane/" + std::to_string(i + 1));
    }
    ImGui::EndCombo();
  } else {
    tooltip(idea);
  }
}

void draw_task(Settings& settings) {
  LearnSettings& learn = settings.learn;
  constexpr const char* tasks[] = {"A filter", "Remove noise", "A pane"};
  static_assert(std::size(tasks) == std::size(learn_tasks));
  int task = static_cast<int>(learn.task);
  row_label(
      "Learn",
      "A filter: the layer learns to do what a filter from the catalogue does to each colour. Remove noise: it "
      "learns to turn a frame with added noise back into the clean one. A pane: it learns to do what a pane of the "
      "Picture workbench shows.");
  if (segmented("learn-task", tasks, &task, "")) {
    learn.task = static_cast<LearnTask>(task);
    if (learn.task != LearnTask::denoise) settings.layer.noise = 0;
    // What the source shows is there already.
    const std::vector<PaneSettings>& panes = picture_panes(settings);
    const auto filtered = std::ranges::find_if(panes, [](const PaneSettings& p) { return p.strategy != "source"; });
    if (learn.task == LearnTask::pane && learnt_pane(settings).strategy == "source" && filtered != panes.end())
      learn.pane = static_cast<int>(filtered - panes.begin());
  }
  if (learn.task == LearnTask::filter)
    draw_target(learn.target);
  else if (learn.task == LearnTask::pane)
    draw_pane(settings);
  else
    draw_noise(learn.noise, settings.layer);
  draw_network(learn);
  draw_method(learn);
  draw_rate(learn.rate);
}

// Over the whole width, as the one that is pressed in front of an audience.
bool large_button(const char* id, Icon icon, const char* label, const std::string& tip, bool enabled) {
  ImGui::BeginDisabled(!enabled);
  const Theme& t = theme();
  const float width = std::max(ImGui::GetContentRegionAvail().x, px(60)), height = px(40), side = px(16), gap = px(8);
  const bool clicked = ImGui::InvisibleButton(id, {width, height});
  mark_item(id);
  const ImVec2 from = ImGui::GetItemRectMin(), to = ImGui::GetItemRectMax(), size = text_size(Font::title, label);
  const float lightening = ImGui::IsItemActive() ? 0.3f : ImGui::IsItemHovered() ? 0.15f : 0;
  ImGui::EndDisabled();  // what is greyed has colours of its own: with less of all of them its label was hard to read
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(from, to, enabled ? mix(t.accent, t.text, lightening) : t.field, px(7));
  const float left = std::round((from.x + to.x - side - gap - size.x) / 2), middle = (from.y + to.y) / 2;
  const ImU32 ink = enabled ? t.on_accent : t.dim;
  draw_icon(list, icon, {left + side / 2, middle}, side, ink);
  draw_text(list, Font::title, {left + side + gap, std::round(middle - size.y / 2)}, ink, label);
  tooltip(tip);
  return clicked;
}

// On the same line, where what comes next has room there.
void beside_button(const char* label) {
  const float gap = px(8), right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  if (ImGui::GetItemRectMax().x + gap + text_button_width(label) <= right) ImGui::SameLine(0, gap);
}

// What stands in the way comes and goes: it is said below all buttons, so that none moves from under the mouse.
void draw_set_up(const std::string& why, Settings& settings, Requests& requests) {
  const std::string made =
      settings.learn.layers > 1
          ? "Makes the whole network. Its first layer has maps that see all colours, as many as are chosen above, with "
            "ReLU and biases, padding and stride 1. All layers get small random weights."
          : "Makes the layer depthwise, with one map for each colour, filters that are large enough, stride 1, no "
            "ReLU, and small random weights. There is a bias for each map where a pane's filter adds one, else none.";
  if (text_button("learn-set-up", "Set the layer up to learn",
                  made + " Undo brings the old weights back" + keys_of(action::undo) + ".", !why.empty()))
    set_up_to_learn(settings, requests);
  if (!is_too_small_to_learn(settings)) return;
  const std::string label = "Make K = " + std::to_string(size_to_learn(settings));
  beside_button(label.c_str());
  if (text_button("learn-enlarge", label.c_str(), "Makes the layer's filters as large as the one to be learnt."))
    enlarge_to_learn(settings);
}

void draw_learn_buttons(const std::string& why, bool checking, Requests& requests) {
  bool& learning = momentary().learning;
  if (large_button("learn-run", learning ? Icon::pause : Icon::play, learning ? "Pause" : "Learn",
                   why.empty() || learning ? with_keys(action::learn) : why, learning || why.empty()))
    learning = !learning;
  ImGui::BeginDisabled(!why.empty());
  if (text_button(
          "learn-reset", "Reset",
          why.empty()
              ? "Forgets what was learnt and starts again from small random weights. Undo brings the weights and "
                "their loss back" +
                    keys_of(action::undo) + "."
              : why))
    requests.reset_learning = true;
  ImGui::EndDisabled();
  const char* const check = "Check the gradients";
  beside_button(check);
  ImGui::BeginDisabled(!why.empty() || checking);
  if (text_button("learn-check", check,
                  why.empty() ? "Changes some weights a little, measures how the loss changes, and compares that with "
                                "what the gradients say."
                              : why))
    requests.check_gradients = true;
  ImGui::EndDisabled();
}

// Of what was learnt that which holds for weights from elsewhere, or for what is to be learnt now, too.
LearnStats told_of_another(const LearnStats& learnt) {
  LearnStats told;
  told.others_shown = learnt.others_shown;
  told.other_goal = learnt.other_goal;
  if (!learnt.other_goal) {
    told.largest_difference = learnt.largest_difference;
    told.cosine = learnt.cosine;
  }
  told.problem = learnt.problem;
  told.checking = learnt.checking;
  told.check_dropped_by = learnt.check_dropped_by;
  return told;
}

void draw_check(const LearnStats::GradientCheck& check, std::int64_t steps) {
  const ImU32 ink = check.weights == 0    ? theme().warning
                    : !is_right(check)    ? theme().error
                    : check.step != steps ? theme().dim
                                          : theme().good;
  text_coloured(ink, gradient_text(check, steps));
}

void draw_learn_panel(const Stats& stats, Settings& settings, Requests& requests) {
  const bool another = stats.learn.others_shown || stats.learn.other_goal;
  const LearnStats others = another ? told_of_another(stats.learn) : LearnStats();
  const LearnStats& learnt = another ? others : stats.learn;
  draw_task(settings);
  const std::string why = why_not_learning(settings);
  draw_set_up(why, settings, requests);
  draw_learn_buttons(why, learnt.checking, requests);
  if (!why.empty())
    text_coloured(theme().warning, (ui_state().learning_stopped ? "The layer stopped learning. " : "") + why);
  if (why.empty() && !learnt.problem.empty()) text_coloured(theme().warning, learnt.problem);
  if (const std::string text = cut_off_text(learnt); !text.empty()) text_coloured(theme().warning, text);
  if (const std::string text = check_text(learnt); !text.empty())
    text_coloured(learnt.checking ? theme().dim : theme().warning, text);
  else if (learnt.gradients)
    draw_check(*learnt.gradients, learnt.steps);
  draw_loss(learnt);
  if (const std::string text = count_text(learnt, settings.layer); !text.empty()) text_dim(text);
  value_row("Steps", format_count(learnt.steps),
            "How many steps the layer has learnt, since the beginning or the last reset.");
  value_row("Smoothed loss", learnt.steps > 0 ? with_power(format_number(learnt.now)) : "–",
            "The mean over the last 20 steps.");
  const bool emulated = stats.device.backend == Backend::emulated;
  value_row("Time of a step", emulated ? "–" : format_milliseconds(learnt.milliseconds),
            emulated ? "Emulated kernels are not timed."
                     : "The median of the last 100 steps, each by itself. How many fit into a second depends on the "
                       "time that the picture leaves for them.");
  if (const std::string truth = truth_text(learnt); !truth.empty() && settings.learn.task == LearnTask::filter)
    text_coloured(theme().text, truth);
  if (const std::string less = noise_text(learnt); !less.empty() && settings.learn.task == LearnTask::denoise)
    text_coloured(theme().text, less);
}

constexpr Control learn_controls[] = {
    {"Learn"},   {"Filter"},
    {"Noise σ"}, {"In the panes"},
    {"Pane"},    {"Layers"},
    {"Maps"},    {"Method"},
    {"Rate"},    {"Set the layer up to learn"},
    {"Reset"},   {"Check the gradients"},
};

}  // namespace

extern const Panel learn_panel{
    .id = "learn",
    .title = "Learn",
    .key = key::f(3),
    .modifiers = key::shift,
    .keys = "Shift+F3",
    .action = "Learn panel",
    .draw = draw_learn_panel,
    .summary = [](const Stats& stats, const Settings&) { return learning_text(stats.learn); },
    .applies = has_bank,
    .controls = learn_controls,
};

}  // namespace convoscope::ui
