#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "kernels/text/number_text.h"

namespace convoscope {

// What an error says, as a sentence that a user reads: with something at its end.
inline std::string as_sentence(std::string text) {
  constexpr std::string_view ends[] = {".", "?", "!", "…"};
  for (const std::string_view end : ends)
    if (text.ends_with(end)) return text;
  return text.empty() ? text : text + ".";
}

// "1 frame", "7 frames", "1,000 frames".
inline std::string frames_text(std::int64_t frames) {
  return format_count(frames) + (frames == 1 ? " frame" : " frames");
}

}  // namespace convoscope
