#include "kernels/own/patterns.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "kernels/text/number_text.h"

namespace convoscope::own {
namespace {

struct Box {
  int left = 1 << 30, top = 1 << 30, right = -1, bottom = -1;
  void add(int x, int y) {
    left = std::min(left, x);
    top = std::min(top, y);
    right = std::max(right, x);
    bottom = std::max(bottom, y);
  }
};

struct Spot {
  int x, y;
  std::uint32_t block;
};

std::vector<Spot> wrong_spots(const Problem& p, const Outputs& outputs) {
  std::vector<Spot> spots;
  const int depth = channels(p.format);
  const double allowed = outputs.tolerance + (p.format == PixelFormat::rgba8 ? 0.5 : 0);
  for (int y = 0; y < p.height; ++y)
    for (int x = 0; x < p.width; ++x) {
      const auto pixel = static_cast<std::size_t>(y) * static_cast<std::size_t>(p.width) + static_cast<std::size_t>(x);
      bool wrong = false;
      for (int c = 0; c < depth; ++c) {
        const std::size_t i = pixel * static_cast<std::size_t>(depth) + static_cast<std::size_t>(c);
        wrong |= !(std::abs(outputs.seen[i] - outputs.expected[i]) <= allowed);
      }
      if (wrong) spots.push_back({x, y, outputs.block[pixel]});
    }
  return spots;
}

struct Side {
  const char *place, *line, *name;
};
constexpr std::array sides{Side{"first", "column", "left"}, Side{"last", "column", "right"},
                           Side{"first", "row", "top"}, Side{"last", "row", "bottom"}};

int distance(const Box& box, const Spot& spot, std::size_t side) {
  return std::array{spot.x - box.left, box.right - spot.x, spot.y - box.top, box.bottom - spot.y}[side];
}

std::string count_of(int count, const char* line) {
  return count == 1 ? std::string(line) : std::to_string(count) + " " + line + "s";
}

// Wrong in the same lines of every tile, those next to one side, no more of them than the filter reaches.
std::string story_of_tiles(const Problem& p, const Outputs& outputs, const std::vector<Spot>& wrong) {
  std::map<std::uint32_t, Box> tiles;
  for (int y = 0; y < p.height; ++y)
    for (int x = 0; x < p.width; ++x)
      tiles[outputs
                .block[static_cast<std::size_t>(y) * static_cast<std::size_t>(p.width) + static_cast<std::size_t>(x)]]
          .add(x, y);
  if (tiles.size() < 2) return {};
  for (std::size_t side = 0; side < sides.size(); ++side) {
    const int reach = side < 2 ? p.filter.rx() : p.filter.ry();
    int lines = 0;
    bool inside = false;  // not at the image's own edge
    for (const Spot& spot : wrong) {
      const Box& box = tiles[spot.block];
      lines = std::max(lines, distance(box, spot, side) + 1);
      inside |= std::array{box.left > 0, box.right<p.width - 1, box.top> 0, box.bottom < p.height - 1}[side];
    }
    if (lines > reach || !inside) continue;
    const auto& [place, line, name] = sides[side];
    return std::string("Wrong are outputs of the ") + place + " " + count_of(lines, line) + " of each tile: the halo " +
           (side < 2 ? "on the " : "at the ") + name + " is " + (lines == 1 ? "one" : std::to_string(lines)) +
           " short, or is loaded wrongly.";
  }
  return {};
}

std::string story_of_edges(const Problem& p, const std::vector<Spot>& wrong) {
  const Box image{0, 0, p.width - 1, p.height - 1};
  std::string names;
  std::array<bool, 4> touched{};
  for (const Spot& spot : wrong) {
    bool near = false;
    for (std::size_t side = 0; side < sides.size(); ++side) {
      const bool here = distance(image, spot, side) < (side < 2 ? p.filter.rx() : p.filter.ry());
      touched[side] |= here;
      near |= here;
    }
    if (!near) return {};
  }
  for (std::size_t side = 0; side < sides.size(); ++side) {
    const bool alone = std::ranges::all_of(wrong, [&](const Spot& spot) {
      return distance(image, spot, side) < (side < 2 ? p.filter.rx() : p.filter.ry());
    });
    if (alone)
      return std::string("Only outputs whose window reaches over the ") + sides[side].name +
             " edge of the image are wrong: look at the border there.";
  }
  return "Only outputs whose window reaches over an edge of the image are wrong: look at the border.";
}

}  // namespace

std::string story_of_unwritten(const Problem& p, const Outputs& outputs) {
  Box box;
  long long count = 0;
  for (int y = 0; y < p.height; ++y)
    for (int x = 0; x < p.width; ++x)
      if (outputs.block[static_cast<std::size_t>(y) * static_cast<std::size_t>(p.width) +
                        static_cast<std::size_t>(x)] == 0) {
        ++count;
        box.add(x, y);
      }
  if (count == 0) return {};
  if (count == static_cast<long long>(p.width) * p.height) return "No output is ever written.";
  const int columns = box.right - box.left + 1, rows = box.bottom - box.top + 1;
  const std::string begin = counted(count, "output") + " are never written";
  const char* const partly = ": the grid has too few blocks, as when a division is not rounded up";
  if (count == static_cast<long long>(columns) * rows) {
    if (rows == p.height && box.right == p.width - 1)
      return begin + ", those of the last " + count_of(columns, "column") + partly + ".";
    if (columns == p.width && box.bottom == p.height - 1)
      return begin + ", those of the last " + count_of(rows, "row") + partly + ".";
  }
  if (box.right == p.width - 1 && box.bottom == p.height - 1 && box.left == 0 && box.top == 0 && outputs.block[0] != 0)
    return begin + ", at the right and at the bottom" + partly + ".";
  return begin + ", the first at (" + std::to_string(box.left) + ", " + std::to_string(box.top) + ").";
}

std::string story_of_places(const KernelFile&, const Problem& p, const Outputs& outputs) {
  const std::vector<Spot> wrong = wrong_spots(p, outputs);
  if (wrong.empty()) return {};
  if (std::string story = story_of_tiles(p, outputs, wrong); !story.empty()) return story;
  return story_of_edges(p, wrong);
}

}  // namespace convoscope::own
