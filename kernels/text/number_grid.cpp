#include "kernels/text/number_grid.h"

#include <algorithm>

#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

constexpr std::string_view row_ends = ";\n", between_numbers = " \t\r,";

struct Reader {
  const std::string& what;
  NumberGrid grid;
  int row = 0;  // of the plane at hand, those that are complete

  void add_row(std::string_view text) {
    int columns = 0;
    const std::size_t first = grid.values.size();
    for (std::size_t at = text.find_first_not_of(between_numbers); at != std::string_view::npos;
         at = text.find_first_not_of(between_numbers, at)) {
      const std::size_t end = std::min(text.find_first_of(between_numbers, at), text.size());
      if (grid.values.size() == most_grid_numbers)
        throw Error(what + " has more than " + format_count(most_grid_numbers) + " numbers; small data are typed");
      grid.values.push_back(parse_float(text.substr(at, end - at), what));
      ++columns;
      at = end;
    }
    if (columns == 0) return end_plane();
    if (grid.columns == 0) grid.columns = columns;
    if (columns != grid.columns)
      throw Error(what + " has " + std::to_string(columns) + " numbers in row " + std::to_string(row + 1) +
                  (grid.planes > 0 ? " of plane " + std::to_string(grid.planes + 1) : "") + " and " +
                  std::to_string(grid.columns) + " in those before it: \"" + number_text(grid.values[first]) + " …\"");
    ++row;
  }

  void end_plane() {
    if (row == 0) return;  // several empty rows are one
    if (grid.planes > 0 && row != grid.rows)
      throw Error(what + " has " + counted(row, "row") + " in plane " + std::to_string(grid.planes + 1) + " and " +
                  std::to_string(grid.rows) + " in those before it");
    grid.rows = row;
    row = 0;
    ++grid.planes;
  }
};

// A whole number as long as a float has it exactly.
std::string number_in_grid(float value, int figures) {
  return value == static_cast<float>(static_cast<long long>(std::clamp(value, -1e7f, 1e7f)))
             ? number_text(value)
             : rounded_text(value, figures);
}

}  // namespace

NumberGrid parse_number_grid(std::string_view text, const std::string& what) {
  Reader reader{what, {}};
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find_first_of(row_ends, begin), text.size());
    reader.add_row(text.substr(begin, end - begin));
    begin = end + 1;
  }
  reader.end_plane();
  if (reader.grid.values.empty()) throw Error(what + " has no numbers");
  return reader.grid;
}

bool looks_like_numbers(std::string_view text) {
  return text.find_first_of("0123456789") != std::string_view::npos &&
         text.find_first_not_of("0123456789+-.eE/,; \t\r\n") == std::string_view::npos && text.front() != '/';
}

std::string grid_text(const NumberGrid& grid, int figures) {
  std::vector<std::string> words;
  for (const float value : grid.values) words.push_back(number_in_grid(value, figures));
  std::size_t width = 0;
  for (const std::string& word : words) width = std::max(width, word.size());
  std::string text;
  auto word = words.begin();
  for (int plane = 0; plane < grid.planes; ++plane) {
    if (plane > 0) text += '\n';
    for (int row = 0; row < grid.rows; ++row) {
      for (int column = 0; column < grid.columns; ++column, ++word) {
        text.append((column > 0) + width - word->size(), ' ');
        text += *word;
      }
      text += '\n';
    }
  }
  return text;
}

}  // namespace convoscope
