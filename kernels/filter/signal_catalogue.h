#pragma once
// The named filters for signals, as data: what is done to sound, by frequencies. Each is a row of 2n+1 taps, symmetric
// unless it says otherwise; n is its radius.
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/contract/data/filter.h"
#include "kernels/filter/filter_catalogue.h"

namespace convoscope {

inline constexpr int max_signal_radius = max_filter_taps_1d / 2;
inline constexpr double usual_signal_rate = 48000;  // samples a second, where nobody says another

struct SignalFilterKind {
  std::string_view id, title, idea;  // idea: one sentence on what is heard
  std::span<const FilterParameter> parameters;
  // One value per parameter, in order, already in range; `rate`: samples a second. Frequencies above what that rate can
  // hold are taken for the highest that it can.
  Filter (*make)(std::span<const double> values, double rate);
  std::string_view also = {};  // other words for it
};

std::span<const SignalFilterKind> signal_filter_kinds();
const SignalFilterKind* find_signal_filter_kind(std::string_view id);  // null when there is none

// A filter as the user states it: "low-pass:cutoff=1000,radius=128", or taps "1 2 3 2 1", of kind "custom".
struct SignalFilterSpec {
  std::string kind;            // id of a SignalFilterKind, or custom_taps
  std::vector<double> values;  // of the kind's parameters
  std::vector<float> taps;     // of custom_taps: an odd number of them
  bool operator==(const SignalFilterSpec&) const = default;
};
inline constexpr const char* custom_taps = "custom";

SignalFilterSpec initial_spec(const SignalFilterKind&);
// Whether the text names a kind, rightly or wrongly stated: else it may be another catalogue's.
bool names_signal_filter(std::string_view text);
SignalFilterSpec parse_signal_filter(const std::string& text);  // throws Error naming what is wrong
std::string spec_text(const SignalFilterSpec&);                 // which parse_signal_filter() takes
Filter make_signal_filter(const SignalFilterSpec&, double rate = usual_signal_rate);

// How much louder a tone of that frequency comes out: |Σ w[i] e^(−2πi·f·i)|, with f in periods a sample, 0 to ½.
double gain_at(const Filter&, double frequency);

}  // namespace convoscope
