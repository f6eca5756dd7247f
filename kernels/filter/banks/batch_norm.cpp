#include "kernels/filter/banks/batch_norm.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

constexpr std::string_view mean_name = "running_mean", variance_name = "running_var";
constexpr std::string_view norm_digits = "0123456789";

std::string joined(const std::string& module, std::string_view tensor) {
  return module.empty() ? std::string(tensor) : module + "." + std::string(tensor);
}
// "block.conv1" of "block.conv1.weight"; empty for what has no dot.
std::string before_last_dot(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string::npos ? std::string() : name.substr(0, dot);
}

struct ModuleName {
  explicit ModuleName(const std::string& name) : parent(before_last_dot(name)) {
    leaf = parent.empty() ? name : name.substr(parent.size() + 1);
    for (const char c : leaf)
      if (norm_digits.find(c) != std::string_view::npos) digits += c;
    last_digits = leaf.substr(leaf.find_last_not_of(norm_digits) + 1);  // all where nothing else is
  }
  bool is_number() const { return !leaf.empty() && leaf == digits; }
  std::string parent, leaf, digits, last_digits;
};

// Both in plain digits, of any length.
bool is_one_higher(std::string number, const std::string& than) {
  std::size_t i = number.size();
  while (i > 0 && number[i - 1] == '0') number[--i] = '9';
  if (i == 0) return false;
  --number[i - 1];
  const auto significant = [](const std::string& text) {
    return std::string_view(text).substr(std::min(text.find_first_not_of('0'), text.size()));
  };
  return significant(number) == significant(than);
}

// conv2_1 and bn2_1 by all of their digits, conv2d_1 and batch_norm_1 by the last.
bool follows(const ModuleName& norm, const ModuleName& convolution, std::string ModuleName::*digits) {
  if (norm.parent != convolution.parent) return false;
  if (norm.is_number() || convolution.is_number())
    return norm.is_number() && convolution.is_number() && is_one_higher(norm.digits, convolution.digits);
  return norm.*digits == convolution.*digits;
}

}  // namespace

std::vector<std::string> batch_norms(const TensorFile& file) {
  std::vector<std::string> norms;
  for (const auto& [name, tensor] : file.tensors) {
    const std::string module = before_last_dot(name);
    if (name == joined(module, mean_name) && file.tensors.contains(joined(module, variance_name)))
      norms.push_back(module);
  }
  return norms;
}

bool is_part_of_batch_norm(const TensorFile& file, const std::string& tensor) {
  const std::string module = before_last_dot(tensor);
  constexpr std::array parts{mean_name, variance_name, std::string_view("num_batches_tracked"),
                             std::string_view("weight"), std::string_view("bias")};
  return std::ranges::any_of(parts, [&](std::string_view part) { return tensor == joined(module, part); }) &&
         file.tensors.contains(joined(module, mean_name)) && file.tensors.contains(joined(module, variance_name));
}

std::string convolution_before(const std::string& norm, const std::vector<std::string>& weights) {
  for (const auto digits : {&ModuleName::digits, &ModuleName::last_digits}) {
    std::vector<std::string> before;
    for (const std::string& name : weights)
      if (follows(ModuleName(norm), ModuleName(before_last_dot(name)), digits)) before.push_back(name);
    if (before.size() == 1) return before.front();
  }
  throw Error(
      "the names do not say which convolution the batch normalisation " + in_quotes(norm) +
      " follows directly, as 1 follows 0 and bn1 follows conv1. Say so with \"norm\" in network.json, or in the "
      "metadata");
}

void fold_batch_norm(const TensorFile& file, const std::string& norm, double epsilon, TensorNumbers& numbers,
                     Filter& bank) {
  const auto maps = static_cast<std::size_t>(bank.maps);
  const auto part = [&](std::string_view name, float otherwise) {
    const auto found = file.tensors.find(joined(norm, name));
    if (found == file.tensors.end()) return std::vector<float>(maps, otherwise);
    if (found->second.array.shape != std::vector{bank.maps})
      throw Error("the tensor " + in_quotes(found->first) + " has the shape " +
                  extents_text(found->second.array.shape) + "; the convolution " + in_quotes(bank.name) +
                  " that it follows has " + counted(bank.maps, "map"));
    return numbers.of(found->first, found->second);
  };
  for (const std::string_view needed : {mean_name, variance_name})
    if (!file.tensors.contains(joined(norm, needed)))
      throw Error("there is no tensor " + in_quotes(joined(norm, needed)) + " of a batch normalisation");
  const std::vector<float> mean = part(mean_name, 0), variance = part(variance_name, 1), weight = part("weight", 1),
                           bias = part("bias", 0);
  if (bank.biases.empty()) bank.biases.assign(maps, 0);
  const std::size_t each = bank.weights.size() / std::max<std::size_t>(maps, 1);
  for (std::size_t map = 0; map < maps; ++map) {
    const double spread = static_cast<double>(variance[map]) + epsilon;
    if (!(spread > 0))
      throw Error("number " + std::to_string(map + 1) + " of the tensor " + in_quotes(joined(norm, variance_name)) +
                  " is " + number_text(variance[map]) + ", which is no variance");
    const double scale = static_cast<double>(weight[map]) / std::sqrt(spread);
    for (std::size_t i = map * each; i < (map + 1) * each; ++i)
      bank.weights[i] = static_cast<float>(bank.weights[i] * scale);
    bank.biases[map] = static_cast<float>((static_cast<double>(bank.biases[map]) - mean[map]) * scale + bias[map]);
  }
}

}  // namespace convoscope
