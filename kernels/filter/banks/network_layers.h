#pragma once
// A network as data: convolutional layers one after the other, each with its bank, and where it comes from.
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/contract/data/filter.h"

namespace convoscope {

struct NetworkLayer {
  Filter bank;  // with its biases and ReLU
  int stride = 1, padding = 0, dilation = 1, groups = 1;
  bool pool = false;  // the layer after it sees the largest of each 2 × 2 of its values
  bool operator==(const NetworkLayer&) const = default;
};

inline constexpr int most_network_layers = 8;
inline constexpr int largest_layer_step = 64;  // stride, padding, dilation

// A layer as most are: its maps are as large as what it sees.
NetworkLayer padded_layer(Filter bank, bool relu, bool pool = false);

// Throws Error that names the layer and the numbers: a bank that is none, channels that are not the maps of the layer
// before, too many layers.
void validate_network(std::span<const NetworkLayer>);
void validate_layer_count(std::size_t layers);  // throws Error: fewer than 1, or more than most_network_layers

// A folder of .npy files, one for each layer's weights [M, C/groups, K, K] and, if wanted, for its biases [M], or a
// .safetensors or .npz file of such tensors. Their names order them, 2 before 10; biases have the weights' name with
// "bias" for "weight". Every layer but the last then ends with ReLU, and is padded; PyTorch's batch normalisation
// becomes a part of the convolution that it follows (batch_norm.h). Otherwise network.json in the folder, or the text
// "convoscope" in a .safetensors file's metadata, says it: {"layers": [{"weights": name[, "biases": name, "norm": name,
// "epsilon", "relu", "pool", "stride", "padding", "dilation", "groups"]}]}. Whatever else the numbers are, they become
// float32; that, and what was folded, is added to `remarks`, in sentences. Throws Error naming the file, the tensor and
// what is wrong.
std::vector<NetworkLayer> load_network(const std::string& path, std::vector<std::string>* remarks = nullptr);
std::vector<NetworkLayer> parse_network(std::string_view safetensors);  // what such a file holds, by the same rules
// A folder that is read again as it is: a file for each layer's weights and biases, and network.json. Made where there
// is none. Throws Error.
void save_network(std::span<const NetworkLayer>, const std::string& folder);
bool is_network_path(const std::string& path);  // a folder, or it ends in .safetensors or .npz

// The networks that come with the program.
struct NetworkKind {
  std::string_view id, title, idea;
  std::vector<NetworkLayer> (*make)();  // the first sees red, green and blue
};
std::span<const NetworkKind> network_kinds();
const NetworkKind* find_network_kind(std::string_view id);  // null when there is none
extern const std::string_view learnt_denoiser;              // denoise.safetensors, which is in the library

}  // namespace convoscope
