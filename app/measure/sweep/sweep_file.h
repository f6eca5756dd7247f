#pragma once
// Sweeps as files: the JSON of `convoscope bench --json`, and CSV for spreadsheets.
#include <optional>
#include <string>
#include <vector>

#include "app/state/stats.h"

namespace convoscope {

// Of one line as bench --lines writes them; empty when it is none.
std::optional<SweepRow> sweep_row(const std::string& json);
std::optional<std::string> sweep_device_name(const std::string& json);  // of a line, or of a file
std::string sweep_device(const std::string& json);  // what such a line says of the device and the day, for sweep_json()

// The lines of a sweep as one document. Empty device: unknown.
std::string sweep_json(const std::string& device_line, const std::vector<std::string>& row_lines);
std::string sweep_csv(const std::vector<std::string>& row_lines);

struct SavedSweep {
  std::vector<SweepRow> rows;
  std::string device;
};
SavedSweep load_sweep(const std::string& path);  // throws Error with a sentence that names the file

}  // namespace convoscope
