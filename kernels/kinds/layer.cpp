// A convolutional layer: N pictures of C channels in, N of M feature maps out, and the gradients to what went in and to
// the weights. The chapter on convolutional layers.
#include "kernels/kinds/layer.h"

#include <cmath>
#include <iterator>
#include <limits>
#include <set>

#include "kernels/contract/data/tensor_numbers.h"
#include "kernels/contract/theory/overflow.h"
#include "kernels/filter/banks/bank_catalogue.h"
#include "kernels/filter/filter_catalogue.h"
#include "kernels/kinds/frames.h"
#include "kernels/kinds/reference.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope {

namespace {

constexpr PixelFormat formats[] = {PixelFormat::gray32f};
constexpr Border borders[] = {Border::zero};
constexpr const char* shape_form = "N,C,H,W,M,K[,stride=S,padding=P,dilation=D,groups=G]";

std::string text(long value) { return std::to_string(value); }

Shape x_shape(const LayerExtents& e) { return {{e.samples, e.channels, 1, e.height, e.width}}; }
Shape y_shape(const LayerExtents& e) { return {{e.samples, e.maps, 1, e.out_height, e.out_width}}; }
Shape bank_shape(const LayerExtents& e) { return {{e.maps, e.group_channels(), 1, e.filter, e.filter}}; }

std::vector<Shape> stored(std::vector<Shape> shapes, const Layer& layer) {
  for (Shape& shape : shapes) {
    if (layer.precision == Precision::f16) shape.element = Element::f16;
    shape.layout = layer.layout;
  }
  return shapes;
}

// forward: X; to the input: dY; to the weights: X and dY.
std::vector<Shape> inputs(const Problem& p) {
  const LayerExtents e = layer_extents(p);
  if (p.layer.pass == Pass::to_weights) return stored({x_shape(e), y_shape(e)}, p.layer);
  return stored({p.layer.pass == Pass::forward ? x_shape(e) : y_shape(e)}, p.layer);
}
// forward: Y; to the input: dX; to the weights: dF.
std::vector<Shape> outputs(const Problem& p) {
  const LayerExtents e = layer_extents(p);
  if (p.layer.pass == Pass::to_weights) return stored({bank_shape(e)}, p.layer);
  return stored({p.layer.pass == Pass::forward ? y_shape(e) : x_shape(e)}, p.layer);
}

// --- what is no layer ---

std::string invalid_number(const Problem& p) {
  const Layer& l = p.layer;
  const struct {
    const char* name;
    int value, least;
  } numbers[] = {{"number of samples N", l.samples, 1},
                 {"number of channels C", l.channels, 1},
                 {"height H", p.height, 1},
                 {"width W", p.width, 1},
                 {"number of maps M", l.maps, 1},
                 {"filter width K", p.filter.width, 1},
                 {"stride", l.stride, 1},
                 {"padding", l.padding, 0},
                 {"dilation", l.dilation, 1},
                 {"number of groups", l.groups, 1}};
  for (const auto& [name, value, least] : numbers)
    if (value < least || value > largest_layer_number)
      return "The layer's " + std::string(name) + " is " + text(value) + "; it must be from " + text(least) + " to " +
             text(largest_layer_number);
  for (const auto& [name, value] : {std::pair{"channels", l.channels}, std::pair{"maps", l.maps}})
    if (value % l.groups != 0)
      return (l.groups == l.channels ? "Depthwise (" + text(l.groups) + " groups)" : text(l.groups) + " groups") +
             ": the number of " + name + " must be a multiple of " + text(l.groups) + "; it is " + text(value);
  return {};
}

std::string invalid_extent(const Problem& p) {
  const Layer& l = p.layer;
  const long span = static_cast<long>(l.dilation) * (p.filter.width - 1) + 1;
  for (const auto& [name, extent] : {std::pair{"H", p.height}, std::pair{"W", p.width}})
    if (const long room = extent + 2L * l.padding; span > room)
      return "The filter spans " + text(span) + (name[0] == 'H' ? " rows" : " columns") +
             " (K = " + text(p.filter.width) + ", dilation " + text(l.dilation) + "), more than the " + text(room) +
             " of the padded input (" + name + " = " + text(extent) + ", padding " + text(l.padding) + ")";
  const LayerExtents e = layer_extents(p);
  const struct {
    const char* name;
    Shape shape;
    int most;
  } tensors[] = {{"input", x_shape(e), std::numeric_limits<int>::max()},
                 {"output", y_shape(e), std::numeric_limits<int>::max()},
                 {"bank", bank_shape(e), most_bank_weights}};
  for (const auto& [name, shape, most] : tensors) {
    double elements = 1;
    for (const int extent : shape.extent) elements *= extent;
    if (elements > most)
      return "The layer's " + std::string(name) + " has " + rounded_text(elements, 4) + " elements; the most is " +
             text(most);
  }
  return {};
}

std::string invalid_bank(const Problem& p) {
  const Filter& f = p.filter;
  const int channels = p.layer.channels / p.layer.groups;
  if (f.maps != p.layer.maps || f.channels != channels)
    return "The bank has " + counted(f.maps, "map") + " of " + counted(f.channels, "channel") + "; this layer needs " +
           text(p.layer.maps) + " of " + text(channels);
  const std::size_t count = static_cast<std::size_t>(f.maps) * static_cast<std::size_t>(channels) *
                            static_cast<std::size_t>(f.width) * static_cast<std::size_t>(f.height);
  const bool needed = p.layer.pass != Pass::to_weights;  // which finds them
  if (f.weights.size() != count && (needed || !f.weights.empty()))
    return "The bank has " + counted(std::ssize(f.weights), "weight") + "; for " + counted(f.maps, "map") + " of " +
           counted(channels, "channel") + " of " + text(f.width) + " × " + text(f.height) + " there must be " +
           format_count(static_cast<long long>(count));
  if (!f.biases.empty() && f.biases.size() != static_cast<std::size_t>(f.maps))
    return "The bank has " + counted(std::ssize(f.biases), "bias", "biases") + " for " + counted(f.maps, "map");
  return {};
}

std::string invalid(const Problem& p) {
  if (p.format != PixelFormat::gray32f) return "A layer has float samples, not rgba8 pixels";
  if (p.border != Border::zero)
    return "Outside of a layer's input are zeros, as many as its padding says; the border " +
           std::string(to_string(p.border)) + " is not for layers";
  if (!p.filter.is_bank())
    return "A layer takes a bank of weights, some for each map and channel; this is a single filter of " +
           text(p.filter.width) + " × " + text(p.filter.height);
  if (p.filter.is_magnitude() || p.filter.depth != 1 || p.filter.width != p.filter.height)
    return "A layer's filters are single ones of K × K; this one is " + text(p.filter.width) + " × " +
           text(p.filter.height) + (p.filter.is_magnitude() ? ", twice" : "") +
           (p.filter.depth != 1 ? " over " + text(p.filter.depth) + " frames" : "");
  for (const auto check : {invalid_number, invalid_extent, invalid_bank, half_overflow_reason})
    if (std::string reason = check(p); !reason.empty()) return reason;
  return {};
}

// --- in words ---

std::string shape(const Problem& p) {
  const Layer& l = p.layer;
  std::string words;
  for (const int number : {l.samples, l.channels, p.height, p.width, l.maps, p.filter.width})
    words += (words.empty() ? "" : ",") + text(number);
  const Layer usual;
  for (const auto& [name, value, initial] : {std::tuple{"stride", l.stride, usual.stride},
                                             {"padding", l.padding, usual.padding},
                                             {"dilation", l.dilation, usual.dilation},
                                             {"groups", l.groups, usual.groups}})
    if (value != initial) words += "," + std::string(name) + "=" + text(value);
  return words;
}

std::string describe(const Problem& p) {
  return shape(p) + " " + whole_number_format(p.layer) + " " + std::string(to_string(p.layer.pass));
}

int whole_number(std::string_view word, const std::string& what) {
  const double value = parse_number(word, what);
  if (value != std::floor(value) || std::abs(value) > largest_layer_number)
    throw Error(what + " is " + in_quotes(word) + "; it must be a whole number up to " + text(largest_layer_number));
  return static_cast<int>(value);
}

// A filter for pictures, in every place of a bank.
Filter parse(const std::string& text) { return bank_of(parse_filter(text).filter, 1, 1); }

Problem stated(const std::string& shape, Pass pass, const Filter* weights) {
  const bool without = weights && weights->weights.empty();
  Problem problem = layer_problem(shape.empty() ? "1,3,1080,1920,16,3" : shape, pass, !without);
  if (without) return problem;
  if (weights) problem.filter = bank_of(*weights, problem.filter.maps, problem.filter.channels);
  if (const std::string reason = invalid(problem); !reason.empty()) throw Error(reason + ".");
  return problem;
}

// The channel of a difference is the plane: n·M + m of Y, n·C + c of dX, of dF the map's channel.
Difference compare_planes(const Problem& problem, const std::vector<double>& expected, std::span<const Tensor>,
                          const Tensor& out) {
  if (!number_format(problem.layer).empty()) {
    Problem planes = problem;
    planes.layer.precision = Precision::f32;
    planes.layer.layout = Layout::nchw;
    const FloatPlanes seen(out);
    return compare_planes(planes, expected, {}, seen.planes);
  }
  Difference worst = compare(problem, expected, rows_of(out), rows_of(out));
  worst.channel = worst.y / out.shape.height();
  worst.y %= out.shape.height();
  return worst;
}

}  // namespace

Filter random_bank(int maps, int channels, int size) {
  Filter bank = random_filter(size * size, maps * channels);
  bank.width = bank.height = size;
  bank.name = "random " + size_text(bank);
  bank.maps = maps;
  bank.channels = channels;
  return bank;
}

Filter bank_of(const Filter& filter, int maps, int channels) {
  if (filter.is_magnitude()) throw Error("An edge magnitude is for single pictures; a layer takes one filter");
  if (filter.absolute) throw Error("A layer ends with a bias and ReLU; absolute values are for pictures");
  if (filter.width != filter.height)
    throw Error("A layer's filters are as high as they are wide; this one is " + text(filter.width) + " × " +
                text(filter.height));
  Filter bank{.name = filter.name, .width = filter.width, .height = filter.height, .maps = maps, .channels = channels};
  bank.relu = filter.relu;
  for (int place = 0; place < maps * channels; ++place)
    for (const float weight : filter.weights) {
      bank.weights.push_back(filter.gain * weight / static_cast<float>(channels));
      if (!std::isfinite(bank.weights.back()))
        throw Error("The filter's gain " + number_text(filter.gain) + " times its weight " + number_text(weight) +
                    " is " + beyond_float);
    }
  const float bias = filter.biases.empty() ? filter.bias : filter.biases[0];
  if (bias != 0) bank.biases.assign(static_cast<std::size_t>(maps), bias);
  return bank;
}

Problem layer_problem(const std::string& shape, Pass pass, bool with_weights) {
  Problem problem{.format = PixelFormat::gray32f, .border = Border::zero, .filter = {}, .kind = &layer_kind};
  Layer& layer = problem.layer;
  layer.pass = pass;
  int size = 0;
  const struct {
    const char* name;
    int* value;
  } numbers[] = {{"N", &layer.samples}, {"C", &layer.channels}, {"H", &problem.height},
                 {"W", &problem.width}, {"M", &layer.maps},     {"K", &size}},
    options[] = {{"stride", &layer.stride},
                 {"padding", &layer.padding},
                 {"dilation", &layer.dilation},
                 {"groups", &layer.groups}};
  const std::string whose = "The shape " + in_quotes(shape);
  std::size_t count = 0;
  std::set<const int*> given;
  for (const std::string_view part : split(shape, ',')) {
    const std::string_view word = trim(part);
    const std::size_t sign = word.find('=');
    if (sign == std::string_view::npos) {
      if (count == std::size(numbers)) throw Error(whose + " has more than six numbers; it is " + shape_form + ".");
      *numbers[count].value = whole_number(word, whose + ": " + numbers[count].name);
      ++count;
      continue;
    }
    const auto* option =
        std::ranges::find(options, trim(word.substr(0, sign)), [](const auto& o) { return std::string_view(o.name); });
    if (option == std::end(options))
      throw Error(whose + " has the unknown word " + in_quotes(trim(word.substr(0, sign))) + "; it is " + shape_form +
                  ".");
    if (!given.insert(option->value).second)
      throw Error(whose + " has " + std::string(option->name) + " twice. Give it once.");
    *option->value = whole_number(trim(word.substr(sign + 1)), whose + ": " + option->name);
  }
  if (count < std::size(numbers))
    throw Error(whose + " has " + std::to_string(count) + " numbers; it is " + shape_form + ".");
  problem.filter = {.name = {}, .width = size, .height = size, .maps = layer.maps};
  problem.filter.channels = layer.groups > 0 ? layer.channels / layer.groups : 0;
  if (layer.maps < 1) problem.filter.maps = 1;  // still a bank: the numbers are what is wrong
  for (const auto check : {invalid_number, invalid_extent})
    if (const std::string reason = check(problem); !reason.empty()) throw Error(reason + ".");
  if (!with_weights) return problem;
  problem.filter = random_bank(problem.filter.maps, problem.filter.channels, size);
  if (pass == Pass::to_weights) problem.filter.weights.clear();
  return problem;
}

const Kind layer_kind{
    .id = "layer",
    .title = "Layer",
    .idea =
        "Pictures of several channels in, feature maps out: every output is the weighted sum of its neighbourhood in "
        "all channels. Its gradients go back to the input and to the weights.",
    .formats = formats,
    .borders = borders,
    .width_name = "width",
    .height_name = "height",
    .inputs = inputs,
    .outputs = outputs,
    .invalid = invalid,
    .describe = describe,
    .parse = parse,
    .cases = layer_cases,
    .tuning_cases = layer_tuning_cases,
    .benchmarks = layer_benchmarks,
    .reference = layer_reference,
    .compare = compare_planes,
    .sources = layer_sources,
    .reference_of_part = layer_reference_of_part,
    .problem = stated,
    .shape = shape,
    .parameters = layer_parameters,
};

}  // namespace convoscope
