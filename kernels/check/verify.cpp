#include "kernels/check/verify.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <random>

#include "kernels/check/alpha_check.h"
#include "kernels/check/own_code.h"
#include "kernels/contract/data/half.h"
#include "kernels/contract/data/tensor_numbers.h"
#include "kernels/contract/kind.h"
#include "kernels/contract/theory/tolerance.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"
#include "kernels/threads/stop.h"

namespace convoscope {
namespace {

// All ones: NaN for floats, and an alpha that no input has for rgba8, so that an unwritten element never looks right.
constexpr unsigned char poison = 0xFF;

constexpr int numbers_without_asking = 1 << 16;

struct HostTensor {
  std::vector<unsigned char> bytes;
  Tensor tensor;
};

// Rows that end `padding` elements before the next begins, and `guards` more of them above and below.
HostTensor make_host_tensor(const Shape& shape, int padding, std::size_t guards = 0) {
  const std::size_t pitch = bytes_per_element(shape.element) * static_cast<std::size_t>(shape.row_elements() + padding);
  HostTensor result{std::vector<unsigned char>(pitch * (shape.rows() + 2 * guards), poison), {}};
  result.tensor = tensor_of_rows(result.bytes.data() + guards * pitch, shape, pitch);
  return result;
}

// All of its bytes, as an image: with padding, and `guards` rows above and below.
Image all_of(const Tensor& tensor, std::size_t guards = 0) {
  Image image = rows_of(tensor);
  image.data = static_cast<unsigned char*>(image.data) - guards * image.pitch;
  image.height += static_cast<int>(2 * guards);
  image.width = static_cast<int>(image.pitch / bytes_per_pixel(image.format));
  return image;
}

// Every third picture is of black and white alone, where sums and their errors are largest. Padding stays poisoned: who
// reads it gets NaN or white.
void fill_random(const Image& image, unsigned seed) {
  std::minstd_rand random(seed * 7919u + 17u);
  const bool extremes = seed % 3 == 2;
  for (int y = 0; y < image.height; ++y) {
    unsigned char* row = static_cast<unsigned char*>(image.data) + y * image.pitch;
    for (int x = 0; x < image.width; ++x) {
      if (x % numbers_without_asking == 0 && stop_requested()) return;
      if (image.format != PixelFormat::rgba8) {
        const float value =
            extremes ? static_cast<float>(random() >> 8 & 1) : static_cast<float>(random() >> 7) * 0x1p-24f;
        if (image.format == PixelFormat::gray32f) {
          std::memcpy(row + 4 * x, &value, sizeof value);
        } else {
          const std::uint16_t half = to_half(value);
          std::memcpy(row + 2 * x, &half, sizeof half);
        }
        continue;
      }
      for (int c = 0; c < 3; ++c)
        row[4 * x + c] = static_cast<unsigned char>(extremes ? (random() >> 8 & 1) * 255 : random() >> 8);
      row[4 * x + 3] = static_cast<unsigned char>(random() >> 8) % poison;
    }
  }
}

// The same size and rank, other weights and epilogue, of a bank with biases for none and none for some: a plan made for
// it has to forget all of it.
Filter other_filter(Filter filter) {
  for (float& w : filter.weights) w *= -0.5f;
  for (float& w : filter.weights_y) w *= 2.0f;
  filter.gain = 0.75f;
  filter.bias = 0.25f;
  filter.absolute = !filter.absolute;
  if (!filter.is_bank()) return filter;
  filter.relu = !filter.relu;
  if (filter.biases.empty())
    filter.biases.assign(static_cast<std::size_t>(filter.maps), 0.5f);
  else
    filter.biases.clear();
  return filter;
}

std::string worst_output(const Difference& worst) {
  return "at (" + std::to_string(worst.x) + ", " + std::to_string(worst.y) + "), channel " +
         std::to_string(worst.channel) + ", the reference is " + number_text(worst.expected) + " and the output " +
         number_text(worst.actual);
}

// One problem: its inputs, its reference, and memory on the device, for any number of strategies.
class Trial {
 public:
  Trial(Compute& compute, const Case& which, unsigned seed)
      : compute_(compute), case_(which), problem_(case_.problem), kind_(*problem_.kind), seed_(seed) {
    for (const Shape& shape : kind_.inputs(problem_)) {
      in_.push_back(make_host_tensor(shape, static_cast<int>(1 + seed % 5)));
      if (case_.inputs.empty())
        fill_random(rows_of(in_.back().tensor), seed + static_cast<unsigned>(in_.size() - 1));
      else
        put_numbers(in_.back().tensor, case_.inputs[in_.size() - 1]);
    }
  }

  VerifyRow run(const Strategy& strategy, const Tuning& tuning) {
    VerifyRow row{.strategy = std::string(strategy.id),
                  .kind = &kind_,
                  .filter = problem_.filter.name,
                  .border = problem_.border,
                  .format = problem_.format,
                  .width = problem_.width,
                  .height = problem_.height,
                  .pass = problem_.layer.pass,
                  .shape = kind_.shape ? kind_.shape(problem_) : std::string(),
                  .precision = problem_.layer.precision,
                  .layout = problem_.layer.layout,
                  .tuning = tuning};
    try {
      row.skipped_reason = kind_.invalid(problem_);
      if (!row.skipped()) row.skipped_reason = surely_unsupported(strategy, problem_, compute_.device(), tuning);
      if (row.skipped()) return row;
      row.tolerance = strategy.tolerance(problem_) * scale_of_inputs();
      row.skipped_reason = undecided_reason(problem_, row.tolerance);
      if (row.skipped()) return row;
      if (!expected_) prepare();
      if (stop_requested()) return row;
      execute(strategy, tuning);
      judge(row);
    } catch (const Error& failure) {
      row.max_error = std::numeric_limits<double>::infinity();
      row.failure = failure.what();
    }
    return row;
  }

 private:
  void prepare() {
    if (stop_requested()) return;
    expected_ = kind_.reference(problem_, tensors(in_));
    if (stop_requested()) return;
    for (std::size_t i = 0; i < case_.outputs.size(); ++i)
      if (!std::isnan(case_.outputs[i]) && case_.outputs[i] != (*expected_)[i])
        throw Error("the reference gives " + number_text((*expected_)[i]) + " where " + number_text(case_.outputs[i]) +
                    " was worked out by hand");
    for (const HostTensor& in : in_) {
      memory_.push_back(compute_.allocate_bytes(in.bytes.size()));
      device_in_.push_back(in.tensor);
      device_in_.back().data = memory_.back().get();
      compute_.upload(all_of(in.tensor), all_of(device_in_.back()));
    }
    // A row more on either side, to see whether anybody writes there.
    out_ = make_host_tensor(kind_.outputs(problem_)[0], static_cast<int>(1 + (seed_ + 2) % 4), 1);
    memory_.push_back(compute_.allocate_bytes(out_.bytes.size()));
    device_out_ = out_.tensor;
    device_out_.data = static_cast<unsigned char*>(memory_.back().get()) + out_.tensor.stride[3];
  }

  static std::vector<Tensor> tensors(const std::vector<HostTensor>& hosts) {
    std::vector<Tensor> list;
    for (const HostTensor& host : hosts) list.push_back(host.tensor);
    return list;
  }

  // tolerance() speaks of inputs up to white; worked examples have larger ones. Of a gradient to the weights both
  // inputs are factors of one product.
  double scale_of_inputs() const {
    double scale = 1;
    for (const std::vector<float>& values : case_.inputs) {
      double largest = 1;
      for (const float value : values) largest = std::max(largest, std::abs(static_cast<double>(value)));
      scale = problem_.layer.pass == Pass::to_weights ? scale * largest : std::max(scale, largest);
    }
    return scale;
  }

  // Half of the runs reach their filter so, from a plan made for another one; scrambled, because the seed counts up
  // while formats and borders take turns.
  bool through_set_filter() const { return seed_ * 2654435761u >> 17 & 1; }

  void execute(const Strategy& strategy, const Tuning& tuning) {
    compute_.fill(all_of(device_out_, 1), poison);
    const Stream stream = compute_.stream();
    Problem first = problem_;
    if (through_set_filter()) {
      first.filter = other_filter(problem_.filter);
      const auto refused = [&] { return !strategy.unsupported(first, compute_.device(), tuning).empty(); };
      if (refused()) first.filter.absolute = problem_.filter.absolute;  // some take no absolute values
      if (refused()) first = problem_;                                  // or none so large with a filter of this size
    }
    const std::unique_ptr<Plan> plan = strategy.plan(first, compute_.device(), tuning);
    if (through_set_filter()) {
      plan->prepare(stream);
      plan->set_filter(problem_.filter);
    }
    if (!strategy.chooses)
      wait_for_own_code(*plan, device_in_, stream);  // trials of others would fill its memory with odd sizes
    plan->prepare(stream);
    plan->enqueue(device_in_, {&device_out_, 1}, stream);
    compute_.synchronize();
    compute_.download(all_of(device_out_, 1), all_of(out_.tensor, 1));
  }

  void judge(VerifyRow& row) const {
    const Difference worst = kind_.compare(problem_, *expected_, tensors(in_), out_.tensor);
    row.max_error = worst.max_error;
    row.passed = worst.max_error <= row.tolerance;
    if (!row.passed) row.failure = worst_output(worst);
    if (!padding_untouched()) {
      row.max_error = std::numeric_limits<double>::infinity();
      row.passed = false;
      row.failure = "memory outside the output's rows was written";
    }
  }

  bool padding_untouched() const {
    const auto clean = [](const unsigned char* begin, const unsigned char* end) {
      return std::all_of(begin, end, [](unsigned char byte) { return byte == poison; });
    };
    const Image all = all_of(out_.tensor, 1);
    const std::size_t used = out_.tensor.shape.row_bytes();
    for (int y = 0; y < all.height; ++y) {
      const unsigned char* row = static_cast<const unsigned char*>(all.data) + y * all.pitch;
      const bool guard = y == 0 || y == all.height - 1;
      if (!clean(guard ? row : row + used, row + all.pitch)) return false;
    }
    return true;
  }

  Compute& compute_;
  const Case case_;
  const Problem& problem_;
  const Kind& kind_;
  unsigned seed_;
  std::vector<HostTensor> in_;
  HostTensor out_;  // has a guard row above and below
  std::optional<std::vector<double>> expected_;
  std::vector<std::shared_ptr<void>> memory_;
  std::vector<Tensor> device_in_;
  Tensor device_out_;
};

template <class Value>
bool wanted(const std::vector<Value>& only, Value value) {
  return only.empty() || std::find(only.begin(), only.end(), value) != only.end();
}

// Each value of each tunable that is not the initial one, alone.
std::vector<Tuning> make_tunings(const Strategy& strategy) {
  std::vector<Tuning> tunings;
  for (const Tunable& tunable : strategy.tunables)
    for (const int value : tunable.values)
      if (value != tunable.initial) tunings.push_back({{std::string(tunable.id), value}});
  return tunings;
}

std::vector<const Strategy*> chosen(Backend backend, const Kind& kind, const std::vector<std::string>& ids) {
  std::vector<const Strategy*> list;
  if (ids.empty()) {
    for (const Strategy* strategy : strategies(backend, kind)) list.push_back(strategy);
    return list;
  }
  for (const std::string& id : ids) {
    const Strategy* strategy = find_strategy(backend, id, kind);
    if (!strategy)
      throw Error("There is no strategy " + in_quotes(id) + " for " + std::string(kind.id) + "s on the backend " +
                  to_string(backend) + "; `convoscope list strategies` names them");
    list.push_back(strategy);
  }
  return list;
}

}  // namespace

VerifyRow verify_one(Compute& compute, const Strategy& strategy, const Problem& problem, const Tuning& tuning,
                     unsigned seed) {
  return Trial(compute, {.problem = problem, .inputs = {}, .outputs = {}}, seed).run(strategy, tuning);
}

std::vector<VerifyRow> verify(Compute& compute, const VerifyOptions& options,
                              const std::function<void(const VerifyRow&)>& callback) {
  const Kind& kind = *options.kind;
  const std::vector<const Strategy*> list = chosen(compute.device().backend, kind, options.strategies);
  std::vector<VerifyRow> rows;
  const auto keep = [&](VerifyRow row) {
    rows.push_back(std::move(row));
    if (callback) callback(rows.back());
  };
  const auto is_wanted = [&](const Problem& problem) {
    return wanted(options.borders, problem.border) && wanted(options.formats, problem.format) &&
           wanted(options.passes, problem.layer.pass) && wanted(options.precisions, problem.layer.precision) &&
           wanted(options.layouts, problem.layer.layout);
  };

  // Problems outside, strategies inside: the reference is made once for all of them.
  const CaseOptions narrowed{.small = options.small, .filters = options.filters};
  unsigned seed = options.seed;
  std::vector<Case> cases;
  for (const Problem& problem : options.problems) cases.push_back({.problem = problem, .inputs = {}, .outputs = {}});
  if (cases.empty()) cases = kind.cases(narrowed);
  for (const Case& one : cases) {
    if (!is_wanted(one.problem)) continue;
    Trial trial(compute, one, seed++);
    for (const Strategy* strategy : list) keep(trial.run(*strategy, {}));
  }

  seed = options.seed + 1000;
  const std::vector<Problem> problems = options.problems.empty() ? kind.tuning_cases(narrowed) : options.problems;
  for (const Strategy* strategy : list)
    for (const Tuning& tuning : make_tunings(*strategy))
      for (Problem problem : problems) {
        problem.border = kind.borders[seed % kind.borders.size()];
        problem.format = kind.formats[seed / 4 % kind.formats.size()];
        if (is_wanted(problem)) keep(verify_one(compute, *strategy, problem, tuning, seed));
        ++seed;
      }

  // Pictures that are not opaque take a step around the strategies, which is checked together with each of them.
  if (&kind != &image_kind || !options.problems.empty()) return rows;
  for (const Problem& problem : alpha_cases(options.filters)) {
    if (!is_wanted(problem)) continue;
    for (const Strategy* strategy : list) keep(verify_with_alpha(compute, *strategy, problem, seed));
    ++seed;
  }
  return rows;
}

}  // namespace convoscope
