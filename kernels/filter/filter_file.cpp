// Filters as JSON files.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "kernels/contract/error.h"
#include "kernels/files/output_file.h"
#include "kernels/filter/filter.h"
#include "kernels/filter/number_text.h"

namespace convoscope {
namespace {

using nlohmann::json;

constexpr std::uintmax_t largest_file = 4 << 20;  // 16,129 weights twice, at any precision, stay far below

std::string read_file(const std::string& path) {
  std::error_code failed;
  const std::filesystem::file_status status = std::filesystem::status(path, failed);
  if (!std::filesystem::exists(status))
    throw Error("Cannot read the filter file " + in_quotes(path) + ": there is no such file");
  if (std::filesystem::is_directory(status))
    throw Error("Cannot read the filter file " + in_quotes(path) + ": it is a folder");
  if (!std::filesystem::is_regular_file(status))
    throw Error("Cannot read the filter file " + in_quotes(path) + ": it is not a regular file");
  const std::uintmax_t size = std::filesystem::file_size(path, failed);
  if (!failed && size > largest_file)
    throw Error("The filter file " + in_quotes(path) + " has " + std::to_string(size) + " bytes; the most is " +
                std::to_string(largest_file));
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error("Cannot read the filter file " + in_quotes(path) + ": no permission to open it");
  std::ostringstream text;
  text << file.rdbuf();
  if (file.bad()) throw Error("Cannot read the filter file " + in_quotes(path) + ": reading failed");
  return text.str();
}

// Everything below names the key; load_filter() puts the file in front.
const json& need(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) throw Error("the key '" + std::string(key) + "' is missing");
  return *found;
}

int whole_number(const json& object, const char* key) {
  const json& value = need(object, key);
  if (!value.is_number()) throw Error("'" + std::string(key) + "' must be a whole number, not " + value.type_name());
  const double number = value.get<double>();
  if (number != std::floor(number) || std::abs(number) > 1e6)
    throw Error("'" + std::string(key) + "' is " + number_text(number) + "; it must be an odd whole number up to " +
                std::to_string(max_filter_taps_1d));
  return static_cast<int>(number);
}

float to_float(const json& value, const std::string& what) {
  if (!value.is_number()) throw Error(what + " must be a number, not " + value.type_name());
  const double number = value.get<double>();
  if (!(std::abs(number) <= 3.4028235e38))
    throw Error(what + " is " + number_text(number) + ", too large for a 32-bit float");
  return static_cast<float>(number);
}

// A flat list, or a list of rows.
std::vector<float> read_weights(const json& object, const char* key, int width) {
  const json& list = need(object, key);
  if (!list.is_array()) throw Error("'" + std::string(key) + "' must be a list of numbers, not " + list.type_name());
  std::vector<float> weights;
  const auto add = [&](const json& value) {
    weights.push_back(
        to_float(value, std::string("number ") + std::to_string(weights.size() + 1) + " of '" + key + "'"));
  };
  std::size_t row_number = 0;
  for (const json& entry : list) {
    ++row_number;
    if (!entry.is_array()) {
      add(entry);
      continue;
    }
    if (entry.size() != static_cast<std::size_t>(std::max(width, 0)))
      throw Error("row " + std::to_string(row_number) + " of '" + key + "' has " + std::to_string(entry.size()) +
                  " numbers, but 'width' is " + std::to_string(width));
    for (const json& value : entry) add(value);
  }
  return weights;
}

Filter read_filter(const json& object, const std::string& path) {
  if (!object.is_object()) throw Error(std::string("it must hold one JSON object, not ") + object.type_name());
  constexpr const char* known[] = {"name", "width", "height", "weights", "weights_y", "gain", "bias", "absolute"};
  for (const auto& [key, value] : object.items())
    if (std::find(std::begin(known), std::end(known), key) == std::end(known))
      throw Error("the key " + in_quotes(key) +
                  " is unknown; known are name, width, height, weights, weights_y, gain, bias and absolute");

  Filter filter{.name = std::filesystem::path(path).stem().string()};
  filter.width = whole_number(object, "width");
  filter.height = whole_number(object, "height");
  filter.weights = read_weights(object, "weights", filter.width);
  if (object.contains("weights_y")) {
    filter.weights_y = read_weights(object, "weights_y", filter.width);
    if (filter.weights_y.empty()) throw Error("'weights_y' is empty; leave the key out for a single filter");
  }
  if (object.contains("gain")) filter.gain = to_float(object["gain"], "'gain'");
  if (object.contains("bias")) filter.bias = to_float(object["bias"], "'bias'");
  if (const auto name = object.find("name"); name != object.end()) {
    if (!name->is_string()) throw Error(std::string("'name' must be a text, not ") + name->type_name());
    filter.name = name->get<std::string>();
  }
  if (const auto absolute = object.find("absolute"); absolute != object.end()) {
    if (!absolute->is_boolean())
      throw Error(std::string("'absolute' must be true or false, not ") + absolute->type_name());
    filter.absolute = absolute->get<bool>();
  }
  validate(filter);
  return filter;
}

// The shortest decimals that read back as the same float: 0.1 rather than 0.10000000149011612.
json to_json(float value) {
  const double shortest = parse_number(number_text(value), "a weight");
  return static_cast<float>(shortest) == value ? shortest : static_cast<double>(value);
}

json to_json(const std::vector<float>& weights) {
  json list = json::array();
  for (const float w : weights) list.push_back(to_json(w));
  return list;
}

// `byte`: counted from 1, as the parser does.
std::string place_in(const std::string& text, std::size_t byte) {
  const std::string_view before = std::string_view(text).substr(0, byte > 0 ? byte - 1 : 0);
  const std::size_t start = before.rfind('\n') + 1;  // 0 where there is none
  return "line " + std::to_string(1 + std::ranges::count(before, '\n')) + ", column " +
         std::to_string(before.size() - start + 1);
}

}  // namespace

Filter load_filter(const std::string& path) {
  const std::string text = read_file(path);
  if (trim(text).empty()) throw Error("The filter file " + in_quotes(path) + " is empty");
  json object;
  try {
    object = json::parse(text);
  } catch (const json::parse_error& failure) {
    throw Error("The filter file " + in_quotes(path) + " is not valid JSON: it has a mistake in " +
                place_in(text, failure.byte) + ".");
  } catch (const json::exception&) {
    throw Error("The filter file " + in_quotes(path) + " holds a number that is too large.");
  }
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

  write_file(path, object.dump(-1, ' ', false, json::error_handler_t::replace) + "\n");
}

}  // namespace convoscope
