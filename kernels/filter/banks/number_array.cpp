#include "kernels/filter/banks/number_array.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "kernels/contract/data/half.h"
#include "kernels/filter/banks/bank_catalogue.h"
#include "kernels/threads/stop.h"

namespace convoscope {
namespace {

using Bits = std::uint64_t;

template <class Whole>
long double whole_number_of(Bits bits) {
  return static_cast<Whole>(bits);
}

constexpr NumberType number_types[] = {
    {"float32", 4, [](Bits bits) -> long double { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }},
    {"float64", 8, [](Bits bits) -> long double { return std::bit_cast<double>(bits); }},
    {"float16", 2, [](Bits bits) -> long double { return from_half(static_cast<std::uint16_t>(bits)); }},
    {"bfloat16", 2,
     [](Bits bits) -> long double { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }},
    {"int8", 1, whole_number_of<std::int8_t>},
    {"int16", 2, whole_number_of<std::int16_t>},
    {"int32", 4, whole_number_of<std::int32_t>},
    {"int64", 8, whole_number_of<std::int64_t>},
    {"uint8", 1, whole_number_of<std::uint8_t>},
    {"uint16", 2, whole_number_of<std::uint16_t>},
    {"uint32", 4, whole_number_of<std::uint32_t>},
    {"uint64", 8, whole_number_of<std::uint64_t>},
};

constexpr std::size_t looks_for_the_end = 1 << 16;  // values between two looks

Bits bits_at(const char* from, std::size_t bytes, bool big_endian) {
  Bits bits = 0;
  for (std::size_t i = 0; i < bytes; ++i)
    bits = bits << 8 | static_cast<unsigned char>(from[big_endian ? i : bytes - 1 - i]);
  return bits;
}

float nearest_float(long double value) {
  constexpr long double largest = std::numeric_limits<float>::max();
  if (std::abs(value) > largest) return std::copysign(HUGE_VALF, static_cast<float>(value < 0 ? -1 : 1));
  return static_cast<float>(value);
}

// Where each value of C order lies in Fortran order, counted in values.
class FortranOrder {
 public:
  explicit FortranOrder(const std::vector<int>& shape) : shape_(shape), index_(shape.size()), step_(shape.size()) {
    std::size_t step = 1;
    for (std::size_t i = 0; i < shape.size(); ++i) step = (step_[i] = step) * static_cast<std::size_t>(shape[i]);
  }
  std::size_t next() {
    const std::size_t here = place_;
    for (std::size_t i = shape_.size(); i-- > 0;) {
      place_ += step_[i];
      if (++index_[i] < shape_[i]) break;
      place_ -= step_[i] * static_cast<std::size_t>(std::exchange(index_[i], 0));
    }
    return here;
  }

 private:
  const std::vector<int>& shape_;
  std::vector<int> index_;
  std::vector<std::size_t> step_;
  std::size_t place_ = 0;
};

bool can_be_a_bank(int height, int width) { return height == width && width % 2 == 1; }

}  // namespace

const NumberType* find_number_type(std::string_view name) {
  const auto found = std::ranges::find(number_types, name, &NumberType::name);
  return found == std::end(number_types) ? nullptr : found;
}

double count_of(const std::vector<int>& shape) {
  double count = 1;
  for (const int extent : shape) count *= extent;
  return count;
}

std::string extents_text(const std::vector<int>& shape) {
  std::string text;
  for (const int extent : shape) text += (text.empty() ? "" : " × ") + std::to_string(extent);
  return text.empty() ? "of a single number" : text;
}

Numbers numbers_of(const NumberArray& array) {
  const std::size_t size = array.type->bytes, count = array.bytes.size() / size;
  Numbers numbers;
  if (count == 0) return numbers;
  numbers.values.resize(count);
  if (std::endian::native == std::endian::little && difference_from_float32(array).empty()) {
    std::memcpy(numbers.values.data(), array.bytes.data(), count * size);
    return numbers;
  }
  FortranOrder order(array.shape);
  for (std::size_t i = 0; i < count; ++i) {
    if (i % looks_for_the_end == 0) end_reading_if_asked();
    const std::size_t at = array.fortran ? order.next() : i;
    const long double value = array.type->value(bits_at(array.bytes.data() + at * size, size, array.big_endian));
    numbers.values[i] = nearest_float(value);
    numbers.rounded |= numbers.values[i] != value && !std::isnan(value);
  }
  return numbers;
}

std::string difference_from_float32(const NumberArray& array) {
  std::string text;
  const auto add = [&](std::string_view part) { text.append(text.empty() ? "" : ", ").append(part); };
  if (array.type->name != "float32" || array.big_endian || array.fortran) add(array.type->name);
  if (array.big_endian) add("big-endian");
  if (array.fortran) add("in Fortran order");
  return text;
}

std::string other_order_of_weights(const std::vector<int>& shape) {
  if (shape.size() != 4 || can_be_a_bank(shape[2], shape[3])) return {};
  const auto may_be = [&](int height, int width) {
    return can_be_a_bank(shape[static_cast<std::size_t>(height)], shape[static_cast<std::size_t>(width)]) &&
           shape[static_cast<std::size_t>(width)] > 1 && shape[static_cast<std::size_t>(width)] <= largest_bank_filter;
  };
  // 3 × 3 × 3 × 16 may be either. A first layer sees the three colours.
  const bool tensorflow = may_be(0, 1), lite = may_be(1, 2);
  if (!tensorflow && !lite) return {};
  const bool of_lite = lite && (!tensorflow || (shape[3] == 3 && shape[2] != 3));
  return extents_text(shape) + ", which looks like " +
         (of_lite ? "TensorFlow Lite's: maps × height × width × channels. NumPy's transpose(0, 3, 1, 2)"
                  : "TensorFlow's: height × width × channels × maps. NumPy's transpose(3, 2, 0, 1)") +
         " makes maps × channels × height × width of it";
}

}  // namespace convoscope
