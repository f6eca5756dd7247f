#pragma once
// Plans for layer_window_product(): which tile, how large a rectangle, the bank in its order, what is said of it.
#include <optional>

#include "kernels/contract/data/half.h"
#include "kernels/strategies/shared/layer/explain.cuh"
#include "kernels/strategies/shared/layer/window_product.cuh"

namespace convoscope::CONVOSCOPE_TARGET::layer::implicit_gemm_tensor {

// As asked for; 0: whatever is thought best.
struct WindowTuning {
  int pixels, maps, channels, stages;
};

// Calls f.template operator()<Tile>() with the tile that is built for such numbers.
template <class F>
auto with_window_tile(const WindowTuning& t, F&& f) {
  if (t.maps <= 16) {
    if (t.channels <= 16) return f.template operator()<WindowTile<256, 16, 16>>();
    return f.template operator()<WindowTile<256, 16, 32>>();
  }
  if (t.maps <= 32) return f.template operator()<WindowTile<256, 32, 32>>();
  const bool deep = t.channels > 32;
  if (t.maps <= 64) {
    if (t.channels <= 16) return f.template operator()<WindowTile<256, 64, 16>>();
    if (t.pixels <= 128)
      return deep ? f.template operator()<WindowTile<128, 64, 64>>() : f.template operator()<WindowTile<128, 64, 32>>();
    return deep ? f.template operator()<WindowTile<256, 64, 64>>() : f.template operator()<WindowTile<256, 64, 32>>();
  }
  if (t.pixels <= 128)
    return deep ? f.template operator()<WindowTile<128, 128, 64>>() : f.template operator()<WindowTile<128, 128, 32>>();
  return deep ? f.template operator()<WindowTile<256, 128, 64>>() : f.template operator()<WindowTile<256, 128, 32>>();
}

struct WindowLaunch {
  WindowTuning tile;
  WindowShape shape;
  int map_tiles, slabs, stages;
  std::size_t shared_bytes;
  int rectangles() const { return shape.across * shape.down; }
};

inline WindowShape window_of(const Correlation& c, int width, int height) {
  const auto seen = [&](int outputs) { return (outputs - 1) * c.stride + (c.filter - 1) * c.dilation + 1; };
  return {width,
          height,
          ceil_div(c.out_width, width),
          ceil_div(c.out_height, height),
          seen(width),
          seen(width) * seen(height)};
}

// The rectangle of at most so many outputs with the least to multiply and, a quarter of it each, to load. Eight
// neighbours in a row of it are read without bank conflicts.
inline WindowShape best_window(const Correlation& c, int pixels) {
  WindowShape best{};
  double least = 0;
  for (int width = 1; width <= std::min(pixels, c.out_width); ++width) {
    const WindowShape shape = window_of(c, width, std::min(pixels / width, c.out_height));
    const double cost = 1.0 * shape.across * shape.down * (pixels + shape.halo_pixels / 4.0) *
                        (width % 8 && width != c.out_width ? 1.03 : 1);
    if (least > 0 && cost >= least) continue;
    least = cost;
    best = shape;
  }
  return best;
}

// How it is launched; none where rows are not 16 bytes apart or what a block needs does not fit.
inline std::optional<WindowLaunch> window_launch(const Problem& p, const Device& device, WindowTuning tile) {
  const Correlation c = correlation_of(p);
  if (p.layer.precision != Precision::f16 || p.layer.layout != Layout::nhwc || c.group_sources() % 8 != 0 ||
      c.filter < 2 || c.spread > 1 || device.usable_capability() < 80)
    return {};
  if (tile.maps == 0) tile.maps = c.group_targets();
  if (tile.channels == 0) tile.channels = c.group_sources() <= 16 && tile.maps <= 64 ? 16 : 32;
  const auto launch_of = [&](int pixels) {
    tile.pixels = pixels;
    return with_window_tile(tile, [&]<class Tile>() {
      // With 128 maps a third stage takes the room of a second block, which hides what a block waits for.
      const int stages = tile.stages ? tile.stages : Tile::maps > 64 ? 2 : 3;
      WindowLaunch launch{{Tile::pixels, Tile::maps, Tile::channels, stages}, best_window(c, Tile::pixels)};
      launch.map_tiles = ceil_div(c.group_targets(), Tile::maps);
      launch.slabs = ceil_div(c.group_sources(), Tile::channels);
      const int steps = ceil_div(c.filter * c.filter, Tile::taps);
      launch.stages = std::min({stages, steps + 1, steps * launch.slabs});
      launch.shared_bytes =
          sizeof(ByteColumn) *
          (static_cast<std::size_t>(std::min(launch.slabs, 2) * launch.shape.halo_pixels * Tile::pitch) +
           static_cast<std::size_t>(launch.stages * Tile::step_chunks));
      return launch;
    });
  };
  // What the busiest multiprocessor has to make.
  const auto most_made = [&](const WindowLaunch& launch) {
    const int tiles = launch.rectangles() * launch.map_tiles * c.samples * c.groups;
    return 1.0 * ceil_div(tiles, std::max(device.multiprocessors, 1)) * launch.tile.pixels * launch.tile.maps;
  };
  const auto fits = [&](const WindowLaunch& launch) { return launch.shared_bytes <= device.shared_bytes_per_block; };
  const bool asked = tile.pixels > 0;
  WindowLaunch launch = launch_of(asked ? tile.pixels : 256);
  if (!asked)
    if (const WindowLaunch smaller = launch_of(128);
        launch.tile.maps > 64 || !fits(launch) || most_made(smaller) < 0.95 * most_made(launch))
      launch = smaller;
  const bool far = static_cast<double>(c.height) * c.width * c.sources > 0x7fffffff;
  if (far || !fits(launch)) return {};
  return launch;
}

// The bank in the order of BankCopies, filled up with zeros.
inline std::vector<ByteColumn> window_bank(const Problem& p, const Filter& filter, const WindowLaunch& launch) {
  const Correlation c = correlation_of(p);
  const CorrelationWeights weights(p, filter);
  const int taps = c.filter * c.filter, maps = launch.tile.maps, channels = launch.tile.channels;
  std::vector<Half> numbers(static_cast<std::size_t>(c.groups * launch.map_tiles) *
                            static_cast<std::size_t>(launch.slabs * taps * maps * channels));
  auto number = numbers.begin();
  const auto map_of = [&](int column) {
    return maps == 16 ? MapOrder<16>::map_of(column) : column / 32 * 32 + MapOrder<32>::map_of(column % 32);
  };
  for (int group = 0; group < c.groups; ++group)
    for (int tile = 0; tile < launch.map_tiles; ++tile)
      for (int slab = 0; slab < launch.slabs; ++slab)
        for (int tap = 0; tap < taps; ++tap)
          for (int column = 0; column < maps; ++column)
            for (int channel = 0; channel < channels; ++channel, ++number) {
              const int map = tile * maps + map_of(column), source = slab * channels + channel;
              if (map < c.group_targets() && source < c.group_sources())
                *number = to_half(weights(group * c.group_targets() + map, source, tap));
            }
  std::vector<ByteColumn> chunks(numbers.size() * sizeof(Half) / sizeof(ByteColumn));
  std::memcpy(chunks.data(), numbers.data(), chunks.size() * sizeof(ByteColumn));
  return chunks;
}

class WindowPlan final : public Plan {
 public:
  // otherwise: for inputs that are not aligned to 16 bytes.
  WindowPlan(const Problem& problem, const WindowLaunch& launch, std::unique_ptr<Plan> otherwise)
      : problem_(problem),
        correlation_(correlation_of(problem)),
        launch_(launch),
        otherwise_(std::move(otherwise)),
        biases_(problem),
        bank_(window_bank(problem, problem.filter, launch)) {
    with_kernel([&]<class Tile>(auto kernel) { allow_shared(kernel, launch_.shared_bytes); });
  }
  void set_filter(const Filter& filter) override {
    otherwise_->set_filter(filter);
    biases_.set(filter);
    bank_.set(window_bank(problem_, filter, launch_));
  }
  void prepare(Stream stream) override {
    otherwise_->prepare(stream);
    biases_.send(stream);
    bank_.send(stream);
  }
  void enqueue(std::span<const Tensor> in, std::span<const Tensor> out, Stream stream) override {
    if (!aligned(in[0], 16)) return otherwise_->enqueue(in, out, stream);
    const Correlation& c = correlation_;
    const bool wide = aligned(out[0], 16) && (c.groups == 1 || c.group_targets() % 8 == 0);
    const WindowTask task{strided<const Half>(in[0]),
                          strided<Half>(out[0]),
                          c,
                          biases_.epilogue(),
                          problem_.layer.pass == Pass::forward,
                          wide,
                          launch_.shape,
                          launch_.map_tiles,
                          launch_.slabs,
                          launch_.stages,
                          bank_.data()};
    with_kernel([&]<class Tile>(auto kernel) {
      launch(kernel, grid(), dim3(Tile::threads), launch_.shared_bytes, stream, task);
    });
  }
  std::vector<KernelInfo> kernels() const override {
    std::vector<KernelInfo> infos;
    with_kernel([&]<class Tile>(auto kernel) {
      infos = {describe("layer_window_product", kernel, grid(), dim3(Tile::threads), launch_.shared_bytes)};
    });
    return infos;
  }
  std::string note() const override {
    return std::to_string(launch_.shape.width) + " × " + std::to_string(launch_.shape.height) + " outputs of " +
           std::to_string(launch_.tile.maps) + " maps a block, from a window of " +
           std::to_string(launch_.shape.halo_pixels) + " sources, " + std::to_string(launch_.tile.channels) +
           " channels at a time";
  }

 private:
  template <class F>
  void with_kernel(F&& f) const {
    with_window_tile(launch_.tile, [&]<class Tile>() { f.template operator()<Tile>(layer_window_product<Tile>); });
  }
  dim3 grid() const {
    return dim3(static_cast<unsigned>(launch_.rectangles() * launch_.map_tiles), 1,
                static_cast<unsigned>(correlation_.samples * correlation_.groups));
  }

  Problem problem_;
  Correlation correlation_;
  WindowLaunch launch_;
  std::unique_ptr<Plan> otherwise_;
  LayerBiases biases_;
  GlobalValues<ByteColumn> bank_;
};

}  // namespace convoscope::CONVOSCOPE_TARGET::layer::implicit_gemm_tensor
