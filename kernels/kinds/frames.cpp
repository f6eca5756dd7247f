#include "kernels/kinds/frames.h"

#include <random>

#include "kernels/kinds/reference.h"

namespace convoscope {
namespace {

float random_weight(std::minstd_rand& random) { return static_cast<float>(random() % 2001) / 1000.0f - 1.0f; }

std::vector<Image> frames_of(std::span<const Tensor> tensors) {
  std::vector<Image> frames;
  for (const Tensor& tensor : tensors) frames.push_back(rows_of(tensor));
  return frames;
}

}  // namespace

Filter random_filter(int width, int height, int depth) {
  std::minstd_rand random(static_cast<unsigned>(width * 1000 + height + 1000000 * (depth - 1)));
  Filter filter{.width = width, .height = height, .depth = depth};
  filter.name = "random " + size_text(filter);
  for (int i = 0; i < filter.taps(); ++i) filter.weights.push_back(random_weight(random));
  return filter;
}

Filter random_rank_one(int width, int height) {
  const Filter row = random_filter(width, 1), column = random_filter(1, height);
  Filter filter{.width = width, .height = height};
  filter.name = "rank one " + size_text(filter);
  for (const float c : column.weights)
    for (const float r : row.weights) filter.weights.push_back(c * r);
  return filter;
}

std::vector<double> reference_of_frames(const Problem& problem, std::span<const Tensor> in) {
  return reference(problem, frames_of(in));
}

Difference compare_frames(const Problem& problem, const std::vector<double>& expected, std::span<const Tensor> in,
                          const Tensor& out) {
  return compare(problem, expected, rows_of(in[in.size() / 2]), rows_of(out));
}

std::vector<PlaneArea> sources_in_frames(const Problem& problem, const PlaneArea& part) {
  const PixelArea around = grown(part.area, problem.filter.rx(), problem.filter.ry());
  std::vector<PlaneArea> sources;
  for (int frame = 0; frame < problem.filter.depth; ++frame) sources.push_back({frame, part.plane, around});
  return sources;
}

std::vector<double> reference_of_part_of_frames(const Problem& problem, const PlaneArea& part,
                                                std::span<const Tensor> sources) {
  return reference(problem, frames_of(sources),
                   {problem.filter.rx(), problem.filter.ry(), part.area.width, part.area.height});
}

}  // namespace convoscope
