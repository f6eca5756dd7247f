#include "kernels/contract/explain.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace convoscope {

PixelArea grown(const PixelArea& area, int rx, int ry) {
  return {area.x - rx, area.y - ry, area.width + 2 * rx, area.height + 2 * ry};
}

std::vector<PixelArea> grown(std::vector<PixelArea> areas, int rx, int ry) {
  for (PixelArea& area : areas) area = grown(area, rx, ry);
  return areas;
}

PixelArea clipped(const PixelArea& area, int width, int height) {
  const int left = std::max(area.x, 0), top = std::max(area.y, 0);
  const int right = std::min(area.x + area.width, width), bottom = std::min(area.y + area.height, height);
  return {left, top, std::max(right - left, 0), std::max(bottom - top, 0)};
}

std::vector<PixelArea> run_of_pixels(std::size_t first, std::size_t count, int image_width) {
  std::vector<PixelArea> areas;
  const auto width = static_cast<std::size_t>(image_width);
  while (count > 0) {
    const std::size_t x = first % width, y = first / width;
    const std::size_t rows = x == 0 ? std::max<std::size_t>(count / width, 1) : 1;
    const std::size_t columns = std::min(width - x, count);
    areas.push_back({static_cast<int>(x), static_cast<int>(y), static_cast<int>(columns), static_cast<int>(rows)});
    first += rows * columns;
    count -= rows * columns;
  }
  return areas;
}

std::vector<int> run_of_planes(int first, int count) {
  std::vector<int> planes(static_cast<std::size_t>(count));
  std::iota(planes.begin(), planes.end(), first);
  return planes;
}

KernelStep one_thread_per_output(std::string kernel, int block_width, int block_height, int x, int y) {
  const int bx = x / block_width, by = y / block_height;
  return {.kernel = std::move(kernel),
          .block = {bx, by, 0},
          .thread = {x - bx * block_width, y - by * block_height, 0},
          .block_size = {block_width, block_height, 1},
          .outputs = {{bx * block_width, by * block_height, block_width, block_height}},
          .thread_outputs = {{x, y, 1, 1}},
          .tile = {},
          .direct = {},
          .words = {}};
}

Explanation explain_windows(std::string kernel, int block_width, int block_height, int rx, int ry, int image_width,
                            int image_height, int x, int y, std::string words) {
  KernelStep step = one_thread_per_output(std::move(kernel), block_width, block_height, x, y);
  step.direct = {grown(clipped(step.outputs[0], image_width, image_height), rx, ry)};
  step.words = std::move(words);
  return {.steps = {std::move(step)}, .words = {}};
}

KernelStep one_strip_per_thread(std::string kernel, int block_width, int block_height, const ThreadStrip& strip,
                                int image_width, int image_height, int x, int y) {
  KernelStep step =
      one_thread_per_output(std::move(kernel), block_width * strip.columns, block_height * strip.rows, x, y);
  const PixelArea block = step.outputs[0];
  const int tx = (x - block.x) / strip.columns, ty = (y - block.y) / strip.rows;
  step.thread = {tx, ty, 0};
  step.block_size = {block_width, block_height, 1};
  step.thread_outputs = {{block.x + tx * strip.columns, block.y + ty * strip.rows, strip.columns, strip.rows}};
  const int threads_across = (image_width - block.x + strip.columns - 1) / strip.columns;
  const PixelArea made{block.x, block.y, std::min(threads_across, block_width) * strip.columns,
                       std::min(block.height, image_height - block.y)};
  step.direct = {grown(made, strip.beside, strip.above)};
  return step;
}

}  // namespace convoscope
