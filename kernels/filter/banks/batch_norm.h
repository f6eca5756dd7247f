#pragma once
// Batch normalisation as PyTorch keeps it beside the convolution that it follows. Once a network has learnt it is a
// factor and a shift for each map, y = (x − mean) / √(variance + ε) · weight + bias, and so a part of that convolution:
// its weights become w · s and its biases (b − mean) · s + bias, with s = weight / √(variance + ε).
#include <string>
#include <vector>

#include "kernels/contract/data/filter.h"
#include "kernels/filter/banks/tensor_file.h"

namespace convoscope {

inline constexpr double usual_epsilon = 1e-5;  // PyTorch's, since no file of weights holds it

// The names in front of ".running_mean" and ".running_var".
std::vector<std::string> batch_norms(const TensorFile&);
bool is_part_of_batch_norm(const TensorFile&, const std::string& tensor);

// Which of the weights ("conv1.weight") it follows, by the names: the number of a module is one higher in the same
// sequence (0 and 1), or has the same number beside it (conv1 and bn1). Throws Error where they do not say so.
std::string convolution_before(const std::string& norm, const std::vector<std::string>& weights);

// Computed in double precision. Throws Error naming the tensor that does not fit the bank's maps, or whose variance is
// none.
void fold_batch_norm(const TensorFile&, const std::string& norm, double epsilon, TensorNumbers&, Filter& bank);

}  // namespace convoscope
