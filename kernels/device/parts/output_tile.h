#pragma once
// The tile of outputs that a block makes, one or several a thread: what the strategies with such tiles let a user
// choose, and what follows from it. Host code.
#include "kernels/contract/theory/model.h"
#include "kernels/device/one_launch.cuh"
#include "kernels/device/parts/shared_tile.cuh"

namespace convoscope::CONVOSCOPE_TARGET {

inline constexpr int output_tile_widths[] = {8, 16, 32, 64};
inline constexpr int output_tile_heights[] = {4, 8, 16, 32, 64};
inline constexpr Tunable output_tile_width{
    "tile_width", "Tile width", "Outputs of a tile along x, and threads of the block", output_tile_widths, 32};
inline constexpr Tunable output_tile_tunables[] = {
    output_tile_width,
    {"tile_height", "Tile height", "Outputs of a tile along y, and threads of the block", output_tile_heights, 16},
};

enum class Halo { in_shared_memory, in_caches };

struct OutputTile {
  int width, height;  // of the outputs
  int pitch;          // elements from row to row in shared memory
  std::size_t shared_bytes;
  int outputs = 1;  // of a thread, one below the other
  int block_height() const { return height / outputs; }
};
inline OutputTile output_tile(const Problem& p, const Tuned& tuning, Halo halo = Halo::in_shared_memory) {
  const int width = tuning["tile_width"], height = tuning["tile_height"];
  const bool shared = halo == Halo::in_shared_memory;
  const int pitch = shared ? tile_pitch(width + 2 * p.filter.rx(), width) : width;
  const auto elements = static_cast<std::size_t>(pitch) * (height + (shared ? 2 * p.filter.ry() : 0));
  return {width, height, pitch, elements * bytes_per_pixel(p.format)};
}

// Why it cannot be, empty when it can.
inline std::string output_tile_reason(const OutputTile& tile, const Problem& p, const Device& device) {
  if (std::string reason = constant_memory_reason(p.filter); !reason.empty()) return reason;
  if (std::string reason = block_size_reason(tile.width, tile.block_height(), device); !reason.empty()) return reason;
  return shared_memory_reason(tile.shared_bytes, device);
}

inline LaunchShape launch_of(const OutputTile& tile, const Problem& p) {
  return {dim3(ceil_div(p.width, tile.width), ceil_div(p.height, tile.height)), dim3(tile.width, tile.block_height()),
          tile.shared_bytes};
}

}  // namespace convoscope::CONVOSCOPE_TARGET
