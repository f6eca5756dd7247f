#include "app/cli/commands/report.h"

#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <utility>

#include "app/cli/commands/text_table.h"
#include "app/cli/options/values.h"
#include "app/files/log.h"
#include "app/measure/driver_version.h"
#include "kernels/compute/compute_backends.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

using nlohmann::ordered_json;

std::string printed(const char* format, int digits, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, digits, value);
  return text;
}

}  // namespace

ordered_json cost_json(const Cost& cost) {
  return {{"flop", cost.flop},
          {"global_loads_per_output", cost.global_loads_per_output},
          {"weight_loads_per_output", cost.weight_loads_per_output},
          {"global_stores_per_output", cost.global_stores_per_output},
          {"shared_loads_per_output", cost.shared_loads_per_output},
          {"dram_bytes", cost.dram_bytes},
          {"diverging_warps", cost.diverging_warps},
          {"on_matrix_units", cost.on_matrix_units},
          {"intensity", cost.intensity()}};
}

ordered_json kernels_json(const std::vector<KernelInfo>& kernels) {
  ordered_json out = ordered_json::array();
  for (const KernelInfo& k : kernels)
    out.push_back({{"name", k.name},
                   {"grid", {k.grid_x, k.grid_y, k.grid_z}},
                   {"block", {k.block_x, k.block_y, k.block_z}},
                   {"registers", k.registers},
                   {"static_shared_bytes", k.static_shared_bytes},
                   {"dynamic_shared_bytes", k.dynamic_shared_bytes},
                   {"local_bytes", k.local_bytes},
                   {"constant_bytes", k.constant_bytes},
                   {"blocks_per_multiprocessor", k.blocks_per_multiprocessor},
                   {"occupancy", k.occupancy},
                   {"waves", k.waves}});
  return out;
}

ordered_json device_json(const Device& device) {
  ordered_json out{{"backend", to_string(device.backend)},
                   {"ordinal", device.ordinal},
                   {"name", device.name},
                   {"compute_capability", device.compute_capability},
                   {"multiprocessors", device.multiprocessors},
                   {"max_threads_per_block", device.max_threads_per_block},
                   {"shared_bytes_per_block", device.shared_bytes_per_block},
                   {"shared_bytes_per_multiprocessor", device.shared_bytes_per_multiprocessor},
                   {"l2_bytes", device.l2_bytes},
                   {"memory_bytes", device.memory_bytes}};
  if (device.backend == Backend::cuda) {
    const std::string driver = nvidia_driver_number();
    out["driver"] = driver.empty() ? ordered_json(nullptr) : ordered_json(driver);
    out["cuda"] = cuda_versions();  // of the driver and the toolkit
  }
  return out;
}

ordered_json number_json(double value) { return std::isfinite(value) ? ordered_json(value) : ordered_json(nullptr); }
ordered_json number_json(const std::optional<double>& value) { return value ? number_json(*value) : nullptr; }

std::string json_text(const ordered_json& json) {
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

ProgressLine::ProgressLine() : terminal_(isatty(STDERR_FILENO)) {}

void ProgressLine::show(const std::string& text) {
  if (!terminal_) return;
  constexpr std::size_t behind = 3;                                                  // " …", and the cursor
  const std::string lines = in_lines(text, output_columns(STDERR_FILENO) - behind);  // a second one would stay
  log::show_line(lines.substr(0, lines.find('\n')) + " …");
}

void ProgressLine::clear() { log::clear_line(); }

std::string decimals(double value, int digits) { return printed("%.*f", digits, value); }
std::string significant(double value, int digits) { return printed("%.*g", digits, value); }

std::string doubt_text(Doubt doubt, const Spread& time, const ProcessorUse& use, int cores) {
  std::string text = std::string(why_doubtful(doubt)) + " " + counted(time.samples, "sample");
  if (use.spent_ms > 0)
    text += ", " + significant(use.spent_ms / cores, 3) + " ms of processor time on each of " + counted(cores, "core");
  return text + ".";
}

}  // namespace convoscope
