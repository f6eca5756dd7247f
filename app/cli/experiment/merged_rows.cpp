// Reads what bench and experiment have written.
#include <algorithm>
#include <cmath>

#include "app/cli/experiment/merged.h"
#include "kernels/contract/kind.h"
#include "kernels/files/json_parts.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

using nlohmann::json;

constexpr std::uintmax_t largest_measurements = 64u << 20;
constexpr std::size_t longest_word = 200;

std::string word_in(const json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  if (found == object.end()) return {};
  if (found->is_string()) return found->get<std::string>().substr(0, longest_word);
  return found->is_number() ? number_text(found->get<double>()) : std::string();
}

std::optional<double> real_in(const json& object, const std::string& key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  if (found == object.end() || !found->is_number()) return std::nullopt;
  const double value = found->get<double>();
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

const json& member(const json& object, const char* key) {
  static const json nothing;
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found == object.end() ? nothing : *found;
}

bool is_library(const std::string& id, const std::string& kind_id) {
  const Kind* const kind = find_kind(kind_id.empty() ? Problem().kind->id : std::string_view(kind_id));
  const Strategy* const strategy = kind ? find_strategy(Backend::emulated, id, *kind) : nullptr;
  return strategy && strategy->peer;
}

std::string tuning_words(const json& row) {
  std::string text;
  const json& tuning = member(row, "tuning");
  if (tuning.is_object())
    for (const auto& [id, value] : tuning.items())
      if (value.is_number()) text += (text.empty() ? "" : " ") + id + "=" + number_text(value.get<double>());
  return text;
}

// All that a time hangs on, but for the number along the axis.
std::string problem_words(const json& row, const std::string& kind) {
  const std::string shape = word_in(row, "shape"), filter = word_in(row, "filter");
  std::string text = kind.empty() || kind == Problem().kind->id ? "" : kind + ", ";
  if (!shape.empty()) return text + word_in(row, "pass") + ", " + word_in(row, "type") + ", " + word_in(row, "layout");
  text += filter.substr(0, filter.find(':')) + ", " + word_in(row, "format");
  if (const std::string width = word_in(row, "width"); !width.empty())
    text += ", " + width + " × " + word_in(row, "height");
  const json& samples = member(member(row, "parameters"), "samples");  // of a signal
  if (!samples.is_null()) text += ", " + word_in(samples, "value") + " samples";
  if (const std::string time = word_in(row, "rt"); !time.empty()) text += ", rt " + time;
  return text + ", border " + word_in(row, "border");
}

std::optional<MergedRow> merged_row(const json& row) {
  const std::string kind = word_in(row, "kind");
  MergedRow out{.strategy = word_in(row, "strategy"), .tuning = tuning_words(row), .problem = problem_words(row, kind)};
  const std::string of = word_in(row, "statistic") == "mean" ? "mean" : "median";
  out.time = {real_in(row, of + "_ms").value_or(0), real_in(row, of + "_low_ms").value_or(0),
              real_in(row, of + "_high_ms").value_or(0)};
  if (out.strategy.empty() || !(out.time.ms > 0)) return std::nullopt;
  if (const std::string shape = word_in(row, "shape"); !shape.empty()) {
    out.point = shape;
  } else {
    out.radius = static_cast<int>(std::clamp(real_in(row, "rx").value_or(0), 0.0, 1e6));
    out.point = std::to_string(*out.radius);
  }
  out.times_copy = real_in(row, "times_copy");
  out.of_roofline = real_in(row, "fraction_of_roofline");
  out.doubtful = row.contains("doubt");
  out.chooses = row.contains("ran") || row.contains("runs");
  out.library = is_library(out.strategy, kind);
  return out;
}

MergedRun run_on(const json& on, const std::string& path) {
  const json& device = member(on, "device");
  MergedRun run{.file = path.substr(path.rfind('/') + 1), .rows = {}};
  run.device = word_in(device, "name");
  run.backend = word_in(device, "backend");
  run.driver = word_in(device, "driver");
  run.cuda = word_in(device, "cuda");
  run.program = word_in(on, "program");
  run.date = word_in(on, "date");
  return run;
}

void add_row(MergedRun& run, const json& row, int* left_out) {
  if (auto merged = merged_row(row))
    run.rows.push_back(*std::move(merged));
  else if (left_out)
    ++*left_out;
}

}  // namespace

std::vector<MergedRun> read_measurements(const std::string& path, int* left_out) {
  const std::string what = "file of measurements";
  const json document = json_parts::parse(json_parts::read_file(path, what, largest_measurements), path, what);
  const json& rows = member(document, "rows");
  if (!rows.is_array())
    throw Error("The file " + in_quotes(path) +
                " has no list of rows. Give what convoscope bench --json or experiment --json has written.");
  std::vector<MergedRun> runs;
  const json& measured_on = member(document, "measured_on");
  if (measured_on.is_object()) {  // of an experiment: a device for each backend
    for (const auto& [backend, on] : measured_on.items()) {
      if (on.contains("missing")) continue;
      MergedRun& run = runs.emplace_back(run_on(on, path));
      for (const json& row : rows)
        if (word_in(row, "backend") == backend) add_row(run, row, left_out);
    }
  } else {
    MergedRun& run = runs.emplace_back(run_on(document, path));
    for (const json& row : rows) add_row(run, row, left_out);
  }
  std::erase_if(runs, [](const MergedRun& run) { return run.rows.empty(); });
  if (runs.empty()) throw Error("No row of the file " + in_quotes(path) + " has a strategy and a time.");
  return runs;
}

}  // namespace convoscope
