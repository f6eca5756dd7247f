#include "app/ui/actions/learn_actions.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <utility>
#include <vector>

#include "app/state/network_settings.h"
#include "app/ui/actions/layer_actions.h"
#include "app/ui/actions/workbench_actions.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/format.h"
#include "app/ui/parts/key_names.h"

namespace convoscope::ui {
namespace {

constexpr int size_against_noise = 5;
constexpr double usual_sgd_rate = 0.1;  // where Adam's would hardly move the weights

bool has_several(const LearnSettings& learn) { return learn.layers > 1; }

int maps_to_learn(const Settings& settings) {
  if (has_several(settings.learn)) return settings.learn.maps;
  return channels(settings.format) == 1 ? 1 : 3;
}

std::string square_text(int side) { return std::to_string(side) + " × " + std::to_string(side); }

int side_of(const Filter& filter) { return std::max(filter.width, filter.height); }

// As far as a layer has filters of that size.
int side_of_pane(const Settings& settings) {
  const PaneSettings& pane = learnt_pane(settings);
  return pane.strategy == "source" ? 1 : std::min(side_of(pane.filter.filter), largest_bank_filter);
}

bool is_one_sum(const Filter& filter) { return !filter.is_magnitude() && !filter.absolute; }

// Of what is to be learnt, whatever the layer is.
std::string why_no_target(const LearnSettings& learn) {
  if (learn.task != LearnTask::filter) return {};
  const Filter& target = learn.target.filter;
  if (!is_one_sum(target))
    return "This filter does more than add up weighted pixels, so a layer cannot learn it. Choose another one.";
  if (side_of(target) > largest_bank_filter)
    return "The filter is " + size_text(target) + ", but those of a layer go up to " +
           square_text(largest_bank_filter) + ". Choose a smaller one.";
  return {};
}

std::string why_not_as_many(const Settings& settings) {
  const LayerSettings& layer = settings.layer;
  const int maps = layer.weights.maps, wanted = maps_to_learn(settings);
  if (maps == wanted) return {};
  const bool of_a_network = !layer.network.empty();
  const std::string has =
      (of_a_network ? "This network was not set up by Learn. Its first layer has " : "The layer has ") +
      std::to_string(maps) + (maps == 1 ? " map" : " maps");
  if (has_several(settings.learn))
    return has + ", but each layer in front of the last is to have " + std::to_string(wanted) + ".";
  const std::string alone = of_a_network ? " alone" : "";
  return has + (wanted == 1 ? ". To learn" + alone + " from a grey picture, it needs one."
                            : ". To learn" + alone + ", it needs three: one each for red, green and blue.");
}

// Of the first of several layers.
std::string why_not_first(const LayerSettings& layer) {
  if (layer.depthwise) return "The layer is depthwise. The first of several layers must see all colours at once.";
  if (!layer.weights.relu) return "ReLU is off. Without it, several layers can do no more than one.";
  if (!layer.padded) return "There is no padding, so the maps are smaller than the picture that they should match.";
  return {};
}

std::string up_to_text(double share) {
  const double percent = 100 * share;
  return (percent < 0.001 ? "less than 0.001" : "up to " + format_number(percent, 2)) + " %";
}

// Near 1 the angle still tells what the cosine's digits do not: "1.000, 0.36° apart".
std::string cosine_text(double cosine) {
  char digits[16];
  std::snprintf(digits, sizeof digits, "%.3f", cosine);
  const double degrees = std::acos(std::clamp(cosine, -1.0, 1.0)) * 180 / std::numbers::pi;
  return with_minus(digits) + ", " + format_number(degrees, degrees < 10 ? 2 : 3) + "° apart";
}

const char* direction_text(double cosine) {
  return cosine >= 0.999  ? "the same direction"
         : cosine >= 0.99 ? "nearly the same direction"
         : cosine >= 0.3  ? "roughly the same direction"
         : cosine >= -0.3 ? "almost unrelated directions"
                          : "the opposite direction";
}

}  // namespace

std::span<const FilterKind* const> learnable_kinds() {
  static const auto found = [] {
    std::vector<const FilterKind*> kinds;
    for (const FilterKind& kind : filter_kinds()) {
      if (kind.id == "custom") continue;
      const Filter made = parse_filter(std::string(kind.id)).filter;
      if (is_one_sum(made) && side_of(made) <= largest_bank_filter) kinds.push_back(&kind);
    }
    return kinds;
  }();
  return found;
}

int size_to_learn(const Settings& settings) {
  const LearnSettings& learn = settings.learn;
  if (learn.task == LearnTask::pane) return side_of_pane(settings);
  return learn.task == LearnTask::filter ? side_of(learn.target.filter) : size_against_noise;
}

bool is_learning(const Settings& settings) { return has_bank(settings) && momentary().learning; }

bool is_one_go(const Settings& settings, const LearnStats& learn, const Requests& requests) {
  return is_learning(settings) || learn.under_way || requests.reset_learning;
}

bool is_too_small_to_learn(const Settings& settings) {
  const Filter& bank = settings.layer.weights;
  return settings.learn.task == LearnTask::filter && !has_several(settings.learn) && bank.is_bank() &&
         why_no_target(settings.learn).empty() && bank.width < size_to_learn(settings);
}

std::string why_not_learning(const Settings& settings) {
  const LayerSettings& layer = settings.layer;
  if (std::string why = why_no_target(settings.learn); !why.empty()) return why;
  if (!layer.weights.is_bank())
    return "There are no weights yet. Choose a bank in the Layer panel" + keys_of("Layer panel") + ".";
  if (const int frames = frames_seen(layer.weights); frames > 1)
    return "The layer sees " + std::to_string(frames) + " frames, but it learns from single ones.";
  if (std::string why = why_not_as_many(settings); !why.empty()) return why;
  if (has_several(settings.learn)) {
    if (std::string why = why_not_first(layer); !why.empty()) return why;
  } else if (layer.weights.relu) {
    return "ReLU is on. It cuts off all values below zero, and nothing can be learnt from those.";
  }
  if (layer.weights.width % 2 == 0)
    return "The layer's filters are " + square_text(layer.weights.width) +
           ", so its maps are not as large as the picture that they should match. K must be odd.";
  if (layer.stacked > 1) return "The channels of numbers are no picture that could be learnt from.";
  if (layer.stride != 1)
    return "The stride is " + std::to_string(layer.stride) +
           ", so the maps are smaller than the picture that they should match. It must be 1.";
  if (settings.learn.task == LearnTask::filter && !has_several(settings.learn) && layer.dilation != 1)
    return "The dilation is " + std::to_string(layer.dilation) +
           ", so the weights lie further apart than those to be learnt. It must be 1.";
  if (is_too_small_to_learn(settings))
    return "The layer's filters are " + square_text(layer.weights.width) + ", but the one to be learnt is " +
           size_text(settings.learn.target.filter) + ". K must be at least " + std::to_string(size_to_learn(settings)) +
           ".";
  return {};
}

void enlarge_to_learn(Settings& settings) {
  LayerSettings& layer = settings.layer;
  const int maps = layer.weights.maps;
  reshape_bank(layer, maps, size_to_learn(settings), layer.depthwise);
  Filter& bank = layer.weights;
  if (bank.maps <= maps) return;
  // The only map, of a grey picture, was made one for each colour.
  layer.bank = custom_bank;
  bank.maps = maps;
  bank.weights.resize(static_cast<std::size_t>(maps * bank.channels * bank.taps()));
  bank.biases.clear();
}

void set_up_to_learn(Settings& settings, Requests& requests) {
  LayerSettings& layer = settings.layer;
  const int maps = maps_to_learn(settings), size = std::min(size_to_learn(settings), largest_bank_filter);
  const bool several = has_several(settings.learn);
  Filter bank{.name = custom_bank, .width = size, .height = size, .maps = maps, .channels = several ? 3 : 1};
  bank.weights.resize(static_cast<std::size_t>(maps * bank.channels * bank.taps()));
  if (several) bank.biases.resize(static_cast<std::size_t>(maps));
  bank.relu = several;
  drop_network(layer);
  forget_choices_for_layers(settings);
  layer.bank = custom_bank;
  layer.weights = std::move(bank);
  layer.stride = layer.dilation = 1;
  layer.depthwise = !several;
  if (several) layer.padded = true;
  settings.wall.frames = settings.learn.task == LearnTask::denoise;  // whose result is to be looked at
  layer.noise = settings.wall.frames ? settings.learn.noise : 0;
  requests.reset_learning = true;
}

void choose_method(LearnSettings& learn, DescentMethod method) {
  if (std::exchange(learn.method, method) == method) return;
  learn.rate = method == DescentMethod::adam ? LearnSettings().rate : usual_sgd_rate;
}

bool is_right(const LearnStats::GradientCheck& check) { return check.weights > 0 && check.error <= check.tolerance; }

std::string gradient_text(const LearnStats::GradientCheck& check) {
  if (check.weights == 0) return "No weight could be checked: " + check.why_none + ".";
  const auto number = [](double value) { return with_power(format_number(value)); };
  return std::string(is_right(check) ? "The gradients are right: " : "The gradients are wrong: ") + "over " +
         format_count(check.weights) + (check.weights == 1 ? " weight" : " weights") +
         ", the largest difference from finite differences is " + number(check.error) + ". Up to " +
         number(check.tolerance) + " can be rounding.";
}

std::string gradient_text(const LearnStats::GradientCheck& check, std::int64_t steps) {
  if (check.step == steps) return gradient_text(check);
  return gradient_text(check) + " That was after " + format_count(check.step) +
         (check.step == 1 ? " step." : " steps.");
}

std::string truth_text(const LearnStats& learn) {
  std::string text;
  if (learn.largest_difference)
    text = std::isfinite(*learn.largest_difference)
               ? "The weights differ from the true ones by " + up_to_text(*learn.largest_difference) +
                     " of the largest weight."
               : "The weights have become infinite. Reset them, and learn at a lower rate.";
  if (learn.cosine && std::isfinite(*learn.cosine))
    text += std::string(text.empty() ? "" : " ") + "They have " + direction_text(*learn.cosine) + " (cosine " +
            cosine_text(*learn.cosine) + ").";
  return text;
}

std::string cut_off_text(const LearnStats& learn) {
  constexpr int steps_to_judge = 50;  // the layer may have happened to see few pictures that it has something of
  const LearnStats::CutOff& cut = learn.cut_off;
  if (cut.steps < steps_to_judge) return {};
  const std::string maps = "All maps of layer " + std::to_string(cut.layer);
  return (cut.left > 0 ? maps + " are 0 nearly everywhere, since ReLU cuts off what they have, so hardly anything"
                       : maps + " are 0 everywhere, since ReLU cuts off what they have, so nothing") +
         " can be learnt from here on. Reset the weights, and learn at a lower rate.";
}

std::string noise_text(const LearnStats& learn) {
  if (!learn.decibels || !std::isfinite(*learn.decibels)) return {};
  return *learn.decibels < 0 ? "There is more noise than was added: by " + format_number(-*learn.decibels, 3) + " dB."
                             : "There is " + format_number(*learn.decibels, 3) + " dB less noise than was added.";
}

std::string learning_text(const LearnStats& learn) {
  if (learn.steps <= 0 || learn.others_shown || learn.other_goal) return {};
  return format_count(learn.steps) + (learn.steps == 1 ? " step" : " steps") + ", loss " +
         with_power(format_number(learn.now));
}

std::string count_text(const LearnStats& learn, const LayerSettings& layer) {
  if (learn.other_goal)
    return "The steps so far were for something else. Their loss is shown again when that is chosen again, until the "
           "layer learns what is chosen now.";
  if (learn.others_shown)
    return "The weights on the stage are not those that were learnt last. Undo or redo brings those back, with their "
           "loss.";
  if (learn.learnt_all)
    return "The loss is as small as rounding lets it be, so the layer has stopped learning. More steps would only move "
           "the weights around.";
  if (learn.anew == "the weights")
    return "The count started again, because the weights were changed while learning was paused.";
  if (!learn.anew.empty()) return "The count started again, because " + learn.anew + " changed. The weights stayed.";
  if (learn.loss.empty() && !learn.reset && layer.bank == custom_bank && layer.weights.name == "learnt")
    return "The weights were learnt in an earlier session. The count starts again.";
  return {};
}

std::string check_text(const LearnStats& learn) {
  if (learn.checking) return "Checking the gradients …";
  if (!learn.check_dropped_by.empty())
    return "The gradient check was stopped, because " + learn.check_dropped_by + " changed meanwhile.";
  return {};
}

std::string stop_what_cannot_learn(Settings& settings) {
  if (!is_learning(settings)) return {};
  const std::string why = why_not_learning(settings);
  if (!why.empty()) momentary().learning = false;
  return why;
}

}  // namespace convoscope::ui
