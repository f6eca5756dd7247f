#pragma once
// What a file says of itself whose one kernel is all that it has. The rest follows from how the kernel's threads share
// the work, which several files have in common: output_block.h, output_tile.h. Host code.
#include "kernels/contract/strategy.h"
#include "kernels/contract/theory/tolerance.h"
#include "kernels/device/device.cuh"

namespace convoscope::CONVOSCOPE_TARGET {

struct LessonNames {
  std::string_view id, title, reading;  // Strategy's
  const char* kernel;
};
struct Lesson {
  LessonNames names;
  std::string_view idea;  // Strategy's
  const char* how;        // the threads of a block share the work, for who asks for an explanation
};

// `how` with `text` in the place of "{}", if it has one.
inline std::string words_of(const Lesson& lesson, const std::string& text) {
  std::string words = lesson.how;
  if (const std::size_t gap = words.find("{}"); gap != std::string::npos) words.replace(gap, 2, text);
  return words;
}

// `lesson` is sums of products in float32, one for each tap; functions: Strategy's.
constexpr Strategy strategy_of(const Lesson& lesson, std::span<const Tunable> tunables,
                               decltype(Strategy::refuses) refuses, decltype(Strategy::plans) plans,
                               decltype(Strategy::costs) costs, decltype(Strategy::explains) explains) {
  return {.id = lesson.names.id,
          .title = lesson.names.title,
          .idea = lesson.idea,
          .reading = lesson.names.reading,
          .backend = target_backend,
          .tunables = tunables,
          .tolerance = [](const Problem& p) { return float32_sum_bound(p, p.filter.taps()); },
          .refuses = refuses,
          .plans = plans,
          .costs = costs,
          .explains = explains};
}

}  // namespace convoscope::CONVOSCOPE_TARGET
