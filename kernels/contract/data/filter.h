#pragma once
// Filters as data: the weights, and what happens to the sum afterwards. Filtering is correlation: weights are not
// flipped (as in PMPP, OpenCV and cuDNN). The catalogue of named filters is in filter_catalogue.h.
#include <algorithm>
#include <string>
#include <vector>

namespace convoscope {

// The device keeps the weights in constant memory, 64 KB of it: 127 × 127 floats, or one row of 1025 taps.
inline constexpr int max_filter_weights = 127 * 127;
inline constexpr int max_filter_taps_1d = 1025;
inline constexpr int max_filter_radius = 63;

struct Filter {
  std::string name;            // for people and for --filter; "custom" when edited by hand
  int width = 1, height = 1;   // odd; 2·rx+1 and 2·ry+1
  std::vector<float> weights;  // row-major, height × width; of a volume, frame after frame
  // Edge magnitude: a second filter of the same size; the output is sqrt(sum² + sum_y²). Empty for one filter.
  std::vector<float> weights_y;
  float gain = 1.0f;  // output = gain · sum + bias · white, then |…| when absolute; white: white_level(format)
  float bias = 0.0f;
  bool absolute = false;
  int depth = 1;  // of a volume: 2·rt+1 frames
  // Of a bank, a layer's weights: [maps][channels][height][width] of them, of any size; then what is added to each
  // map's sums, or nothing, and whether max(0, …) follows. Gain, bias and absolute are not for banks. 0 maps: no bank.
  int maps = 0, channels = 0;
  std::vector<float> biases;
  bool relu = false;

  int rx() const { return width / 2; }
  int ry() const { return height / 2; }
  int rt() const { return depth / 2; }
  int taps() const { return width * height * depth; }
  bool is_magnitude() const { return !weights_y.empty(); }
  bool is_bank() const { return maps > 0; }
  bool operator==(const Filter&) const = default;
};

// All of its weights, one set after the other.
std::vector<float> both_sets(const Filter&);

std::string size_text(const Filter&);      // "5 × 3", of a volume "5 × 3 × 7"
std::string name_and_size(const Filter&);  // "gaussian:radius=2 5 × 5"; a name that says the size stands alone

// A weighted mean of one picture: no weight below 0, together 1 with the gain, and nothing afterwards. Its outputs lie
// between its inputs, and it is the same in all coordinates of colours: of Y, U and V as of red, green and blue.
bool is_mean(const Filter&);

// Of a box filter.
inline bool all_the_same(const std::vector<float>& weights) {
  return std::ranges::all_of(weights, [&](float w) { return w == weights[0]; });
}

// Throws Error that names the value: even or non-positive size, more weights than constant memory holds, a weight
// count that is not width × height × depth, a depth above `most_frames`, NaN or infinity in weights, gain or bias.
void validate(const Filter&, int most_frames = 1);

// "0 -1 0; -1 5 -1; 0 -1 0", rows by ';' or new lines, numbers by blanks or commas. Throws Error.
Filter parse_matrix(const std::string& text);
std::string matrix_text(const Filter&);

// JSON: {"name", "width", "height", "weights", "gain", "bias", "absolute"[, "weights_y"]}. Throws Error naming the
// file.
Filter load_filter(const std::string& path);
void save_filter(const Filter&, const std::string& path);

// In-place editing, used by the weight grid. Each applies to both weight sets of an edge-magnitude filter.
void normalise(Filter&);  // divides by the sum of weights, by the sum of |weights| when the sum is (nearly) 0
void transpose(Filter&);
void flip_horizontal(Filter&);
void flip_vertical(Filter&);
void rotate_clockwise(Filter&);
void resize(Filter&, int width, int height);  // keeps the centre; new weights are 0; throws Error when too large

}  // namespace convoscope
