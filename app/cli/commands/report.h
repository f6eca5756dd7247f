#pragma once
// Pieces that several commands print: JSON of shared types, and numbers.
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/contract/device.h"
#include "kernels/contract/strategy.h"
#include "kernels/measure/doubt.h"
#include "kernels/measure/spread.h"

namespace convoscope {

nlohmann::ordered_json cost_json(const Cost&);
nlohmann::ordered_json kernels_json(const std::vector<KernelInfo>&);
nlohmann::ordered_json device_json(const Device&);

// A finite number, or null: JSON has neither infinity nor NaN.
nlohmann::ordered_json number_json(double);
nlohmann::ordered_json number_json(const std::optional<double>&);

// Indented, ending with a new line; bytes that are not UTF-8 (file names) are replaced.
std::string json_text(const nlohmann::ordered_json&);

// What is being done, in one line of stderr that each replaces; nothing where that is no terminal.
class ProgressLine {
 public:
  ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine() { clear(); }
  void show(const std::string& text);
  void clear();  // before anything else is printed

 private:
  const bool terminal_;
};

std::string decimals(double value, int digits);
std::string significant(double value, int digits);  // 0.00123, 12.3, 4.5e-06

// Why a time cannot be believed, and what it was made of: sentences. `use`: of one sample.
std::string doubt_text(Doubt, const Spread& time, const ProcessorUse& use, int cores);

}  // namespace convoscope
