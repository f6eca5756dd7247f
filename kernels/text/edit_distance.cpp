#include "kernels/text/edit_distance.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace convoscope {
namespace {

// Two neighbours that have changed places are one error.
std::size_t typing_errors(std::string_view word, std::string_view meant) {
  constexpr std::size_t longest = 64;  // of a name
  std::size_t errors = edit_distance(word, meant);
  std::string swapped(word.substr(0, longest));
  for (std::size_t i = 1; i < swapped.size() && word.size() <= longest; ++i) {
    std::swap(swapped[i - 1], swapped[i]);
    errors = std::min(errors, 1 + edit_distance(swapped, meant));
    std::swap(swapped[i - 1], swapped[i]);
  }
  return errors;
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

std::string nearest_word(std::string_view word, std::span<const std::string> candidates) {
  std::string best;
  std::size_t least = std::string::npos;
  for (const std::string& candidate : candidates) {
    std::size_t distance = typing_errors(word, candidate);
    if (!word.empty() && (candidate.starts_with(word) || word.starts_with(candidate)))
      distance = std::min<std::size_t>(distance, 1);
    // A third of the letters may be wrong; more is another word.
    const std::size_t near = std::max<std::size_t>(std::max(word.size(), candidate.size()) / 3, 1);
    if (distance <= near && distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace convoscope
