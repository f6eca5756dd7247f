#include "app/inspect/sampled_parts.h"

#include <algorithm>

#include "app/inspect/check_samples.h"
#include "kernels/check/part_check.h"

namespace convoscope {
namespace {

constexpr std::size_t parts_capacity = std::size_t{8} << 20;
static_assert(static_cast<double>(parts_capacity) > 4 * most_checked_elements);
constexpr std::size_t most_patches = 200;  // each is a copy that is enqueued

// What a part is made from, of one plane: put together from the patches as the border says.
class SampledSource {
 public:
  SampledSource(const PixelArea& area, const Shape& shape, Border border, std::span<const PatchDownload::Patch> patches)
      : area_(area),
        element_(shape.element),
        pixels_(static_cast<std::size_t>(area.width) * static_cast<std::size_t>(area.height)) {
    for (int j = 0; j < area.height; ++j) {
      const int y = border_index(area.y + j, shape.height(), border);
      if (y < 0) continue;
      for (int i = 0; i < area.width; ++i) {
        const int x = border_index(area.x + i, shape.width(), border);
        if (x < 0) continue;
        const auto patch = std::ranges::find_if(patches, [&](const auto& p) { return p.area.contains(x, y); });
        if (patch == patches.end()) continue;
        pixels_[static_cast<std::size_t>(j) * static_cast<std::size_t>(area.width) + static_cast<std::size_t>(i)] =
            patch->pixels[static_cast<std::size_t>(y - patch->area.y) * static_cast<std::size_t>(patch->area.width) +
                          static_cast<std::size_t>(x - patch->area.x)];
      }
    }
  }
  Tensor tensor() {
    const Shape shape{{1, 1, 1, area_.height, area_.width}, element_};
    return tensor_of_rows(pixels_.data(), shape, shape.row_bytes());
  }

 private:
  PixelArea area_;
  Element element_;
  std::vector<std::uint32_t> pixels_;  // ghost cells are 0, in either format
};

// The rectangles of an input that hold all of an area, wherever the border finds it.
std::vector<PixelArea> areas_within(const PixelArea& area, const Shape& shape, Border border) {
  std::vector<PixelArea> areas;
  for (const Run& rows : border_runs(area.y, area.height, shape.height(), border))
    for (const Run& columns : border_runs(area.x, area.width, shape.width(), border))
      areas.push_back({columns.first, rows.first, columns.count, rows.count});
  return areas;
}

// Of what a pane shows its numbers by: pixels, or float32 in planes.
Shape seen(const Shape& shape) { return shape.element == Element::rgba8 ? shape : in_planes(shape); }

void add_worst(CheckResult& result, const Difference& worst, const PixelArea& part) {
  result.pixels += static_cast<std::int64_t>(part.width) * part.height;
  if (worst.max_error < result.max_error) return;
  result.max_error = worst.max_error;
  result.x = worst.x;
  result.y = worst.y;
  result.channel = worst.channel;
  result.expected = worst.expected;
  result.actual = worst.actual;
}

}  // namespace

SampledParts::SampledParts(Compute& compute) : download_(compute, parts_capacity) {}

bool SampledParts::fetch(const Problem& problem, std::span<const PlacedTensor> in, const PlacedTensor& out,
                         unsigned seed) {
  inputs_ = problem.kind->inputs(problem);
  std::ranges::transform(inputs_, inputs_.begin(), seen);
  const auto shape = [](const PlacedTensor& placed) { return placed.tensor.shape; };
  if (!std::ranges::equal(inputs_, in, {}, {}, shape) || seen(problem.kind->outputs(problem)[0]) != shape(out))
    return false;
  problem_ = problem;
  parts_.clear();
  download_.begin();
  const std::vector<PlaneArea> wanted = check_samples(problem, seed);
  for (std::size_t i = 0; i < wanted.size() && download_.patches().size() < most_patches; ++i) {
    const PlaneArea& part = wanted[(seed + i) % wanted.size()];  // each is once the first
    const std::size_t first = download_.patches().size();
    if (add(part, in, out)) parts_.push_back({part, first});
  }
  download_.end();
  return true;
}

bool SampledParts::add(const PlaneArea& part, std::span<const PlacedTensor> in, const PlacedTensor& out) {
  if (!download_.add(plane_of(out.tensor, part.plane), part.area, out.memory)) return false;
  for (const PlaneArea& source : problem_.kind->sources(problem_, part)) {
    const auto& [tensor, memory] = in[static_cast<std::size_t>(source.tensor)];
    for (const PixelArea& area : areas_within(source.area, tensor.shape, problem_.border))
      if (!download_.add(plane_of(tensor, source.plane), area, memory)) return false;
  }
  return true;
}

void SampledParts::compare(CheckResult& result, const std::atomic<bool>& quit) const {
  const auto patches = download_.patches();
  for (const auto& [part, first] : parts_) {
    if (quit) return;
    std::vector<SampledSource> sources;
    std::vector<Tensor> tensors;
    std::size_t patch = first + 1;
    for (const PlaneArea& source : problem_.kind->sources(problem_, part)) {
      const Shape& shape = inputs_[static_cast<std::size_t>(source.tensor)];
      const std::size_t count = areas_within(source.area, shape, problem_.border).size();
      sources.emplace_back(source.area, shape, problem_.border, patches.subspan(patch, count));
      patch += count;
    }
    for (SampledSource& source : sources) tensors.push_back(source.tensor());
    const Shape shape{{1, 1, 1, part.area.height, part.area.width}, element_of(patches[first].format)};
    const Tensor out = tensor_of_rows(const_cast<std::uint32_t*>(patches[first].pixels), shape, shape.row_bytes());
    add_worst(result, compare_part(problem_, part, tensors, out), part.area);
  }
}

}  // namespace convoscope
