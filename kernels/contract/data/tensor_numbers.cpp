#include "kernels/contract/data/tensor_numbers.h"

#include "kernels/contract/data/half.h"

namespace convoscope {
namespace {

// Calls what(the element's place in memory, its number in planes) of each.
template <class Byte, class What>
void each_element(const Tensor& tensor, What what) {
  std::size_t number = 0;
  const Shape& shape = tensor.shape;
  for (int plane = 0; plane < shape.planes(); ++plane)
    for (int t = 0; t < shape.frames(); ++t)
      for (int y = 0; y < shape.height(); ++y) {
        Byte* element =
            row_of<Byte>(tensor, plane / shape.channels(), plane % shape.channels(), y) + t * tensor.stride[2];
        for (int x = 0; x < shape.width(); ++x, element += tensor.stride[4]) what(element, number++);
      }
}

}  // namespace

std::vector<float> numbers_of(const Tensor& tensor) {
  std::vector<float> numbers(tensor.shape.elements());
  each_element<const char>(tensor, [&](const char* element, std::size_t i) {
    numbers[i] = tensor.shape.element == Element::f16 ? from_half(*reinterpret_cast<const std::uint16_t*>(element))
                                                      : *reinterpret_cast<const float*>(element);
  });
  return numbers;
}

void put_numbers(const Tensor& tensor, const std::vector<float>& numbers) {
  each_element<char>(tensor, [&](char* element, std::size_t i) {
    if (tensor.shape.element == Element::f16)
      *reinterpret_cast<std::uint16_t*>(element) = to_half(numbers[i]);
    else
      *reinterpret_cast<float*>(element) = numbers[i];
  });
}

FloatPlanes::FloatPlanes(const Tensor& tensor, Precision precision) : numbers(numbers_of(tensor)) {
  for (float& number : numbers) number = as_multiplied(number, precision);
  const Shape shape{.extent = tensor.shape.extent};
  planes = tensor_of_rows(numbers.data(), shape, shape.row_bytes());
}

}  // namespace convoscope
