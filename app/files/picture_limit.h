#pragma once
// The largest picture that is let in (SourceSettings::max_pixels), as the sentence says it that refuses a larger one.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace convoscope {

inline constexpr std::int64_t most_pixels_to_allow = 1'000'000'000;

// The end of that sentence: the option that lets it in.
std::string how_to_allow(std::int64_t pixels);
// What that sentence says is needed; nothing of any other sentence, and of what no option can allow.
std::optional<std::int64_t> pixels_to_allow(std::string_view sentence);

}  // namespace convoscope
