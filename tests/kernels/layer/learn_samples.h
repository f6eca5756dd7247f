#pragma once
// What the tests of learning look at.
#include <bit>
#include <memory>
#include <random>
#include <vector>

#include "kernels/compute/compute.h"
#include "kernels/kinds/layer.h"

namespace convoscope::test {

// A picture without structure, which says most of any filter.
struct Picture {
  Picture(Compute& compute, PixelFormat format, int width = 80, int height = 60)
      : image(compute.allocate(width, height, format)) {
    std::minstd_rand random(11);
    std::vector<std::uint32_t> pixels(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
    for (std::uint32_t& pixel : pixels) {
      const float grey = static_cast<float>(random() % 1000) / 1000;
      pixel = format == PixelFormat::rgba8 ? static_cast<std::uint32_t>(random()) : std::bit_cast<std::uint32_t>(grey);
    }
    compute.upload({pixels.data(), width, height, static_cast<std::size_t>(width) * 4, format}, image.image());
    compute.synchronize();
  }
  DeviceImage image;
};

inline Problem layer_of(const Filter& bank, int channels, int groups = 1) {
  Problem layer{80, 60, PixelFormat::gray32f, Border::zero, bank, &layer_kind};
  layer.layer = {.channels = channels, .maps = bank.maps, .padding = bank.width / 2, .groups = groups};
  return layer;
}
inline std::vector<Backend> learning_backends() {
  std::vector<Backend> found{Backend::cpu, Backend::emulated};
  if (why_unavailable(Backend::cuda).empty()) found.push_back(Backend::cuda);
  return found;
}

}  // namespace convoscope::test
