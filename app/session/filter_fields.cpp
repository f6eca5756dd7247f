#include "app/session/filter_fields.h"

#include <algorithm>

#include "app/cli/options/sound_option.h"
#include "kernels/text/error.h"

namespace convoscope {

using nlohmann::json;

json filter_json(const FilterSpec& spec) {
  if (spec.kind != "custom") return spec_text(spec);
  const Filter& filter = spec.filter;
  json out{{"name", filter.name}, {"width", filter.width}, {"height", filter.height},    {"weights", filter.weights},
           {"gain", filter.gain}, {"bias", filter.bias},   {"absolute", filter.absolute}};
  if (filter.is_magnitude()) out["weights_y"] = filter.weights_y;
  return out;
}

FilterSpec read_filter(const json& value) {
  if (value.is_string()) {
    const std::string text = value.get<std::string>();
    // Only names of the catalogue: a remembered path must not make the start depend on a file.
    if (!find_filter_kind(text.substr(0, text.find(':')))) throw Error("not in the catalogue");
    return parse_filter(text);
  }
  Filter filter;
  filter.name = value.value("name", "custom");
  filter.width = value.at("width").get<int>();
  filter.height = value.at("height").get<int>();
  filter.weights = value.at("weights").get<std::vector<float>>();
  if (value.contains("weights_y")) filter.weights_y = value.at("weights_y").get<std::vector<float>>();
  filter.gain = value.value("gain", 1.0f);
  filter.bias = value.value("bias", 0.0f);
  filter.absolute = value.value("absolute", false);
  validate(filter);
  return {.kind = "custom",
          .values = {static_cast<double>(filter.rx()), static_cast<double>(filter.ry())},
          .filter = filter};
}

SignalFilterSpec read_signal_filter(const json& value) { return parse_signal_filter(value.get<std::string>()); }

std::string read_sound_strategy(const json& value) { return parse_sound_strategy(value.get<std::string>()); }

int read_sound_block(const json& value) {
  const int block = value.get<int>();
  if (!value.is_number_integer() || std::ranges::find(sound_blocks, block) == sound_blocks.end())
    throw Error("not the length of a block");
  return block;
}

}  // namespace convoscope
