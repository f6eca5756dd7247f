#include "kernels/kinds/frames.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <utility>

#include "kernels/filter/filter_catalogue.h"
#include "kernels/kinds/reference.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

float random_weight(std::minstd_rand& random) { return static_cast<float>(random() % 2001) / 1000.0f - 1.0f; }

std::vector<Image> frames_of(std::span<const Tensor> tensors) {
  std::vector<Image> frames;
  for (const Tensor& tensor : tensors) frames.push_back(rows_of(tensor));
  return frames;
}

// "gaussian:sigma=3" with "radius=4": where it was, else at the end.
std::string with_number(const std::string& filter, std::string_view name, int value) {
  const std::string wanted = std::string(name) + "=" + std::to_string(value);
  const std::size_t colon = filter.find(':');
  std::string text = filter.substr(0, colon);
  char separator = ':';
  bool is_there = false;
  const auto add = [&](std::string_view part) { text.append(1, std::exchange(separator, ',')).append(part); };
  if (colon != std::string::npos)
    for (const std::string_view part : split(std::string_view(filter).substr(colon + 1), ',')) {
      const bool here = trim(part.substr(0, part.find('='))) == name;
      is_there |= here;
      add(here ? wanted : part);
    }
  if (!is_there) add(wanted);
  return text;
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

void put_in_filter(Problem& problem, std::string_view name, int value, Filter (*parse)(const std::string&)) {
  const std::string& text = problem.filter.name;
  const FilterKind* const kind = find_filter_kind(text.substr(0, text.find(':')));
  if (!kind || kind->id == "custom")  // whose weights no text tells
    throw Error("The filter " + in_quotes(text) + " has no " + std::string(name) +
                " to vary. Take one of the catalogue, like gaussian");
  Filter other = parse(with_number(text, name, value));
  other.gain = problem.filter.gain;  // the name tells of the weights alone
  other.bias = problem.filter.bias;
  other.absolute = problem.filter.absolute;
  problem.filter = std::move(other);
}

void put_size(Problem& problem, int rows) {
  const double width = std::max(std::round(static_cast<double>(problem.width) * rows / problem.height), 1.0);
  if (rows < 1 || rows > largest_swept_side || width > largest_swept_side)
    throw Error(
        "A size of " + std::to_string(rows) + " rows, to which " + std::to_string(static_cast<long long>(width)) +
        " columns belong here, cannot be measured; each side is from 1 to " + std::to_string(largest_swept_side));
  problem.width = static_cast<int>(width);
  problem.height = rows;
}

std::string say_size(const Problem& problem) {
  return std::to_string(problem.width) + "×" + std::to_string(problem.height);
}

}  // namespace convoscope
