// convoscope bench: what each strategy costs, next to a copy and to the peers.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <map>
#include <memory>

#include "app/cli/commands.h"
#include "app/cli/report.h"
#include "app/cli/values.h"
#include "kernels/benchmark.h"
#include "kernels/compute.h"
#include "kernels/error.h"
#include "kernels/number_text.h"

namespace convoscope {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t most_tunings = 256;  // of one strategy in a sweep

std::vector<Tuning> tunings_of(const Strategy& strategy, const Invocation& invocation) {
  std::vector<Tuning> tunings{tuning_for(std::string(strategy.id), invocation.tuning)};
  if (!invocation.sweep) return tunings;
  for (const Tunable& tunable : strategy.tunables) {
    if (tunings[0].contains(tunable.id)) continue;  // --tune holds this one fixed
    std::vector<Tuning> more;
    for (const Tuning& tuning : tunings)
      for (const int value : tunable.values) {
        more.push_back(tuning);
        more.back()[std::string(tunable.id)] = value;
      }
    if (more.size() > most_tunings)
      throw Error("--sweep: " + std::string(strategy.id) + " has more than " + std::to_string(most_tunings) +
                  " tunings. Fix some with --tune, like --tune " + std::string(tunable.id) + "=" +
                  std::to_string(tunable.initial) + ".");
    tunings = std::move(more);
  }
  return tunings;
}

std::vector<Contestant> contestants_of(const Invocation& invocation, Backend backend) {
  std::vector<std::string> ids = invocation.strategies;
  if (ids.empty())
    for (const Strategy* strategy : strategies(backend)) ids.emplace_back(strategy->id);
  for (const std::string& peer : invocation.against)
    if (std::find(ids.begin(), ids.end(), peer) == ids.end()) ids.push_back(peer);
  std::vector<Contestant> contestants;
  for (const std::string& id : ids) {
    const Strategy* strategy = find_strategy(backend, id);
    if (!strategy)
      throw Error("The strategy " + in_quotes(id) + " does not run on the backend " + to_string(backend) +
                  ". Choose another one, or another --backend.");
    for (Tuning& tuning : tunings_of(*strategy, invocation)) contestants.push_back({strategy, std::move(tuning)});
  }
  return contestants;
}

struct NamedFilter {
  std::string name;
  Filter filter;
};

std::vector<NamedFilter> filters_of(const Invocation& invocation) {
  std::vector<NamedFilter> filters;
  for (const FilterSpec& spec : invocation.filters) filters.push_back({spec_text(spec), spec.filter});
  if (!filters.empty()) return filters;
  const std::vector<int> radii = invocation.radii.empty() ? std::vector{1, 2, 4, 8, 16} : invocation.radii;
  for (const int radius : radii)
    for (const char* kind : {"gaussian:radius=", "disk:radius="}) {  // separable, and any 2D filter
      const std::string text = kind + std::to_string(radius);
      filters.push_back({text, parse_filter(text).filter});
    }
  return filters;
}

std::unique_ptr<Compute> compute_of(const Invocation& invocation) {
  if (invocation.settings.backend == BackendChoice::cpu) return make_compute(Backend::cpu);
  if (invocation.settings.backend == BackendChoice::cuda)
    return make_compute(Backend::cuda, invocation.settings.device);
  const std::string reason = why_unavailable(Backend::cuda);
  if (reason.empty()) return make_compute(Backend::cuda, invocation.settings.device);
  std::fprintf(stderr, "The CPU strategies are measured: %s\n", reason.c_str());
  return make_compute(Backend::cpu);
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  return text;
}

class Report {
 public:
  Report(const Invocation& invocation, const Device& device) : against_(invocation.against) {
    json_ = {{"device", device_json(device)},
             {"date", today()},
             {"rows", ordered_json::array()},
             {"not_measured", ordered_json::array()}};
  }

  void add(const Problem& problem, const std::string& filter, const BenchmarkResult& result) {
    // The fastest tuning of each peer is what the others are compared with.
    std::map<std::string, double> peers;
    for (const BenchmarkRow& row : result.rows)
      if (row.verified && std::find(against_.begin(), against_.end(), row.strategy) != against_.end()) {
        double& best = peers[row.strategy];
        best = best > 0 ? std::min(best, row.time.median) : row.time.median;
      }
    std::printf("\n%s, border %s, %s, %d × %d; copy %s ms (%s GB/s), %d buffer pairs\n\n", filter.c_str(),
                std::string(to_string(problem.border)).c_str(), to_string(problem.format), problem.width,
                problem.height, significant(result.copy.median, 4).c_str(),
                decimals(copy_bytes(problem) / result.copy.median * 1e-6, 0).c_str(), result.buffers);
    std::vector<std::string> header{"Strategy", "Tuning", "median ms", "p05",  "p95",
                                    "× copy",   "GB/s",   "GFLOP/s",   "error"};
    std::string alignment = "llrrrrrrr";
    for (const auto& [peer, time] : peers) {
      header.push_back("× " + peer);
      alignment += 'r';
    }
    TextTable table(header, alignment);
    std::string left_out;
    std::vector<const BenchmarkRow*> sorted;
    for (const BenchmarkRow& row : result.rows) {
      if (row.verified) sorted.push_back(&row);
      if (!row.verified) left_out += "  " + row.strategy + tuning_text(row.tuning, " ") + ": " + row.reason + "\n";
      (row.verified ? json_["rows"] : json_["not_measured"]).push_back(row_json(row, problem, filter, result, peers));
    }
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto* a, const auto* b) { return a->time.median < b->time.median; });
    for (const BenchmarkRow* row : sorted) {
      std::vector<std::string> cells{row->strategy,
                                     tuning_text(row->tuning, ""),
                                     significant(row->time.median, 4),
                                     significant(row->time.p05, 4),
                                     significant(row->time.p95, 4),
                                     decimals(row->time.median / result.copy.median, 2),
                                     significant(row->gb_s(), 3),
                                     significant(row->gflop_s(), 4),
                                     significant(row->max_error, 2)};
      for (const auto& [peer, time] : peers) cells.push_back(decimals(row->time.median / time, 2));
      table.add(cells);
    }
    std::fputs(table.text().c_str(), stdout);
    if (!left_out.empty()) std::printf("Not measured:\n%s", left_out.c_str());
    std::fflush(stdout);
    for (const BenchmarkRow& row : result.rows) wrong_ |= !row.verified && row.max_error > row.tolerance;
  }

  const ordered_json& json() const { return json_; }
  bool anything_wrong() const { return wrong_; }

 private:
  static double copy_bytes(const Problem& problem) {
    return 2.0 * problem.width * problem.height * static_cast<double>(bytes_per_pixel(problem.format));
  }
  static std::string tuning_text(const Tuning& tuning, const std::string& prefix) {
    std::string text;
    for (const auto& [key, value] : tuning) text += (text.empty() ? prefix : " ") + key + "=" + std::to_string(value);
    return text;
  }
  static ordered_json row_json(const BenchmarkRow& row, const Problem& problem, const std::string& filter,
                               const BenchmarkResult& result, const std::map<std::string, double>& peers) {
    ordered_json out{{"strategy", row.strategy},
                     {"tuning", row.tuning},
                     {"filter", filter},
                     {"rx", problem.filter.rx()},
                     {"ry", problem.filter.ry()},
                     {"format", to_string(problem.format)},
                     {"border", to_string(problem.border)},
                     {"width", problem.width},
                     {"height", problem.height},
                     {"verified", row.verified}};
    if (!row.verified) {
      out["reason"] = row.reason;
      return out;
    }
    out.update({{"copy_ms", result.copy.median},
                {"median_ms", row.time.median},
                {"p05_ms", row.time.p05},
                {"p95_ms", row.time.p95},
                {"min_ms", row.time.min},
                {"samples", row.time.samples},
                {"batch", row.batch},
                {"single_median_ms", row.single.median},
                {"times_copy", row.time.median / result.copy.median},
                {"gb_s", row.gb_s()},
                {"gflop_s", row.gflop_s()},
                {"max_error", row.max_error},
                {"tolerance", row.tolerance},
                {"model", cost_json(row.cost)},
                {"note", row.note}});
    for (const auto& [peer, time] : peers) out["times_" + peer] = row.time.median / time;
    return out;
  }

  std::vector<std::string> against_;
  ordered_json json_;
  bool wrong_ = false;
};

}  // namespace

int run_bench(const Invocation& invocation) {
  const std::unique_ptr<Compute> compute = compute_of(invocation);
  const Device& device = compute->device();
  const std::vector<Contestant> contestants = contestants_of(invocation, device.backend);
  const std::vector<NamedFilter> filters = filters_of(invocation);
  const std::vector<Size> sizes =
      invocation.sizes.empty() ? std::vector<Size>{{1920, 1080}, {3840, 2160}} : invocation.sizes;
  const std::vector<PixelFormat> formats =
      invocation.formats.empty() ? std::vector{PixelFormat::rgba8, PixelFormat::gray32f} : invocation.formats;
  const std::vector<Border> borders = invocation.borders.empty() ? std::vector{Border::replicate} : invocation.borders;

  std::printf("%s (%s)\n", device.name.c_str(), to_string(device.backend));
  Report report(invocation, device);
  for (const Size& size : sizes)
    for (const PixelFormat format : formats)
      for (const Border border : borders)
        for (const NamedFilter& named : filters) {
          const Problem problem{size.width, size.height, format, border, named.filter};
          const std::string what = named.name + ", " + to_string(format) + ", " + std::to_string(size.width) + "x" +
                                   std::to_string(size.height);
          const BenchmarkResult result =
              benchmark(*compute, problem, contestants, benchmark_options(device.backend),
                        [&](const std::string& step) { std::fprintf(stderr, "%s: %s\n", what.c_str(), step.c_str()); });
          report.add(problem, named.name, result);
          // After every problem, so that an interrupted run leaves what it has.
          if (invocation.json_file) write_text_file(*invocation.json_file, json_text(report.json()));
        }
  return report.anything_wrong() ? 1 : 0;
}

}  // namespace convoscope
