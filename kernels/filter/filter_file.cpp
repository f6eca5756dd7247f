// Filters as JSON files.
#include <filesystem>

#include "kernels/contract/data/filter.h"
#include "kernels/files/json_parts.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

using namespace json_parts;

constexpr std::uintmax_t largest_file = 4 << 20;  // 16,129 weights twice, at any precision, stay far below
constexpr const char* filter_file = "filter file";

Filter read_filter(const json& object, const std::string& path) {
  only_keys(object, {"name", "width", "height", "weights", "weights_y", "gain", "bias", "absolute"});
  const std::string size = "an odd whole number up to " + std::to_string(max_filter_taps_1d);
  Filter filter{.name = text_or(object, "name", std::filesystem::path(path).stem().string())};
  filter.width = whole_number(object, "width", size);
  filter.height = whole_number(object, "height", size);
  filter.weights = read_weights(object, "weights", filter.width);
  if (object.contains("weights_y")) {
    filter.weights_y = read_weights(object, "weights_y", filter.width);
    if (filter.weights_y.empty()) throw Error("'weights_y' is empty; leave the key out for a single filter");
  }
  if (object.contains("gain")) filter.gain = to_float(object["gain"], "'gain'");
  if (object.contains("bias")) filter.bias = to_float(object["bias"], "'bias'");
  filter.absolute = switch_or(object, "absolute", false);
  validate(filter);
  return filter;
}

}  // namespace

Filter load_filter(const std::string& path) {
  const json object = parse(read_file(path, filter_file, largest_file), path, filter_file);
  try {
    return read_filter(object, path);
  } catch (const Error& failure) {
    throw Error("The filter file " + in_quotes(path) + " cannot be used: " + failure.what());
  }
}

void save_filter(const Filter& filter, const std::string& path) {
  validate(filter);
  json object{{"name", filter.name},          {"width", filter.width},
              {"height", filter.height},      {"weights", to_json(filter.weights)},
              {"gain", to_json(filter.gain)}, {"bias", to_json(filter.bias)},
              {"absolute", filter.absolute}};
  if (filter.is_magnitude()) object["weights_y"] = to_json(filter.weights_y);

  write(path, object);
}

}  // namespace convoscope
