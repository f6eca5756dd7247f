#include "kernels/choose/auto_memory.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "kernels/files/cache_file.h"
#include "kernels/filter/separability.h"

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

// Changes when a strategy comes, goes or gets another tunable, which a version number alone would miss.
std::string ladder_fingerprint(Backend backend) {
  std::uint32_t hash = 2166136261u;  // FNV-1a
  const auto add = [&](std::string_view text) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  };
  for (const Strategy* strategy : strategies(backend)) {
    add(strategy->id);
    for (const Tunable& tunable : strategy->tunables) add(tunable.id), add(std::to_string(tunable.initial));
  }
  char text[16];
  std::snprintf(text, sizeof text, "%08x", hash);
  return text;
}

}  // namespace

std::string auto_key(const Problem& problem, const Device& device) {
  const Filter& filter = problem.filter;
  std::string key = device_key(device) + "-" + ladder_fingerprint(device.backend) + "; " + to_string(problem.format) +
                    ", " + std::string(to_string(problem.border)) + ", size class " +
                    std::to_string(size_class(problem.width)) + "x" + std::to_string(size_class(problem.height)) +
                    "; filter " + std::to_string(filter.width) + "x" + std::to_string(filter.height) + ", " +
                    shape(filter.weights, filter);
  if (filter.is_magnitude()) key += " and " + shape(filter.weights_y, filter);
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
                      .tried = entry.at("tried"),
                      .pruned = entry.at("pruned")};
    return choice;
  } catch (const json::exception&) {  // not an entry of ours: measured again, and then replaced
    return std::nullopt;
  }
}

bool remember_choice(const std::string& key, const AutoChoice& choice, std::string* problem) {
  return save_cache_entry(auto_cache_name, key,
                          {{"strategy", choice.strategy},
                           {"median_ms", choice.median_ms},
                           {"next", choice.next},
                           {"next_ms", choice.next_ms},
                           {"tried", choice.tried},
                           {"pruned", choice.pruned}},
                          problem);
}

}  // namespace convoscope
