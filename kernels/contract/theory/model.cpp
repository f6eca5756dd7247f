#include "kernels/contract/theory/model.h"

#include <algorithm>

#include "kernels/contract/kind.h"
#include "kernels/text/number_text.h"

namespace convoscope {

namespace {

double total(const std::vector<Shape>& shapes, std::size_t (Shape::*count)() const) {
  double sum = 0;
  for (const Shape& shape : shapes) sum += static_cast<double>((shape.*count)());
  return sum;
}

// How many of n places in a row lie at most r from each of them, all together: nM − r(r+1), from r places on.
double pairs_within(int n, int r) {
  double pairs = n;
  for (int apart = 1; apart <= r && apart < n; ++apart) pairs += 2.0 * (n - apart);
  return pairs;
}

// The parts of `step` threads that a row of places is divided into, and those of them in which all see as much beyond
// either end.
struct Parts {
  double all = 0, alike = 0;
};
Parts parts_of(int places, int reach, int step) {
  Parts parts;
  for (int first = 0; first < places; first += step) {
    const int last = first + step - 1;
    const bool inside = last < places && (reach == 0 || (first >= reach && last + reach < places));
    ++parts.all;
    if (inside || step == 1) ++parts.alike;
  }
  return parts;
}

// The share of the warps of width × height threads whose threads do not all have the same edges within reach.
double diverging(int width, int height, int reach_x, int reach_y, int block_width, int block_height) {
  constexpr int warp = 32;
  const Parts along = parts_of(width, reach_x, std::min(block_width, warp));
  const Parts down = parts_of(height, reach_y, std::clamp(warp / block_width, 1, std::max(block_height, 1)));
  return 1 - along.alike * down.alike / (along.all * down.all);
}

}  // namespace

double outputs(const Problem& p) { return total(p.kind->outputs(p), &Shape::elements); }

double loads_by_definition(const Problem& p) {
  if (!p.filter.is_bank()) return p.filter.taps();
  return layer_products(p) / outputs(p) * (p.layer.pass == Pass::to_weights ? 2 : 1);
}

double filter_flop(const Problem& p) {
  if (p.filter.is_bank()) return 2 * layer_products(p);
  const double sets = p.filter.is_magnitude() ? 2 : 1;
  return 2.0 * p.filter.taps() * channels(p.format) * sets * outputs(p);
}

double frame_bytes(const Problem& p) { return total(p.kind->outputs(p), &Shape::bytes); }

double flop_per_loaded_byte(const Problem& p, const Cost& cost) {
  const double loads = cost.global_loads_per_output + cost.weight_loads_per_output;
  const double bytes = static_cast<double>(bytes_per_element(p.kind->outputs(p)[0].element));
  return loads > 0 ? cost.flop / outputs(p) / (bytes * loads) : 0;
}

double load_reduction(const Problem& p, const Cost& cost) {
  return cost.global_loads_per_output > 0 ? loads_by_definition(p) / cost.global_loads_per_output : 0;
}

double load_reduction_at_ends(const Problem& p, const Cost& cost) {
  const int radius = p.filter.rx(), block = cost.tile_width - 2 * radius;
  const bool whole_row = cost.tile_height == 1 && cost.shared_loads_per_output == p.filter.width;
  return whole_row && p.border == Border::zero && block > 0 ? tile_load_reduction_1d_end(block, radius) : 0;
}

double ghost_share(const Problem& p) {
  if (p.border != Border::zero || p.filter.is_bank()) return 0;
  return 1 - pairs_within(p.width, p.filter.rx()) * pairs_within(p.height, p.filter.ry()) /
                 (static_cast<double>(p.width) * p.height * p.filter.width * p.filter.height);
}

double diverging_warps(const Problem& p, int block_width, int block_height) {
  const bool skips = p.border == Border::zero;
  return diverging(p.width, p.height, skips ? p.filter.rx() : 0, skips ? p.filter.ry() : 0, block_width, block_height);
}

double tile_bytes(PixelFormat format, const Cost& cost) {
  return static_cast<double>(bytes_per_pixel(format)) * cost.tile_width * cost.tile_height;
}

Cost direct_cost(const Problem& p, const Tuned&) {
  return {.flop = filter_flop(p),
          .global_loads_per_output = loads_by_definition(p),
          .global_stores_per_output = 1,
          .shared_loads_per_output = 0,
          .dram_bytes = total(p.kind->inputs(p), &Shape::bytes) + frame_bytes(p)};
}

Cost two_pass_cost(const Problem& p, const Tuned&) {
  Cost cost = direct_cost(p);
  const double taps = p.filter.width + p.filter.height;
  cost.flop *= taps / cost.global_loads_per_output;
  cost.global_loads_per_output = taps;
  return cost;
}

Cost tiled_cost(const Problem& p, int tile_width, int tile_height) {
  Cost cost = direct_cost(p);
  cost.shared_loads_per_output = cost.global_loads_per_output;
  cost.tile_width = tile_width + 2 * p.filter.rx();
  cost.tile_height = tile_height + 2 * p.filter.ry();
  cost.global_loads_per_output = p.filter.depth * (tile_width + 2.0 * p.filter.rx()) *
                                 (tile_height + 2.0 * p.filter.ry()) / (static_cast<double>(tile_width) * tile_height);
  return cost;
}

Cost cached_halo_cost(const Problem& p, int tile_width, int tile_height) {
  Cost cost = direct_cost(p);
  cost.shared_loads_per_output = p.filter.depth * pairs_within(tile_width, p.filter.rx()) / tile_width *
                                 pairs_within(tile_height, p.filter.ry()) / tile_height;
  cost.global_loads_per_output += p.filter.depth - cost.shared_loads_per_output;
  cost.diverging_warps = diverging(tile_width, tile_height, p.filter.rx(), p.filter.ry(), tile_width, tile_height);
  cost.tile_width = tile_width;
  cost.tile_height = tile_height;
  return cost;
}

// The plain kernel's output at distance d from the end skips n − d ghost cells: n + … + 1 of them together.
double tile_load_reduction_1d_end(int block, int radius) {
  return (block * (2.0 * radius + 1) - radius * (radius + 1) / 2.0) / (block + radius);
}

std::string block_size_reason(int block_width, int block_height, const Device& device) {
  const long threads = static_cast<long>(block_width) * block_height;
  if (threads <= device.max_threads_per_block) return {};
  return "A block of " + std::to_string(block_width) + " × " + std::to_string(block_height) + " is " +
         format_count(threads) + " threads; " + device.name + " allows " + format_count(device.max_threads_per_block);
}

std::string shared_memory_reason(std::size_t bytes, const Device& device) {
  if (bytes <= device.shared_bytes_per_block) return {};
  return "A block would need " + format_count(static_cast<long long>(bytes)) + " bytes of shared memory; " +
         device.name + " has " + format_count(static_cast<long long>(device.shared_bytes_per_block));
}

}  // namespace convoscope
