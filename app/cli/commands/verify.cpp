// convoscope verify: every strategy against the reference.
#include "kernels/check/verify.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <set>

#include "app/cli/backend_choice.h"
#include "app/cli/commands/commands.h"
#include "app/cli/commands/problems.h"
#include "app/cli/commands/report.h"
#include "app/cli/commands/text_table.h"
#include "app/cli/options/values.h"
#include "kernels/compute/compute.h"
#include "kernels/contract/kind.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

using nlohmann::ordered_json;

// What became of one strategy on one backend.
struct Tally {
  const Kind* kind;
  std::string strategy;
  Backend backend;
  int checked = 0, failed = 0, skipped = 0;
  double worst = 0;  // the largest error over its tolerance; above 1 fails
  std::set<Tuning> tunings;
  std::vector<std::string> reasons;  // why it was skipped, each once

  std::string outcome() const {
    if (failed) return "FAILED";
    if (checked) return "ok";
    const std::size_t others = reasons.size() - 1;
    return "not run: " + reasons.front() +
           (others == 0   ? ""
            : others == 1 ? "; 1 other reason (see --verbose)"
                          : "; " + std::to_string(others) + " other reasons (see --verbose)");
  }
};

ordered_json row_json(const VerifyRow& row, Backend backend) {
  ordered_json out{{"kind", row.kind->id},
                   {"strategy", row.strategy},
                   {"backend", to_string(backend)},
                   {"tuning", row.tuning},
                   {"filter", row.filter},
                   {"border", to_string(row.border)},
                   {"format", to_string(row.format)},
                   {row.kind->width_name, row.width},
                   {row.kind->height_name, row.height},
                   {"max_error", number_json(row.max_error)},
                   {"tolerance", number_json(row.tolerance)},
                   {"passed", row.passed}};
  if (!row.shape.empty())
    out.update({{"shape", row.shape},
                {"pass", to_string(row.pass)},
                {"type", to_string(row.precision)},
                {"layout", to_string(row.layout)}});
  if (!row.failure.empty()) out["failure"] = row.failure;
  return out;
}

std::string row_text(const VerifyRow& row) {
  std::string text = std::string(row.kind->id) + ", " + row.strategy;
  for (const auto& [key, value] : row.tuning) text += " " + key + "=" + std::to_string(value);
  text += ", " + row.filter + ", " + std::string(to_string(row.border)) + ", ";
  text += row.shape.empty()
              ? to_string(row.format) + (", " + std::to_string(row.width) + " × " + std::to_string(row.height))
              : whole_number_format({.precision = row.precision, .layout = row.layout}) + ", " + row.shape + ", " +
                    std::string(to_string(row.pass));
  if (row.skipped()) return text + ": skipped, " + row.skipped_reason;
  text += ": error " + significant(row.max_error, 3) + ", tolerance " + significant(row.tolerance, 3);
  return text + (row.passed ? "" : ", FAILED: " + row.failure);
}

std::vector<Backend> backends_of(const Invocation& invocation) {
  switch (invocation.settings.backend) {
    case BackendChoice::cpu:
      return {Backend::cpu};
    case BackendChoice::cuda:
      return {Backend::cuda};
    case BackendChoice::emulated:
      return {Backend::emulated};
    case BackendChoice::automatic:
      break;
  }
  std::vector<Backend> both{Backend::cpu};
  if (const std::string reason = why_unavailable(Backend::cuda); reason.empty())
    both.push_back(Backend::cuda);
  else
    std::fprintf(stderr, "The CUDA strategies are left out: %s\n", reason.c_str());
  return both;
}

// The wished strategies that a backend has; all of its own when none is named.
std::vector<std::string> ids_of(Backend backend, const Kind& kind, const std::vector<std::string>& wished) {
  std::vector<std::string> ids;
  for (const Strategy* strategy : strategies(backend, kind))
    if (wished.empty() || std::find(wished.begin(), wished.end(), strategy->id) != wished.end())
      ids.emplace_back(strategy->id);
  return ids;
}

void require_somewhere(const Invocation& invocation, const std::vector<Backend>& backends) {
  const auto is_on = [&](Backend backend, const std::string& id) {
    return std::ranges::any_of(invocation.kinds,
                               [&](const Kind* kind) { return find_strategy(backend, id, *kind) != nullptr; });
  };
  for (const std::string& id : invocation.strategies) {
    if (std::ranges::any_of(backends, [&](Backend backend) { return is_on(backend, id); })) continue;
    const bool cuda = is_on(Backend::emulated, id) || is_on(Backend::cuda, id);
    throw Error("The strategy " + in_quotes(id) + " cannot be verified with the chosen backend here. " +
                (cuda ? "It needs CUDA; --backend emulated runs it on the CPU." : "It runs with --backend cpu."));
  }
}

VerifyOptions options_of(const Invocation& invocation, const Kind& kind, std::vector<std::string> ids) {
  VerifyOptions options{.kind = &kind, .strategies = std::move(ids), .small = invocation.small};
  for (const FilterSpec& spec : invocation.filters) {
    options.filters.push_back(spec.filter);
    if (spec.kind != "custom") options.filters.back().name = spec_text(spec);
  }
  options.borders = invocation.borders;
  options.formats = invocation.formats;
  options.passes = invocation.passes;
  options.precisions = invocation.precisions;
  options.layouts = invocation.layouts;
  if (!invocation.shapes.empty()) options.problems = stated_problems(invocation);
  return options;
}

class VerifyReport {
 public:
  explicit VerifyReport(const Invocation& invocation) : json_(invocation.json), verbose_(invocation.verbose) {
    if (json_) std::fputs("[", stdout);
  }

  void add(const VerifyRow& row, Backend backend) {
    Tally& tally = tally_of(*row.kind, row.strategy, backend);
    ++rows_;
    tally.tunings.insert(row.tuning);
    if (row.skipped()) {
      ++tally.skipped;
      if (std::ranges::find(tally.reasons, row.skipped_reason) == tally.reasons.end())
        tally.reasons.push_back(row.skipped_reason);
    } else {
      ++tally.checked;
      tally.failed += row.failed();
      if (row.max_error > 0) tally.worst = std::max(tally.worst, row.max_error / row.tolerance);
      // Rows that did not run are no results: JSON holds what was checked.
      if (json_) std::fprintf(stdout, "%s\n  %s", first_ ? "" : ",", row_json(row, backend).dump().c_str());
      first_ = false;
    }
    if (row.failed() || verbose_) {
      progress_.clear();
      std::fprintf(json_ ? stderr : stdout, "%s\n", row_text(row).c_str());
    }
    if (rows_ % 16 == 0)
      progress_.show(std::to_string(rows_) + " checks, " + row.filter + " " + std::to_string(row.width) + " × " +
                     std::to_string(row.height));
  }

  int finish() {
    progress_.clear();
    if (json_) std::fputs(first_ ? "]\n" : "\n]\n", stdout);
    TextTable table(
        {"Kind", "Strategy", "Backend", "Tunings", "Checked", "Failed", "Skipped", "Worst error / tolerance", ""},
        "lllrrrrrl");
    int checked = 0, failed = 0, skipped = 0;
    for (const Tally& tally : tallies_) {
      checked += tally.checked;
      failed += tally.failed;
      skipped += tally.skipped;
      table.add({std::string(tally.kind->id), tally.strategy, to_string(tally.backend),
                 std::to_string(tally.tunings.size()), std::to_string(tally.checked), std::to_string(tally.failed),
                 std::to_string(tally.skipped), significant(tally.worst, 2), tally.outcome()});
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
    if (!json_) std::fprintf(stdout, "%s\n", table.text().c_str());
    std::fprintf(json_ ? stderr : stdout, "%d checks, %d failed, %d skipped, %.1f s\n", checked, failed, skipped,
                 seconds);
    anything_ = checked > 0;
    return failed ? 1 : 0;
  }
  bool anything_checked() const { return anything_; }

 private:
  Tally& tally_of(const Kind& kind, const std::string& strategy, Backend backend) {
    for (Tally& tally : tallies_)
      if (tally.kind == &kind && tally.strategy == strategy && tally.backend == backend) return tally;
    return tallies_.emplace_back(Tally{.kind = &kind, .strategy = strategy, .backend = backend});
  }

  bool json_, verbose_, first_ = true, anything_ = false;
  ProgressLine progress_;
  int rows_ = 0;
  std::vector<Tally> tallies_;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

}  // namespace

int run_verify(const Invocation& invocation, const StopSignal& stop) {
  check_device(invocation);
  const std::vector<Backend> backends = backends_of(invocation);
  require_somewhere(invocation, backends);
  std::vector<std::unique_ptr<Compute>> computes;  // all of them first: a missing one must not come after results
  for (const Backend backend : backends)
    computes.push_back(make_compute(backend, backend == Backend::cpu ? 0 : invocation.settings.device));

  const ComputesUntilSignal until(stop);
  VerifyReport report(invocation);
  for (const auto& compute : computes) {
    const Backend backend = compute->device().backend;
    for (const Kind* kind : invocation.kinds) {
      const std::vector<std::string> ids = ids_of(backend, *kind, invocation.strategies);
      if (ids.empty()) continue;
      const VerifyOptions options = options_of(invocation, *kind, ids);  // first: they may be refused
      std::fprintf(stderr, "Verifying %zu %s for %ss on %s (%s)\n", ids.size(),
                   ids.size() == 1 ? "strategy" : "strategies", kind->id.data(), compute->device().name.c_str(),
                   to_string(backend));
      try {
        verify(*compute, options, [&](const VerifyRow& row) {
          if (stop) throw Stopped();  // half a check says nothing
          report.add(row, backend);
        });
      } catch (const Stopped&) {
        report.finish();
        throw;
      }
    }
  }
  const int exit_code = report.finish();
  if (!report.anything_checked()) throw Error("Nothing was checked: every combination was refused.");
  return exit_code;
}

}  // namespace convoscope
