#include "app/files/made_grid.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <numeric>

#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope {

std::optional<NumberGrid> made_grid(const std::string& text) {
  const bool ones = text.starts_with("ones:"), ramp = text.starts_with("ramp:");
  if (!ones && !ramp) return std::nullopt;
  std::array<int, 3> sides{1, 1, 1};
  std::size_t count = 0;
  std::int64_t numbers = 1;
  for (const std::string_view word : split(std::string_view(text).substr(5), 'x')) {
    int side = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), side);
    numbers *= std::clamp(side, 0, static_cast<int>(most_grid_numbers) + 1);
    if (count == sides.size() || error != std::errc() || end != word.data() + word.size() || side < 1 ||
        numbers > static_cast<std::int64_t>(most_grid_numbers))
      throw Error(in_quotes(text) + " has no size: write columns, rows and planes like ramp:16x16x3, up to " +
                  format_count(most_grid_numbers) + " numbers.");
    sides[count++] = side;
  }
  NumberGrid grid{sides[2], sides[1], sides[0], std::vector<float>(static_cast<std::size_t>(numbers), 1.0f)};
  if (ramp) std::iota(grid.values.begin(), grid.values.end(), 1.0f);
  return grid;
}

}  // namespace convoscope
