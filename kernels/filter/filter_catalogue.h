#pragma once
// The named filters and their parameters, as data: the command line, the panel and the tests read this table.
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/contract/data/filter.h"
#include "kernels/filter/filter_parameters.h"

namespace convoscope {

struct FilterKind {
  std::string_view id, title, idea;  // idea: one sentence on what it does to a picture
  std::span<const FilterParameter> parameters;
  Filter (*make)(std::span<const double> values);  // one value per parameter, in order, already in range
  std::string_view also = {};                      // what it is for, in words that its title may not have
};

std::span<const FilterKind> filter_kinds();
const FilterKind* find_filter_kind(std::string_view id);

// A filter as the user states it: "gaussian:radius=8,sigma=3", "sobel-x", a matrix "0 -1 0; -1 5 -1; 0 -1 0" or the
// path of a JSON file. gain=, bias= and absolute= are accepted for every kind. Throws Error naming what is wrong.
struct FilterSpec {
  std::string kind;            // id of a FilterKind; "custom" for a matrix or file
  std::vector<double> values;  // of the kind's parameters
  Filter filter;               // made from them
  bool operator==(const FilterSpec&) const = default;
};
FilterSpec parse_filter(const std::string& text);
std::string spec_text(const FilterSpec&);  // parse_filter(spec_text(s)) gives s again for catalogue kinds
// For who reads it in a file later: weights with the name that their file or the catalogue has for them, "sharpen
// (0 -1 0; -1 5 -1; 0 -1 0)"; else as spec_text().
std::string named_text(const FilterSpec&);

}  // namespace convoscope
