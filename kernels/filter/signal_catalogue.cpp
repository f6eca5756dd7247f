#include "kernels/filter/signal_catalogue.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <utility>

#include "kernels/text/edit_distance.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace signals {  // its neighbours in the compiler's eyes have filters, too
namespace {

using Values = std::span<const double>;

constexpr double lowest = 20, highest = 20000;  // Hz, that people hear

constexpr FilterParameter radius(double initial, double minimum = 1) {
  return {"radius", "Radius", "samples", minimum, max_signal_radius, initial, 1};
}
constexpr FilterParameter frequency(std::string_view id, std::string_view title, double initial) {
  return {id, title, "Hz", lowest, highest, initial, 1};
}
constexpr FilterParameter mean_parameters[] = {radius(16)};
constexpr FilterParameter pass_parameters[] = {frequency("cutoff", "Cut-off", 1000), radius(256)};
constexpr FilterParameter band_parameters[] = {frequency("low", "From", 300), frequency("high", "To", 3400),
                                               radius(256)};
constexpr FilterParameter comb_parameters[] = {{"delay", "Delay", "samples", 1, max_signal_radius, 48, 1},
                                               {"amount", "Amount", "", -1, 1, 1, 0.05}};
constexpr FilterParameter delay_parameters[] = {
    {"delay", "Delay", "samples", -max_signal_radius, max_signal_radius, 256, 1}};

Filter row(int radius) {
  Filter filter;
  filter.width = 2 * radius + 1;
  filter.weights.assign(static_cast<std::size_t>(filter.width), 0.0f);
  return filter;
}

Filter row_of(const std::vector<double>& taps) {
  Filter filter = row(static_cast<int>(taps.size()) / 2);
  std::ranges::transform(taps, filter.weights.begin(), [](double tap) { return static_cast<float>(tap); });
  return filter;
}

// Taps that let pass what is below the frequency: sin(2πfk)/(πk), cut to 2n+1 of them by Blackman's window, which
// leaves 74 dB of what should not pass (Oppenheim & Schafer, Discrete-Time Signal Processing, ch. 7.5); their sum is 1.
std::vector<double> low_pass(double hertz, int radius, double rate) {
  const double f = std::min(hertz / rate, 0.5);
  std::vector<double> taps;
  double sum = 0;
  for (int k = -radius; k <= radius; ++k) {
    const double x = std::numbers::pi * k / (radius + 1);
    const double window = 0.42 + 0.5 * std::cos(x) + 0.08 * std::cos(2 * x);
    const double ideal =
        k == 0 ? 2 * f : std::sin(2 * std::numbers::pi * f * k) / (std::numbers::pi * static_cast<double>(k));
    taps.push_back(ideal * window);
    sum += taps.back();
  }
  for (double& tap : taps) tap /= sum;
  return taps;
}

// What passes, and what does not: together they are the sound itself.
std::vector<double> without(std::vector<double> taps) {
  for (double& tap : taps) tap = -tap;
  taps[taps.size() / 2] += 1;
  return taps;
}

std::vector<double> band_stop(Values v, double rate) {
  const int radius = static_cast<int>(v[2]);
  std::vector<double> low = low_pass(std::min(v[0], v[1]), radius, rate);
  const std::vector<double> high = without(low_pass(std::max(v[0], v[1]), radius, rate));
  for (std::size_t i = 0; i < low.size(); ++i) low[i] += high[i];
  return low;
}

constexpr SignalFilterKind all_kinds[] = {
    {"moving-average", "Moving average", "The plain mean of neighbouring samples: dull, and some tones go altogether.",
     mean_parameters,
     [](Values v, double) {
       Filter filter = row(static_cast<int>(v[0]));
       std::ranges::fill(filter.weights, 1.0f / static_cast<float>(filter.width));
       return filter;
     },
     "box mean smooth"},
    {"low-pass", "Low-pass", "Keeps the tones below a frequency: as through a wall.", pass_parameters,
     [](Values v, double rate) { return row_of(low_pass(v[0], static_cast<int>(v[1]), rate)); }, "lowpass bass sinc"},
    {"high-pass", "High-pass", "Keeps the tones above a frequency: what is left of a small loudspeaker.",
     pass_parameters,
     [](Values v, double rate) { return row_of(without(low_pass(v[0], static_cast<int>(v[1]), rate))); },
     "highpass treble sinc"},
    {"band-pass", "Band-pass", "Keeps the tones between two frequencies: a voice over the telephone.", band_parameters,
     [](Values v, double rate) { return row_of(without(band_stop(v, rate))); }, "bandpass telephone"},
    {"band-stop", "Band-stop", "Takes the tones between two frequencies away.", band_parameters,
     [](Values v, double rate) { return row_of(band_stop(v, rate)); }, "bandstop notch"},
    {"comb", "Comb",
     "The sound and the same a moment later: tones that fit into the delay grow, those between them go.",
     comb_parameters,
     [](Values v, double) {
       const int delay = static_cast<int>(v[0]);
       Filter filter = row(delay);
       filter.weights[static_cast<std::size_t>(delay)] = 0.5f;
       filter.weights[0] = 0.5f * static_cast<float>(v[1]);
       return filter;
     },
     "echo flanger"},
    {"difference",
     "Difference",
     "How samples change: high tones become louder, the higher the more.",
     {},
     [](Values, double) {
       return row_of({-0.5, 0, 0.5});
     },
     "derivative edge sobel"},
    {"delay", "Delay", "The sound a moment later: one tap that is not the middle one.", delay_parameters,
     [](Values v, double) {
       const int delay = static_cast<int>(v[0]), reach = std::max(std::abs(delay), 1);
       Filter filter = row(reach);
       filter.weights[static_cast<std::size_t>(reach - delay)] = 1;
       return filter;
     },
     "shift"},
};

std::string_view head_of(std::string_view text) { return text.substr(0, text.find(':')); }

void check_odd(std::size_t taps) {
  if (taps % 2 == 0 || taps > static_cast<std::size_t>(max_filter_taps_1d))
    throw Error("A signal's filter has an odd number of taps up to " + format_count(max_filter_taps_1d) +
                "; this one has " + format_count(static_cast<long long>(taps)));
}

[[noreturn]] void throw_unknown(const std::string& name) {
  std::vector<std::string> ids;
  for (const SignalFilterKind& kind : all_kinds) ids.emplace_back(kind.id);
  const std::string near = nearest_word(name.substr(0, 64), ids);
  std::string all;
  for (const std::string& id : ids) all += (all.empty() ? "" : ", ") + id;
  throw Error("There is no filter for sound " + in_quotes(name) +
              (near.empty() ? "; there are " + all : "; did you mean '" + near + "'?") +
              (near.empty() ? ", and" : " There are also") + " taps like \"0.25 0.5 0.25\"");
}

}  // namespace
}  // namespace signals

std::span<const SignalFilterKind> signal_filter_kinds() { return signals::all_kinds; }

const SignalFilterKind* find_signal_filter_kind(std::string_view id) {
  const auto found = std::ranges::find(signals::all_kinds, id, &SignalFilterKind::id);
  return found == std::end(signals::all_kinds) ? nullptr : &*found;
}

SignalFilterSpec initial_spec(const SignalFilterKind& kind) {
  SignalFilterSpec spec{std::string(kind.id), {}, {}};
  for (const FilterParameter& parameter : kind.parameters) spec.values.push_back(parameter.initial);
  return spec;
}

bool names_signal_filter(std::string_view text) { return find_signal_filter_kind(signals::head_of(text)) != nullptr; }

SignalFilterSpec parse_signal_filter(const std::string& whole) {
  const std::string text(trim(whole));
  if (text.empty()) throw Error("The filter for sound is empty; name one like low-pass:cutoff=1000, or write taps");
  const std::string head(signals::head_of(text));
  const SignalFilterKind* const kind = find_signal_filter_kind(head);
  if (!kind) {
    if (std::string_view("+-.0123456789").find(text.front()) == std::string_view::npos) signals::throw_unknown(head);
    if (text.find_first_of(";\n|:") != std::string::npos)
      throw Error("A filter for sound is one row of taps, numbers with blanks between them; this one is " +
                  in_quotes(text));
    const Filter own = parse_matrix(text);
    signals::check_odd(own.weights.size());
    return {custom_taps, {}, own.weights};
  }
  SignalFilterSpec spec = initial_spec(*kind);
  const std::string_view parameters = head.size() < text.size() ? std::string_view(text).substr(head.size() + 1) : "";
  for_each_assignment(parameters, head, [&](std::string_view name, std::string_view value) {
    const auto found = std::ranges::find(kind->parameters, name, &FilterParameter::id);
    if (found == kind->parameters.end()) {
      std::string names;
      for (const FilterParameter& one : kind->parameters) names += (names.empty() ? "" : ", ") + std::string(one.id);
      throw Error("The filter " + in_quotes(head) + " has no parameter " + in_quotes(name) +
                  (names.empty() ? "; it takes none" : "; it takes " + names));
    }
    const std::string what = "The parameter " + in_quotes(name) + " of the filter " + in_quotes(head);
    spec.values[static_cast<std::size_t>(found - kind->parameters.begin())] =
        checked_value(*found, parse_number(value, what), what);
  });
  return spec;
}

std::string spec_text(const SignalFilterSpec& spec) {
  const SignalFilterKind* const kind = find_signal_filter_kind(spec.kind);
  std::string text = kind ? spec.kind : "";
  if (!kind)
    for (const float tap : spec.taps) text += (text.empty() ? "" : " ") + number_text(tap);
  char separator = ':';
  for (std::size_t i = 0; kind && i < std::min(kind->parameters.size(), spec.values.size()); ++i)
    if (spec.values[i] != kind->parameters[i].initial)
      text += std::exchange(separator, ',') + std::string(kind->parameters[i].id) + "=" + number_text(spec.values[i]);
  return text;
}

Filter make_signal_filter(const SignalFilterSpec& spec, double rate) {
  Filter filter;
  if (const SignalFilterKind* const kind = find_signal_filter_kind(spec.kind)) {
    filter = kind->make(spec.values, rate);
  } else {
    signals::check_odd(spec.taps.size());
    filter.width = static_cast<int>(spec.taps.size());
    filter.weights = spec.taps;
  }
  filter.name = spec_text(spec);
  return filter;
}

double gain_at(const Filter& filter, double frequency) {
  const std::complex<double> turn = std::polar(1.0, -2 * std::numbers::pi * frequency);
  std::complex<double> sum = 0;
  for (auto tap = filter.weights.rbegin(); tap != filter.weights.rend(); ++tap)
    sum = sum * turn + static_cast<double>(*tap);
  return std::abs(sum) * std::abs(filter.gain);
}

}  // namespace convoscope
