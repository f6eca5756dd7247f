#include "kernels/filter/filter_catalogue.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <utility>

#include "kernels/filter/filter_shapes.h"
#include "kernels/text/edit_distance.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

using Values = std::span<const double>;

constexpr FilterParameter radius(double initial, double minimum = 0) {
  return {"radius", "Radius", "pixels", minimum, max_filter_radius, initial, 1};
}
constexpr FilterParameter sigma(std::string_view title, std::string_view word = {}) {
  return {"sigma", title, "pixels", 0, 64, 0, 0.1, word};
}
constexpr FilterParameter gaussian_sigma = sigma("Sigma (0: radius / 2)", "opencv");
constexpr FilterParameter own_radius(std::string_view id, std::string_view title, double minimum, double initial) {
  return {id, title, "pixels", minimum, max_filter_radius, initial, 1};
}

constexpr FilterParameter box_parameters[] = {radius(2), own_radius("rx", "Radius x (−1: radius)", -1, -1),
                                              own_radius("ry", "Radius y (−1: radius)", -1, -1)};
constexpr FilterParameter gaussian_parameters[] = {radius(4), gaussian_sigma};
constexpr FilterParameter binomial_parameters[] = {radius(2)};
constexpr FilterParameter disk_parameters[] = {{"radius", "Radius", "pixels", 0.5, max_filter_radius, 5, 0.5}};
constexpr FilterParameter motion_parameters[] = {{"length", "Length", "pixels", 1, 127, 15, 0.5},
                                                 {"angle", "Angle", "degrees", -180, 180, 0, 0.5}};
constexpr FilterParameter sharpen_parameters[] = {{"amount", "Amount", "", 0, 10, 1, 0.05}};
constexpr FilterParameter unsharp_parameters[] = {radius(4), gaussian_sigma, {"amount", "Amount", "", 0, 10, 1, 0.05}};
constexpr FilterParameter laplacian_parameters[] = {{"neighbours", "Neighbours", "", 4, 8, 4, 4}};
constexpr FilterParameter log_parameters[] = {radius(4, 1), sigma("Sigma (0: radius / 3)")};
constexpr FilterParameter emboss_parameters[] = {{"strength", "Strength", "", 0, 10, 1, 0.05}};
constexpr FilterParameter custom_parameters[] = {own_radius("rx", "Radius x", 0, 1),
                                                 own_radius("ry", "Radius y", 0, 1)};

constexpr std::initializer_list<double> sobel{1, 2, 1}, scharr{3, 10, 3}, prewitt{1, 1, 1};

constexpr std::string_view edges = "edge edges detection gradient derivative outline contour";

constexpr FilterKind all_filters[] = {
    {"identity",
     "Identity",
     "The picture as it is: what a strategy costs when it has nothing to do.",
     {},
     shapes::identity,
     "none unchanged"},
    {"box", "Box", "The plain mean of a rectangle: blurs, and leaves blocky edges in out-of-focus lights.",
     box_parameters, shapes::box, "blur mean average smooth"},
    {"gaussian", "Gaussian", "A mean that favours the centre: the blur without blocks or rings.", gaussian_parameters,
     shapes::gaussian, "blur smooth soften soft"},
    {"binomial", "Binomial",
     "The rows of Pascal's triangle: nearly Gaussian, with weights that are exact in floating point.",
     binomial_parameters, shapes::binomial, "blur smooth"},
    {"disk", "Disk", "The mean of a circle with soft rims: what a lens out of focus does.", disk_parameters,
     shapes::disk, "blur bokeh defocus lens"},
    {"motion", "Motion blur", "The mean along a line: what happens when a camera moves while its shutter is open.",
     motion_parameters, shapes::motion, "smear shake"},
    {"sharpen", "Sharpen",
     "Adds the difference of each pixel from its four neighbours: edges become steeper, noise too.", sharpen_parameters,
     shapes::sharpen, "sharper detail crisp"},
    {"unsharp", "Unsharp mask", "Adds what a Gaussian blur takes away: sharpens at the scale of its radius.",
     unsharp_parameters, shapes::unsharp, "sharpen sharper detail"},
    {"sobel-x",
     "Sobel x",
     "Change from left to right, smoothed across; mid-grey is no change.",
     {},
     [](Values) { return shapes::derivative_x(sobel); },
     edges},
    {"sobel-y",
     "Sobel y",
     "Change from top to bottom, smoothed across; mid-grey is no change.",
     {},
     [](Values) { return shapes::derivative_y(sobel); },
     edges},
    {"sobel-magnitude",
     "Sobel magnitude",
     "The root of the squares of Sobel x and y: how strong an edge is, whichever way it runs.",
     {},
     [](Values) { return shapes::gradient_magnitude(sobel); },
     edges},
    {"scharr-x",
     "Scharr x",
     "As Sobel x, with weights that treat all directions more alike.",
     {},
     [](Values) { return shapes::derivative_x(scharr); },
     edges},
    {"scharr-y",
     "Scharr y",
     "As Sobel y, with weights that treat all directions more alike.",
     {},
     [](Values) { return shapes::derivative_y(scharr); },
     edges},
    {"scharr-magnitude",
     "Scharr magnitude",
     "Edge strength from Scharr x and y.",
     {},
     [](Values) { return shapes::gradient_magnitude(scharr); },
     edges},
    {"prewitt-x",
     "Prewitt x",
     "As Sobel x, smoothed by a plain mean.",
     {},
     [](Values) { return shapes::derivative_x(prewitt); },
     edges},
    {"prewitt-y",
     "Prewitt y",
     "As Sobel y, smoothed by a plain mean.",
     {},
     [](Values) { return shapes::derivative_y(prewitt); },
     edges},
    {"prewitt-magnitude",
     "Prewitt magnitude",
     "Edge strength from Prewitt x and y.",
     {},
     [](Values) { return shapes::gradient_magnitude(prewitt); },
     edges},
    {"laplacian", "Laplacian",
     "How a pixel differs from the mean of its neighbours: thin double lines at edges; mid-grey is no difference.",
     laplacian_parameters, shapes::laplacian, "edge edges detection second derivative outline contour"},
    {"log", "Laplacian of Gaussian", "The Laplacian of a blurred picture: edges and blobs of one scale, less noise.",
     log_parameters, shapes::laplacian_of_gaussian, "edge edges detection blob"},
    {"emboss", "Emboss", "Light from one corner: edges facing it brighten, the others darken.", emboss_parameters,
     shapes::emboss, "relief engrave"},
    {"custom", "Custom", "A filter of your own; it starts as the identity of the size you choose.", custom_parameters,
     shapes::custom, "own matrix kernel weights numbers"},
};

const FilterParameter* find_parameter(const FilterKind& kind, std::string_view id, std::size_t* index) {
  for (std::size_t i = 0; i < kind.parameters.size(); ++i)
    if (kind.parameters[i].id == id) return *index = i, &kind.parameters[i];
  return nullptr;
}

std::string parameter_list(const FilterKind& kind) {
  std::string list;
  for (const FilterParameter& parameter : kind.parameters) list += std::string(parameter.id) + ", ";
  return list + "gain, bias and absolute";
}

bool parse_switch(std::string_view text, const std::string& what) {
  for (const std::string_view yes : {"1", "true", "yes", "on"})
    if (text == yes) return true;
  for (const std::string_view no : {"0", "false", "no", "off"})
    if (text == no) return false;
  throw Error(what + " is " + in_quotes(text) + "; write 1 or 0");
}

// The kind's own go to `values`, the common ones to `filter` by a second pass, because making the filter sets its own
// gain and bias first.
bool is_common(std::string_view name) { return name == "gain" || name == "bias" || name == "absolute"; }

void apply_common(Filter& filter, std::string_view text, const std::string& kind) {
  for_each_assignment(text, kind, [&](std::string_view name, std::string_view value) {
    const std::string what = "The parameter '" + std::string(name) + "' of the filter '" + kind + "'";
    if (name == "gain") filter.gain = parse_float(value, what);
    if (name == "bias") filter.bias = parse_float(value, what);
    if (name == "absolute") filter.absolute = parse_switch(value, what);
  });
}

FilterSpec parse_kind(const FilterKind& kind, std::string_view parameters) {
  const std::string id(kind.id);
  FilterSpec spec{.kind = id};
  for (const FilterParameter& parameter : kind.parameters) spec.values.push_back(parameter.initial);
  for_each_assignment(parameters, id, [&](std::string_view name, std::string_view value) {
    if (is_common(name)) return;
    std::size_t index = 0;
    const FilterParameter* parameter = find_parameter(kind, name, &index);
    if (!parameter)
      throw Error("The filter '" + id + "' has no parameter " + in_quotes(name) + "; it takes " + parameter_list(kind));
    const std::string what = "The parameter '" + std::string(name) + "' of the filter '" + id + "'";
    spec.values[index] = !value.empty() && value == parameter->word
                             ? FilterParameter::value_of_word
                             : checked_value(*parameter, parse_number(value, what), what);
  });
  spec.filter = kind.make(spec.values);
  apply_common(spec.filter, parameters, id);
  spec.filter.name = id == "custom" ? id : spec_text({spec.kind, spec.values, kind.make(spec.values)});
  validate(spec.filter);
  return spec;
}

FilterSpec make_custom(Filter filter) {
  return {"custom", {static_cast<double>(filter.rx()), static_cast<double>(filter.ry())}, std::move(filter)};
}

void only_common(std::string_view parameters, const std::string& kind) {
  for_each_assignment(parameters, kind, [&](std::string_view name, std::string_view) {
    if (!is_common(name))
      throw Error("A " + kind + " has no parameter " + in_quotes(name) + "; it takes gain, bias and absolute");
  });
}

// "A" or "A | B": one matrix, or the two of an edge magnitude; then perhaps ":gain=2".
FilterSpec parse_matrix_spec(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view parameters = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  const std::vector<std::string_view> parts = split(text.substr(0, colon), '|');
  if (parts.size() > 2)
    throw Error("The filter has " + std::to_string(parts.size()) + " matrices between '|'; an edge magnitude has two");
  Filter filter = parse_matrix(std::string(parts[0]));
  if (parts.size() == 2) {
    const Filter second = parse_matrix(std::string(parts[1]));
    if (second.width != filter.width || second.height != filter.height)
      throw Error("The two matrices of an edge magnitude must have the same size, but are " +
                  std::to_string(filter.width) + " × " + std::to_string(filter.height) + " and " +
                  std::to_string(second.width) + " × " + std::to_string(second.height));
    filter.weights_y = second.weights;
  }
  only_common(parameters, "matrix");
  apply_common(filter, parameters, "matrix");
  validate(filter);
  return make_custom(std::move(filter));
}

FilterSpec parse_file_spec(std::string_view path, std::string_view parameters) {
  Filter filter = load_filter(std::string(path));
  only_common(parameters, "filter file");
  apply_common(filter, parameters, "filter file");
  validate(filter);
  return make_custom(std::move(filter));
}

bool is_file(std::string_view path) {
  std::error_code ignored;
  return path.size() < 4096 && path.find('\0') == std::string_view::npos &&
         std::filesystem::exists(std::filesystem::path(path), ignored);
}

bool looks_like_matrix(std::string_view text) {
  if (text.find_first_of(";\n|") != std::string_view::npos) return true;
  const std::string_view head = text.substr(0, text.find(':'));
  if (head.find('=') != std::string_view::npos) return false;
  // What begins with one of these is refused as a number, and not for a name that it is not.
  const std::string_view first = head.substr(0, head.find_first_of(" \t,"));
  for (const char* none : {"nan", "NaN", "inf", "Inf", "infinity"})
    if (first == none && first.size() < head.size()) return true;
  return std::string_view("+-.0123456789[{").find(text.front()) != std::string_view::npos &&
         head.find_first_of("\\~") == std::string_view::npos;
}

// "sobel" is nearer to what contains it than to any short word, and "blur" says what is wanted of some.
std::string nearest_kind(std::string_view name) {
  if (name.size() >= 3)
    for (const auto words : {&FilterKind::id, &FilterKind::also})
      for (const FilterKind& kind : all_filters)
        if ((kind.*words).find(name) != std::string_view::npos) return std::string(kind.id);
  std::vector<std::string> ids;
  for (const FilterKind& kind : all_filters) ids.emplace_back(kind.id);
  return nearest_word(name.substr(0, 64), ids);
}

[[noreturn]] void throw_unknown(std::string_view name) {
  const std::string near = nearest_kind(name);
  throw Error("There is no filter " + in_quotes(name) + (near.empty() ? "; " : "; did you mean '" + near + "'? ") +
              "`convoscope list filters` names them all; a matrix like \"0 -1 0; -1 5 -1; 0 -1 0\" or a JSON file "
              "works too");
}

}  // namespace

std::span<const FilterKind> filter_kinds() { return all_filters; }

const FilterKind* find_filter_kind(std::string_view id) {
  const auto found = std::ranges::find(all_filters, id, &FilterKind::id);
  return found == std::end(all_filters) ? nullptr : found;
}

FilterSpec parse_filter(const std::string& whole) {
  const std::string_view text = trim(whole);
  if (text.empty())
    throw Error(
        "The filter is empty; name one like gaussian:radius=4, or write a matrix like \"0 -1 0; -1 5 -1; 0 -1 0\"");

  const std::size_t colon = text.find(':');
  const std::string_view head = trim(text.substr(0, colon));
  const std::string_view parameters = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  if (const FilterKind* kind = find_filter_kind(head)) return parse_kind(*kind, parameters);
  if (is_file(text)) return parse_file_spec(text, {});
  if (is_file(head)) return parse_file_spec(head, parameters);
  if (text.ends_with(".json") || head.ends_with(".json"))
    load_filter(std::string(head));  // throws: there is no such file
  if (looks_like_matrix(text)) return parse_matrix_spec(text);
  if (head.find('/') != std::string_view::npos) load_filter(std::string(head));
  throw_unknown(head);
}

std::string spec_text(const FilterSpec& spec) {
  const FilterKind* kind = find_filter_kind(spec.kind);
  Filter plain;  // what the text would give without the common parameters
  std::string text;
  char separator = ':';
  const auto add = [&](std::string_view name, const std::string& value) {
    text.append(1, std::exchange(separator, ',')).append(name).append(1, '=').append(value);
  };
  if (kind && (spec.kind != "custom")) {
    text = spec.kind;
    plain = kind->make(spec.values);
    for (std::size_t i = 0; i < kind->parameters.size(); ++i) {
      if (spec.values[i] == kind->parameters[i].initial) continue;
      add(kind->parameters[i].id, value_text(kind->parameters[i], spec.values[i]));
    }
  } else {
    text = matrix_text(spec.filter);
    if (spec.filter.is_magnitude()) {
      Filter second = spec.filter;
      second.weights = second.weights_y;
      text += " | " + matrix_text(second);
    }
  }
  if (spec.filter.gain != plain.gain) add("gain", number_text(spec.filter.gain));
  if (spec.filter.bias != plain.bias) add("bias", number_text(spec.filter.bias));
  if (spec.filter.absolute != plain.absolute) add("absolute", std::string(1, spec.filter.absolute ? '1' : '0'));
  return text;
}

std::string named_text(const FilterSpec& spec) {
  const std::string text = spec_text(spec);
  if (spec.kind != "custom") return text;
  for (const FilterKind& kind : filter_kinds()) {
    if (kind.id == "custom") continue;
    std::vector<double> usual;
    for (const FilterParameter& parameter : kind.parameters) usual.push_back(parameter.initial);
    Filter same = kind.make(usual);
    same.name = spec.filter.name;
    if (same == spec.filter) return std::string(kind.id) + " (" + text + ")";
  }
  std::string name = spec.filter.name;
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::iscntrl(c) != 0; }, ' ');
  if (name.empty() || name == "custom" || name == text) return text;
  const bool was_edited = find_filter_kind(name.substr(0, name.find(':'))) != nullptr;
  return (was_edited ? "custom, from " : "") + name + " (" + text + ")";
}

}  // namespace convoscope
