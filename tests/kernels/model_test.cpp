#include "kernels/contract/theory/model.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>

#include "kernels/choose/auto_candidates.h"
#include "kernels/contract/kind.h"
#include "kernels/filter/filter_catalogue.h"
#include "kernels/kinds/signal.h"
#include "tests/kernels/load_reductions.h"

namespace convoscope {
namespace {

double rounded(double value, int decimals) {
  const double unit = std::pow(10.0, decimals);
  return std::round(value * unit) / unit;
}

TEST(Model, TileReductionsEqualTheDesignsTable) {
  const struct {
    int tile, filter_width;
    double reduction;
  } table[] = {{8, 5, 11.1}, {16, 5, 16.0}, {32, 5, 19.7}, {64, 5, 22.1},
               {8, 9, 20.3}, {16, 9, 36.0}, {32, 9, 51.8}, {64, 9, 64.0}};
  // The table rounds 20.25 up and cuts 19.75 off.
  for (const auto& [tile, filter_width, reduction] : table)
    EXPECT_NEAR(tile_load_reduction(tile, filter_width), reduction, 0.06) << "T " << tile << ", M " << filter_width;
}

TEST(Model, ReductionsIn1D) {
  EXPECT_DOUBLE_EQ(rounded(tile_load_reduction_1d(128, 5), 1), 10.2);
  EXPECT_DOUBLE_EQ(rounded(tile_load_reduction_1d_ghost(128, 5), 2), 10.13);
  EXPECT_DOUBLE_EQ(rounded(tile_load_reduction_1d(32, 5), 1), 8.4);
  EXPECT_DOUBLE_EQ(rounded(tile_load_reduction_1d_ghost(32, 5), 2), 8.14);
}

TEST(Model, ATileLoadsAsTheReductionSays) {
  const Problem problem{640, 480, PixelFormat::gray32f, Border::zero, parse_filter("gaussian:radius=2").filter};
  const double reduction =
      direct_cost(problem).global_loads_per_output / tiled_cost(problem, 32, 32).global_loads_per_output;
  EXPECT_DOUBLE_EQ(reduction, tile_load_reduction(32, 5));
}

TEST(Model, CountsTheWorkOfAFrame) {
  Problem problem{100, 50, PixelFormat::gray32f, Border::zero, parse_filter("gaussian:radius=2").filter};
  EXPECT_EQ(outputs(problem), 5000);
  EXPECT_EQ(filter_flop(problem), 2.0 * 25 * 5000);
  EXPECT_EQ(frame_bytes(problem), 20000);
  const Cost cost = direct_cost(problem);
  EXPECT_EQ(cost.global_loads_per_output, 25);
  EXPECT_EQ(cost.global_stores_per_output, 1);
  EXPECT_EQ(cost.dram_bytes, 40000);
  EXPECT_DOUBLE_EQ(cost.intensity(), 50.0 / 8);

  problem.format = PixelFormat::rgba8;
  EXPECT_EQ(filter_flop(problem), 3 * 2.0 * 25 * 5000);
  problem.filter = parse_filter("sobel-magnitude").filter;
  EXPECT_EQ(filter_flop(problem), 2 * 3 * 2.0 * 9 * 5000);
}

// PMPP 4th ed., ch. 7.2 and 7.3: two operations for each 8 bytes, and for each 4.
TEST(Model, ConstantMemoryDoublesTheWorkForEachByte) {
  const Problem problem{100, 50, PixelFormat::gray32f, Border::zero, parse_filter("gaussian:radius=2").filter};
  const auto per_byte = [&](const char* id) {
    return flop_per_loaded_byte(problem, find_strategy(Backend::emulated, id)->model(problem, {}));
  };
  EXPECT_DOUBLE_EQ(per_byte("global"), 0.25);
  EXPECT_DOUBLE_EQ(per_byte("constant"), 0.5);
}

TEST(Model, NonSquareFiltersAndTiles) {
  const Problem problem{100, 50, PixelFormat::gray32f, Border::zero, parse_filter("box:rx=3,ry=1").filter};
  EXPECT_EQ(direct_cost(problem).global_loads_per_output, 21);
  EXPECT_DOUBLE_EQ(tiled_cost(problem, 32, 8).global_loads_per_output, 38.0 * 10 / (32 * 8));
  EXPECT_EQ(tiled_cost(problem, 32, 8).shared_loads_per_output, 21);
}

// What the window and the command line say of the design's example: 64 × 64 outputs under a filter of 9 × 9.
TEST(Model, SaysWhatATileHolds) {
  const Problem problem{640, 480, PixelFormat::gray32f, Border::zero, parse_filter("box:radius=4").filter};
  const Tuning tuning{{"tile_width", 64}, {"tile_height", 64}, {"outputs", 8}};
  const Cost cost = find_strategy(Backend::emulated, "tiled-halo")->model(problem, tuning);
  EXPECT_EQ(cost.tile_width, 72);
  EXPECT_EQ(cost.tile_height, 72);
  EXPECT_EQ(tile_bytes(problem.format, cost), 20736);
  EXPECT_DOUBLE_EQ(load_reduction(problem, cost), tile_load_reduction(64, 9));

  const Cost inner = find_strategy(Backend::emulated, "tiled-cached-halo")->model(problem, {});
  EXPECT_EQ(tile_bytes(problem.format, inner), 4 * 32 * 16) << "no halo";
  const Cost none = find_strategy(Backend::emulated, "constant")->model(problem, {});
  EXPECT_EQ(tile_bytes(problem.format, none), 0);
  EXPECT_EQ(load_reduction(problem, none), 1);
}

// A strategy tells of its tile twice: in figures and of one output.
TEST(Model, HasTheTileThatIsExplained) {
  int with_tiles = 0;
  for (const Kind* kind : kinds())
    for (const Strategy* strategy : strategies(Backend::emulated, *kind)) {
      const Problem problem{4096,
                            kind == &signal_kind ? 1 : 512,
                            PixelFormat::gray32f,
                            Border::zero,
                            kind->parse(kind == &signal_kind ? "1 4 6 4 1" : "gaussian:radius=2"),
                            kind};
      const Device& device = typical_device(Backend::emulated);
      if (!strategy->explains || !strategy->unsupported(problem, device, {}).empty()) continue;
      const Cost cost = strategy->model(problem, {});
      if (cost.tile_width == 0) continue;
      ++with_tiles;
      const Explanation said = strategy->explain(problem, device, {}, {100, kind == &signal_kind ? 0 : 100});
      ASSERT_EQ(said.steps.at(0).tile.size(), 1u) << strategy->id;
      const PixelArea& tile = said.steps[0].tile[0];
      EXPECT_EQ(tile.width, cost.tile_width) << kind->id << " " << strategy->id;
      EXPECT_EQ(tile.height, cost.tile_height) << kind->id << " " << strategy->id;
    }
  EXPECT_GE(with_tiles, 10);
}

// 924 of 6,400 products of a picture of 16 × 16 under a filter of 5 × 5 fall on ghost cells.
TEST(Model, CountsTheProductsOnGhostCells) {
  const auto share = [](int width, int height, const char* filter, Border border = Border::zero) {
    return ghost_share({width, height, PixelFormat::gray32f, border, parse_filter(filter).filter});
  };
  EXPECT_DOUBLE_EQ(share(16, 16, "box:radius=2"), 924 / 6400.0);
  EXPECT_DOUBLE_EQ(rounded(100 * share(1920, 1080, "box:radius=2"), 2), 0.17);
  EXPECT_DOUBLE_EQ(rounded(100 * share(1920, 1080, "box:radius=8"), 2), 0.61);
  EXPECT_DOUBLE_EQ(share(1, 1, "box:radius=1"), 8 / 9.0) << "smaller than the filter";
  EXPECT_EQ(share(16, 16, "box:radius=2", Border::replicate), 0);
}

// How many ghost cells the output's filter has on each of its four sides.
std::array<int, 4> ghosts_at(const Problem& p, int x, int y) {
  const int rx = p.border == Border::zero ? p.filter.rx() : 0, ry = p.border == Border::zero ? p.filter.ry() : 0;
  return {std::min(x, rx), std::min(p.width - 1 - x, rx), std::min(y, ry), std::min(p.height - 1 - y, ry)};
}

// Thread by thread; those beyond the picture are alike.
double diverging_warps_by_hand(const Problem& p, int block_width, int block_height) {
  int all = 0, diverging = 0;
  for (int by = 0; by < p.height; by += block_height)
    for (int bx = 0; bx < p.width; bx += block_width)
      for (int first = 0; first < block_width * block_height; first += 32) {
        std::set<std::array<int, 4>> seen;
        bool some_inside = false;
        for (int i = first; i < std::min(first + 32, block_width * block_height); ++i) {
          const int x = bx + i % block_width, y = by + i / block_width;
          const bool inside = x < p.width && y < p.height;
          seen.insert(inside ? ghosts_at(p, x, y) : std::array{-1, -1, -1, -1});
          some_inside |= inside;
        }
        all += some_inside;
        diverging += seen.size() > 1;
      }
  return static_cast<double>(diverging) / all;
}

TEST(Model, CountsTheWarpsThatDiverge) {
  for (const auto& [width, height] : {std::pair{16, 16}, {100, 37}, {1, 1}, {7, 130}, {257, 64}})
    for (const char* filter : {"box:radius=2", "box:rx=9,ry=1", "box:rx=0,ry=3"})
      for (const Border border : {Border::zero, Border::wrap})
        for (const int block_width : {4, 8, 16, 32, 64})
          for (const int block_height : {1, 4, 16}) {
            const Problem p{width, height, PixelFormat::gray32f, border, parse_filter(filter).filter};
            EXPECT_NEAR(diverging_warps(p, block_width, block_height),
                        diverging_warps_by_hand(p, block_width, block_height), 1e-12)
                << width << " × " << height << ", " << filter << ", " << block_width << " × " << block_height;
          }
  const Problem whole{128, 64, PixelFormat::gray32f, Border::wrap, parse_filter("box:radius=2").filter};
  EXPECT_EQ(find_strategy(Backend::emulated, "constant")->model(whole, {}).diverging_warps, 0);
  Problem zero = whole;
  zero.border = Border::zero;
  for (const char* id : {"global", "constant"})
    EXPECT_DOUBLE_EQ(find_strategy(Backend::emulated, id)->model(zero, {}).diverging_warps, 0.5)
        << "the first and the last warp of four in each row";
}

TEST(Model, RefusesWithTheNumbers) {
  const Device device{.name = "Test device", .max_threads_per_block = 1024, .shared_bytes_per_block = 49152};
  EXPECT_EQ(block_size_reason(32, 32, device), "");
  EXPECT_EQ(block_size_reason(64, 32, device), "A block of 64 × 32 is 2,048 threads; Test device allows 1,024");
  EXPECT_EQ(shared_memory_reason(49152, device), "");
  EXPECT_EQ(shared_memory_reason(50000, device),
            "A block would need 50,000 bytes of shared memory; Test device has 49,152");
}

}  // namespace
}  // namespace convoscope
