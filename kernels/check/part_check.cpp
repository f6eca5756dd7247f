#include "kernels/check/part_check.h"

namespace convoscope {

Difference compare_part(const Problem& problem, const PlaneArea& part, std::span<const Tensor> sources,
                        const Tensor& out) {
  const Kind& kind = *problem.kind;
  std::vector<Tensor> under;  // compare() wants the alphas that lie where the outputs do
  if (problem.format == PixelFormat::rgba8) {
    const std::vector<PlaneArea> areas = kind.sources(problem, part);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      under.push_back(sources[i]);
      under.back().data =
          row_of<Rgba8>(sources[i], 0, 0, part.area.y - areas[i].area.y) + part.area.x - areas[i].area.x;
      under.back().shape = out.shape;
    }
  } else {
    under.assign(sources.begin(), sources.end());
  }
  Difference worst = kind.compare(problem, kind.reference_of_part(problem, part, sources), under, out);
  worst.x += part.area.x;
  worst.y += part.area.y;
  worst.channel += part.plane;
  return worst;
}

}  // namespace convoscope
