#pragma once
// How a pixel of a small picture was made, one thread for each output.
#include <cstdint>
#include <cstring>
#include <memory>

#include "app/state/stats.h"
#include "kernels/contract/explain.h"
#include "kernels/filter/filter_catalogue.h"

namespace convoscope::test {

inline PixelExplanation explained(const char* filter, Border border, PixelAddress at,
                                  PixelFormat format = PixelFormat::rgba8) {
  PixelExplanation s;
  s.pane = 0;
  s.pixel = at;
  s.output = {at.x, at.y};
  s.strategy = "Tile, block = output";
  s.problem = std::make_shared<const Problem>(Problem{16, 12, format, border, parse_filter(filter).filter});
  PixelPatch whole;
  whole.area = {0, 0, 16, 12};
  whole.format = format;
  for (int y = 0; y < 12; ++y)
    for (int x = 0; x < 16; ++x) {
      const float gray = static_cast<float>(x + 16 * y) / 256;
      std::uint32_t pixel = static_cast<std::uint32_t>((x + 16 * y) | (3 * x) << 8 | y << 16) | 0xFF000000u;
      if (format == PixelFormat::gray32f) std::memcpy(&pixel, &gray, 4);
      whole.pixels.push_back(pixel);
    }
  s.inputs = {whole};
  KernelStep step = one_thread_per_output("filter_tiled_halo", 8, 4, at.x, at.y);
  step.tile = {grown(step.outputs[0], s.problem->filter.rx(), s.problem->filter.ry())};
  step.words = "The threads of the block load the tile together.";
  s.explanation.steps = {step};
  return s;
}

}  // namespace convoscope::test
