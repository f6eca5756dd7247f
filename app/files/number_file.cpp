#include "app/files/number_file.h"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>

#include "app/files/made_grid.h"
#include "app/files/paths.h"
#include "kernels/filter/banks/npy_file.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

constexpr std::uintmax_t most_file_bytes = 64u << 20;

std::string read_small_file(const std::string& path, const std::string& what) {
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(path, error);
  if (error)
    throw Error(what + " is neither numbers, like \"1 2 3; 4 5 6\", nor a file that can be read: " + in_quotes(path) +
                ".");
  if (bytes > most_file_bytes)
    throw Error(what + " " + in_quotes(path) + " has " + format_count(static_cast<long long>(bytes)) +
                " bytes; small data are meant, up to 64 MiB.");
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

NumberGrid grid_of_npy(std::string_view bytes, const std::string& path, std::vector<std::string>& remarks) {
  try {
    const NumberArray array = parse_npy(bytes);
    std::vector<int> shape = array.shape;
    while (shape.size() > 3 && shape.front() == 1) shape.erase(shape.begin());  // a batch of one
    if (shape.empty() || shape.size() > 3)
      throw Error("it has " + std::to_string(array.shape.size()) + " dimensions; 1 to 3 are taken");
    const Numbers numbers = numbers_of(array);
    if (const std::string what = difference_from_float32(array); !what.empty())
      remarks.push_back(in_quotes(path) + " is " + what + (numbers.rounded ? ", rounded to float32." : "."));
    while (shape.size() < 3) shape.insert(shape.begin(), 1);
    return {shape[0], shape[1], shape[2], numbers.values};
  } catch (const Error& error) {
    throw Error("The file " + in_quotes(path) + " is no NumPy array that can be taken: " + error.what() + ".");
  }
}

}  // namespace

NumberGrid read_numbers(const std::string& text, const std::string& what, std::vector<std::string>& remarks) {
  if (const std::optional<NumberGrid> made = made_grid(text)) return *made;
  if (looks_like_numbers(text)) return parse_number_grid(text, what);
  const std::string path = expand_home(text);
  const std::string bytes = read_small_file(path, what);
  if (path.ends_with(".npy")) return grid_of_npy(bytes, path, remarks);
  return parse_number_grid(bytes, what + " " + in_quotes(path));
}

}  // namespace convoscope
