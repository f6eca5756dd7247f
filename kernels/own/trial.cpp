#include "kernels/own/trial.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <random>

#include "kernels/contract/theory/tolerance.h"
#include "kernels/emulator/scheduler.h"
#include "kernels/own/hooks.h"
#include "kernels/own/tally.h"
#include "kernels/strategies/shared/image/separable_taps.h"
#include "kernels/text/number_text.h"

namespace convoscope::own {
namespace {

constexpr long long most_threads = 1024, most_shared_bytes = 227 * 1024, most_blocks = 1 << 20;
constexpr long long most_memory_bytes = 2 << 20;

// As kernels see it: device/pixel.cuh.
struct EpilogueValues {
  float gain, bias;
  int absolute;
};
struct ViewValues {
  void* data;
  int width, height;
  std::size_t pitch;
};

std::vector<float> values_of(Contents contents, const Filter& filter) {
  if (contents == Contents::taps) return separable_taps(filter);
  if (contents == Contents::filter) return both_sets(filter);
  Filter columns = filter;
  transpose(columns);
  return both_sets(columns);
}

Shape rows_shape(const Problem& p) { return p.kind->outputs(p)[0]; }

Tensor tensor_in(const Buffer& buffer, const Problem& problem) {
  return tensor_of_rows(buffer.data, rows_shape(problem), buffer.pitch);
}

bool takes_taps(const KernelFile& file) {
  const auto fills = [](const Filled& filled) { return filled.with == Contents::taps; };
  const auto has = [](const Argument& argument) {
    return argument.kind == Argument::Kind::weights && argument.index == static_cast<std::size_t>(Contents::taps);
  };
  const auto needs = [](const Need& need) { return need.condition.empty(); };
  return std::ranges::any_of(file.filled, fills) || std::ranges::any_of(file.needs, needs) ||
         std::ranges::any_of(file.launches, [&](const Launch& l) { return std::ranges::any_of(l.arguments, has); });
}

// What its sums may be off by, in whatever order they are made; from the factors of a separable filter a little more.
double tolerance_of(const KernelFile& file, const Problem& p) {
  return takes_taps(file) ? separable_sum_bound(p) : float32_sum_bound(p, p.filter.taps());
}

// "block (1, 0, 0), thread (3, 2, 0)" and the rest of a message of the emulator.
std::pair<std::string, std::string> parted(std::string message) {
  constexpr std::string_view begin = "emulated kernel, ";
  if (!message.starts_with(begin)) return {{}, message};
  const std::size_t colon = message.find("): ");
  if (colon == std::string::npos) return {{}, message};
  return {message.substr(begin.size(), colon + 1 - begin.size()), message.substr(colon + 3)};
}

}  // namespace

void fill_input(const Image& image, unsigned seed) {
  std::minstd_rand random(seed * 7919u + 17u);
  random.discard(3);
  const bool extremes = seed % 3 == 2;
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) {
      if (image.format == PixelFormat::gray32f) {
        row_of<float>(image, y)[x] =
            extremes ? static_cast<float>(random() >> 8 & 1) : static_cast<float>(random() >> 7) * 0x1p-24f;
        continue;
      }
      std::uint8_t* const pixel = row_of<std::uint8_t>(image, y) + 4 * x;
      for (int c = 0; c < 3; ++c)
        pixel[c] = static_cast<std::uint8_t>(extremes ? (random() >> 8 & 1) * 255 : random() >> 8);
      pixel[3] =
          static_cast<std::uint8_t>((random() >> 8 & 0xFF) % 255);  // no input has the alpha of what is unwritten
    }
}

Extents extents_of(const Launch& launch, const Names& names) {
  Extents made{{1, 1, 1}, {1, 1, 1}, 0};
  const auto take = [&](const std::vector<Expression>& from, unsigned(&to)[3], const char* what) {
    long long all = 1;
    for (std::size_t i = 0; i < from.size(); ++i) {
      const long long value = from[i].value(names);
      if (value < 1 || value > (i == 0 ? 1LL << 31 : 65535))
        throw Error("the launch of " + launch.kernel + " has a " + what + " with an extent of " +
                    std::to_string(value));
      to[i] = static_cast<unsigned>(value);
      all = std::min(all * value, 1LL << 40);
    }
    return all;
  };
  const long long blocks = take(launch.grid, made.grid, "grid");
  const long long threads = take(launch.block, made.block, "block");
  const long long shared = launch.shared.empty() ? 0 : launch.shared.value(names);
  if (threads > most_threads)
    throw Error("a block of " + launch.kernel + " has " + format_count(threads) + " threads; the most is 1,024");
  if (blocks > most_blocks)
    throw Error("the launch of " + launch.kernel + " has " + format_count(blocks) + " blocks, too many to emulate");
  if (shared < 0 || shared > most_shared_bytes)
    throw Error("a block of " + launch.kernel + " has " + format_count(shared) +
                " bytes of shared memory; the most is " + format_count(most_shared_bytes));
  made.shared_bytes = static_cast<std::size_t>(shared);
  return made;
}

Bench::Bench(const KernelFile& file, const Loaded& loaded)
    : file_(file),
      loaded_(loaded),
      watch_(loaded),
      hooks_(hooks_for(watch_, std::filesystem::path(file.path).filename().string())) {
  for (const Variable& variable : loaded.variables())
    fresh_.emplace_back(variable.data, variable.data + variable.bytes);
  loaded.begin(hooks_);
}

void Bench::restore_variables() {
  for (std::size_t i = 0; i < fresh_.size(); ++i)
    std::memcpy(loaded_.variables()[i].data, fresh_[i].data(), fresh_[i].size());
}

std::string Bench::why_not_asked(const Asked& asked) const {
  const Problem& p = asked.problem;
  if (std::ranges::find(file_.formats, p.format) == file_.formats.end())
    return std::string("the file does not take ") + to_string(p.format);
  if (p.filter.is_magnitude() && !file_.two_sets) return "the file takes one set of weights: no launch has Sums";
  if (std::string why = p.kind->invalid(p); !why.empty()) return why;
  const Names names = file_.names(p, asked.tuning);
  for (const Need& need : file_.needs)
    if (!need.condition.empty() && need.condition.value(names) == 0)
      return "its table needs something else" + (need.why.empty() ? "" : ": " + need.why);
  if (takes_taps(file_) && !separable_reason(p.filter).empty()) return "its table needs a separable filter";
  for (const Filled& filled : file_.filled)
    if (values_of(filled.with, p.filter).size() * sizeof(float) > loaded_.array(filled.array).bytes)
      return "the array '" + filled.array + "' has no room for the filter";
  try {
    for (const Launch& launch : file_.launches) extents_of(launch, names);
  } catch (const SourceError&) {
    throw;
  } catch (const Error& error) {
    return error.what();
  }
  return undecided_reason(p, tolerance_of(file_, p));
}

void Bench::fill(const Asked& asked) {
  for (const Filled& filled : file_.filled) {
    const std::vector<float> values = values_of(filled.with, asked.problem.filter);
    const ConvoscopeArray& array = loaded_.array(filled.array);
    std::memset(array.data, 0xFF, array.bytes);
    std::memcpy(array.data, values.data(), values.size() * sizeof(float));
  }
}

void Bench::launch(const Launch& launch, const Asked& asked, std::vector<Buffer>& buffers, Tally* tally) {
  const Problem& p = asked.problem;
  const Names names = file_.names(p, asked.tuning);
  const Extents extents = extents_of(launch, names);
  const ConvoscopeKernel& kernel =
      loaded_.kernel(instance_name(file_, launch, p.format, p.filter.is_magnitude() ? 2 : 1, asked.tuning));
  const int width = p.width, height = p.height;
  std::array<ViewValues, 2> views{
      {{buffers[0].data, width, height, buffers[0].pitch}, {buffers[1].data, width, height, buffers[1].pitch}}};
  EpilogueValues epilogue{p.filter.gain, p.filter.bias * white_level(p.format), p.filter.absolute ? 1 : 0};
  Border border = p.border;
  std::vector<int> numbers(launch.arguments.size());
  std::vector<void*> arguments;
  for (const Argument& argument : launch.arguments) {
    int& number = numbers[arguments.size()];
    switch (argument.kind) {
      case Argument::Kind::input:
        arguments.push_back(&views[0]);
        break;
      case Argument::Kind::output:
        arguments.push_back(&views[1]);
        break;
      case Argument::Kind::border:
        arguments.push_back(&border);
        break;
      case Argument::Kind::epilogue:
        arguments.push_back(&epilogue);
        break;
      case Argument::Kind::weights:  // behind in, out: the three contents, then memories
        arguments.push_back(&buffers[2 + argument.index].data);
        break;
      case Argument::Kind::memory:
        arguments.push_back(&buffers[5 + argument.index].data);
        break;
      case Argument::Kind::number: {
        number = static_cast<int>(std::clamp<long long>(argument.number.value(names), INT32_MIN, INT32_MAX));
        arguments.push_back(&number);
        break;
      }
    }
  }
  watch_.begin_launch();
  const emulated::dim3 grid(extents.grid[0], extents.grid[1], extents.grid[2]);
  const emulated::dim3 block(extents.block[0], extents.block[1], extents.block[2]);
  if (tally) tally->begin_launch(static_cast<std::uint32_t>(block.count()));
  emulated::run_grid(grid, block, extents.shared_bytes, [&] {
    watch_.begin_thread();
    kernel.run(arguments.data());
  });
  if (tally) tally->end_launch();
}

Outcome Bench::run(const Asked& asked, const std::function<void()>& before_launch, Tally* tally) {
  const Problem& p = asked.problem;
  Outcome outcome;
  outcome.why = why_not_asked(asked);
  if (!outcome.why.empty()) {
    outcome.state = Outcome::State::not_asked;
    return outcome;
  }
  const std::size_t row_bytes = static_cast<std::size_t>(p.width) * 4, rows = static_cast<std::size_t>(p.height);
  const auto padded = [&](unsigned padding) { return row_bytes + 4 * static_cast<std::size_t>(padding); };
  using enum Buffer::Role;
  std::vector<Buffer> buffers;
  buffers.push_back(make_buffer(input, "in", row_bytes, rows, padded(1 + asked.seed % 5), 4));
  buffers.push_back(make_buffer(output, "out", row_bytes, rows, padded(1 + (asked.seed + 2) % 4), 4));
  constexpr std::array names_of_weights{"filter", "filter_by_columns", "taps"};
  const bool has_taps = separable_reason(p.filter).empty();
  for (const Contents contents : {Contents::filter, Contents::filter_by_columns, Contents::taps}) {
    const bool there = contents != Contents::taps || has_taps;
    const std::vector<float> values = there ? values_of(contents, p.filter) : std::vector<float>(1);
    const std::size_t bytes = values.size() * sizeof(float);
    buffers.push_back(
        make_buffer(weights, names_of_weights[static_cast<std::size_t>(contents)], bytes, 1, bytes, sizeof(float)));
    std::memcpy(buffers.back().data, values.data(), bytes);
    buffers.back().written = true;
  }
  const Names names = file_.names(p, asked.tuning);
  for (const OwnMemory& one : file_.memories) {
    const std::size_t element = loaded_.size_of(type_name(one, p.format));
    const long long count = one.count.value(names);
    if (count < 0 || count > most_memory_bytes / static_cast<long long>(element))
      throw SourceError(one.place, "the memory '" + one.name + "' has " + format_count(count) + " elements for " +
                                       p.kind->describe(p) + "; the emulator gives 2 MiB");
    const std::size_t bytes = static_cast<std::size_t>(count) * element;
    buffers.push_back(make_buffer(memory, one.name, bytes, 1, bytes, element));
  }
  const Tensor in = tensor_in(buffers[0], p), out = tensor_in(buffers[1], p);
  fill_input(rows_of(in), asked.seed);
  for (std::size_t i = 0; i < asked.input.size(); ++i)
    row_of<float>(rows_of(in), static_cast<int>(i) / p.width)[static_cast<int>(i) % p.width] = asked.input[i];
  buffers[0].written = true;

  const std::vector<char> input_before = buffers[0].bytes;
  restore_variables();
  fill(asked);
  std::vector<Buffer*> watched;
  for (Buffer& buffer : buffers) watched.push_back(&buffer);
  watch_.begin_run(watched);
  watch_.count_into(tally);
  const std::size_t faults_before = watch_.faults().size();
  try {
    for (const Launch& one : file_.launches) {
      before_launch();
      launch(one, asked, buffers, tally);
    }
  } catch (const SourceError&) {
    throw;
  } catch (const Error& error) {
    const auto [thread, words] = parted(error.what());
    const bool barrier = words.find("__syncthreads") != std::string::npos;
    if (words != "it cannot go on")
      watch_.add(
          {.kind = barrier ? Fault::Kind::barrier : Fault::Kind::other, .words = words, .name = {}, .thread = thread});
  }
  watch_.count_into(nullptr);

  const std::vector<double> expected = p.kind->reference(p, {&in, 1});
  outcome.worst = p.kind->compare(p, expected, {&in, 1}, out);
  double scale = 1;
  for (const float value : asked.input) scale = std::max(scale, std::abs(static_cast<double>(value)));
  const double tolerance = tolerance_of(file_, p) * scale;
  const bool same_input = input_before == buffers[0].bytes;
  if (!same_input &&
      std::ranges::none_of(watch_.faults(), [](const Fault& f) { return f.kind == Fault::Kind::read_only; }))
    watch_.add({.kind = Fault::Kind::read_only, .words = "has changed its input", .name = "its input"});
  const bool wrong = outcome.worst.max_error > tolerance || watch_.faults().size() > faults_before;
  if (!wrong) return outcome;

  outcome.state = Outcome::State::wrong;
  outcome.outputs.expected = expected;
  outcome.outputs.tolerance = tolerance;
  for (int y = 0; y < p.height; ++y)
    for (int x = 0; x < p.width; ++x) {
      const std::size_t offset = static_cast<std::size_t>(y) * buffers[1].pitch + static_cast<std::size_t>(x) * 4;
      outcome.outputs.block.push_back(watch_.writer_of(buffers[1], offset));
      if (p.format == PixelFormat::gray32f) {
        outcome.outputs.seen.push_back(row_of<float>(rows_of(out), y)[x]);
        continue;
      }
      const std::uint8_t* const pixel = row_of<std::uint8_t>(rows_of(out), y) + 4 * x;
      for (int c = 0; c < 3; ++c) outcome.outputs.seen.push_back(pixel[c]);
      outcome.outputs.alpha_seen.push_back(pixel[3]);
      outcome.outputs.alpha_expected.push_back(row_of<std::uint8_t>(rows_of(in), y)[4 * x + 3]);
    }
  return outcome;
}

}  // namespace convoscope::own
