#pragma once
// What a strategy that calls a library makes of a picture, where a stand-in for the library works on the host.
#include <bit>
#include <random>

#include "kernels/compute/compute.h"
#include "kernels/contract/kind.h"
#include "kernels/kinds/frames.h"

namespace convoscope {

struct PeerResult {
  double error = 0, tolerance = 0;
  std::string note;
};

// Planned for one filter, and then given another.
inline PeerResult peer_result(const char* id, const Problem& planned, bool measure, const Filter& filter) {
  const Strategy& peer = *find_strategy(Backend::emulated, id);
  const auto compute = make_compute(Backend::emulated);
  Problem problem = planned;
  problem.filter = filter;
  const auto plan = peer.plan(planned, compute->device(), {{"measure", measure ? 1 : 0}});
  plan->set_filter(filter);

  std::vector<std::uint32_t> noise(static_cast<std::size_t>(problem.width * problem.height)), output(noise.size());
  std::minstd_rand random(5);
  for (std::uint32_t& pixel : noise)
    pixel = problem.format == PixelFormat::rgba8
                ? static_cast<std::uint32_t>(random() ^ random() << 16)
                : std::bit_cast<std::uint32_t>(static_cast<float>(random() % 1000) / 1000.0f);
  const Shape shape = image_kind.outputs(problem)[0];
  const Tensor given = tensor_of_rows(noise.data(), shape, shape.row_bytes());
  const Tensor seen = tensor_of_rows(output.data(), shape, shape.row_bytes());
  const DeviceTensor in = allocate_tensor(*compute, shape), out = allocate_tensor(*compute, shape);
  compute->upload(rows_of(given), rows_of(in.tensor));
  compute->fill(rows_of(out.tensor), 0xA5);
  plan->prepare(compute->stream());
  plan->enqueue({&in.tensor, 1}, {&out.tensor, 1}, compute->stream());
  compute->download(rows_of(out.tensor), rows_of(seen));
  const std::vector<double> expected = image_kind.reference(problem, {&given, 1});
  return {image_kind.compare(problem, expected, {&given, 1}, seen).max_error, peer.tolerance(problem), plan->note()};
}

}  // namespace convoscope
