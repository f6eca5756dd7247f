#include "app/ui/actions/filter_actions.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "app/files/sentence.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope::ui {
namespace {

constexpr std::size_t max_pasted_characters = 1 << 20;

// The name says all parameters, as parse_filter() has it, so that an edited filter still tells where it came from.
FilterSpec make(const FilterKind& kind, std::vector<double> values) {
  FilterSpec spec{std::string(kind.id), std::move(values), {}};
  spec.filter = kind.make(spec.values);
  spec.filter.name = spec_text(spec);
  return spec;
}

FilterSpec custom(Filter filter) {
  return {"custom", {static_cast<double>(filter.rx()), static_cast<double>(filter.ry())}, std::move(filter)};
}

// The epilogue's lines after the matrix: "gain 0.5", "bias 0.5", "absolute". What is not said is 1, 0 and off.
Filter read_text(const std::string& text) {
  std::string matrix;
  Filter epilogue;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word, value;
    words >> word >> value;
    if (word == "gain")
      epilogue.gain = parse_float(value, "the gain");
    else if (word == "bias")
      epilogue.bias = parse_float(value, "the bias");
    else if (word == "absolute")
      epilogue.absolute = true;
    else
      matrix += line + '\n';
  }
  Filter filter = parse_matrix(matrix);
  filter.gain = epilogue.gain;
  filter.bias = epilogue.bias;
  filter.absolute = epilogue.absolute;
  return filter;
}

}  // namespace

bool is_custom(const FilterSpec& spec) { return spec.kind == "custom" || !find_filter_kind(spec.kind); }

void choose_kind(FilterSpec& spec, const FilterKind& kind) {
  if (!kind.make) return;
  std::vector<double> values;
  for (const FilterParameter& p : kind.parameters) values.push_back(p.initial);
  if (kind.id == "custom")  // the weights at hand are what the user wants to make their own
    spec = custom(std::move(spec.filter));
  else
    spec = make(kind, std::move(values));
  if (kind.id != "custom") begin_bright(spec);
}

void begin_bright(FilterSpec& spec) {
  constexpr float enough_to_see = 4;
  if (spec.filter.is_magnitude()) spec.filter.gain *= enough_to_see;
}

void choose_next_kind(FilterSpec& spec, int direction) {
  const auto kinds = filter_kinds();
  if (kinds.empty()) return;
  const int count = static_cast<int>(kinds.size());
  int index = direction > 0 ? -1 : count;
  for (int i = 0; i < count; ++i)
    if (kinds[static_cast<std::size_t>(i)].id == spec.kind) index = i;
  choose_kind(spec, kinds[static_cast<std::size_t>((index + direction + count) % count)]);
}

void set_parameter(FilterSpec& spec, std::size_t index, double value) {
  const FilterKind* const kind = find_filter_kind(spec.kind);
  if (!kind || !kind->make || index >= kind->parameters.size() || !std::isfinite(value)) return;
  for (std::size_t i = spec.values.size(); i < kind->parameters.size(); ++i)
    spec.values.push_back(kind->parameters[i].initial);
  spec.values[index] = nearest_value(kind->parameters[index], value);
  if (spec.kind == "custom") {  // its parameters are its size
    const auto side = [&](std::size_t i) { return 2 * static_cast<int>(spec.values[i]) + 1; };
    edit_weights(spec, [&](Filter& filter) { resize(filter, side(0), side(1)); });
    return;
  }
  const Filter old = std::move(spec.filter);
  spec = make(*kind, std::move(spec.values));
  spec.filter.gain = old.gain;
  spec.filter.bias = old.bias;
  spec.filter.absolute = old.absolute;
}

double nearest_value(const FilterParameter& parameter, double value) {
  value = std::clamp(value, parameter.minimum, parameter.maximum);
  if (!is_whole(parameter)) return value;
  const double steps = std::round((value - parameter.minimum) / parameter.step);
  return std::min(parameter.minimum + steps * parameter.step, parameter.maximum);
}

bool is_whole(const FilterParameter& p) { return p.step >= 1 && p.step == std::floor(p.step); }

std::string edit_weights(FilterSpec& spec, const std::function<void(Filter&)>& change) {
  Filter edited = spec.filter;
  try {
    change(edited);
    validate(edited);
  } catch (const Error& error) {
    return as_sentence(error.what());
  }
  if (edited == spec.filter) return {};  // it stays what it is: a kind keeps its parameters
  if (edited.name.empty()) edited.name = "custom";
  spec = custom(std::move(edited));
  return {};
}

std::string grow(FilterSpec& spec, int steps) {
  if (const FilterKind* const kind = find_filter_kind(spec.kind); kind && spec.kind != "custom") {
    for (std::size_t i = 0; i < kind->parameters.size(); ++i) {
      const FilterParameter& parameter = kind->parameters[i];
      if (parameter.unit != "pixels") continue;
      const double now = i < spec.values.size() ? spec.values[i] : parameter.initial;
      set_parameter(spec, i, now + steps * std::max(parameter.step, 1.0));
      return {};
    }
  }
  const Filter& f = spec.filter;
  const auto resized = [steps](int size, bool thin) { return thin ? 1 : std::max(size + 2 * steps, 1); };
  const bool dot = f.width == 1 && f.height == 1;
  const int width = resized(f.width, !dot && f.width == 1), height = resized(f.height, !dot && f.height == 1);
  if (width == f.width && height == f.height) return {};
  return edit_weights(spec, [&](Filter& filter) { resize(filter, width, height); });
}

std::string filter_text(const Filter& filter) {
  std::string text = matrix_text(filter);
  const auto add = [&](const std::string& line) { text += (text.ends_with('\n') ? "" : "\n") + line; };
  if (filter.gain != 1) add("gain " + number_text(filter.gain));
  if (filter.bias != 0) add("bias " + number_text(filter.bias));
  if (filter.absolute) add("absolute");
  return text;
}

std::string paste_matrix(FilterSpec& spec, const std::string& text) {
  if (text.find_first_not_of(" \t\r\n") == std::string::npos)
    return "The clipboard holds no text. Copy a matrix such as \"0 -1 0; -1 5 -1; 0 -1 0\" first.";
  if (text.size() > max_pasted_characters) return "The clipboard's text is too long to be a filter.";
  try {
    Filter filter = read_text(text);
    validate(filter);
    spec = custom(std::move(filter));
  } catch (const Error& error) {
    return as_sentence(error.what());
  }
  return {};
}

std::string display_name(const FilterSpec& spec) {
  const FilterKind* const kind = find_filter_kind(spec.kind);
  if (kind && spec.kind != "custom") return std::string(kind->title);
  const std::string& name = spec.filter.name;
  if (name.empty() || name == "custom") return "Custom";
  return "Custom · from " + name;
}

}  // namespace convoscope::ui
