#include "kernels/check/single_result.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/check/own_code.h"
#include "kernels/contract/data/tensor_numbers.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

struct DenseTensor {
  explicit DenseTensor(const Shape& shape)
      : bytes(shape.bytes()), tensor(tensor_of_rows(bytes.data(), shape, shape.row_bytes())) {}
  DenseTensor(const DenseTensor&) = delete;
  DenseTensor(DenseTensor&&) = default;  // the tensor points to the vector's own memory, which moves along
  std::vector<unsigned char> bytes;
  Tensor tensor;
};

void put(DenseTensor& to, const std::vector<float>& numbers) {
  if (to.tensor.shape.element != Element::rgba8) return put_numbers(to.tensor, numbers);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto code = static_cast<unsigned char>(std::lround(std::clamp(numbers[i], 0.0f, 255.0f)));
    std::fill_n(to.bytes.begin() + static_cast<std::ptrdiff_t>(4 * i), 3, code);
    to.bytes[4 * i + 3] = 255;
  }
}

std::vector<float> get(const DenseTensor& from) {
  if (from.tensor.shape.element != Element::rgba8) return numbers_of(from.tensor);
  std::vector<float> codes;
  for (std::size_t i = 0; i < from.bytes.size(); i += 4) codes.push_back(from.bytes[i]);
  return codes;
}

// Strategy::tolerance() is for inputs up to white. Of a gradient to the weights both inputs are factors of one product.
double scale_of(const std::vector<std::vector<float>>& inputs, const Problem& problem) {
  const double white = white_level(problem.format);
  double scale = 1;
  for (const std::vector<float>& values : inputs) {
    double largest = 1;
    for (const float value : values) largest = std::max(largest, std::abs(static_cast<double>(value)) / white);
    scale = problem.layer.pass == Pass::to_weights ? scale * largest : std::max(scale, largest);
  }
  return scale;
}

}  // namespace

SingleResult compute_single(Compute& compute, const Problem& problem, const std::vector<std::vector<float>>& inputs,
                            const Strategy& strategy, const Tuning& tuning) {
  const Kind& kind = *problem.kind;
  if (const std::string reason = kind.invalid(problem); !reason.empty()) throw Error(reason + ".");
  const std::vector<Shape> shapes = kind.inputs(problem);
  if (shapes.size() != inputs.size())
    throw Error("There are " + counted(static_cast<long long>(inputs.size()), "input") + ", and the " +
                std::string(kind.id) + " takes " + std::to_string(shapes.size()) + ".");
  if (const std::string reason = surely_unsupported(strategy, problem, compute.device(), tuning); !reason.empty())
    throw Error(std::string(strategy.id) + " cannot run: " + reason + ".");

  std::vector<DenseTensor> hosts;
  std::vector<Tensor> in, on_device;
  std::vector<std::shared_ptr<void>> memory;
  const auto allocate = [&](const Tensor& host) {
    memory.push_back(compute.allocate_bytes(host.shape.bytes()));
    Tensor tensor = host;
    tensor.data = memory.back().get();
    return tensor;
  };
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    if (inputs[i].size() != shapes[i].elements())
      throw Error("Input " + std::to_string(i + 1) + " has " +
                  counted(static_cast<long long>(inputs[i].size()), "number") + ", and " +
                  std::to_string(shapes[i].elements()) + " are needed.");
    hosts.emplace_back(shapes[i]);
    put(hosts.back(), inputs[i]);
    in.push_back(hosts.back().tensor);
    on_device.push_back(allocate(in.back()));
    compute.upload(rows_of(in.back()), rows_of(on_device.back()));
  }
  SingleResult result;
  result.shape = kind.outputs(problem)[0];
  DenseTensor out(result.shape);
  const Tensor out_on_device = allocate(out.tensor);
  compute.fill(rows_of(out_on_device), 0xFF);  // what is not written is NaN, and seen
  const std::unique_ptr<Plan> plan = strategy.plan(problem, compute.device(), tuning);
  const Stream stream = compute.stream();
  if (!strategy.chooses) wait_for_own_code(*plan, on_device, stream);
  plan->prepare(stream);
  plan->enqueue(on_device, {&out_on_device, 1}, stream);
  compute.synchronize();
  compute.download(rows_of(out_on_device), rows_of(out.tensor));

  result.outputs = get(out);
  const std::vector<double> expected = kind.reference(problem, in);
  const std::size_t channels = expected.size() / std::max<std::size_t>(result.outputs.size(), 1);
  for (std::size_t i = 0; i < expected.size(); i += std::max<std::size_t>(channels, 1))
    result.reference.push_back(expected[i]);
  const Difference worst = kind.compare(problem, expected, in, out.tensor);
  result.max_error = worst.max_error;
  result.tolerance = strategy.tolerance(problem) * scale_of(inputs, problem);
  result.right = worst.max_error <= result.tolerance;
  if (const Strategy* const runs = plan->runs()) result.ran = runs->id;
  result.note = plan->note();
  return result;
}

}  // namespace convoscope
