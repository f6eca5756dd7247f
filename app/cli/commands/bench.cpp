// convoscope bench: what each strategy costs, next to a copy and to the peers.
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <map>
#include <memory>
#include <optional>
#include <thread>

#include "app/cli/backend_choice.h"
#include "app/cli/commands/commands.h"
#include "app/cli/commands/problems.h"
#include "app/cli/commands/report.h"
#include "app/cli/commands/text_table.h"
#include "app/cli/options/values.h"
#include "kernels/compute/compute.h"
#include "kernels/compute/device_clocks.h"
#include "kernels/contract/kind.h"
#include "kernels/contract/sweep.h"
#include "kernels/contract/theory/model.h"
#include "kernels/files/output_file.h"
#include "kernels/measure/benchmark.h"
#include "kernels/measure/device_limits.h"
#include "kernels/measure/roofline.h"
#include "kernels/measure/times_copy.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t most_tunings = 256;  // of one strategy in a sweep

std::vector<Tuning> tunings_of(const Strategy& strategy, const Invocation& invocation) {
  std::vector<Tuning> tunings{tuning_for(std::string(strategy.id), invocation.tuning, *strategy.kind)};
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

// Peers show their best: cuDNN measures its algorithms instead of guessing.
void let_peer_measure(const Strategy& strategy, Tuning& tuning) {
  for (const Tunable& tunable : strategy.tunables)
    if (tunable.id == "measure") tuning.try_emplace("measure", 1);
}

std::vector<Contestant> contestants_of(const Invocation& invocation, Backend backend) {
  const Kind& kind = *invocation.kinds[0];
  std::vector<std::string> ids = invocation.strategies;
  if (ids.empty())
    for (const Strategy* strategy : strategies(backend, kind)) ids.emplace_back(strategy->id);
  for (const std::string& peer : invocation.against)
    if (std::find(ids.begin(), ids.end(), peer) == ids.end()) ids.push_back(peer);
  std::vector<Contestant> contestants;
  for (const std::string& id : ids) {
    const Strategy* strategy = find_strategy(backend, id, kind);
    if (!strategy)
      throw Error("The strategy " + in_quotes(id) + " does not run with the " + to_string(backend) +
                  " backend on this machine. " +
                  (backend == Backend::cpu ? "It needs CUDA, and what the emulator runs is never timed."
                                           : "It runs with --backend cpu."));
    const bool peer = std::find(invocation.against.begin(), invocation.against.end(), id) != invocation.against.end();
    for (Tuning& tuning : tunings_of(*strategy, invocation)) {
      if (peer) let_peer_measure(*strategy, tuning);
      contestants.push_back({strategy, std::move(tuning)});
    }
  }
  return contestants;
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  return text;
}

class BenchReport {
 public:
  BenchReport(const Invocation& invocation, const Device& device, const DeviceLimits& limits)
      : against_(invocation.against),
        limits_(limits),
        cores_(std::max(device.multiprocessors, 1)),
        lines_(invocation.lines),
        live_(invocation.live) {
    json_ = {{"program", CONVOSCOPE_VERSION},
             {"device", device_json(device)},
             {"limits",
              {{"copy_bytes_per_second", limits.copy_bytes_per_second}, {"flop_per_second", limits.flop_per_second}}},
             {"clocks", clocks_json(device, limits)},
             {"date", today()},
             {"rows", ordered_json::array()},
             {"not_measured", ordered_json::array()}};
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
        best = best > 0 ? std::min(best, row.time.median) : row.time.median;
      }
    for (const BenchmarkRow& row : result.rows) {
      ordered_json out = row_json(row, problem, filter, result, peers);
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
    const std::string how = live_ ? "single launches on one buffer pair, as in the window"
                                  : std::to_string(result.buffers) + " sets of buffers";
    const double rate = copy_rate(problem, result);
    // Else its rows would seem to outdo the device.
    const char* const kept = rate > 1.1 * limits_.copy_bytes_per_second ? ", from a cache" : "";
    std::printf("\n%s; copy %s ms (%s GB/s%s), %s\n\n", what.c_str(), significant(result.copy.median, 4).c_str(),
                decimals(rate * 1e-9, 0).c_str(), kept, how.c_str());
    std::vector<std::string> header{"Strategy", "Tuning", "median ms", "p05",         "p95",
                                    "× copy",   "GB/s",   "GFLOP/s",   "of roofline", "error"};
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
                     [](const auto* a, const auto* b) { return a->time.median < b->time.median; });
    for (const BenchmarkRow* row : sorted) {
      const std::optional<double> copies = times_copy(row->time.median, result.copy.median);
      std::vector<std::string> cells{row->strategy,
                                     tuning_text(row->tuning, ""),
                                     (row->doubt == Doubt::none ? "" : "? ") + significant(row->time.median, 4),
                                     significant(row->time.p05, 4),
                                     significant(row->time.p95, 4),
                                     copies ? decimals(*copies, 2) : "–",
                                     significant(row->gb_s(), 3),
                                     significant(row->gflop_s(), 4),
                                     percent(fraction_of_roofline(row->cost, row->time.median, limits_, rate)),
                                     significant(row->max_error, 2)};
      for (const auto& [peer, time] : peers) cells.push_back(decimals(row->time.median / time, 2));
      if (result.floor) cells.push_back(decimals(row->time.median / result.floor->kernel.median, 2));
      table.add(cells);
    }
    std::fputs(table.text().c_str(), stdout);
    if (result.floor) std::printf("%s\n", floor_text(problem, result).c_str());
    for (const BenchmarkRow* row : sorted)
      if (row->doubt != Doubt::none)
        std::printf("? %s: %s\n", row->strategy.c_str(), doubt_text(row->doubt, row->time, row->use, cores_).c_str());
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
  // Bytes a second, read and written, of the problem's own copy.
  static double copy_rate(const Problem& problem, const BenchmarkResult& result) {
    return result.copy.median > 0 ? 2e3 * frame_bytes(problem) / result.copy.median : 0;
  }
  static std::string tuning_text(const Tuning& tuning, const std::string& prefix) {
    std::string text;
    for (const auto& [key, value] : tuning) text += (text.empty() ? prefix : " ") + key + "=" + std::to_string(value);
    return text;
  }
  static ordered_json clocks_json(const Device& device, const DeviceLimits& limits) {
    const DeviceClocks clocks = device_clocks(device);
    const auto known = [](int mhz) { return mhz > 0 ? ordered_json(mhz) : ordered_json(nullptr); };
    ordered_json out{{"highest_core_mhz", known(clocks.highest_core_mhz)},
                     {"highest_memory_mhz", known(clocks.highest_memory_mhz)}};
    // What the multiprocessors ran at while they did nothing but multiply-adds, one a lane and cycle.
    const double lanes = static_cast<double>(device.multiprocessors) * clocks.lanes_a_multiprocessor;
    out["core_mhz_in_arithmetic"] = known(lanes > 0 ? static_cast<int>(limits.flop_per_second / 2 / lanes * 1e-6) : 0);
    return out;
  }
  // Those that a sweep can vary.
  static ordered_json parameters_json(const Problem& problem) {
    ordered_json out = ordered_json::object();
    for (const SweepParameter& parameter : problem.kind->parameters) {
      const int value = parameter.value(problem);
      ordered_json& one = out[std::string(parameter.id)];
      one["value"] = parameter.words.empty() ? ordered_json(value) : ordered_json(value_text(parameter, problem));
      if (!parameter.unit.empty()) one["unit"] = parameter.unit;
    }
    return out;
  }
  ordered_json row_json(const BenchmarkRow& row, const Problem& problem, const std::string& filter,
                        const BenchmarkResult& result, const std::map<std::string, double>& peers) const {
    ordered_json out{{"kind", problem.kind->id},
                     {"strategy", row.strategy},
                     {"tuning", row.tuning},
                     {"filter", filter},
                     {"rx", problem.filter.rx()},
                     {"ry", problem.filter.ry()},
                     {"format", to_string(problem.format)},
                     {"border", to_string(problem.border)},
                     {problem.kind->width_name, problem.width},
                     {problem.kind->height_name, problem.height},
                     {"verified", row.verified}};
    if (problem.filter.depth > 1) out["rt"] = problem.filter.rt();
    if (problem.kind->shape)
      out.update({{"shape", problem.kind->shape(problem)},
                  {"pass", to_string(problem.layer.pass)},
                  {"type", to_string(problem.layer.precision)},
                  {"layout", to_string(problem.layer.layout)}});
    out["parameters"] = parameters_json(problem);
    if (!row.verified) {
      out["reason"] = row.reason;
      return out;
    }
    out.update({{"copy_ms", result.copy.median},
                {"median_ms", row.time.median},
                {"p05_ms", row.time.p05},
                {"p95_ms", row.time.p95},
                {"min_ms", row.time.min},
                {"median_low_ms", row.time.low},
                {"median_high_ms", row.time.high},
                {"samples", row.time.samples},
                {"batch", row.batch},
                {"buffer_pairs", result.buffers},
                {"live", live_},
                {"single_median_ms", row.single.median},
                {"times_copy", number_json(times_copy(row.time.median, result.copy.median))},
                {"gb_s", row.gb_s()},
                {"gflop_s", row.gflop_s()},
                {"fraction_of_roofline",
                 number_json(fraction_of_roofline(row.cost, row.time.median, limits_, copy_rate(problem, result)))},
                {"max_error", row.max_error},
                {"tolerance", row.tolerance},
                {"model", cost_json(row.cost)},
                {"note", row.note}});
    if (!row.ran.empty()) out["ran"] = row.ran;
    if (row.use.spent_ms > 0)
      out.update({{"cpu_ms", row.use.spent_ms / cores_}, {"waited_ms", row.use.waited_ms}, {"cores", cores_}});
    if (row.doubt != Doubt::none) out.update({{"doubt", to_string(row.doubt)}, {"why_doubt", why_doubtful(row.doubt)}});
    if (result.floor)
      out.update({{"floor_ms", result.floor->kernel.median},
                  {"floor_fixed_ms", result.floor->fixed_ms},
                  {"empty_launch_ms", result.floor->empty.median},
                  {"times_floor", row.time.median / result.floor->kernel.median}});
    for (const auto& [peer, time] : peers) out["times_" + peer] = row.time.median / time;
    return out;
  }

  std::vector<std::string> against_;
  DeviceLimits limits_;
  int cores_;
  bool lines_ = false, live_ = false;
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
void announce(const Invocation& invocation, std::size_t contestants, std::size_t problems) {
  const std::size_t all = contestants * problems;
  std::fprintf(stderr,
               "This makes %zu measurement%s (%s: %zu, problems: %zu). `convoscope bench --help` says how to ask for "
               "fewer.\n",
               all, all == 1 ? "" : "s", invocation.sweep ? "tunings" : "strategies", contestants, problems);
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
  const std::vector<Contestant> contestants = contestants_of(invocation, device.backend);
  const std::vector<NamedProblem> problems = bench_problems(invocation);
  if (!invocation.lines) announce(invocation, contestants.size(), problems.size());

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
  ProgressLine progress;
  for (const auto& [filter, problem] : problems) {
    const std::string what =
        invocation.lines ? in_words(filter, problem) : filter + ", " + problem.kind->describe(problem);
    const BenchmarkResult result = benchmark(*compute, problem, contestants, options, [&](const std::string& step) {
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
