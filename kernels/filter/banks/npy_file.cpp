// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html has the format: eight bytes, the header's
// length, a Python dictionary as text, the numbers.
#include "kernels/filter/banks/npy_file.h"

#include <bit>
#include <charconv>
#include <cstdint>
#include <optional>

#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t alignment = 64;            // of the numbers in the file
constexpr std::size_t longest_header = 1 << 16;  // NumPy reads no longer one than 10,000 bytes unless it is told to

std::uint32_t little_endian(std::string_view bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

std::string little_endian(std::uint32_t value, int count) {
  std::string bytes;
  for (int i = 0; i < count; ++i) bytes += static_cast<char>(value >> 8 * i & 255);
  return bytes;
}

[[noreturn]] void throw_unreadable() { throw Error("its header is not one that numpy writes"); }

// Reads {'descr': '<f4', 'fortran_order': False, 'shape': (8, 3, 5, 5), }: the three keys in any order.
class Header {
 public:
  explicit Header(std::string_view text) : rest_(text) {
    expect('{');
    while (!take('}')) {
      const std::string key = quoted();
      expect(':');
      if (key == "descr")
        type = rest_.starts_with('[') ? "a list of fields" : quoted();
      else if (key == "fortran_order")
        fortran_order = truth();
      else if (key == "shape")
        shape = numbers();
      else
        throw_unreadable();
      if (type == "a list of fields") return;  // refused, whatever follows
      if (!take(',') && !rest_.starts_with('}')) throw_unreadable();
    }
    if (!rest_.empty() || !type || !fortran_order || !shape) throw_unreadable();
  }

  std::optional<std::string> type;
  std::optional<bool> fortran_order;
  std::optional<std::vector<int>> shape;

 private:
  bool take(std::string_view word) {
    rest_ = trim(rest_);
    if (!rest_.starts_with(word)) return false;
    rest_ = trim(rest_.substr(word.size()));
    return true;
  }
  bool take(char one) { return take(std::string_view(&one, 1)); }
  void expect(char one) {
    if (!take(one)) throw_unreadable();
  }
  std::string quoted() {
    const char mark = rest_.empty() ? '\0' : rest_.front();
    if (mark != '\'' && mark != '"') throw_unreadable();
    const std::size_t end = rest_.find(mark, 1);
    if (end == std::string_view::npos) throw_unreadable();
    const std::string text(rest_.substr(1, end - 1));
    rest_ = trim(rest_.substr(end + 1));
    return text;
  }
  bool truth() {
    if (take("True")) return true;
    if (!take("False")) throw_unreadable();
    return false;
  }
  std::vector<int> numbers() {
    std::vector<int> list;
    expect('(');
    while (!take(')')) {
      int number = 0;
      const auto [end, problem] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
      if (problem == std::errc::result_out_of_range) throw Error("a number of its shape is too large");
      if (problem != std::errc() || number < 0) throw_unreadable();
      rest_ = trim(rest_.substr(static_cast<std::size_t>(end - rest_.data())));
      list.push_back(number);
      if (!take(',') && !rest_.starts_with(')')) throw_unreadable();
    }
    return list;
  }

  std::string_view rest_;
};

// "<f8" is a little-endian float64, "|V2" has two bytes of a kind that NumPy does not know.
void set_npy_type(std::string_view text, NumberArray& array) {
  const std::string_view kinds = "fiuV";
  constexpr std::string_view names[] = {"float", "int", "uint", "bfloat"};
  const std::size_t kind = text.size() == 3 ? kinds.find(text[1]) : std::string_view::npos;
  if (kind != std::string_view::npos && text[2] >= '1' && text[2] <= '8')
    array.type = find_number_type(std::string(names[kind]) + std::to_string(8 * (text[2] - '0')));
  if (!array.type)
    throw Error("its numbers are of type " + in_quotes(text) +
                ", not float16, bfloat16, float32, float64 or whole numbers. In NumPy, make float32 of the array by "
                "astype('float32') before it is saved");
  array.big_endian = text[0] == '>' && array.type->bytes > 1;
}

}  // namespace

NumberArray parse_npy(std::string_view bytes) {
  if (!bytes.starts_with(magic)) throw Error("it does not begin as numpy's files do");
  if (bytes.size() < magic.size() + 2) throw Error("it ends within its header");
  const int version = static_cast<unsigned char>(bytes[6]), minor = static_cast<unsigned char>(bytes[7]);
  if ((version != 1 && version != 2) || minor != 0)
    throw Error("it has version " + std::to_string(version) + "." + std::to_string(minor) +
                " of the format; 1.0 and 2.0 are read");
  const std::size_t length_bytes = version == 1 ? 2 : 4, start = magic.size() + 2 + length_bytes;
  if (bytes.size() < start) throw Error("it ends within its header");
  const std::size_t length = little_endian(bytes.substr(start - length_bytes, length_bytes));
  if (bytes.size() - start < length) throw Error("it ends within its header");

  if (length > longest_header)
    throw Error("its header has " + format_count(static_cast<long long>(length)) + " bytes; the most is " +
                format_count(static_cast<long long>(longest_header)));

  const Header header(bytes.substr(start, length));
  NumberArray array{.bytes = bytes.substr(start + length)};
  set_npy_type(*header.type, array);
  array.shape = *header.shape;
  array.fortran = *header.fortran_order && array.shape.size() > 1;
  const double needed = count_of(array.shape) * static_cast<double>(array.type->bytes);
  if (needed != static_cast<double>(array.bytes.size()))
    throw Error("it has " + format_count(std::ssize(array.bytes)) + " bytes of numbers, but its shape needs " +
                with_commas(number_text(needed)));
  return array;
}

std::string npy_bytes(std::span<const int> shape, std::span<const float> values) {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (";
  for (const int extent : shape) header += std::to_string(extent) + ", ";
  if (shape.size() > 1) header.resize(header.size() - 2);  // of a single one, Python wants the comma
  header += "), }";
  const std::size_t before = magic.size() + 4;
  while ((before + header.size() + 1) % alignment != 0) header += ' ';
  header += '\n';
  std::string bytes = std::string(magic) + '\1' + '\0' + little_endian(static_cast<std::uint32_t>(header.size()), 2);
  bytes += header;
  bytes.reserve(bytes.size() + values.size() * sizeof(float));
  for (const float value : values) bytes += little_endian(std::bit_cast<std::uint32_t>(value), 4);
  return bytes;
}

}  // namespace convoscope
