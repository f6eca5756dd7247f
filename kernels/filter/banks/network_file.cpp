// Networks as files: which layers their tensors make.
#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <map>

#include "kernels/files/json_parts.h"
#include "kernels/files/output_file.h"
#include "kernels/filter/banks/bank_catalogue.h"
#include "kernels/filter/banks/batch_norm.h"
#include "kernels/filter/banks/network_layers.h"
#include "kernels/filter/banks/npy_file.h"
#include "kernels/filter/banks/tensor_file.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

using namespace json_parts;
namespace fs = std::filesystem;

constexpr const char* options_file = "network.json";

const NamedTensor& named_tensor(const TensorFile& file, const std::string& name) {
  const auto found = file.tensors.find(name);
  if (found == file.tensors.end()) throw Error("there is no tensor " + in_quotes(name));
  return found->second;
}

bool has_weights(const NamedTensor& tensor) { return tensor.array.shape.size() == 4; }

Filter layer_bank(const TensorFile& file, const std::string& weights, const std::string& biases,
                  TensorNumbers& numbers) {
  const NamedTensor& tensor = named_tensor(file, weights);
  const std::vector<int>& shape = tensor.array.shape;
  if (!has_weights(tensor))
    throw Error("the tensor " + in_quotes(weights) + " has the shape " + extents_text(shape) +
                "; a layer's weights have four numbers: maps, channels, height and width");
  if (const std::string order = other_order_of_weights(shape); !order.empty())
    throw Error("the tensor " + in_quotes(weights) + " has the shape " + order);
  Filter bank{.name = weights, .width = shape[3], .height = shape[2], .weights = numbers.of(weights, tensor)};
  bank.maps = shape[0];
  bank.channels = shape[1];
  if (biases.empty()) return bank;
  const NamedTensor& added = named_tensor(file, biases);
  if (added.array.shape != std::vector{bank.maps})
    throw Error("the tensor " + in_quotes(biases) + " has the shape " + extents_text(added.array.shape) + "; " +
                in_quotes(weights) + " needs " + counted(bank.maps, "bias", "biases") + ", one for each map");
  bank.biases = numbers.of(biases, added);
  return bank;
}

std::string name_of_biases(std::string name) {
  if (const std::size_t at = name.rfind("weight"); at != std::string::npos) return name.replace(at, 6, "bias");
  return name + ".bias";
}

// "'bn1' into 'conv1.weight'".
std::string folded_text(const std::string& norm, const std::string& weights, double epsilon, bool said) {
  return in_quotes(norm) + " into " + in_quotes(weights) + (said ? " with ε = " + number_text(epsilon) : "");
}
void add_folded(const std::vector<std::string>& folded, bool all_said, std::vector<std::string>& remarks) {
  if (folded.empty()) return;
  std::string list;
  for (const std::string& one : folded) list += (list.empty() ? "" : ", ") + one;
  remarks.push_back(
      "Batch normalisation was folded: " + list + "." +
      (all_said ? ""
                : " PyTorch's usual ε = " + number_text(usual_epsilon) + " was taken, which the file does not hold."));
}

std::vector<NetworkLayer> layers_by_name(const TensorFile& file, TensorNumbers& numbers,
                                         std::vector<std::string>& remarks) {
  std::vector<std::string> weights;
  for (const auto& [name, tensor] : file.tensors)
    if (has_weights(tensor)) weights.push_back(name);
  if (weights.empty()) throw Error("it has no weights of the shape maps × channels × height × width");
  validate_layer_count(weights.size());  // each tensor below is compared with all of them
  check_shares_nothing(file);
  std::map<std::string, std::string> norm_of;
  for (const std::string& norm : batch_norms(file)) {
    const auto [taken, first] = norm_of.emplace(convolution_before(norm, weights), norm);
    if (!first)
      throw Error("the batch normalisations " + in_quotes(taken->second) + " and " + in_quotes(norm) + " both follow " +
                  in_quotes(taken->first));
  }
  const auto is_used = [&](const std::string& name) {
    return is_part_of_batch_norm(file, name) || std::ranges::any_of(weights, [&](const std::string& of) {
             return of == name || name_of_biases(of) == name;
           });
  };
  for (const auto& [name, tensor] : file.tensors)
    if (!is_used(name))
      throw Error("the tensor " + in_quotes(name) + " (" + extents_text(tensor.array.shape) +
                  ") is neither a convolution's weights nor the biases of any");
  std::vector<NetworkLayer> layers;
  std::vector<std::string> folded;
  for (const std::string& name : weights) {
    const std::string biases = name_of_biases(name);
    Filter bank = layer_bank(file, name, file.tensors.contains(biases) ? biases : "", numbers);
    if (const auto norm = norm_of.find(name); norm != norm_of.end()) {
      fold_batch_norm(file, norm->second, usual_epsilon, numbers, bank);
      folded.push_back(folded_text(norm->second, name, usual_epsilon, false));
    }
    layers.push_back(padded_layer(std::move(bank), true));
  }
  layers.back().bank.relu = false;
  add_folded(folded, false, remarks);
  return layers;
}

double epsilon_of(const json& said) {
  if (!said.contains("epsilon")) return usual_epsilon;
  const double epsilon = to_float(said["epsilon"], "'epsilon'");
  if (!(epsilon >= 0 && epsilon <= 1)) throw Error("'epsilon' is " + number_text(epsilon) + "; it must be from 0 to 1");
  return said["epsilon"].get<double>();
}

std::vector<NetworkLayer> layers_by_options(const TensorFile& file, TensorNumbers& numbers,
                                            std::vector<std::string>& remarks) {
  only_keys(file.options, {"name", "layers"});
  const auto found = file.options.find("layers");
  if (found == file.options.end() || !found->is_array()) throw Error("'layers' must be a list of layers");
  std::vector<NetworkLayer> layers;
  std::vector<std::string> folded;
  bool all_said = true;
  validate_layer_count(found->size());
  check_shares_nothing(file);
  for (const json& said : *found) {
    if (!said.is_object())
      throw Error("layer " + std::to_string(layers.size() + 1) +
                  " of 'layers' must be a JSON object that begins like " + "{\"weights\": \"conv1.weight\"}, not " +
                  said.type_name());
    only_keys(said,
              {"weights", "biases", "norm", "epsilon", "relu", "pool", "stride", "padding", "dilation", "groups"});
    Filter bank = layer_bank(file, text_or(said, "weights", ""), text_or(said, "biases", ""), numbers);
    if (const std::string norm = text_or(said, "norm", ""); !norm.empty()) {
      const double epsilon = epsilon_of(said);
      fold_batch_norm(file, norm, epsilon, numbers, bank);
      folded.push_back(folded_text(norm, bank.name, epsilon, said.contains("epsilon")));
      all_said = all_said && said.contains("epsilon");
    }
    NetworkLayer layer = padded_layer(std::move(bank), switch_or(said, "relu", false), switch_or(said, "pool", false));
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
  add_folded(folded, all_said, remarks);
  return layers;
}

std::vector<NetworkLayer> layers_of(const TensorFile& file, std::vector<std::string>& remarks) {
  TensorNumbers numbers;
  std::vector<NetworkLayer> layers =
      file.options.is_null() ? layers_by_name(file, numbers, remarks) : layers_by_options(file, numbers, remarks);
  numbers.add_remark(remarks);
  validate_network(layers);
  return layers;
}

std::string small_ending(const std::string& path) {
  std::string ending = fs::path(path).extension().string();
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return std::tolower(c); });
  return ending;
}

}  // namespace

bool is_network_path(const std::string& path) {
  std::error_code failed;
  const std::string ending = small_ending(path);
  return ending == ".safetensors" || ending == ".npz" || fs::is_directory(path, failed);
}

std::vector<NetworkLayer> load_network(const std::string& path, std::vector<std::string>* remarks) {
  std::error_code failed;
  const bool folder = fs::is_directory(path, failed);
  std::vector<std::string> said;
  try {
    std::vector<NetworkLayer> layers = layers_of(folder                         ? read_npy_folder(path)
                                                 : small_ending(path) == ".npz" ? read_npz(path)
                                                                                : read_safetensors(path),
                                                 said);
    if (remarks) remarks->insert(remarks->end(), said.begin(), said.end());
    return layers;
  } catch (const Error& failure) {
    throw Error("The network " + in_quotes(path) + " cannot be used: " + failure.what());
  }
}

std::vector<NetworkLayer> parse_network(std::string_view safetensors) {
  std::vector<std::string> unsaid;
  return layers_of(parse_safetensors(safetensors), unsaid);
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
