#include "kernels/measure/benchmark.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <random>

#include "kernels/contract/data/half.h"
#include "kernels/contract/kind.h"
#include "kernels/contract/theory/tolerance.h"
#include "kernels/measure/floor.h"
#include "kernels/text/error.h"
#include "kernels/threads/stop.h"

namespace convoscope {
namespace {

constexpr int longest_batch = 1000;
constexpr double longest_settling_ms = 30e3;
constexpr std::size_t copies_before_a_trial = 8;
constexpr int copies_before_a_single = 2;  // while they run, the host gets to queue it and its events

double now_ms() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// What a tensor has, in host memory without padding.
struct HostTensor {
  std::vector<std::uint32_t> storage;
  Tensor tensor;
  HostTensor(const Shape& shape) : storage(shape.elements()) {
    tensor = tensor_of_rows(storage.data(), shape, shape.row_bytes());
  }
};

constexpr std::size_t numbers_without_asking = 1 << 16;

// Noise: it compresses on no bus and flatters no cache. Where the caller is asked to stop, some of it is missing.
std::vector<HostTensor> noise(const std::vector<Shape>& shapes, unsigned seed) {
  std::vector<HostTensor> inputs;
  std::mt19937 random(seed);
  for (const Shape& shape : shapes) {
    HostTensor& input = inputs.emplace_back(shape);
    auto* const halves = reinterpret_cast<std::uint16_t*>(input.storage.data());
    auto* const values = reinterpret_cast<float*>(input.storage.data());
    for (std::size_t i = 0; i < shape.elements(); ++i) {
      if (i % numbers_without_asking == 0 && stop_requested()) break;
      if (shape.element == Element::rgba8)
        input.storage[i] = static_cast<std::uint32_t>(random());
      else if (shape.element == Element::f16)
        halves[i] = to_half(static_cast<float>(random() >> 8) * 0x1p-24f);
      else
        values[i] = static_cast<float>(random() >> 8) * 0x1p-24f;
    }
  }
  return inputs;
}

std::vector<Tensor> tensors(const std::vector<HostTensor>& hosts) {
  std::vector<Tensor> list;
  for (const HostTensor& host : hosts) list.push_back(host.tensor);
  return list;
}

std::size_t last_level_cache(const Device& device) {
  std::size_t bytes = device.l2_bytes;
#ifdef _SC_LEVEL3_CACHE_SIZE
  if (device.backend == Backend::cpu)
    bytes = std::max<std::size_t>(bytes, std::max(0L, sysconf(_SC_LEVEL3_CACHE_SIZE)));
#endif
  return bytes ? bytes : std::size_t{32} << 20;
}

// Inputs and the output of one enqueue.
struct BufferSet {
  std::vector<DeviceTensor> memory;
  std::vector<Tensor> in;
  Tensor out;
  Image
      copied;  // what a copy of the output reads: an input of the same shape, or memory that is there for nothing else
};

std::vector<BufferSet> make_buffers(Compute& compute, const Problem& problem, const std::vector<HostTensor>& inputs,
                                    bool live) {
  const Shape out = problem.kind->outputs(problem)[0];
  double set_bytes = static_cast<double>(out.bytes());
  for (const HostTensor& input : inputs) set_bytes += static_cast<double>(input.tensor.shape.bytes());
  const double footprint = 4.0 * static_cast<double>(last_level_cache(compute.device()));
  // A small picture would need thousands; a quarter of the memory is for others.
  const double fit = std::max(2.0, 0.25 * static_cast<double>(compute.device().memory_bytes) / set_bytes);
  const double count = std::clamp(std::floor(footprint / set_bytes) + 1, 2.0, std::min(fit, 512.0));
  std::vector<BufferSet> buffers(live ? 1 : static_cast<std::size_t>(count));
  for (BufferSet& set : buffers) {
    if (stop_requested()) break;
    const auto allocate = [&](const Shape& shape) {
      set.memory.push_back(allocate_tensor(compute, shape));
      return set.memory.back().tensor;
    };
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      set.in.push_back(allocate(inputs[i].tensor.shape));
      if (&set == &buffers[0])
        compute.upload(rows_of(inputs[i].tensor), rows_of(set.in[i]));
      else
        compute.copy(rows_of(buffers[0].in[i]), rows_of(set.in[i]));
    }
    set.out = allocate(out);
    compute.fill(rows_of(set.out), 0);  // the first touch of a page is the system's work, in whatever does it first
    set.copied = rows_of(set.in[0].shape == out ? set.in[0] : allocate(out));
  }
  compute.synchronize();
  return buffers;
}

// The upper half, of one row all of it.
Image half_of(Image image) {
  image.height = (image.height + 1) / 2;
  return image;
}

// One contestant ready to be timed, or what has no plan.
struct Runner {
  std::unique_ptr<Plan> plan;
  std::function<void(const BufferSet&)> without_plan;
  BenchmarkRow* row = nullptr;
  std::unique_ptr<IntervalTimer> timer;
  int batch = 1;
  int head_start = 0;    // copies that keep the device busy while the host queues the batch
  std::size_t next = 0;  // buffer set
  std::vector<double> times, singles, spent, waited;
};

class Bench {
 public:
  Bench(Compute& compute, const Problem& problem, const BenchmarkOptions& options)
      : compute_(compute),
        options_(options),
        inputs_(noise(problem.kind->inputs(problem), options.seed)),
        buffers_(make_buffers(compute, problem, inputs_, options.live)) {}

  std::size_t buffer_count() const { return buffers_.size(); }
  std::vector<Tensor> inputs() const { return tensors(inputs_); }

  // Fills the first set's output with garbage, runs once, and brings the result back.
  void run_once(Runner& runner, HostTensor& result) {
    compute_.fill(rows_of(buffers_[0].out), 0xA5);
    runner.next = 0;
    enqueue(runner, 1);
    compute_.synchronize();
    compute_.download(rows_of(buffers_[0].out), rows_of(result.tensor));
  }
  // What the last timed enqueue left behind.
  void last_result(const Runner& runner, HostTensor& result) {
    compute_.download(rows_of(buffers_[(runner.next + buffers_.size() - 1) % buffers_.size()].out),
                      rows_of(result.tensor));
  }

  double timed(Runner& runner, int count, int head_start) {
    if (runner.plan) runner.plan->prepare(compute_.stream());
    for (int i = 0; i < head_start; ++i) copy_set(static_cast<std::size_t>(i));
    runner.timer->start(compute_.stream());
    enqueue_unprepared(runner, count);
    runner.timer->stop(compute_.stream());
    compute_.synchronize();
    const std::optional<double> total = runner.timer->poll_ms();
    if (!total) throw Error("The device has finished, but its timer has not: the driver's events do not work.");
    return *total / count;
  }

  // How many enqueues make a batch, and how long the host takes to queue them. The first runs also load the kernels'
  // code and raise the clocks.
  void calibrate(Runner& runner, double copy_ms) {
    const bool gpu = compute_.device().backend == Backend::cuda;
    double each = timed(runner, 1, 0);
    if (!gpu || options_.live) return;
    each = std::min(timed(runner, 3, 0), each);
    runner.batch = std::clamp(static_cast<int>(std::ceil(options_.batch_ms / std::max(each, 1e-3))), 1, longest_batch);
    const double started = now_ms();
    runner.plan ? runner.plan->prepare(compute_.stream()) : void();
    enqueue_unprepared(runner, runner.batch);
    const double queued = now_ms() - started;
    compute_.synchronize();
    runner.head_start = std::clamp(static_cast<int>(std::ceil(1.5 * queued / std::max(copy_ms, 1e-3))), 2, 4000);
  }

  // Lets a plan that chooses among strategies, or waits for its code, finish; under the conditions of a sample: the
  // buffers in turn, and a device that is busy while the host queues the trial.
  void settle(Runner& runner) {
    for (const double start = now_ms();
         !stop_requested() && !runner.plan->settled() && now_ms() - start < longest_settling_ms;) {
      const BufferSet& set = buffers_[runner.next];
      runner.next = (runner.next + 1) % buffers_.size();
      if (compute_.device().backend == Backend::cuda)
        for (std::size_t i = 0; i < copies_before_a_trial; ++i) copy_set(runner.next + i);
      runner.plan->explore(set.in, compute_.stream());
      compute_.synchronize();
    }
  }

  void sample(Runner& runner, bool keep) {
    const bool warm_up = options_.live && compute_.device().backend == Backend::cuda;
    const double time = timed(runner, runner.batch, warm_up ? copies_before_a_single : runner.head_start);
    const ProcessorUse use = runner.timer->use().value_or(ProcessorUse());
    const bool is_single = options_.live || (runner.batch == 1 && runner.head_start == 0);
    const double single = is_single ? time : timed(runner, 1, copies_before_a_single);
    if (!keep) return;
    runner.times.push_back(time);
    runner.singles.push_back(single);
    runner.spent.push_back(use.spent_ms / runner.batch);
    runner.waited.push_back(use.waited_ms / runner.batch);
  }

 private:
  void enqueue(Runner& runner, int count) {
    if (runner.plan) runner.plan->prepare(compute_.stream());
    enqueue_unprepared(runner, count);
  }
  void enqueue_unprepared(Runner& runner, int count) {
    for (int i = 0; i < count; ++i) {
      const BufferSet& set = buffers_[runner.next];
      runner.next = (runner.next + 1) % buffers_.size();
      if (runner.plan)
        runner.plan->enqueue(set.in, {&set.out, 1}, compute_.stream());
      else
        runner.without_plan(set);
    }
  }
  void copy_set(std::size_t i) {
    const BufferSet& set = buffers_[i % buffers_.size()];
    compute_.copy(set.copied, rows_of(set.out));
  }

  Compute& compute_;
  const BenchmarkOptions options_;
  std::vector<HostTensor> inputs_;
  std::vector<BufferSet> buffers_;
};

// Empty when the result is within the tolerance; else a sentence on the worst pixel.
std::string check(const Problem& problem, const std::vector<double>& expected, std::span<const Tensor> in,
                  const Tensor& out, BenchmarkRow& row) {
  const Difference worst = problem.kind->compare(problem, expected, in, out);
  row.max_error = std::max(row.max_error, worst.max_error);
  if (worst.max_error <= row.tolerance) return {};
  char text[200];
  std::snprintf(text, sizeof text, "Wrong: at x = %d, y = %d, channel %d it is %g instead of %g (tolerance %g).",
                worst.x, worst.y, worst.channel, worst.actual, worst.expected, row.tolerance);
  return text;
}

// With what is known of each before anything is measured.
std::vector<BenchmarkRow> unmeasured(std::span<const Contestant> contestants) {
  std::vector<BenchmarkRow> rows(contestants.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& [strategy, tuning] = contestants[i];
    rows[i].strategy = strategy->id;
    const Tuned tuned(*strategy, tuning);
    for (const Tunable& tunable : strategy->tunables) rows[i].tuning[std::string(tunable.id)] = tuned[tunable.id];
  }
  return rows;
}

}  // namespace

BenchmarkOptions benchmark_options(Backend backend, bool live) {
  BenchmarkOptions options;
  options.live = live;
  if (backend != Backend::cuda) {
    options.rounds = 7;
    options.warm_up_rounds = 1;
  } else if (live) {
    options.rounds = 100;
  }
  return options;
}

BenchmarkResult benchmark(Compute& compute, const Problem& problem, std::span<const Contestant> contestants,
                          const BenchmarkOptions& options, const std::function<void(const std::string&)>& progress) {
  const auto say = [&](const std::string& what) {
    if (progress) progress(what);
  };
  BenchmarkResult result;
  result.rows = unmeasured(contestants);
  if (const std::string reason = problem.kind->invalid(problem);
      !reason.empty() && !problem.kind->invalid_can_be_seen) {
    for (BenchmarkRow& row : result.rows) row.reason = reason;
    return result;
  }
  say("computing the reference");
  Bench bench(compute, problem, options);
  if (stop_requested()) return result;
  const std::vector<Tensor> inputs = bench.inputs();
  const std::vector<double> expected = problem.kind->reference(problem, inputs);
  if (stop_requested()) return result;
  HostTensor output(problem.kind->outputs(problem)[0]);

  result.buffers = static_cast<int>(bench.buffer_count());
  std::vector<Runner> runners;
  const auto add = [&](std::function<void(const BufferSet&)> enqueue) {
    Runner& runner = runners.emplace_back();
    runner.without_plan = std::move(enqueue);
    runner.timer = compute.make_timer();
  };
  add([&](const BufferSet& set) { compute.copy_with_all(set.copied, rows_of(set.out)); });
  bench.calibrate(runners[0], 0.02);
  const double copy_ms = bench.timed(runners[0], 10, 0);
  if (options.floor && compute.device().backend == Backend::cuda) {
    const auto floor = [&](const Image& from, const Image& to) {
      cuda::measure::enqueue_floor(from, to, compute.stream());
    };
    add([floor](const BufferSet& set) { floor(set.copied, rows_of(set.out)); });
    add([floor](const BufferSet& set) { floor(half_of(set.copied), half_of(rows_of(set.out))); });
    add([&](const BufferSet&) { cuda::measure::enqueue_nothing(compute.stream()); });
  }
  for (Runner& runner : runners) bench.calibrate(runner, copy_ms);
  const std::size_t without_plan = runners.size();

  for (std::size_t i = 0; i < contestants.size(); ++i) {
    const auto& [strategy, tuning] = contestants[i];
    BenchmarkRow& row = result.rows[i];
    row.reason = surely_unsupported(*strategy, problem, compute.device(), tuning);
    if (!row.reason.empty()) continue;
    row.tolerance = strategy->tolerance(problem);
    row.reason = undecided_reason(problem, row.tolerance);
    if (!row.reason.empty()) continue;
    row.cost = strategy->model(problem, tuning);
    say("checking " + row.strategy);
    try {
      Runner runner{
          .plan = strategy->plan(problem, compute.device(), tuning), .row = &row, .timer = compute.make_timer()};
      if (!runner.plan->settled()) say(row.strategy + (strategy->chooses ? " chooses" : " is compiled"));
      bench.settle(runner);
      if (const Strategy* runs = runner.plan->runs()) {
        if (!strategy->chooses) throw Error(runner.plan->note());  // a stand-in's time is not this strategy's
        row.cost = runs->model(problem, {});
        row.ran = runs->id;
      }
      bench.run_once(runner, output);
      row.reason = check(problem, expected, inputs, output.tensor, row);
      if (!row.reason.empty()) continue;
      bench.calibrate(runner, copy_ms);
      row.batch = runner.batch;
      row.note = runner.plan->note();
      runners.push_back(std::move(runner));
    } catch (const Error& error) {
      row.reason = error.what();
    }
  }

  say("measuring");
  std::vector<std::size_t> order(runners.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937 random(options.seed);
  for (int round = -options.warm_up_rounds; round < options.rounds; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t i : order) bench.sample(runners[i], round >= 0);
  }

  result.copy = spread(std::move(runners[0].times));
  if (without_plan > 1) {
    const int rows = static_cast<int>(problem.kind->outputs(problem)[0].rows()), half = (rows + 1) / 2;
    result.floor = {.kernel = spread(std::move(runners[1].times)), .empty = spread(std::move(runners[3].times))};
    result.floor->fixed_ms = fixed_part(result.floor->kernel.median, rows, spread(runners[2].times).median, half);
  }
  for (std::size_t i = without_plan; i < runners.size(); ++i) {
    Runner& runner = runners[i];
    // Again, now that it has run hot and back to back: its own last output is still there only if it ran last, so it
    // runs one more batch.
    bench.timed(runner, runner.batch, 0);
    bench.last_result(runner, output);
    runner.row->reason = check(problem, expected, inputs, output.tensor, *runner.row);
    runner.row->verified = runner.row->reason.empty();
    if (!runner.row->verified) continue;
    runner.row->time = spread(std::move(runner.times));
    runner.row->single = spread(std::move(runner.singles));
    runner.row->use = {spread(std::move(runner.spent)).median, spread(std::move(runner.waited)).median};
    const Spread& time = runner.row->time;
    runner.row->doubt =
        doubt_of({time.median, time.low, time.high, runner.row->use, std::max(compute.device().multiprocessors, 1)});
  }
  return result;
}

}  // namespace convoscope
