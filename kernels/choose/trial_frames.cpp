#include "kernels/choose/trial_frames.h"

#include <algorithm>

#include "kernels/text/error.h"

namespace convoscope {
namespace {

constexpr std::size_t most_frames = 8;      // of small ones, which go past no cache
constexpr std::size_t times_the_cache = 2;  // or a part of it keeps what was used last

std::size_t bytes_of(std::span<const Shape> shapes) {
  std::size_t bytes = 0;
  for (const Shape& shape : shapes) bytes += shape.bytes();
  return bytes;
}

}  // namespace

TrialFrames::TrialFrames(Compute& compute, const Problem& problem)
    : compute_(compute), inputs_(problem.kind->inputs(problem)), outputs_(problem.kind->outputs(problem)) {
  frames_.push_back(allocate(false));
}

void TrialFrames::add_others() {
  const std::size_t wanted = times_the_cache * compute_.device().l2_bytes,
                    each = bytes_of(inputs_) + bytes_of(outputs_);
  const std::size_t count = std::min(most_frames, (wanted + each - 1) / each);
  try {
    while (frames_.size() < count) frames_.push_back(allocate(true));
  } catch (const Error&) {  // of memory that others need more
  }
}

std::span<const Tensor> TrialFrames::in(std::size_t launch, std::span<const Tensor> given) const {
  const Frame& frame = frames_[launch % frames_.size()];
  return frame.in.empty() ? given : frame.in;
}

TrialFrames::Frame TrialFrames::allocate(bool with_inputs) {
  Frame frame;
  const auto tensors = [&](std::span<const Shape> shapes, std::vector<Tensor>& list) {
    for (const Shape& shape : shapes) {
      frame.memory.push_back(allocate_tensor(compute_, shape));
      list.push_back(frame.memory.back().tensor);
    }
  };
  if (with_inputs) tensors(inputs_, frame.in);
  tensors(outputs_, frame.out);
  return frame;
}

}  // namespace convoscope
