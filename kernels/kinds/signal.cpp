// One row of samples per channel in, as many out: the chapter's 1-D convolution.
#include "kernels/kinds/signal.h"

#include <limits>
#include <numeric>

#include "kernels/contract/theory/overflow.h"
#include "kernels/filter/filter_catalogue.h"
#include "kernels/filter/signal_catalogue.h"
#include "kernels/kinds/frames.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope {

namespace {

constexpr PixelFormat formats[] = {PixelFormat::gray32f};

// A channel in each row.
std::vector<Shape> shapes(const Problem& p) { return {{{1, p.height, 1, 1, p.width}, Element::f32}}; }

std::string invalid(const Problem& p) {
  if (p.format != PixelFormat::gray32f) return "A signal has float samples, not rgba8 pixels";
  if (p.filter.height != 1 || p.filter.depth != 1)
    return "A signal's filter is one row of taps; this one has " + size_text(p.filter) + " weights";
  if (p.filter.width > max_filter_taps_1d)
    return "A signal's filter has up to " + format_count(max_filter_taps_1d) + " taps; this one has " +
           format_count(p.filter.width);
  if (p.filter.is_magnitude()) return "An edge magnitude needs a picture's two directions; a signal has one";
  return overflow_reason(p);
}

// One of sound, at the usual rate. A filter for pictures has its sums over the columns as taps, which for a separable
// one is its row.
Filter parse(const std::string& text) {
  if (names_signal_filter(text)) return make_signal_filter(parse_signal_filter(text));
  const Filter picture = parse_filter(text).filter;
  if (picture.is_magnitude()) throw Error("An edge magnitude needs a picture's two directions; a signal has one");
  Filter filter = picture;
  filter.height = 1;
  filter.weights.assign(static_cast<std::size_t>(picture.width), 0);
  for (int x = 0; x < picture.width; ++x) {
    double sum = 0;
    for (int y = 0; y < picture.height; ++y) sum += picture.weights[static_cast<std::size_t>(y * picture.width + x)];
    filter.weights[static_cast<std::size_t>(x)] = static_cast<float>(sum);
  }
  return filter;
}

Problem problem(int samples, int channels, Border border, Filter filter) {
  return {samples, channels, PixelFormat::gray32f, border, std::move(filter), &signal_kind};
}

// Worked out by hand: design, section 5; PMPP 4th ed., ch. 7.1.
std::vector<Case> worked_examples() {
  const auto example = [](const char* taps, std::vector<float> samples, Border border, std::vector<double> outputs) {
    return Case{
        problem(static_cast<int>(samples.size()), 1, border, parse_matrix(taps)), {samples}, std::move(outputs)};
  };
  const std::vector<float> ramp{1, 2, 3, 4, 5, 6, 7};
  return {example("1 3 5 3 1", {8, 2, 5, 4, 1, 7, 3}, Border::zero, {51, 53, 52, 47, 46, 51, 37}),
          example("3 4 5 4 3", ramp, Border::zero, {22, 38, 57, 76, 95, 90, 74}),
          example("3 4 5 4 3", ramp, Border::replicate, {29, 41, 57, 76, 95, 111, 123}),
          example("3 4 5 4 3", ramp, Border::mirror, {39, 44, 57, 76, 95, 108, 113}),
          example("1 2 1", ramp, Border::zero, {4, 8, 12, 16, 20, 24, 20})};
}

std::vector<Filter> filters() {
  Filter shaped = random_filter(9, 1);
  shaped.name += ", gain, bias, absolute";
  shaped.gain = -0.5f;
  shaped.bias = 0.25f;
  shaped.absolute = true;
  return {random_filter(1, 1), random_filter(3, 1), random_filter(5, 1), random_filter(33, 1), shaped};
}

std::vector<Case> cases(const CaseOptions& options) {
  std::vector<Case> cases;
  const auto add = [&](int samples, int channels, Border border, const Filter& filter) {
    cases.push_back({problem(samples, channels, border, filter), {}, {}});
  };
  const std::vector<int> small{1, 2, 7, 31, 129, 300};
  const std::vector<int> large{1, 2, 7, 31, 128, 129, 1000, 4097, 20011};
  for (const Filter& filter : options.filters.empty() ? filters() : options.filters)
    for (const int samples : options.small ? small : large)
      for (const Border border : all_borders) add(samples, samples % 3 == 1 ? 2 : 1, border, filter);
  if (!options.filters.empty()) return cases;
  // The longest filter reaches far beyond short signals, where mirror and wrap go round more than once.
  for (const int taps : {257, max_filter_taps_1d})
    for (const int samples : {5, options.small ? 300 : 5003})
      for (const Border border : all_borders) add(samples, 1, border, random_filter(taps, 1));
  for (Case& example : worked_examples()) cases.push_back(std::move(example));
  return cases;
}

std::vector<Problem> tuning_cases(const CaseOptions& options) {
  std::vector<Problem> problems;
  for (const Filter& filter : options.filters.empty() ? filters() : options.filters)
    problems.push_back(problem(options.small ? 300 : 5003, 2, Border::zero, filter));
  if (options.filters.empty())
    problems.push_back(problem(options.small ? 300 : 5003, 1, Border::zero, random_filter(max_filter_taps_1d, 1)));
  return problems;
}

// A minute at 48 kHz.
std::vector<Problem> benchmarks() {
  std::vector<Problem> problems;
  for (const int taps : {5, 33, 129, max_filter_taps_1d})
    problems.push_back(problem(2880000, 1, Border::zero, random_filter(taps, 1)));
  return problems;
}

std::string describe(const Problem& p) { return counted(p.width, "sample") + ", " + counted(p.height, "channel"); }

constexpr int largest_count = 1 << 28;

void put_count(int& count, int value, const char* of) {
  if (value < 1) throw Error("A signal of " + std::to_string(value) + " " + of + " cannot be measured");
  count = value;
}

constexpr int swept_taps[] = {5, 9, 17, 33, 65, 129, 257, 513, 1025}, usual_taps[] = {5, 17, 65, 257, 1025};
constexpr int swept_lengths[] = {48000, 480000, 2880000}, swept_channels[] = {1, 2, 6};
constexpr SweepParameter parameters[] = {
    {.id = "taps",
     .title = "taps",
     .unit = "taps",
     .idea = "How many neighbours a sample is the sum of, itself included. The weights are random.",
     .least = 1,
     .most = max_filter_taps_1d,
     .offered = swept_taps,
     .usual = usual_taps,
     .value = [](const Problem& p) { return p.filter.width; },
     .put =
         [](Problem& p, int taps) {
           if (taps < 1 || taps > max_filter_taps_1d || taps % 2 == 0)
             throw Error("A signal's filter has an odd number of taps up to " + format_count(max_filter_taps_1d) +
                         "; this one has " + format_count(taps));
           p.filter = random_filter(taps, 1);
         }},
    {.id = "samples",
     .title = "length",
     .unit = "samples",
     .idea = "How many samples a channel has.",
     .least = 1,
     .most = largest_count,
     .offered = swept_lengths,
     .usual = swept_lengths,
     .value = [](const Problem& p) { return p.width; },
     .put = [](Problem& p, int samples) { put_count(p.width, samples, "samples"); }},
    {.id = "channels",
     .title = "channels",
     .unit = "channels",
     .idea = "How many signals are filtered at once.",
     .least = 1,
     .most = largest_count,
     .offered = swept_channels,
     .usual = swept_channels,
     .value = [](const Problem& p) { return p.height; },
     .put = [](Problem& p, int channels) { put_count(p.height, channels, "channels"); }},
};

}  // namespace

const Kind signal_kind{
    .id = "signal",
    .title = "Signal",
    .idea = "Samples in time, one row for each channel: every output is the weighted sum of its neighbours in its row.",
    .formats = formats,
    .width_name = "samples",
    .height_name = "channels",
    .inputs = shapes,
    .outputs = shapes,
    .invalid = invalid,
    .describe = describe,
    .parse = parse,
    .cases = cases,
    .tuning_cases = tuning_cases,
    .benchmarks = benchmarks,
    .reference = reference_of_frames,
    .compare = compare_frames,
    .sources = sources_in_frames,
    .reference_of_part = reference_of_part_of_frames,
    .parameters = parameters,
};

}  // namespace convoscope
