#include "app/measure/sweep/sweep_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "app/measure/sweep/sweep_curves.h"
#include "kernels/contract/kind.h"
#include "kernels/contract/theory/model.h"
#include "kernels/measure/times_copy.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::uintmax_t largest_file = 64 << 20;
constexpr std::array of_all_rows{"device", "date"};

ordered_json parse(const std::string& text) { return ordered_json::parse(text, nullptr, false); }

std::string text_of(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}
double number_of(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<double>() : 0;
}
int whole_of(const json& object, std::string_view key, int most) {
  const double value = number_of(object, std::string(key).c_str());
  return value >= 0 && value <= most ? static_cast<int>(value) : 0;
}

bool is_verified(const auto& object) {
  const auto found = object.find("verified");
  return found != object.end() && *found == true;  // a file may say anything
}

// Of a name, the one that has it; without a name, the first. None: another name.
template <class Value, std::size_t Count>
std::optional<Value> named(const std::string& name, const std::array<Value, Count>& all) {
  if (name.empty()) return all.front();
  const auto found = std::ranges::find(all, name, [](Value value) { return to_string(value); });
  return found == all.end() ? std::nullopt : std::optional(*found);
}

// Rows of earlier versions name no kind: they are of pictures.
std::optional<Problem> problem_of(const json& object) {
  constexpr int longest = 1 << 28, widest = 1'000'000;
  const std::string id = text_of(object, "kind"), shape = text_of(object, "shape"), pass = text_of(object, "pass");
  const Kind* const kind = id.empty() ? Problem().kind : find_kind(id);
  if (!kind) return std::nullopt;
  if (kind->problem) {
    const auto known = named(pass, all_passes);
    const auto type = named(text_of(object, "type"), all_precisions);
    const auto layout = named(text_of(object, "layout"), all_layouts);
    if (shape.empty() || pass.empty() || !known || !type || !layout) return std::nullopt;
    const Filter no_weights;
    try {
      Problem problem = kind->problem(shape, *known, &no_weights);
      problem.layer.precision = *type;
      problem.layer.layout = *layout;
      return problem;
    } catch (const Error&) {
      return std::nullopt;
    }
  }
  Problem problem{whole_of(object, kind->width_name, longest), whole_of(object, kind->height_name, longest)};
  problem.kind = kind;
  problem.format =
      text_of(object, "format") == to_string(PixelFormat::gray32f) ? PixelFormat::gray32f : PixelFormat::rgba8;
  problem.filter.width = 2 * whole_of(object, "rx", widest) + 1;
  problem.filter.height = 2 * whole_of(object, "ry", widest) + 1;
  problem.filter.depth = 2 * whole_of(object, "rt", widest) + 1;
  return problem.width < 1 || problem.height < 1 ? std::nullopt : std::optional(std::move(problem));
}

// By the rule, of the numbers that are there: those of earlier versions are fewer.
Doubt doubt_in(const json& object) {
  const bool known = object.contains("median_low_ms");
  const int cores = std::max(whole_of(object, "cores", 1 << 16), 1);
  TimeSeen seen{number_of(object, "median_ms"),
                number_of(object, known ? "median_low_ms" : "p05_ms"),
                number_of(object, known ? "median_high_ms" : "p95_ms"),
                {},
                cores};
  if (object.contains("cores")) seen.use = {number_of(object, "cpu_ms") * cores, number_of(object, "waited_ms")};
  return doubt_of(seen);
}

std::optional<SweepRow> row_of(const json& object) {
  if (!object.is_object()) return std::nullopt;
  std::optional<Problem> problem = problem_of(object);
  if (!problem) return std::nullopt;
  SweepRow row;
  row.problem = std::move(*problem);
  row.strategy = text_of(object, "strategy");
  const std::string filter = text_of(object, "filter");
  row.filter = filter.substr(0, filter.find(':'));
  row.median_ms = number_of(object, "median_ms");
  row.p05_ms = number_of(object, "p05_ms");
  row.p95_ms = number_of(object, "p95_ms");
  row.copy_ms = number_of(object, "copy_ms");
  row.verified = is_verified(object) && std::isfinite(row.median_ms) && row.median_ms > 0;
  row.reason = text_of(object, "reason");
  row.runs = text_of(object, "ran");
  if (row.runs.empty()) row.runs = text_of(object, "runs");  // of earlier versions
  row.samples = whole_of(object, "samples", 1 << 20);
  row.cpu_ms = number_of(object, "cpu_ms");
  row.doubt = doubt_in(object);
  if (row.strategy.empty()) return std::nullopt;
  return row;
}

// Each number by which its kind can be swept becomes a value of the row itself: "radius [pixels]". Returns their names.
std::vector<std::string> flatten_parameters(ordered_json& row) {
  std::vector<std::string> names;
  const ordered_json parameters = row.value("parameters", ordered_json());
  if (!parameters.is_object()) return names;
  for (const auto& [id, parameter] : parameters.items()) {
    if (!parameter.is_object() || !parameter.contains("value")) continue;
    const auto unit = parameter.find("unit");
    names.push_back(unit != parameter.end() && unit->is_string() ? id + " [" + unit->get<std::string>() + "]" : id);
    row[names.back()] = parameter["value"];
  }
  return names;
}

// With the times of copies that the plot shows.
std::vector<ordered_json> settled_rows(const std::vector<std::string>& lines) {
  std::vector<SweepRow> read;  // what cannot be read is not verified, and stays as it is
  for (const std::string& line : lines) read.push_back(sweep_row(line).value_or(SweepRow()));
  const CopyTimes copies = settled_copies(read);
  std::vector<ordered_json> rows;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    ordered_json& row = rows.emplace_back(parse(lines[i]));
    if (row.is_object())
      for (const char* const common : of_all_rows) row.erase(common);
    if (!read[i].verified || read[i].copy_ms <= 0) continue;
    row["copy_ms"] = copies.at(frame_bytes(read[i].problem));
    const auto times = times_copy(read[i].median_ms, copies.at(frame_bytes(read[i].problem)));
    row["times_copy"] = times ? ordered_json(*times) : ordered_json(nullptr);
  }
  return rows;
}

std::string in_csv(const ordered_json& value) {
  if (!value.is_string()) return value.is_null() ? "" : value.dump();
  std::string text = "\"";
  for (const char c : value.get<std::string>()) text += c == '"' ? "\"\"" : std::string(1, c);
  return text + "\"";
}

}  // namespace

std::optional<SweepRow> sweep_row(const std::string& text) { return row_of(json::parse(text, nullptr, false)); }

std::optional<std::string> sweep_device_name(const std::string& text) {
  const json object = json::parse(text, nullptr, false);
  if (!object.is_object() || !object.contains("device") || !object["device"].is_object()) return std::nullopt;
  return text_of(object["device"], "name");
}

std::string sweep_device(const std::string& text) {
  const ordered_json line = parse(text);
  ordered_json out = ordered_json::object();
  for (const char* const common : of_all_rows)
    if (line.is_object() && line.contains(common)) out[common] = line[common];
  return out.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

std::string sweep_json(const std::string& device_line, const std::vector<std::string>& row_lines) {
  ordered_json out = parse(device_line);
  if (!out.is_object()) out = ordered_json::object();
  out["rows"] = out["not_measured"] = ordered_json::array();
  for (ordered_json& row : settled_rows(row_lines)) {
    if (!row.is_object()) continue;
    out[is_verified(row) ? "rows" : "not_measured"].push_back(std::move(row));
  }
  return out.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string sweep_csv(const std::vector<std::string>& row_lines) {
  std::vector<std::string> columns{"strategy", "filter", "rx", "ry", "width", "height", "format", "border"};
  std::vector<ordered_json> rows = settled_rows(row_lines);
  const auto add = [&](const std::string& column) {
    if (std::ranges::find(columns, column) == columns.end()) columns.push_back(column);
  };
  for (ordered_json& row : rows) {
    if (!row.is_object()) continue;
    for (const std::string& column : flatten_parameters(row)) add(column);
    // Of a layer, with its groups, stride and padding; and of auto.
    if (row.contains("runs")) row["ran"] = row["runs"];
    for (const char* const column : {"shape", "layout", "ran"})
      if (row.contains(column)) add(column);
  }
  for (const char* const column : {"verified", "median_ms", "p05_ms", "p95_ms", "min_ms", "samples", "cpu_ms", "doubt",
                                   "copy_ms", "times_copy", "reason"})
    columns.emplace_back(column);
  std::string out;
  for (const std::string& column : columns) out += (out.empty() ? "" : ",") + column;
  out += "\n";
  for (const ordered_json& row : rows) {
    std::string cells;
    for (const std::string& column : columns)
      cells += (column == columns[0] ? "" : ",") + (row.contains(column) ? in_csv(row[column]) : std::string());
    out += cells + "\n";
  }
  return out;
}

SavedSweep load_sweep(const std::string& path) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none))
    throw Error("There is no file '" + path +
                "'. Choose a JSON file that a sweep or convoscope bench --json has written.");
  const std::uintmax_t size = std::filesystem::file_size(path, none);
  std::ifstream file(path, std::ios::binary);
  const std::string explanation = "The file '" + path + "' holds no sweep: ";
  if (!file) throw Error("The file '" + path + "' cannot be read: " + std::strerror(errno) + ".");
  if (none || size > largest_file) throw Error(explanation + "it is larger than any sweep can be.");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const json document = json::parse(text, nullptr, false);
  if (document.is_discarded())
    throw Error(explanation + "it is not JSON. Choose a file that a sweep has saved as .json.");
  if (!document.is_object() || !document.contains("rows") || !document["rows"].is_array())
    throw Error(explanation +
                "it has no list of rows. Choose a file that a sweep or convoscope bench --json has written.");
  SavedSweep saved;
  for (const json& each : document["rows"])
    if (const auto row = row_of(each)) saved.rows.push_back(*row);
  if (saved.rows.empty()) throw Error(explanation + "none of its rows has a strategy and a size.");
  saved.device = sweep_device_name(text).value_or("");
  return saved;
}

}  // namespace convoscope
