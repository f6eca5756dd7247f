// Banks as files, and what is no bank.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>

#include "kernels/files/json_parts.h"
#include "kernels/files/output_file.h"
#include "kernels/filter/banks/bank_catalogue.h"
#include "kernels/filter/banks/npy_file.h"
#include "kernels/filter/banks/tensor_file.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

using namespace json_parts;

constexpr int largest_number = 1 << 20;                                               // of maps, channels, K
constexpr std::uintmax_t largest_json = 64 << 20;                                     // some four million weights
constexpr std::uintmax_t largest_npy = sizeof(double) * most_bank_weights + 0x10000;  // and a header
constexpr const char* bank_file = "bank file";

std::string bank_size_text(const Filter& bank) {
  return counted(bank.maps, "map") + " of " + counted(bank.channels, "channel") + " of " + std::to_string(bank.width) +
         " × " + std::to_string(bank.height);
}

void validate_extents(const Filter& bank) {
  const std::string range = "; it must be from 1 to " + std::to_string(largest_number);
  for (const auto& [name, value] : {std::pair{"number of maps", bank.maps},
                                    {"number of channels", bank.channels},
                                    {"filter width", bank.width},
                                    {"filter height", bank.height}})
    if (value < 1 || value > largest_number)
      throw Error("The bank's " + std::string(name) + " is " + std::to_string(value) + range);
  if (bank.is_magnitude()) throw Error("A bank's filters must be single ones; these are edge magnitudes");
  if (bank.depth != 1)
    throw Error("A bank's filters must be for one frame; these are for " + std::to_string(bank.depth));
  if (bank.width != bank.height)
    throw Error("A bank's filters must be square; these are " + std::to_string(bank.width) + " × " +
                std::to_string(bank.height));
  const double count = 1.0 * bank.maps * bank.channels * bank.width * bank.height;
  if (count > most_bank_weights)
    throw Error("A bank of " + bank_size_text(bank) + " has " + with_commas(number_text(count)) +
                " weights; the most is " + format_count(most_bank_weights));
}

// `path` may end in capitals too.
std::string ending_of(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  for (char& c : ending) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (ending != ".json" && ending != ".npy")
    throw Error("The " + std::string(bank_file) + " " + in_quotes(path) +
                " must end in .json or .npy; a whole network is a folder, or a .safetensors or .npz file");
  return ending;
}

Filter read_json(const json& object, const std::string& path) {
  only_keys(object, {"name", "maps", "channels", "width", "height", "weights", "biases", "relu"});
  const std::string range = "a whole number up to " + std::to_string(largest_number);
  Filter bank{.name = text_or(object, "name", std::filesystem::path(path).stem().string())};
  bank.maps = whole_number(object, "maps", range);
  bank.channels = whole_number(object, "channels", range);
  bank.width = whole_number(object, "width", range);
  bank.height = whole_number(object, "height", range);
  bank.weights = read_weights(object, "weights", bank.width);
  if (object.contains("biases")) bank.biases = read_weights(object, "biases", bank.maps);
  bank.relu = switch_or(object, "relu", false);
  return bank;
}

Filter read_npy(const std::string& bytes, const std::string& path, std::vector<std::string>& remarks) {
  const NumberArray array = parse_npy(bytes);
  const std::vector<int>& shape = array.shape;
  if (shape.size() != 4)
    throw Error(
        "its shape has " + counted(std::ssize(shape), "number") +
        "; a bank's has four: maps, channels, height and width" +
        (shape.size() == 2 ? ". NumPy's tile(array, (3, 1, 1, 1)) makes a bank of it, a map for each colour" : ""));
  if (const std::string order = other_order_of_weights(shape); !order.empty()) throw Error("its shape is " + order);
  Filter bank{.name = std::filesystem::path(path).stem().string(), .width = shape[3], .height = shape[2]};
  bank.maps = shape[0];
  bank.channels = shape[1];
  TensorNumbers numbers;
  bank.weights = numbers.of(bank.name, {array, {}, {}});
  numbers.add_remark(remarks);
  return bank;
}

}  // namespace

void validate_bank(const Filter& bank) {
  validate_extents(bank);
  const std::size_t taps = static_cast<std::size_t>(bank.taps()), channels = static_cast<std::size_t>(bank.channels),
                    count = static_cast<std::size_t>(bank.maps) * channels * taps;
  if (bank.weights.size() != count)
    throw Error("The bank has " + counted(std::ssize(bank.weights), "weight") + "; for " + bank_size_text(bank) +
                " there must be " + format_count(static_cast<long long>(count)));
  if (!bank.biases.empty() && bank.biases.size() != static_cast<std::size_t>(bank.maps))
    throw Error("The bank has " + counted(std::ssize(bank.biases), "bias", "biases") + " for " +
                counted(bank.maps, "map"));
  const auto finite = [](float weight) { return std::isfinite(weight); };
  if (const auto bad = std::ranges::find_if_not(bank.weights, finite); bad != bank.weights.end()) {
    const std::size_t place = static_cast<std::size_t>(bad - bank.weights.begin()), tap = place % taps,
                      width = static_cast<std::size_t>(bank.width);
    validate_finite(*bad, "The weight in row " + std::to_string(tap / width + 1) + ", column " +
                              std::to_string(tap % width + 1) + " of map " +
                              std::to_string(place / taps / channels + 1) + ", channel " +
                              std::to_string(place / taps % channels + 1));
  }
  for (std::size_t map = 0; map < bank.biases.size(); ++map)
    validate_finite(bank.biases[map], "The bias of map " + std::to_string(map + 1));
}

Filter load_bank(const std::string& path, std::vector<std::string>* remarks) {
  std::error_code unknown;
  if (!std::filesystem::exists(path, unknown) && !unknown)
    throw Error("The " + std::string(bank_file) + " " + in_quotes(path) + " cannot be opened: no such file");
  const bool npy = ending_of(path) == ".npy";
  const std::string content = read_file(path, bank_file, npy ? largest_npy : largest_json);
  const json object = npy ? json() : parse(content, path, bank_file);
  try {
    std::vector<std::string> said;
    Filter bank = npy ? read_npy(content, path, said) : read_json(object, path);
    validate_bank(bank);
    if (remarks) remarks->insert(remarks->end(), said.begin(), said.end());
    return bank;
  } catch (const Error& failure) {
    throw Error("The bank file " + in_quotes(path) + " cannot be used: " + failure.what());
  }
}

void save_bank(const Filter& bank, const std::string& path) {
  validate_bank(bank);
  if (ending_of(path) == ".npy") {
    const int shape[] = {bank.maps, bank.channels, bank.height, bank.width};
    write_file(path, npy_bytes(shape, bank.weights));
    return;
  }
  json object{{"name", bank.name},   {"maps", bank.maps},     {"channels", bank.channels},
              {"width", bank.width}, {"height", bank.height}, {"weights", to_json(bank.weights)}};
  if (!bank.biases.empty()) object["biases"] = to_json(bank.biases);
  if (bank.relu) object["relu"] = true;
  write(path, object);
}

}  // namespace convoscope
