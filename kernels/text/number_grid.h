#pragma once
// Small data as people write them: numbers in rows, rows in planes. What a signal, an image, a few frames or the
// channels of a layer are typed as, and printed as.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace convoscope {

struct NumberGrid {
  int planes = 0, rows = 0, columns = 0;
  std::vector<float> values;  // plane by plane, row by row
  float at(int plane, int row, int column) const {
    return values[(static_cast<std::size_t>(plane) * static_cast<std::size_t>(rows) + static_cast<std::size_t>(row)) *
                      static_cast<std::size_t>(columns) +
                  static_cast<std::size_t>(column)];
  }
  bool operator==(const NumberGrid&) const = default;
};

inline constexpr std::size_t most_grid_numbers = 1 << 20;

// "8 2 5 4 1 7 3", "1 2 3; 4 5 6": blanks or commas between numbers, a semicolon or a new line between rows, an empty
// row between planes ("1 2; 3 4;; 5 6; 7 8"). All rows are as long, all planes as high. Throws Error naming the first
// place where that is not so, or a word that is no number; `what` begins the sentence: "The input".
NumberGrid parse_number_grid(std::string_view text, const std::string& what);

// Whether it could be such a text, and is no name of a file.
bool looks_like_numbers(std::string_view text);

// Rows in lines, columns one below the other, an empty line between planes. Whole numbers as such, others with
// `figures` significant digits. Ends with a new line.
std::string grid_text(const NumberGrid&, int figures = 6);

}  // namespace convoscope
