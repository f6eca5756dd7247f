#include "app/state/sound_taps.h"

#include <algorithm>
#include <string_view>

#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

constexpr std::string_view blanks = " \t\r,";

// Why these words are no row of taps; throws Error where one of them is no number.
std::string why_no_taps(std::string_view text) {
  long long taps = 0;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
    if (text.empty()) break;
    const std::string_view word = text.substr(0, text.find_first_of(blanks));
    parse_float(word, "Tap " + format_count(++taps));
    text.remove_prefix(word.size());
  }
  if (taps % 2 == 1 && taps <= max_filter_taps_1d) return "Between two commas there is no tap";
  return "There must be an odd number of taps, up to " + format_count(max_filter_taps_1d) +
         ", so that one is the middle one; " + (taps == 1 ? "this is " : "these are ") + format_count(taps);
}

}  // namespace

// The parser reads matrices, too, and says what is wrong with one.
SignalFilterSpec parse_sound_filter(const std::string& text) {
  try {
    return parse_signal_filter(text);
  } catch (const Error&) {
    const std::string_view row = trim(text);
    const bool own = !row.empty() && std::string_view("+-.0123456789").find(row.front()) != std::string_view::npos;
    if (!own || row.find_first_of(";\n|:") != std::string_view::npos) throw;
    throw Error(why_no_taps(row));
  }
}

}  // namespace convoscope
