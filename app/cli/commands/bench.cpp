// convoscope bench: what each strategy costs, next to a copy and to the peers.
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <thread>

#include "app/cli/backend_choice.h"
#include "app/cli/commands/bench_contestants.h"
#include "app/cli/commands/bench_rows.h"
#include "app/cli/commands/commands.h"
#include "app/cli/commands/problems.h"
#include "app/cli/commands/report.h"
#include "app/cli/commands/text_table.h"
#include "kernels/compute/compute.h"
#include "kernels/contract/kind.h"
#include "kernels/contract/sweep.h"
#include "kernels/contract/theory/model.h"
#include "kernels/files/output_file.h"
#include "kernels/measure/benchmark.h"
#include "kernels/measure/device_limits.h"
#include "kernels/measure/roofline.h"
#include "kernels/measure/times_copy.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

using nlohmann::ordered_json;

class BenchReport {
 public:
  BenchReport(const Invocation& invocation, const Device& device, const DeviceLimits& limits)
      : against_(invocation.against),
        context_{.limits = limits,
                 .cores = std::max(device.multiprocessors, 1),
                 .live = invocation.live,
                 .statistic = invocation.mean ? Statistic::mean : Statistic::median},
        lines_(invocation.lines),
        json_(measured_on_json(device, limits)) {
    json_.update({{"rows", ordered_json::array()}, {"not_measured", ordered_json::array()}});
    if (!lines_)
      std::printf("%s (%s), copies %s GB/s, multiplies and adds %s GFLOP/s\n", device.name.c_str(),
                  to_string(device.backend), significant(limits.copy_bytes_per_second * 1e-9, 4).c_str(),
                  significant(limits.flop_per_second * 1e-9, 4).c_str());
  }

  void add(const Problem& problem, const std::string& filter, const BenchmarkResult& result) {
    // The fastest tuning of each peer is what the others are compared with.
    std::map<std::string, double> peers;
    for (const BenchmarkRow& row : result.rows)
      if (row.verified && std::find(against_.begin(), against_.end(), row.strategy) != against_.end()) {
        double& best = peers[row.strategy];
        best = best > 0 ? std::min(best, ms(row.time)) : ms(row.time);
      }
    for (const BenchmarkRow& row : result.rows) {
      ordered_json out = bench_row_json(row, problem, filter, result, context_);
      if (row.verified)
        for (const auto& [peer, time] : peers) out["times_" + peer] = ms(row.time) / time;
      if (lines_) print_line(out);
      (row.verified ? json_["rows"] : json_["not_measured"]).push_back(std::move(out));
      wrong_ |= !row.verified && row.max_error > row.tolerance;
    }
    if (!lines_) print_table(problem, filter, result, peers);
  }

  const ordered_json& json() const { return json_; }
  bool anything_wrong() const { return wrong_; }

 private:
  // Each line is a row, and none needs another one to be understood.
  void print_line(ordered_json line) const {
    line["device"] = json_["device"];
    line["date"] = json_["date"];
    const std::string text = line.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
    std::printf("%s\n", text.c_str());
    std::fflush(stdout);
  }

  void print_table(const Problem& problem, const std::string& filter, const BenchmarkResult& result,
                   const std::map<std::string, double>& peers) const {
    const std::string what =
        filter + ", border " + std::string(to_string(problem.border)) + ", " + problem.kind->describe(problem);
    if (result.buffers == 0) {
      std::printf("\n%s\nNot measured: %s\n", what.c_str(), result.rows.empty() ? "" : result.rows[0].reason.c_str());
      return;
    }
    const std::string how = context_.live ? "single launches on one buffer pair, as in the window"
                                          : std::to_string(result.buffers) + " sets of buffers";
    const double rate = copy_rate(problem, result);
    // Else its rows would seem to outdo the device.
    const char* const kept = rate > 1.1 * context_.limits.copy_bytes_per_second ? ", from a cache" : "";
    std::printf("\n%s; copy %s ms (%s GB/s%s), %s\n\n", what.c_str(), significant(ms(result.copy), 4).c_str(),
                decimals(rate * 1e-9, 0).c_str(), kept, how.c_str());
    const bool mean = context_.statistic == Statistic::mean;
    std::vector<std::string> header{"Strategy",
                                    "Tuning",
                                    mean ? "mean ms" : "median ms",
                                    mean ? "from" : "p05",
                                    mean ? "to" : "p95",
                                    "× copy",
                                    "GB/s",
                                    "GFLOP/s",
                                    "of roofline",
                                    "error"};
    std::string alignment = "llrrrrrrrr";
    for (const auto& [peer, time] : peers) {
      header.push_back("× " + peer);
      alignment += 'r';
    }
    if (result.floor) {
      header.emplace_back("× floor");
      alignment += 'r';
    }
    TextTable table(header, alignment);
    std::string left_out;
    std::vector<const BenchmarkRow*> sorted;
    for (const BenchmarkRow& row : result.rows) {
      if (row.verified) sorted.push_back(&row);
      if (!row.verified) left_out += "  " + row.strategy + tuning_text(row.tuning, " ") + ": " + row.reason + "\n";
    }
    std::stable_sort(sorted.begin(), sorted.end(),
                     [this](const auto* a, const auto* b) { return ms(a->time) < ms(b->time); });
    for (const BenchmarkRow* row : sorted) {
      const double time_ms = ms(row->time);
      const Estimate estimate = estimate_of(row->time, context_.statistic);
      const std::optional<double> copies = times_copy(time_ms, ms(result.copy));
      std::vector<std::string> cells{row->strategy,
                                     tuning_text(row->tuning, ""),
                                     (row->doubt == Doubt::none ? "" : "? ") + significant(time_ms, 4),
                                     significant(mean ? estimate.low : row->time.p05, 4),
                                     significant(mean ? estimate.high : row->time.p95, 4),
                                     copies ? decimals(*copies, 2) : "–",
                                     significant(1e-6 * row->cost.dram_bytes / time_ms, 3),
                                     significant(1e-6 * row->cost.flop / time_ms, 4),
                                     percent(fraction_of_roofline(row->cost, time_ms, context_.limits, rate)),
                                     significant(row->max_error, 2)};
      for (const auto& [peer, time] : peers) cells.push_back(decimals(time_ms / time, 2));
      if (result.floor) cells.push_back(decimals(time_ms / ms(result.floor->kernel), 2));
      table.add(cells);
    }
    std::fputs(table.text().c_str(), stdout);
    if (result.floor) std::printf("%s\n", floor_text(problem, result).c_str());
    for (const BenchmarkRow* row : sorted)
      if (row->doubt != Doubt::none)
        std::printf("? %s: %s\n", row->strategy.c_str(),
                    doubt_text(row->doubt, row->time, row->use, context_.cores).c_str());
    for (const BenchmarkRow* row : sorted)
      if (row->strategy == "auto") std::printf("auto: %s\n", row->note.c_str());
    if (!left_out.empty()) std::printf("Not measured:\n%s", left_out.c_str());
    std::fflush(stdout);
  }

  static std::string floor_text(const Problem& problem, const BenchmarkResult& result) {
    const BenchmarkFloor& floor = *result.floor;
    return "floor: a kernel that only reads and writes each byte once takes " + significant(floor.kernel.median, 4) +
           " ms (" + decimals(2e-6 * frame_bytes(problem) / floor.kernel.median, 0) + " GB/s, " +
           decimals(floor.kernel.median / result.copy.median, 2) + " × copy). Of it " + significant(floor.fixed_ms, 2) +
           " ms do not grow with the picture, " + percent(floor.fixed_ms / result.copy.median) +
           " of the copy's time; an empty kernel takes " + significant(floor.empty.median, 2) + " ms";
  }
  static std::string percent(const std::optional<double>& fraction) {
    return fraction ? decimals(100 * *fraction, 0) + " %" : "–";
  }
  static std::string tuning_text(const Tuning& tuning, const std::string& prefix) {
    std::string text;
    for (const auto& [key, value] : tuning) text += (text.empty() ? prefix : " ") + key + "=" + std::to_string(value);
    return text;
  }
  double ms(const Spread& time) const { return estimate_of(time, context_.statistic).ms; }

  std::vector<std::string> against_;
  RowContext context_;
  bool lines_ = false;
  ordered_json json_;
  bool wrong_ = false;
};

// "gaussian, radius 4, 640×360", "maps 4, channels 3, …, forward": for who follows in the window.
std::string in_words(const std::string& filter, const Problem& problem) {
  std::string words = problem.kind->shape ? "" : filter.substr(0, filter.find(':'));
  for (const SweepParameter& parameter : problem.kind->parameters)
    words += (words.empty() ? "" : ", ") + value_phrase(parameter, problem);
  return words;
}

// Everything takes minutes, so it says what is ahead.
void announce(const Invocation& invocation, std::size_t all, std::size_t problems) {
  std::fprintf(stderr,
               "This makes %zu measurement%s (%s: %zu, problems: %zu). `convoscope bench --help` says how to ask for "
               "fewer.\n",
               all, all == 1 ? "" : "s", invocation.sweep ? "tunings" : "strategies", all / problems, problems);
}

// Whoever reads the lines may be killed, and the next one takes seconds: this ends at once, as that would end it.
class EndsWithItsReader {
 public:
  EndsWithItsReader()
      : watcher_([](const std::stop_token& stop) {
          constexpr int milliseconds = 200;  // within which it can be joined
          pollfd lines{.fd = STDOUT_FILENO, .events = 0, .revents = 0};
          while (!stop.stop_requested())
            if (poll(&lines, 1, milliseconds) > 0 && (lines.revents & POLLERR) != 0) {
              std::signal(SIGPIPE, SIG_DFL);  // ignored by a window, and so by what it starts
              kill(getpid(), SIGPIPE);
              return;
            }
        }) {}

 private:
  std::jthread watcher_;  // joined by the destructor
};

}  // namespace

int run_bench(const Invocation& invocation, const StopSignal& stop) {
  std::string why_not_cuda;
  const std::unique_ptr<Compute> compute = compute_for(invocation, &why_not_cuda);
  if (!why_not_cuda.empty()) std::fprintf(stderr, "The CPU strategies are measured: %s\n", why_not_cuda.c_str());
  const Device& device = compute->device();
  if (const std::string why = why_slower_than_need_be(device.backend); !why.empty())
    std::fprintf(stderr, "%s\n", why.c_str());
  const std::vector<NamedProblem> problems = bench_problems(invocation);
  std::vector<std::vector<Contestant>> contestants;  // of each problem: which tuning has a tile may hang on its filter
  std::size_t all = 0;
  for (const auto& [filter, problem] : problems)
    all += contestants.emplace_back(contestants_of(invocation, problem, device)).size();
  if (!invocation.lines) announce(invocation, all, problems.size());

  const ComputesUntilSignal until(stop);
  std::optional<EndsWithItsReader> reader;
  if (invocation.lines) reader.emplace();
  // Anew each time: clocks and loads of this run are what its rows are held against.
  const DeviceLimits limits = measure_limits(*compute);
  if (stop) throw Stopped();  // half a measurement says nothing
  save_limits(device, limits);
  BenchReport report(invocation, device, limits);
  BenchmarkOptions options = benchmark_options(device.backend, invocation.live);
  options.floor = invocation.thorough;
  if (invocation.runs) options.rounds = *invocation.runs;
  ProgressLine progress;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const auto& [filter, problem] = problems[i];
    const std::string what =
        invocation.lines ? in_words(filter, problem) : filter + ", " + problem.kind->describe(problem);
    const BenchmarkResult result = benchmark(*compute, problem, contestants[i], options, [&](const std::string& step) {
      if (stop) throw Stopped();
      const std::string text = what + ": " + step;
      if (invocation.lines)  // for who reads them as they come
        std::fprintf(stderr, "%s\n", text.c_str());
      else
        progress.show(text);
    });
    progress.clear();
    if (stop) throw Stopped();
    report.add(problem, filter, result);
    // After every problem, so that an interrupted run leaves what it has.
    if (invocation.json_file) write_file(*invocation.json_file, json_text(report.json()));
  }
  return report.anything_wrong() ? 1 : 0;
}

}  // namespace convoscope
