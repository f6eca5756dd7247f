#include "kernels/contract/data/filter.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

std::string size_text(int width, int height) { return std::to_string(width) + " × " + std::to_string(height); }

Error too_many(long weights, const std::string& size, const char* why) {
  return Error("A filter of " + size + " has " + format_count(weights) + " weights; constant memory holds " +
               format_count(max_filter_weights) + " (127 × 127)" + why);
}

void validate_size(int width, int height, int sets) {
  for (const auto& [name, value] : {std::pair{"width", width}, std::pair{"height", height}}) {
    if (value < 1)
      throw Error("The filter's " + std::string(name) + " is " + std::to_string(value) + "; it must be at least 1");
    if (value % 2 == 0)
      throw Error("The filter's " + std::string(name) + " is " + std::to_string(value) +
                  ", which is even; it must be odd so that the filter has a centre");
    if (value > max_filter_taps_1d)
      throw Error("The filter's " + std::string(name) + " is " + std::to_string(value) + "; the largest is " +
                  std::to_string(max_filter_taps_1d));
  }
  const long count = static_cast<long>(width) * height * sets;
  if (count > max_filter_weights)
    throw too_many(count, size_text(width, height) + (sets == 2 ? " twice" : ""),
                   sets == 2 ? ", both filters of an edge magnitude together" : "");
}

void validate_weights(const Filter& filter, bool second) {
  const std::vector<float>& weights = second ? filter.weights_y : filter.weights;
  const int width = filter.width, height = filter.height * filter.depth;
  if (weights.size() != static_cast<std::size_t>(width) * height)
    throw Error("The filter has " + format_count(std::ssize(weights)) + (second ? " weights_y" : " weights") +
                ", but its size " + size_text(width, height) + " needs " +
                format_count(static_cast<long>(width) * height));
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (std::isfinite(weights[i])) continue;
    validate_finite(weights[i], "The weight in row " + std::to_string(i / width + 1) + ", column " +
                                    std::to_string(i % width + 1) + (second ? " of the second filter" : ""));
  }
}

// A pasted matrix may carry the brackets of a program: "[[1, 2], [3, 4]]" has its rows end at ']'.
std::string without_brackets(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == ']' || c == '}')
      result += ';';
    else
      result += c == '[' || c == '{' ? ' ' : c == '\n' || c == '\r' ? ';' : c == '\t' ? ' ' : c;
  }
  return result;
}

bool is_figure(char c) { return c >= '0' && c <= '9'; }

// "0,5": one comma, between digits, and no point.
bool has_decimal_comma(std::string_view word) {
  const std::size_t comma = word.find(',');
  return comma != std::string_view::npos && comma > 0 && comma + 1 < word.size() && is_figure(word[comma - 1]) &&
         is_figure(word[comma + 1]) && word.find(',', comma + 1) == std::string_view::npos &&
         word.find('.') == std::string_view::npos;
}

// Whether commas may be decimal points: there are some, each is that of one number, and no program wrote brackets.
bool may_have_decimal_commas(std::string text) {
  if (text.find_first_of("[]{}") != std::string::npos) return false;
  std::ranges::replace_if(
      text, [](char c) { return std::string_view("\t\r\n;").find(c) != std::string_view::npos; }, ' ');
  bool some = false;
  for (const std::string_view word : split(text, ' ')) {
    if (word.find(',') == std::string_view::npos) continue;
    if (!has_decimal_comma(word)) return false;
    some = true;
  }
  return some;
}

// Every line has several numbers and parts them by semicolons, which part rows elsewhere.
bool parts_columns_by_semicolons(std::string_view text) {
  int lines = 0;
  for (std::string_view line : split(text, '\n')) {
    line = trim(line);
    if (line.ends_with(';')) line.remove_suffix(1);
    if (line.empty()) continue;
    const std::vector<std::string_view> numbers = split(line, ';');
    const bool single = std::ranges::all_of(numbers, [](std::string_view number) {
      number = trim(number);
      return !number.empty() && number.find_first_of(" \t[]{}") == std::string_view::npos &&
             (number.find(',') == std::string_view::npos || has_decimal_comma(number));
    });
    if (numbers.size() < 2 || !single) return false;
    ++lines;
  }
  return lines > 1;
}

// Spreadsheets part columns by tabs or semicolons, so that a comma is left for the decimal point: such a table as the
// parser knows it. Elsewhere commas part numbers, and the text stays as it is.
std::string without_decimal_commas(std::string text) {
  if (parts_columns_by_semicolons(text)) std::ranges::replace(text, ';', '\t');
  const bool has_tabs = std::ranges::any_of(
      split(text, '\n'), [](std::string_view line) { return trim(line).find('\t') != std::string_view::npos; });
  if (has_tabs && may_have_decimal_commas(text)) std::ranges::replace(text, ',', '.');
  return text;
}

std::string row_name(std::size_t row) { return "Row " + std::to_string(row) + " of the matrix"; }

// Numbers by blanks or commas; a comma at either end of a row is what is left of a bracket, two in a row are a mistake.
std::vector<float> parse_row(std::string_view row, std::size_t number) {
  while (row.starts_with(',')) row = trim(row.substr(1));
  while (row.ends_with(',')) row = trim(row.substr(0, row.size() - 1));
  std::vector<float> values;
  for (std::string_view part : split(row, ',')) {
    part = trim(part);
    if (part.empty()) throw Error(row_name(number) + " has two commas with no number between them");
    for (std::string_view word : split(part, ' ')) {
      word = trim(word);
      if (word.empty()) continue;
      values.push_back(parse_float(word, row_name(number)));
      if (values.size() > static_cast<std::size_t>(max_filter_weights))
        throw Error(row_name(number) + " has more than " + format_count(max_filter_weights) +
                    " numbers, which is more than constant memory holds");
    }
  }
  return values;
}

Filter read_matrix(const std::string& text) {
  Filter filter{.name = "custom", .width = 0, .height = 0};
  const std::string plain = without_brackets(text);
  std::size_t rows = 0;
  for (std::string_view row : split(plain, ';')) {
    row = trim(row);
    if (row.find_first_not_of(", ") == std::string_view::npos) continue;
    const std::vector<float> values = parse_row(row, ++rows);
    if (rows == 1) filter.width = static_cast<int>(values.size());
    if (static_cast<int>(values.size()) != filter.width)
      throw Error(row_name(rows) + " has " + format_count(std::ssize(values)) +
                  (values.size() == 1 ? " number" : " numbers") + ", but row 1 has " + std::to_string(filter.width) +
                  "; all rows must be equally long");
    filter.weights.insert(filter.weights.end(), values.begin(), values.end());
    if (filter.weights.size() > static_cast<std::size_t>(max_filter_weights))
      throw Error("The matrix has more than " + format_count(max_filter_weights) +
                  " numbers, which is more than constant memory holds");
  }
  if (rows == 0) throw Error("The matrix is empty; write rows of numbers like \"0 -1 0; -1 5 -1; 0 -1 0\"");
  filter.height = static_cast<int>(rows);
  validate(filter);
  return filter;
}

// Applies `from`, which maps an output place to the input place it takes its weight from, to both weight sets.
template <class From>
void rearrange(Filter& filter, int width, int height, From from) {
  for (std::vector<float>* weights : {&filter.weights, &filter.weights_y}) {
    if (weights->empty()) continue;
    std::vector<float> result;
    result.reserve(weights->size());
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        const auto [sx, sy] = from(x, y);
        const bool inside = sx >= 0 && sx < filter.width && sy >= 0 && sy < filter.height;
        result.push_back(inside ? (*weights)[sy * filter.width + sx] : 0.0f);
      }
    *weights = std::move(result);
  }
  filter.width = width;
  filter.height = height;
}

}  // namespace

std::vector<float> both_sets(const Filter& filter) {
  std::vector<float> weights = filter.weights;
  weights.insert(weights.end(), filter.weights_y.begin(), filter.weights_y.end());
  return weights;
}

bool is_mean(const Filter& filter) {
  if (filter.is_magnitude() || filter.is_bank() || filter.depth != 1 || filter.bias != 0 || filter.absolute)
    return false;
  double sum = 0;
  for (const float weight : filter.weights) {
    const double one = static_cast<double>(filter.gain) * weight;
    if (!(one >= 0)) return false;
    sum += one;
  }
  constexpr double rounding = 1e-5;  // of the weights; 255 times that is nothing
  return std::abs(sum - 1) <= rounding;
}

std::string size_text(const Filter& filter) {
  return size_text(filter.width, filter.height) + (filter.depth > 1 ? " × " + std::to_string(filter.depth) : "");
}

std::string name_and_size(const Filter& filter) {
  const std::string size = size_text(filter);
  return filter.name.find(size) == std::string::npos ? filter.name + " " + size : filter.name;
}

void validate(const Filter& filter, int most_frames) {
  if (filter.depth < 1 || filter.depth % 2 == 0 || filter.depth > most_frames)
    throw Error(
        "The filter reaches over " + std::to_string(filter.depth) + " frames; " +
        (most_frames == 1 ? "here it must be one" : "it must be an odd number up to " + std::to_string(most_frames)));
  const long all = static_cast<long>(filter.width) * filter.height * filter.depth;
  if (filter.depth > 1 && all > max_filter_weights)
    throw too_many(all, size_text(filter.width, filter.height) + " over " + std::to_string(filter.depth) + " frames",
                   "");
  validate_size(filter.width, filter.height * filter.depth, filter.is_magnitude() ? 2 : 1);
  validate_weights(filter, false);
  if (filter.is_magnitude()) validate_weights(filter, true);
  validate_finite(filter.gain, "The filter's gain");
  validate_finite(filter.bias, "The filter's bias");
}

// In the table of a spreadsheet, whose columns are parted by tabs or semicolons, "0,5" is a half.
Filter parse_matrix(const std::string& text) {
  const std::string table = without_decimal_commas(text);
  try {
    return read_matrix(table);
  } catch (const Error& error) {
    if (!may_have_decimal_commas(table)) throw;
    throw Error(
        std::string(error.what()) +
        ". Its commas were read as what parts the numbers: part the numbers by tabs where a comma is the decimal "
        "point, or write points");
  }
}

std::string matrix_text(const Filter& filter) {
  if (filter.weights.empty()) return {};  // of a pane without a picture yet
  std::string text;
  for (int y = 0; y < filter.height; ++y) {
    if (y) text += "; ";
    for (int x = 0; x < filter.width; ++x) {
      if (x) text += ' ';
      text += number_text(filter.weights[y * filter.width + x]);
    }
  }
  return text;
}

void normalise(Filter& filter) {
  for (std::vector<float>* weights : {&filter.weights, &filter.weights_y}) {
    double sum = 0, magnitude = 0;
    for (const float w : *weights) sum += w, magnitude += std::abs(static_cast<double>(w));
    // A sum that is only the rounding of the weights is a zero sum.
    const double divisor = std::abs(sum) > 1e-5 * magnitude ? sum : magnitude;
    if (divisor == 0) continue;
    for (float& w : *weights) w = static_cast<float>(w / divisor);
  }
}

void transpose(Filter& filter) {
  rearrange(filter, filter.height, filter.width, [](int x, int y) { return std::pair{y, x}; });
}

void flip_horizontal(Filter& filter) {
  const int last = filter.width - 1;
  rearrange(filter, filter.width, filter.height, [=](int x, int y) { return std::pair{last - x, y}; });
}

void flip_vertical(Filter& filter) {
  const int last = filter.height - 1;
  rearrange(filter, filter.width, filter.height, [=](int x, int y) { return std::pair{x, last - y}; });
}

void rotate_clockwise(Filter& filter) {
  const int last = filter.height - 1;
  rearrange(filter, filter.height, filter.width, [=](int x, int y) { return std::pair{y, last - x}; });
}

void resize(Filter& filter, int width, int height) {
  validate_size(width, height, filter.is_magnitude() ? 2 : 1);
  const int dx = filter.rx() - width / 2, dy = filter.ry() - height / 2;
  rearrange(filter, width, height, [=](int x, int y) { return std::pair{x + dx, y + dy}; });
}

}  // namespace convoscope
