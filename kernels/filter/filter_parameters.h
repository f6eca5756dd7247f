#pragma once
// The numbers of a named filter, as its catalogue lists them and as people write them: "radius=8,sigma=3".
#include <functional>
#include <string>
#include <string_view>

namespace convoscope {

struct FilterParameter {
  std::string_view id, title, unit;
  double minimum, maximum, initial, step;  // step 1 and integral bounds: a whole number
  // What may be written instead of a number ("opencv"), and is kept as value_of_word, which is outside of the bounds.
  std::string_view word = {};
  static constexpr double value_of_word = -1;
};

std::string few_values(const FilterParameter&);           // "4 or 8"; empty: there are too many to be named
bool is_automatic(const FilterParameter&, double value);  // it follows from the others; the title says so
std::string_view automatic_rule(const FilterParameter&);  // as its title says: "radius / 2"; empty without one
bool is_word(const FilterParameter&, double value);
std::string value_text(const FilterParameter&, double value);  // as it is written: "2.5", "opencv"

// The value, where the parameter can have it; else throws Error, a sentence that begins with `what`.
double checked_value(const FilterParameter&, double value, const std::string& what);
// Each name with the text behind its '='. Throws Error for what is no such list, or names something twice.
void for_each_assignment(std::string_view text, const std::string& kind,
                         const std::function<void(std::string_view name, std::string_view value)>& visit);

}  // namespace convoscope
