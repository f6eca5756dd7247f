#pragma once
// What happened, for scripts (--stats) and for people without a display.
#include <filesystem>
#include <string>

#include "app/state/stats.h"

namespace convoscope {

// JSON: source, strategy and filter (of the first pane), backend, device, renderer, frames_shown, frames_dropped,
// limits and health of the device, steps {decode, upload, convert, interop, draw, frame: {median_ms, p05_ms, p95_ms,
// p99_ms, min_ms, count}}, strategies [one per pane: the same figures of its kernels, median_low_ms and median_high_ms
// (95 %, bootstrap), speed_up {factor, low, high, seen} against the baseline pane; null where there are too few times].
std::string stats_json(const Stats&);
void write_stats(const Stats&, const std::filesystem::path&);  // throws Error; "-": to stdout

// The same as an aligned table of plain text, ending with a new line.
std::string timing_table(const Stats&);

}  // namespace convoscope
