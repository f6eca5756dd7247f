// Networks as files. https://github.com/huggingface/safetensors has the format: eight bytes, the header's length, the
// header as JSON, the numbers.
#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <filesystem>
#include <map>

#include "kernels/contract/data/half.h"
#include "kernels/contract/error.h"
#include "kernels/files/output_file.h"
#include "kernels/filter/banks/bank_catalogue.h"
#include "kernels/filter/banks/network_layers.h"
#include "kernels/filter/banks/npy_file.h"
#include "kernels/filter/json_parts.h"
#include "kernels/filter/number_text.h"

namespace convoscope {
namespace {

using namespace json_parts;
namespace fs = std::filesystem;

constexpr std::uintmax_t largest_network = std::uintmax_t{1} << 30, largest_options = 1 << 20,
                         largest_header = 100 << 20;
constexpr const char* network_file = "network file";
constexpr const char* options_file = "network.json";

// 2 before 10, and letters as they are.
bool comes_before(std::string_view a, std::string_view b) {
  const auto is_digit = [](std::string_view text) {
    return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0]));
  };
  while (!a.empty() && !b.empty()) {
    if (!is_digit(a) || !is_digit(b)) {
      if (a[0] != b[0]) return a[0] < b[0];
      a.remove_prefix(1);
      b.remove_prefix(1);
      continue;
    }
    const auto take_number = [&](std::string_view& from) {
      std::string_view number = from.substr(0, std::min(from.find_first_not_of("0123456789"), from.size()));
      from.remove_prefix(number.size());
      number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
      return number;
    };
    const std::string_view first = take_number(a), second = take_number(b);
    if (first.size() != second.size()) return first.size() < second.size();
    if (first != second) return first < second;
  }
  return a.size() < b.size();
}
struct ByName {
  bool operator()(const std::string& a, const std::string& b) const {
    return comes_before(a, b) || (!comes_before(b, a) && a < b);
  }
};

using Tensors = std::map<std::string, NpyArray, ByName>;

std::string extents_text(const std::vector<int>& shape) {
  std::string text;
  for (const int extent : shape) text += (text.empty() ? "" : " × ") + std::to_string(extent);
  return text.empty() ? "of a single number" : text;
}

// --- which tensors a file has ---

std::uint64_t unsigned_number(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

float number_of(std::string_view bytes, std::string_view type) {
  const auto bits = static_cast<std::uint32_t>(unsigned_number(bytes));
  if (type == "F16") return from_half(static_cast<std::uint16_t>(bits));
  return std::bit_cast<float>(type == "BF16" ? bits << 16 : bits);
}

NpyArray safetensor(const json& entry, std::string_view data) {
  const auto type = entry.at("dtype").get<std::string>();
  const std::size_t bytes = type == "F32" ? 4 : type == "F16" || type == "BF16" ? 2 : 0;
  if (bytes == 0) throw Error("is of type " + in_quotes(type) + "; F32, F16 and BF16 are read");
  NpyArray tensor;
  double needed = static_cast<double>(bytes);
  for (const json& extent : entry.at("shape")) {
    const double number = extent.get<double>();
    if (!extent.is_number_integer() || !(number >= 0 && number <= most_bank_weights))
      throw Error("has the extent " + extent.dump());
    tensor.shape.push_back(static_cast<int>(number));
    needed *= number;
  }
  const json& offsets = entry.at("data_offsets");
  if (offsets.size() != 2 || !offsets.at(0).is_number_unsigned() || !offsets.at(1).is_number_unsigned())
    throw Error("lies in the bytes " + offsets.dump() + "; its first and the one behind its last are needed");
  const auto from = offsets.at(0).get<std::uint64_t>(), to = offsets.at(1).get<std::uint64_t>();
  if (from > to || to > data.size())
    throw Error("lies in the bytes " + with_commas(std::to_string(from)) + " to " + with_commas(std::to_string(to)) +
                "; the file has " + format_count(std::ssize(data)));
  if (needed != static_cast<double>(to - from))
    throw Error("has " + format_count(static_cast<long long>(to - from)) + " bytes, but its shape " +
                extents_text(tensor.shape) + " needs " + with_commas(number_text(needed)));
  for (std::uint64_t at = from; at < to; at += bytes) tensor.values.push_back(number_of(data.substr(at, bytes), type));
  return tensor;
}

Tensors read_safetensors(std::string_view bytes, json& options) {
  const std::uint64_t length = bytes.size() < 8 ? 0 : unsigned_number(bytes.substr(0, 8));
  if (length == 0 || length > largest_header || length > bytes.size() - 8)
    throw Error("it does not begin as a .safetensors file does");
  const json header = parse(std::string(bytes.substr(8, length)), "its header");
  if (!header.is_object()) throw Error("its header is no JSON object");
  Tensors tensors;
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") {
      if (entry.is_object() && entry.contains("convoscope"))
        options = parse(text_or(entry, "convoscope", ""), "the text 'convoscope' in its metadata");
      continue;
    }
    try {
      tensors[name] = safetensor(entry, bytes.substr(8 + length));
    } catch (const Error& failure) {
      throw Error("the tensor " + in_quotes(name) + " " + failure.what());
    } catch (const json::exception&) {
      throw Error("the tensor " + in_quotes(name) + " has no type, shape and place as a .safetensors file says them");
    }
  }
  return tensors;
}

Tensors read_folder(const std::string& path, json& options) {
  Tensors tensors;
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(path, failed)) {
    const fs::path& file = entry.path();
    if (file.filename() == options_file)
      options = parse(read_file(file.string(), network_file, largest_options), std::string("its ") + options_file);
    if (file.extension() != ".npy") continue;
    try {
      tensors[file.stem().string()] = parse_npy(read_file(file.string(), network_file, largest_network));
    } catch (const Error& failure) {
      throw Error("in the file " + in_quotes(file.filename().string()) + ", " + failure.what());
    }
  }
  if (failed) throw Error("the folder cannot be read");
  return tensors;
}

// --- what layers they make ---

const NpyArray& named_tensor(const Tensors& tensors, const std::string& name) {
  const auto found = tensors.find(name);
  if (found == tensors.end()) throw Error("there is no tensor " + in_quotes(name));
  return found->second;
}

Filter layer_bank(const Tensors& tensors, const std::string& weights, const std::string& biases) {
  const NpyArray& tensor = named_tensor(tensors, weights);
  if (tensor.shape.size() != 4)
    throw Error("the tensor " + in_quotes(weights) + " has the shape " + extents_text(tensor.shape) +
                "; a layer's weights have four numbers: maps, channels, height and width");
  Filter bank{.name = weights, .width = tensor.shape[3], .height = tensor.shape[2], .weights = tensor.values};
  bank.maps = tensor.shape[0];
  bank.channels = tensor.shape[1];
  if (biases.empty()) return bank;
  const NpyArray& added = named_tensor(tensors, biases);
  if (added.shape != std::vector{bank.maps})
    throw Error("the tensor " + in_quotes(biases) + " has the shape " + extents_text(added.shape) + "; " +
                in_quotes(weights) + " needs " + counted(bank.maps, "bias", "biases") + ", one for each map");
  bank.biases = added.values;
  return bank;
}

std::string name_of_biases(std::string name) {
  if (const std::size_t at = name.rfind("weight"); at != std::string::npos) return name.replace(at, 6, "bias");
  return name + ".bias";
}

std::vector<NetworkLayer> layers_by_name(const Tensors& tensors) {
  // Each tensor below is compared with all weights: a network of too many is refused before that.
  const auto has_weights = [](const auto& named) { return named.second.shape.size() == 4; };
  if (const auto count = std::ranges::count_if(tensors, has_weights); count > 0)
    validate_layer_count(static_cast<std::size_t>(count));
  std::vector<NetworkLayer> layers;
  std::size_t used = 0;
  for (const auto& [name, tensor] : tensors) {
    if (tensor.shape.size() != 4) continue;
    const std::string biases = name_of_biases(name);
    const bool biased = tensors.contains(biases);
    layers.push_back(padded_layer(layer_bank(tensors, name, biased ? biases : ""), true));
    used += biased ? 2 : 1;
  }
  if (layers.empty()) throw Error("it has no weights of the shape maps × channels × height × width");
  layers.back().bank.relu = false;
  if (used == tensors.size()) return layers;
  for (const auto& [name, tensor] : tensors) {
    const auto is_of = [&, &other = name](const auto& weights) {
      return weights.second.shape.size() == 4 && name_of_biases(weights.first) == other;
    };
    if (tensor.shape.size() != 4 && std::ranges::none_of(tensors, is_of))
      throw Error("the tensor " + in_quotes(name) + " (" + extents_text(tensor.shape) +
                  ") is neither a convolution's weights nor the biases of any");
  }
  return layers;
}

std::vector<NetworkLayer> layers_by_options(const Tensors& tensors, const json& options) {
  only_keys(options, {"name", "layers"});
  const auto found = options.find("layers");
  if (found == options.end() || !found->is_array()) throw Error("'layers' must be a list of layers");
  std::vector<NetworkLayer> layers;
  for (const json& said : *found) {
    if (!said.is_object())
      throw Error("layer " + std::to_string(layers.size() + 1) +
                  " of 'layers' must be a JSON object that begins like " + "{\"weights\": \"conv1.weight\"}, not " +
                  said.type_name());
    only_keys(said, {"weights", "biases", "relu", "pool", "stride", "padding", "dilation", "groups"});
    NetworkLayer layer = padded_layer(layer_bank(tensors, text_or(said, "weights", ""), text_or(said, "biases", "")),
                                      switch_or(said, "relu", false), switch_or(said, "pool", false));
    const auto take = [&](const char* key, int& value, int most) {
      if (said.contains(key)) value = whole_number(said, key, "a whole number up to " + std::to_string(most));
    };
    take("stride", layer.stride, largest_layer_step);
    take("dilation", layer.dilation, largest_layer_step);
    layer.padding *= layer.dilation;
    take("padding", layer.padding, largest_layer_step);
    take("groups", layer.groups, layer.bank.maps);
    layers.push_back(std::move(layer));
  }
  return layers;
}

std::vector<NetworkLayer> layers_of(const Tensors& tensors, const json& options) {
  std::vector<NetworkLayer> layers = options.is_null() ? layers_by_name(tensors) : layers_by_options(tensors, options);
  validate_network(layers);
  return layers;
}

}  // namespace

bool is_network_path(const std::string& path) {
  std::error_code failed;
  std::string ending = fs::path(path).extension().string();
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return std::tolower(c); });
  return ending == ".safetensors" || fs::is_directory(path, failed);
}

std::vector<NetworkLayer> load_network(const std::string& path) {
  std::error_code failed;
  const bool folder = fs::is_directory(path, failed);
  const std::string content = folder ? std::string() : read_file(path, network_file, largest_network);
  try {
    json options;
    const Tensors tensors = folder ? read_folder(path, options) : read_safetensors(content, options);
    return layers_of(tensors, options);
  } catch (const Error& failure) {
    throw Error("The network " + in_quotes(path) + " cannot be used: " + failure.what());
  }
}

std::vector<NetworkLayer> parse_network(std::string_view safetensors) {
  json options;
  const Tensors tensors = read_safetensors(safetensors, options);
  return layers_of(tensors, options);
}

void save_network(std::span<const NetworkLayer> layers, const std::string& folder) {
  validate_network(layers);
  std::error_code failed;
  fs::create_directory(folder, failed);
  if (failed) throw Error("The folder " + in_quotes(folder) + " cannot be made: " + failed.message());
  const auto save = [&](const std::string& name, std::span<const int> shape, const std::vector<float>& values) {
    write_file(folder + "/" + name + ".npy", npy_bytes(shape, values));
    return name;
  };
  json all = json::array();
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const auto& [bank, stride, padding, dilation, groups, pool] = layers[i];
    const std::string layer = "layer" + std::to_string(i + 1);
    json& one = all.emplace_back(json{{"relu", bank.relu}, {"pool", pool}});
    one.update({{"stride", stride}, {"padding", padding}, {"dilation", dilation}, {"groups", groups}});
    one["weights"] =
        save(layer + ".weight", std::array{bank.maps, bank.channels, bank.height, bank.width}, bank.weights);
    if (!bank.biases.empty()) one["biases"] = save(layer + ".bias", std::array{bank.maps}, bank.biases);
  }
  write(folder + "/" + options_file, json{{"layers", all}});
}

}  // namespace convoscope
