#include "kernels/choose/auto_memory.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

#include "kernels/choose/trial_load.h"
#include "kernels/contract/kind.h"
#include "kernels/filter/separability.h"
#include "kernels/filter/volume_separability.h"
#include "kernels/measure/cache_file.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

using nlohmann::json;

constexpr const char* auto_cache_name = "auto.json";

// Half octaves: 0 for 1, 20 for 1024, 22 for 1920 and 2160.
int size_class(int pixels) { return static_cast<int>(std::lround(2 * std::log2(static_cast<double>(pixels)))); }

std::string shape(const std::vector<float>& weights, const Filter& filter) {
  if (all_the_same(weights)) return "box";
  return "rank " + std::to_string(filter_rank(weights.data(), filter.width, filter.height));
}

std::string shape_of_filter(const Filter& filter) {
  if (filter.depth > 1) return separable_volume_reason(filter).empty() ? "a product" : "no product";
  std::string text = shape(filter.weights, filter);
  if (filter.is_magnitude()) text += " and " + shape(filter.weights_y, filter);
  return text;
}

// All of a layer but its extents, which are a matter of size, and what the bank holds.
std::string shape_of_layer(const Problem& problem) {
  const Layer& layer = problem.layer;
  std::string text(to_string(layer.pass));
  if (const std::string numbers = number_format(layer); !numbers.empty()) text += ", " + numbers;
  for (const auto& [name, value] :
       {std::pair{"N", layer.samples}, std::pair{"C", layer.channels}, std::pair{"M", layer.maps},
        std::pair{"stride", layer.stride}, std::pair{"padding", layer.padding}, std::pair{"dilation", layer.dilation},
        std::pair{"groups", layer.groups}})
    text += std::string(", ") + name + " " + std::to_string(value);
  // Libraries that have no bias and no ReLU need another pass over the maps.
  const bool finished = problem.filter.relu || !problem.filter.biases.empty();
  return layer.pass == Pass::forward && finished ? text + ", finished" : text;
}

// Changes when a strategy comes, goes or gets another tunable, which a version number alone would miss.
std::string ladder_fingerprint(Backend backend, const Kind& kind) {
  std::uint32_t hash = 2166136261u;  // FNV-1a
  const auto add = [&](std::string_view text) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  };
  for (const Strategy* strategy : strategies(backend, kind)) {
    add(strategy->id);
    for (const Tunable& tunable : strategy->tunables) add(tunable.id), add(std::to_string(tunable.initial));
  }
  char text[16];
  std::snprintf(text, sizeof text, "%08x", hash);
  return text;
}

}  // namespace

std::string what_it_took(const AutoChoice& choice) {
  std::string text = "When it was chosen, it took " + rounded_text(choice.median_ms, 3) + " ms";
  if (choice.high_ms > 0)
    text += " (" + rounded_text(choice.low_ms, 3) + " to " + rounded_text(choice.high_ms, 3) +
            ", n = " + std::to_string(choice.samples) + ")";
  if (!choice.next.empty()) text += ", and " + choice.next + ", the next, " + rounded_text(choice.next_ms, 3) + " ms";
  if (choice.row_ms > 0)
    text += ": too near to tell, so launches in a row decided, with " + rounded_text(choice.row_ms, 3) + " and " +
            rounded_text(choice.next_row_ms, 3);
  if (choice.disturbed > 0)
    text += "; other programs disturbed " + std::to_string(choice.disturbed) + " of " + counted(choice.trials, "trial");
  return text + ".";
}

Doubt doubt_of(const AutoChoice& choice) {
  return TrialLoad::doubt(choice.trials, choice.disturbed, {choice.median_ms, choice.low_ms, choice.high_ms});
}

std::string auto_key(const Problem& problem, const Device& device) {
  const Filter& filter = problem.filter;
  std::string key = device_key(device) + "-" + ladder_fingerprint(device.backend, *problem.kind) + "; " +
                    std::string(problem.kind->id) + ", " + to_string(problem.format) + ", " +
                    std::string(to_string(problem.border)) + ", size class " +
                    std::to_string(size_class(problem.width)) + "x" + std::to_string(size_class(problem.height)) +
                    "; filter " + std::to_string(filter.width) + "x" + std::to_string(filter.height);
  if (filter.depth > 1) key += "x" + std::to_string(filter.depth);
  key += ", " + (filter.is_bank() ? shape_of_layer(problem) : shape_of_filter(filter));
  if (filter.absolute) key += ", absolute";  // some kernels round before they could take it
  return key;
}

std::optional<AutoChoice> recall_choice(const std::string& key, std::string* problem) {
  const json entry = load_cache_entry(auto_cache_name, key, problem);
  if (!entry.is_object()) return std::nullopt;
  try {
    AutoChoice choice{.strategy = entry.at("strategy"),
                      .median_ms = entry.at("median_ms"),
                      .next = entry.at("next"),
                      .next_ms = entry.at("next_ms"),
                      .row_ms = entry.at("row_ms"),
                      .next_row_ms = entry.at("next_row_ms"),
                      .tried = entry.at("tried"),
                      .pruned = entry.at("pruned"),
                      .samples = entry.at("samples"),
                      .low_ms = entry.at("low_ms"),
                      .high_ms = entry.at("high_ms"),
                      .trials = entry.at("trials"),
                      .disturbed = entry.at("disturbed")};
    const bool counted = choice.disturbed >= 0 && choice.disturbed <= choice.trials && choice.samples >= 0;
    if (!counted || doubt_of(choice) != Doubt::none) return std::nullopt;
    return choice;
  } catch (const json::exception&) {  // not an entry of ours: measured again, and then replaced
    return std::nullopt;
  }
}

bool remember_choice(const std::string& key, const AutoChoice& choice, std::string* problem) {
  if (const Doubt doubt = doubt_of(choice); doubt != Doubt::none) {
    if (problem) *problem = std::string("Not remembered. ") + why_doubtful(doubt);
    return false;
  }
  return save_cache_entry(auto_cache_name, key,
                          {{"strategy", choice.strategy},
                           {"median_ms", choice.median_ms},
                           {"next", choice.next},
                           {"next_ms", choice.next_ms},
                           {"row_ms", choice.row_ms},
                           {"next_row_ms", choice.next_row_ms},
                           {"tried", choice.tried},
                           {"pruned", choice.pruned},
                           {"samples", choice.samples},
                           {"low_ms", choice.low_ms},
                           {"high_ms", choice.high_ms},
                           {"trials", choice.trials},
                           {"disturbed", choice.disturbed}},
                          problem);
}

}  // namespace convoscope
