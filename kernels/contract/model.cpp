#include "kernels/contract/model.h"

#include "kernels/contract/kind.h"

namespace convoscope {

namespace {

double total(const std::vector<Shape>& shapes, std::size_t (Shape::*count)() const) {
  double sum = 0;
  for (const Shape& shape : shapes) sum += static_cast<double>((shape.*count)());
  return sum;
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
  return loads > 0 ? cost.flop / outputs(p) / (4 * loads) : 0;
}

double load_reduction(const Problem& p, const Cost& cost) {
  return cost.global_loads_per_output > 0 ? loads_by_definition(p) / cost.global_loads_per_output : 0;
}

double tile_bytes(PixelFormat format, const Cost& cost) {
  return static_cast<double>(bytes_per_pixel(format)) * cost.tile_width * cost.tile_height;
}

Cost direct_cost(const Problem& p, const Tuning&) {
  return {.flop = filter_flop(p),
          .global_loads_per_output = loads_by_definition(p),
          .global_stores_per_output = 1,
          .shared_loads_per_output = 0,
          .dram_bytes = total(p.kind->inputs(p), &Shape::bytes) + frame_bytes(p)};
}

Cost two_pass_cost(const Problem& p, const Tuning&) {
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

double tile_load_reduction(int tile_width, int filter_width) {
  const double inputs = tile_width + filter_width - 1.0;
  return static_cast<double>(filter_width) * filter_width * tile_width * tile_width / (inputs * inputs);
}

double tile_load_reduction_1d(int block, int radius) { return block * (2.0 * radius + 1) / (block + 2.0 * radius); }

// The plain kernel's output at distance d from the end skips n − d ghost cells: n + … + 1 of them together.
double tile_load_reduction_1d_end(int block, int radius) {
  return (block * (2.0 * radius + 1) - radius * (radius + 1) / 2.0) / (block + radius);
}

double tile_load_reduction_1d_ghost(int block, int radius) {
  return (block * (2.0 * radius + 1) - radius * (radius - 1) / 2.0) / (block + 2.0 * radius);
}

std::string block_size_reason(int block_width, int block_height, const Device& device) {
  const long threads = static_cast<long>(block_width) * block_height;
  if (threads <= device.max_threads_per_block) return {};
  return "A block of " + std::to_string(block_width) + " × " + std::to_string(block_height) + " is " +
         std::to_string(threads) + " threads; " + device.name + " allows " +
         std::to_string(device.max_threads_per_block);
}

std::string shared_memory_reason(std::size_t bytes, const Device& device) {
  if (bytes <= device.shared_bytes_per_block) return {};
  return "A block would need " + std::to_string(bytes) + " bytes of shared memory; " + device.name + " has " +
         std::to_string(device.shared_bytes_per_block);
}

}  // namespace convoscope
