#pragma once
// Text for people on standard output: aligned tables, and lines no longer than there is room.
#include <unistd.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace convoscope {

// How many columns there are to write in: the terminal's, or as many as most of them have.
std::size_t output_columns(int file = STDOUT_FILENO);

// Broken between words, so that no line is longer unless a word is; breaks that are there stay.
std::string in_lines(const std::string& text, std::size_t columns);

// Columns as wide as their widest cell, measured in characters, not bytes. `alignment`: 'l' or 'r' for each column, or
// 'w' for words, which go on in the next line where the table would be too wide.
class TextTable {
 public:
  TextTable(std::vector<std::string> header, std::string_view alignment);
  void add(std::vector<std::string> row);
  std::string text(std::size_t columns = std::string::npos) const;  // header, a line, the rows

 private:
  std::vector<std::vector<std::string>> rows_;
  std::string alignment_;
};

}  // namespace convoscope
