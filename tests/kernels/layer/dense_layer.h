#pragma once
// Holds a strategy's result for a layer without gaps against the reference.
#include <gtest/gtest.h>

#include <random>

#include "kernels/compute/compute.h"
#include "kernels/contract/data/tensor_numbers.h"
#include "kernels/kinds/layer.h"

namespace convoscope {

inline Problem problem_of(const char* shape, Pass pass, Precision precision, Layout layout) {
  Problem problem = layer_problem(shape, pass);
  problem.layer.precision = precision;
  problem.layer.layout = layout;
  return problem;
}

inline Problem floats_of(const char* shape, Pass pass = Pass::forward) {
  return problem_of(shape, pass, Precision::f32, Layout::nchw);
}

struct HostNumbers {
  HostNumbers(const Shape& shape, unsigned seed) : memory(shape.bytes() / 2 + 1) {
    tensor = tensor_of_rows(memory.data(), shape, shape.row_bytes());
    std::minstd_rand random(seed);
    std::vector<float> numbers(shape.elements());
    for (float& number : numbers) number = static_cast<float>(random() >> 7) * 0x1p-24f;
    put_numbers(tensor, numbers);
  }
  std::vector<std::uint32_t> memory;  // more than enough
  Tensor tensor;
};

// On tensors without gaps, as a network has them: where the channels allow it, 16 bytes are loaded at once.
inline void expect_right_when_dense(const Strategy& strategy, const Problem& problem, const Tuning& tuning = {}) {
  SCOPED_TRACE(layer_kind.describe(problem));
  const auto compute = make_compute(Backend::emulated);
  ASSERT_EQ(strategy.unsupported(problem, compute->device(), tuning), "");
  std::vector<HostNumbers> hosts;
  std::vector<DeviceTensor> memory;
  std::vector<Tensor> in, on_host;
  for (const Shape& shape : layer_kind.inputs(problem)) {
    hosts.emplace_back(shape, 7u + static_cast<unsigned>(hosts.size()));
    memory.push_back(dense_tensor(*compute, shape));
    in.push_back(memory.back().tensor);
    compute->upload(rows_of(hosts.back().tensor), rows_of(in.back()));
  }
  for (const HostNumbers& host : hosts) on_host.push_back(host.tensor);
  const Shape shape = layer_kind.outputs(problem)[0];
  const DeviceTensor out = dense_tensor(*compute, shape);
  compute->fill(rows_of(out.tensor), 0xff);
  const auto plan = strategy.plan(problem, compute->device(), tuning);
  plan->prepare(compute->stream());
  plan->enqueue(in, {&out.tensor, 1}, compute->stream());
  HostNumbers result(shape, 1);
  compute->download(rows_of(out.tensor), rows_of(result.tensor));
  const Difference worst = layer_kind.compare(problem, layer_kind.reference(problem, on_host), on_host, result.tensor);
  EXPECT_LE(worst.max_error, strategy.tolerance(problem))
      << "at " << worst.x << ", " << worst.y << ", plane " << worst.channel << ": " << worst.actual << " instead of "
      << worst.expected;
}

}  // namespace convoscope
