#include "app/cli/computation.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "app/cli/made_grid.h"
#include "app/files/paths.h"
#include "kernels/filter/banks/bank_catalogue.h"
#include "kernels/filter/banks/npy_file.h"
#include "kernels/filter/filter_catalogue.h"
#include "kernels/kinds/layer.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

constexpr std::uintmax_t most_file_bytes = 64u << 20;

std::string read_small_file(const std::string& path, const std::string& what) {
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(path, error);
  if (error)
    throw Error(what + " is neither numbers, like \"1 2 3; 4 5 6\", nor a file that can be read: " + in_quotes(path) +
                ".");
  if (bytes > most_file_bytes)
    throw Error(what + " " + in_quotes(path) + " has " + format_count(static_cast<long long>(bytes)) +
                " bytes; small data are meant, up to 64 MiB.");
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

NumberGrid grid_of_npy(std::string_view bytes, const std::string& path, std::vector<std::string>& remarks) {
  try {
    const NumberArray array = parse_npy(bytes);
    std::vector<int> shape = array.shape;
    while (shape.size() > 3 && shape.front() == 1) shape.erase(shape.begin());  // a batch of one
    if (shape.empty() || shape.size() > 3)
      throw Error("it has " + std::to_string(array.shape.size()) + " dimensions; 1 to 3 are taken");
    const Numbers numbers = numbers_of(array);
    if (const std::string what = difference_from_float32(array); !what.empty())
      remarks.push_back(in_quotes(path) + " is " + what + (numbers.rounded ? ", rounded to float32." : "."));
    while (shape.size() < 3) shape.insert(shape.begin(), 1);
    return {shape[0], shape[1], shape[2], numbers.values};
  } catch (const Error& error) {
    throw Error("The file " + in_quotes(path) + " is no NumPy array that can be taken: " + error.what() + ".");
  }
}

NumberGrid grid_of(const std::string& text, const std::string& what, std::vector<std::string>& remarks) {
  if (const std::optional<NumberGrid> made = made_grid(text)) return *made;
  if (looks_like_numbers(text)) return parse_number_grid(text, what);
  const std::string path = expand_home(text);
  const std::string bytes = read_small_file(path, what);
  if (path.ends_with(".npy")) return grid_of_npy(bytes, path, remarks);
  return parse_number_grid(bytes, what + " " + in_quotes(path));
}

std::string size_of(const NumberGrid& grid) {
  return (grid.planes > 1 ? std::to_string(grid.planes) + " planes of " : "") + std::to_string(grid.rows) + " × " +
         std::to_string(grid.columns);
}

// Whether its problems are of several frames: as many as the filter is deep.
bool takes_frames(const Kind& kind) {
  return !kind.problem && kind.inputs({.width = 1, .height = 1, .filter = {.depth = 3}, .kind = &kind}).size() > 1;
}

// Of what is written as planes, those are its frames; anything else is the kind's own way of saying it.
Filter filter_of(const ComputationTexts& texts, std::vector<std::string>& remarks) {
  if (!takes_frames(*texts.kind) || !looks_like_numbers(texts.filter)) return texts.kind->parse(texts.filter);
  const NumberGrid grid = grid_of(texts.filter, "The filter", remarks);
  Filter filter{.name = "custom", .width = grid.columns, .height = grid.rows, .weights = grid.values};
  filter.depth = grid.planes;
  for (const int side : {filter.width, filter.height, filter.depth})
    if (side % 2 == 0)
      throw Error("The filter is " + size_of(grid) + "; each extent must be odd, so that it has a centre.");
  return filter;
}

std::vector<float> plane_of(const NumberGrid& grid, int plane) {
  const auto size = static_cast<std::ptrdiff_t>(grid.rows) * grid.columns, first = plane * size;
  return {grid.values.begin() + first, grid.values.begin() + first + size};
}

// The ring holds as many frames as the filter asks for; here those before the first and behind the last are the
// border's.
void add_frames(Computation& made, const Problem& problem, Border border) {
  const int frames = made.input.planes, reach = problem.filter.rt();
  for (int t = 0; t < frames; ++t) {
    Computation::Part part{problem, {}};
    for (int i = t - reach; i <= t + reach; ++i) {
      const int from = border_index(i, frames, border);
      part.inputs.push_back(from < 0 ? std::vector<float>(plane_of(made.input, 0).size()) : plane_of(made.input, from));
    }
    made.parts.push_back(std::move(part));
  }
}

// A bank that is typed: the filters of the first map's channels, then those of the second.
Filter bank_of_text(const ComputationTexts& texts, int channels, std::vector<std::string>& remarks) {
  Filter bank;
  if (looks_like_numbers(texts.filter)) {
    const NumberGrid grid = grid_of(texts.filter, "The filter", remarks);
    if (grid.rows != grid.columns)
      throw Error("A layer's filters are as high as they are wide; these are " + size_of(grid) + ".");
    if (grid.planes % channels != 0)
      throw Error("There are " + counted(grid.planes, "filter") + " for " + counted(channels, "channel") +
                  ": each map needs one for each.");
    bank = {.name = "custom", .width = grid.columns, .height = grid.rows, .weights = grid.values};
    bank.maps = grid.planes / channels;
    bank.channels = channels;
  } else {
    bank = load_bank(expand_home(texts.filter), &remarks);
  }
  if (texts.biases) {
    const NumberGrid biases = grid_of(*texts.biases, "The biases", remarks);
    if (static_cast<int>(biases.values.size()) != bank.maps)
      throw Error("There are " + counted(static_cast<long long>(biases.values.size()), "bias", "biases") + " for " +
                  counted(bank.maps, "map") + ".");
    bank.biases = biases.values;
  }
  bank.relu = texts.relu;
  return bank;
}

// X's size follows from dY's where only that is given: with stride 1 there is but one.
void add_layer(Computation& made, const ComputationTexts& texts) {
  const bool has_input = !texts.input.empty(), has_gradient = !texts.gradient.empty();
  if (texts.pass != Pass::forward && !has_gradient)
    throw Error("The pass " + std::string(to_string(texts.pass)) +
                " needs --gradient, which is dY: a plane for each map.");
  if (texts.pass != Pass::to_input && !has_input)
    throw Error("The pass " + std::string(to_string(texts.pass)) + " needs --input: a plane for each channel.");
  if (has_input) made.input = grid_of(texts.input, "The input", made.remarks);
  NumberGrid gradient;
  if (has_gradient) gradient = grid_of(texts.gradient, "The gradient", made.remarks);

  Problem problem{.format = PixelFormat::gray32f, .border = Border::zero, .kind = texts.kind};
  Layer& layer = problem.layer;
  layer = {.pass = texts.pass,
           .stride = texts.stride,
           .padding = texts.padding,
           .dilation = texts.dilation,
           .groups = texts.groups};
  if (texts.filter.empty() && texts.pass != Pass::to_weights)
    throw Error("A layer needs --filter: of each map a filter for each channel, like \"1 0; 0 1;; 2 1; 1 2\".");
  // To the weights they are what comes out, and only their size counts.
  if (!has_input) {
    Filter probe = bank_of_text(texts, 1, made.remarks);
    const int channels = probe.is_bank() && looks_like_numbers(texts.filter) ? probe.maps / std::max(gradient.planes, 1)
                                                                             : probe.channels;
    layer.channels = std::max(channels, 1) * texts.groups;
  } else {
    layer.channels = made.input.planes;
  }
  if (layer.channels % texts.groups != 0)
    throw Error(counted(layer.channels, "channel") + " cannot be parted into " + counted(texts.groups, "group") + ".");
  const int group_channels = layer.channels / texts.groups;
  if (texts.filter.empty()) {
    const int side = made.input.columns + 2 * texts.padding - (gradient.columns - 1) * texts.stride;
    if (texts.dilation != 1 || side < 1)
      throw Error("The filters' size cannot be told from X and dY: give --filter of that size, whatever its weights.");
    problem.filter = random_bank(gradient.planes, group_channels, side);
  } else {
    problem.filter = bank_of_text(texts, group_channels, made.remarks);
  }
  layer.maps = problem.filter.maps;
  const int reach = (problem.filter.width - 1) * texts.dilation + 1 - 2 * texts.padding;
  problem.width = has_input ? made.input.columns : (gradient.columns - 1) * texts.stride + reach;
  problem.height = has_input ? made.input.rows : (gradient.rows - 1) * texts.stride + reach;
  if (has_gradient) {
    const LayerExtents e = layer_extents(problem);
    if (gradient.planes != layer.maps || gradient.columns != e.out_width || gradient.rows != e.out_height)
      throw Error("The gradient is " + size_of(gradient) + ", and the layer's outputs are " +
                  std::to_string(layer.maps) + " planes of " + std::to_string(e.out_height) + " × " +
                  std::to_string(e.out_width) + ".");
  }
  Computation::Part part{std::move(problem), {}};
  if (texts.pass != Pass::to_input) part.inputs.push_back(made.input.values);
  if (texts.pass != Pass::forward) part.inputs.push_back(gradient.values);
  made.parts.push_back(std::move(part));
}

}  // namespace

Computation computation_of(const ComputationTexts& texts) {
  Computation made;
  if (texts.kind->problem) {
    add_layer(made, texts);
    return made;
  }
  if (texts.input.empty()) throw Error("Say what to compute on: --input \"8 2 5 4 1 7 3\", or a file of numbers.");
  if (texts.filter.empty()) throw Error("Say what with: --filter \"1 3 5 3 1\", or one of `convoscope list filters`.");
  made.input = grid_of(texts.input, "The input", made.remarks);
  Problem problem{made.input.columns, made.input.rows, texts.format, texts.border, filter_of(texts, made.remarks),
                  texts.kind};
  if (takes_frames(*texts.kind)) {
    add_frames(made, problem, texts.border);
    return made;
  }
  if (made.input.planes > 1)
    throw Error("The input has " + std::to_string(made.input.planes) + " planes, and the kind " +
                std::string(texts.kind->id) +
                " takes one. Planes are frames of a volume and channels of a layer: --kind.");
  made.parts.push_back({std::move(problem), {made.input.values}});
  return made;
}

}  // namespace convoscope
