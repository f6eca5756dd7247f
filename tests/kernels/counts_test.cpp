// What is counted of a problem and of a block, beside the numbers of the book.
#include "kernels/contract/theory/counts.h"

#include <gtest/gtest.h>

#include "kernels/contract/kind.h"
#include "kernels/filter/filter_catalogue.h"
#include "kernels/kinds/layer.h"

namespace convoscope {
namespace {

Problem image_of(int width, int height, const char* filter, Border border = Border::zero) {
  return {width, height, PixelFormat::gray32f, border, parse_filter(filter).filter};
}

Problem signal_of(int samples, int radius) {
  Problem p{samples, 1, PixelFormat::gray32f, Border::zero, {}, find_kind("signal")};
  p.filter = {.name = "ones", .width = 2 * radius + 1, .height = 1};
  p.filter.weights.assign(static_cast<std::size_t>(p.filter.width), 1.0f);
  return p;
}

Explanation tile_at(const Problem& p, int block_width, int block_height, int x, int y) {
  KernelStep step = one_thread_per_output("tile", block_width, block_height, x, y);
  step.tile = {grown(step.outputs[0], p.filter.rx(), p.filter.ry())};
  return {.steps = {step}, .words = {}};
}

TEST(Counts, GhostCellsOfAnOutput) {
  const Problem p = image_of(16, 16, "box:radius=2");
  EXPECT_EQ(ghost_cells(p, 0, 0), 16);
  EXPECT_EQ(ghost_cells(p, 0, 1), 13);
  EXPECT_EQ(ghost_cells(p, 5, 5), 0);
  EXPECT_EQ(ghost_cells(p, 15, 15), 16);
  EXPECT_EQ(ghost_cells(image_of(1, 1, "box:radius=2"), 0, 0), 24);
}

TEST(Counts, ProductsThatAZeroBorderSkips) {
  EXPECT_EQ(skipped_products(image_of(16, 16, "box:radius=2")).skipped, 924);
  EXPECT_EQ(skipped_products(image_of(16, 16, "box:radius=2")).all, 6400);
  EXPECT_EQ(skipped_products(image_of(16, 16, "box:radius=2", Border::mirror)).skipped, 0);
}

TEST(Counts, ATileOfASignalLoadsEachInputOnce) {
  const Problem p = signal_of(4096, 2);
  const BlockCounts inner = count_block(p, tile_at(p, 1024, 1, 1500, 0));
  EXPECT_EQ(inner.loads, 1028);
  EXPECT_EQ(inner.by_definition, 5120);
  EXPECT_EQ(inner.shared, 8) << "four at each end";
  EXPECT_EQ(inner.ghosts, 0);
  EXPECT_EQ(count_block(p, tile_at(p, 1024, 1, 5, 0)).ghosts, 2);
  EXPECT_EQ(count_block(p, tile_at(p, 1024, 1, 5, 0)).shared, 4) << "it has one neighbour";
}

TEST(Counts, TheBooksSixteenElements) {
  const Problem p = signal_of(16, 2);
  double tiles = 0;
  for (int block = 0; block < 4; ++block) {
    const BlockCounts counts = count_block(p, tile_at(p, 4, 1, 4 * block, 0));
    tiles += counts.loads - counts.ghosts;
  }
  EXPECT_EQ(tiles, 6 + 8 + 8 + 6);
  EXPECT_EQ(skipped_products(p).all - skipped_products(p).skipped, 74);
  // N[2] to N[5] are in the tiles of both blocks.
  EXPECT_EQ(count_block(p, tile_at(p, 4, 1, 0, 0)).shared, 4);
}

TEST(Counts, WithoutAHaloNothingIsLoadedTwice) {
  const Problem p = image_of(16, 16, "box:radius=0");
  EXPECT_EQ(count_block(p, tile_at(p, 4, 4, 5, 5)).shared, 0);
}

// Every neighbour's tile, one after the other.
double shared_by_hand(const Problem& p, int block, int x, int y) {
  const PixelArea own =
      grown(PixelArea{x / block * block, y / block * block, block, block}, p.filter.rx(), p.filter.ry());
  double shared = 0;
  for (int j = std::max(own.y, 0); j < std::min(own.y + own.height, p.height); ++j)
    for (int i = std::max(own.x, 0); i < std::min(own.x + own.width, p.width); ++i) {
      bool other = false;
      for (int by = 0; by < p.height; by += block)
        for (int bx = 0; bx < p.width; bx += block)
          if (bx != x / block * block || by != y / block * block)
            other |= grown(PixelArea{bx, by, block, block}, p.filter.rx(), p.filter.ry()).contains(i, j);
      shared += other;
    }
  return shared;
}

TEST(Counts, WhatNeighbouringTilesLoadTooAsByHand) {
  const Problem p = image_of(19, 14, "box:radius=2");
  for (const auto& [x, y] : {std::pair{5, 5}, {0, 0}, {18, 13}, {9, 0}, {0, 9}})
    EXPECT_EQ(count_block(p, tile_at(p, 4, 4, x, y)).shared, shared_by_hand(p, 4, x, y)) << x << ", " << y;
}

TEST(Counts, UsesOfAnInput) {
  const InputUses picture = input_uses(image_of(16, 16, "box:radius=2"));
  EXPECT_EQ(picture.at(0, 0), 9);
  EXPECT_EQ(picture.at(8, 0), 15);
  EXPECT_EQ(picture.at(8, 8), 25);
  // What stands in for ghost cells is used for them, so that every product uses one.
  double all = 0;
  const InputUses mirrored = input_uses(image_of(7, 5, "box:radius=2", Border::mirror));
  for (int y = 0; y < 5; ++y)
    for (int x = 0; x < 7; ++x) all += mirrored.at(x, y);
  EXPECT_EQ(all, 7 * 5 * 25);
  // The book's layer of 2 × 2 filters over 3 × 3: corners once, edges twice, the centre four times.
  const InputUses layer = input_uses(layer_problem("1,3,3,3,2,2", Pass::forward));
  EXPECT_EQ(layer.at(0, 0), 1);
  EXPECT_EQ(layer.at(1, 0), 2);
  EXPECT_EQ(layer.at(1, 1), 4);
}

// The table of PMPP, ch. 7.4, and its limits.
TEST(Counts, TilesReduceLoadsTheMoreTheLargerTheyAre) {
  const Filter five = parse_filter("box:radius=2").filter, nine = parse_filter("box:radius=4").filter;
  const double of_five[] = {11.11, 16.00, 19.75, 22.15}, of_nine[] = {20.25, 36.00, 51.84, 64.00};
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(tile_load_reduction(five, 8 << i), of_five[i], 0.005);
    EXPECT_NEAR(tile_load_reduction(nine, 8 << i), of_nine[i], 0.005);
  }
  EXPECT_EQ(largest_load_reduction(five), 25);
  EXPECT_EQ(largest_load_reduction(nine), 81);
  EXPECT_NEAR(tile_load_reduction(five, 1 << 20), 25, 0.001);
  const Filter eleven = signal_of(1000, 5).filter;
  EXPECT_NEAR(tile_load_reduction(eleven, 128), 10.20, 0.005);
  EXPECT_NEAR(tile_load_reduction(eleven, 32), 8.38, 0.005);
  EXPECT_EQ(largest_load_reduction(eleven), 11);
}

TEST(Counts, BlocksLieSideBySide) {
  const Problem p = image_of(19, 14, "box:radius=1");
  const BlockGrid grid = block_grid(p, tile_at(p, 4, 4, 5, 5).steps[0]);
  EXPECT_EQ(grid.columns, 5);
  EXPECT_EQ(grid.rows, 4);
  EXPECT_EQ(grid.block(1, 1), (PixelArea{4, 4, 4, 4}));
  KernelStep strips;
  strips.outputs = {{0, 0, 4, 4}, {8, 0, 4, 4}};
  EXPECT_TRUE(block_grid(p, strips).empty());
}

}  // namespace
}  // namespace convoscope
