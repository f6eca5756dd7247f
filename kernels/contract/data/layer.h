#pragma once
// A convolutional layer: X[N, C, H, W] and a bank of weights F[M, C/groups, K, K] give Y[N, M, Hₒ, Wₒ],
//     Y[n, m, h, w] = Σ X[n, c, s·h − p + d·i, s·w − p + d·j] · F[m, c, i, j]  over the C/groups channels c of m's
//     group
// and over i, j < K, with stride s, padding p of zeros and dilation d; then ReLU(Y + bias[m]), either one if wanted.
// Its gradients are sums of the same products, once to the input and once to the weights. The index arithmetic of all
// three is here; the reference, the CPU strategies and the kernels share it.
#include <array>
#include <string>
#include <string_view>

#include "kernels/contract/data/border.h"
#include "kernels/contract/data/tensor.h"

namespace convoscope {

struct Problem;

enum class Pass {
  forward,     // X → Y
  to_input,    // dY → dX
  to_weights,  // X, dY → dF
};

inline constexpr std::array<Pass, 3> all_passes{Pass::forward, Pass::to_input, Pass::to_weights};

constexpr std::string_view to_string(Pass pass) {
  constexpr std::array<std::string_view, 3> names{"forward", "to-input", "to-weights"};
  return names[static_cast<std::size_t>(pass)];
}

// What its numbers are: stored, and multiplied. Sums are float32, biases too.
enum class Precision {
  f32,
  tf32,  // float32, of which a product sees the first 11 significant bits
  f16,   // float16
};

inline constexpr std::array<Precision, 3> all_precisions{Precision::f32, Precision::tf32, Precision::f16};
inline constexpr std::array<Layout, 2> all_layouts{Layout::nchw, Layout::nhwc};

constexpr std::string_view to_string(Precision precision) {
  constexpr std::array<std::string_view, 3> names{"f32", "tf32", "f16"};
  return names[static_cast<std::size_t>(precision)];
}
constexpr std::string_view to_string(Layout layout) { return layout == Layout::nchw ? "nchw" : "nhwc"; }

// Of a problem: what its width and height (X's W and H) and its filter (K × K) do not say.
struct Layer {
  Pass pass = Pass::forward;
  int samples = 1, channels = 1, maps = 1;  // N, C, M
  int stride = 1, padding = 0, dilation = 1, groups = 1;
  Precision precision = Precision::f32;
  Layout layout = Layout::nchw;  // of X, Y and F
  bool operator==(const Layer&) const = default;
};

// All of a layer's numbers, as kernels take them. Of a valid problem: groups divides both channels and maps, and no
// extent is below 1.
struct LayerExtents {
  int samples, channels, maps, groups;
  int height, width;          // of X and dX
  int out_height, out_width;  // of Y and dY
  int filter;                 // K
  int stride, padding, dilation;

  CONVOSCOPE_HOST_DEVICE constexpr int group_channels() const { return channels / groups; }  // that an F[m] has
  CONVOSCOPE_HOST_DEVICE constexpr int group_maps() const { return maps / groups; }          // that see a channel
  CONVOSCOPE_HOST_DEVICE constexpr int first_channel(int map) const { return map / group_maps() * group_channels(); }
  CONVOSCOPE_HOST_DEVICE constexpr int first_map(int channel) const {
    return channel / group_channels() * group_maps();
  }

  // The row (or column) of X that meets the tap of that number in the output row; below 0, or height and above, it lies
  // in the padding.
  CONVOSCOPE_HOST_DEVICE constexpr int input_index(int output, int tap) const {
    return output * stride - padding + tap * dilation;
  }
  // The other way: the output row in which that row of X meets the tap, −1 when there is none among the `outputs`.
  CONVOSCOPE_HOST_DEVICE constexpr int output_index(int input, int tap, int outputs) const {
    const int steps = input + padding - tap * dilation;
    if (stride == 1) return steps < 0 || steps >= outputs ? -1 : steps;  // a division costs more than all the rest
    return steps < 0 || steps % stride != 0 || steps / stride >= outputs ? -1 : steps / stride;
  }
  // Where F[map, ·, i, j] lies in the bank for a channel of X, one of the map's group.
  CONVOSCOPE_HOST_DEVICE constexpr int weight_index(int map, int channel, int i, int j) const {
    return ((map * group_channels() + channel % group_channels()) * filter + i) * filter + j;
  }
};

LayerExtents layer_extents(const Problem&);

// Rows that come out of `extent` rows; below 1 where the filter is larger than the padded input.
constexpr int layer_outputs(int extent, int filter, const Layer& layer) {
  const int room = extent + 2 * layer.padding - layer.dilation * (filter - 1) - 1;
  return room < 0 ? 0 : room / layer.stride + 1;
}

// The products whose sum is one output, padding included: C/g·K² forward, M/g·K² to the input (fewer where the stride
// skips some), N·Hₒ·Wₒ to the weights.
double layer_terms(const Problem&);
// All of a pass: N·M·Hₒ·Wₒ·C/g·K², whichever it is.
double layer_products(const Problem&);
// How much larger the unrolled input U is than X: C·K²·Hₒ·Wₒ elements for C·H·W.
double unrolled_expansion(const Problem&);
// How many roundings a product passes on its way into the sum, where one is added after the other: as many as there are
// terms; to the weights those of its row and then of the rows, which are summed alone so that no sum grows too long.
int layer_roundings(const Problem&);
// What a product sees of a number.
float as_multiplied(float value, Precision);
// Of strategies that take float32 in planes alone: why not this problem; empty where it is one of these.
std::string float_planes_reason(const Problem&);
std::string whole_number_format(const Layer&);  // "f32 nchw"
// "tf32 nhwc"; empty for float32 in planes.
std::string number_format(const Layer&);

// The largest sum of |factor| that multiplies inputs up to 1 in one output: of the weights of a map, of those that see
// a channel, or of the other input.
double layer_absolute_sum(const Problem&);

}  // namespace convoscope
