#include "app/cli/commands/list_tiles.h"

#include <algorithm>

#include "app/cli/commands/list_data.h"
#include "app/cli/commands/report.h"
#include "app/cli/commands/text_table.h"
#include "kernels/contract/kind.h"
#include "kernels/contract/theory/model.h"

namespace convoscope {
namespace {

using nlohmann::ordered_json;

// Of a frame that is large enough for any of them: what is counted is of a block inside.
Problem problem_of_tile(int filter_width, int filter_height) {
  Problem problem{.width = 1 << 14, .height = 1 << 14, .format = PixelFormat::gray32f, .border = Border::zero};
  problem.filter.width = filter_width;
  problem.filter.height = filter_height;
  problem.filter.weights.assign(static_cast<std::size_t>(filter_width) * static_cast<std::size_t>(filter_height), 1);
  return problem;
}

struct Tile {
  int outputs = 0, filter = 0;
  double reduction = 0, bytes = 0;
};
Tile square_tile(int outputs, int filter) {
  const Problem problem = problem_of_tile(filter, filter);
  const Cost cost = tiled_cost(problem, outputs, outputs);
  return {outputs, filter, load_reduction(problem, cost), tile_bytes(problem.format, cost)};
}

struct Row {
  int block = 0, radius = 0;
  double inner = 0, at_end = 0, printed = 0, limit = 0;
};
Row tile_of_a_row(int block, int radius) {
  const Problem problem = problem_of_tile(2 * radius + 1, 1);
  return {block,
          radius,
          load_reduction(problem, tiled_cost(problem, block, 1)),
          tile_load_reduction_1d_end(block, radius),
          tile_load_reduction_1d_printed(block, radius),
          static_cast<double>(problem.filter.taps())};
}

// What --over says of one number, each once.
std::vector<int> values_of(const Invocation& invocation, const char* id, std::vector<int> otherwise) {
  std::vector<int> values;
  for (const Invocation::OverTunable& over : invocation.over_tunables)
    if (over.id == id) values.insert(values.end(), over.values.begin(), over.values.end());
  if (values.empty()) values = std::move(otherwise);
  std::ranges::sort(values);
  const auto again = std::ranges::unique(values);
  values.erase(again.begin(), again.end());
  return values;
}

void print_squares(const std::vector<int>& sides, const std::vector<int>& filters) {
  std::vector<std::string> header{"T"}, limits{"limit"};
  for (const int filter : filters) {
    header.push_back("M = " + std::to_string(filter));
    header.emplace_back("bytes");
    limits.push_back(std::to_string(filter * filter));
    limits.emplace_back();
  }
  TextTable table(header, std::string(header.size(), 'r'));
  for (const int side : sides) {
    std::vector<std::string> cells{std::to_string(side)};
    for (const int filter : filters) {
      const Tile tile = square_tile(side, filter);
      cells.push_back(decimals(tile.reduction, 2));
      cells.push_back(decimals(tile.bytes, 0));
    }
    table.add(cells);
  }
  table.add(limits);
  print(in_lines("A block of T × T outputs under a filter of M × M loads M²T²/(T+M−1)² times fewer inputs than its "
                 "threads would by themselves. Bytes: of its tile in shared memory, gray32f.",
                 output_columns()) +
        "\n");
  print(table);
}

void print_rows(const std::vector<int>& blocks, const std::vector<int>& radii) {
  TextTable table({"B", "n", "inside", "at an end", "limit", "as printed"}, "rrrrrr");
  for (const int radius : radii)
    for (const int block : blocks) {
      const Row row = tile_of_a_row(block, radius);
      table.add({std::to_string(block), std::to_string(radius), decimals(row.inner, 2), decimals(row.at_end, 2),
                 decimals(row.limit, 0), decimals(row.printed, 2)});
    }
  print("\n" +
        in_lines("A block of B outputs of one row under 2n + 1 taps: B(2n+1)/(B+2n) times fewer inside, and at "
                 "an end, where ghost cells need no load, (B(2n+1) − n(n+1)/2)/(B+n). The limit is 2n + 1.",
                 output_columns()) +
        "\n");
  print(table,
        "\nAs printed, (B(2n+1) − n(n−1)/2)/(B+2n): without ghost cells above the line, and with them below. No block "
        "saves just that.\n");
}

}  // namespace

double tile_load_reduction_1d_printed(int block, int radius) {
  return (block * (2.0 * radius + 1) - radius * (radius - 1) / 2.0) / (block + 2.0 * radius);
}

void list_tiles(const Invocation& invocation) {
  const std::vector<int> sides = values_of(invocation, tile_side, {8, 16, 32, 64});
  const std::vector<int> filters = values_of(invocation, "M", {3, 5, 7, 9, 11});
  const std::vector<int> blocks = values_of(invocation, "B", {32, 64, 128, 256, 512, 1024});
  const std::vector<int> radii = values_of(invocation, "n", {2, 5});
  if (!invocation.json) {
    print_squares(sides, filters);
    print_rows(blocks, radii);
    return;
  }
  ordered_json out{{"tiles", ordered_json::array()}, {"rows", ordered_json::array()}};
  for (const int filter : filters)
    for (const int side : sides) {
      const Tile tile = square_tile(side, filter);
      out["tiles"].push_back({{"T", tile.outputs},
                              {"M", tile.filter},
                              {"load_reduction", tile.reduction},
                              {"limit", tile.filter * tile.filter},
                              {"bytes", tile.bytes}});
    }
  for (const int radius : radii)
    for (const int block : blocks) {
      const Row row = tile_of_a_row(block, radius);
      out["rows"].push_back({{"B", row.block},
                             {"n", row.radius},
                             {"load_reduction", row.inner},
                             {"load_reduction_at_ends", row.at_end},
                             {"limit", row.limit},
                             {"as_printed", row.printed}});
    }
  print(json_text(out));
}

}  // namespace convoscope
