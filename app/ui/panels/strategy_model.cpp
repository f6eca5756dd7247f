#include "app/ui/panels/strategy_model.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "app/state/workbench.h"
#include "app/ui/actions/pane_actions.h"
#include "app/ui/actions/strategy_actions.h"
#include "app/ui/parts/format.h"
#include "app/ui/parts/widgets.h"
#include "kernels/choose/advice.h"
#include "kernels/contract/theory/counts.h"
#include "kernels/contract/theory/model.h"
#include "kernels/filter/separability.h"

namespace convoscope::ui {
namespace {

constexpr std::array tiles_of_table{8, 16, 32, 64}, blocks_of_table{32, 128, 256, 1024};
constexpr std::size_t quickly_factored = 41 * 41;  // weights: as the filter panel has it

// The panes' medians. Emulated times say nothing.
std::vector<MeasuredHere> measured_here(const Stats& stats, const Settings& settings) {
  std::vector<MeasuredHere> all;
  if (stats.device.backend == Backend::emulated) return all;
  for (const PaneSettings& pane : settings.group().panes) {
    const PaneStats* const row = stats_of(stats, pane);
    if (!row || row->runs.empty() || !row->median_interval || row->doubt() != Doubt::none) continue;
    if (pane.filter != settings.active().filter || pane.border != settings.active().border) continue;
    const StrategyRow* const runs = find_row(stats, row->runs);
    const Interval& interval = *row->median_interval;
    all.push_back({row->runs, row->kernel.median(), interval.low, interval.high, row->cost,
                   runs && (runs->strategy->calls_library || runs->strategy->peer)});
  }
  return all;
}

bool is_rank_one(const Filter& f) {
  const auto weights = static_cast<std::size_t>(f.width) * static_cast<std::size_t>(f.height);
  return f.depth == 1 && !f.is_magnitude() && f.weights.size() == weights && weights <= quickly_factored &&
         std::ranges::all_of(f.weights, [](float w) { return std::isfinite(w); }) &&
         filter_rank(f.weights.data(), f.width, f.height) == 1;
}

ImU32 advice_ink(Advice::Here here) {
  return here == Advice::Here::agrees ? theme().good : here == Advice::Here::disagrees ? theme().warning : theme().dim;
}

const char* advice_word(Advice::Here here) {
  constexpr const char* words[] = {"", "It agrees: ", "It disagrees: ", "Undecided, for the intervals overlap: "};
  return words[static_cast<int>(here)];
}

}  // namespace

void draw_advice(const Stats& stats, const Settings& settings, const Problem& problem) {
  if (workbench_of(*problem.kind).has_bank) return;
  const std::vector<Advice> all =
      advice_for(problem, is_rank_one(problem.filter), stats.device.backend, measured_here(stats, settings));
  if (all.empty()) return;
  heading("ADVICE  ·  what the chapter says");
  const ImVec2 from = ImGui::GetCursorScreenPos();
  for (const Advice& advice : all) {
    text_coloured(theme().text, advice.says);
    if (advice.found.empty()) continue;
    push_font(Font::small);
    text_coloured(advice_ink(advice.here), advice_word(advice.here) + advice.found);
    pop_font();
  }
  mark_area("advice", from, {from.x + ImGui::GetContentRegionAvail().x, ImGui::GetCursorScreenPos().y});
}

void draw_model(const Cost& cost, const Problem& problem) {
  const bool pixels = !workbench_of(*problem.kind).has_bank;
  value_row(pixels ? "Loads per pixel" : "Loads per value", format_number(cost.global_loads_per_output, 4),
            "How many input elements are loaded from global memory for each output.");
  if (const double reduction = load_reduction(problem, cost); reduction > 0)
    value_row("Fewer loads", format_number(reduction) + " ×",
              "How many times fewer loads there are than one for each weight. With tiles of T × T outputs and a filter "
              "of M × M, it is M²T² / (T + M − 1)².");
  if (const double ops = flop_per_loaded_byte(problem, cost); ops > 0)
    value_row(
        "Per byte asked for", format_number(ops, 3) + " FLOP",
        "Multiplies and adds for each byte that the threads ask global memory for, inputs and weights, as if there "
        "were no cache. The book has 0.25 for weights in global memory and 0.5 with them in constant memory.");
  if (cost.tile_width > 0)
    value_row("Input tile",
              std::to_string(cost.tile_width) + " × " + std::to_string(cost.tile_height) + ", " +
                  format_binary_bytes(tile_bytes(problem.format, cost)),
              "The inputs that a block holds in shared memory at a time, with their halo if that is loaded too.");
  if (const double share = ghost_share(problem); share > 0)
    value_row(
        "Ghost cells", format_number(share * 100, 2) + " %",
        "How many of the products fall on ghost cells of the zero border, where there is nothing to load or to add.");
  if (cost.diverging_warps > 0)
    value_row("Diverging warps", format_number(cost.diverging_warps * 100, 2) + " %",
              "The warps whose threads do not all do the same: some meet ghost cells or the tile's edge where their "
              "neighbours "
              "do not, or lie beyond the edge of the picture.");
  if (cost.weight_loads_per_output > 0)
    value_row("Weight loads", format_number(cost.weight_loads_per_output, 4),
              "How many weights are loaded from global memory for each output. Constant memory gives one to a whole "
              "warp at once and needs no such load.");
  if (cost.shared_loads_per_output > 0)
    value_row("Shared loads", format_number(cost.shared_loads_per_output, 4),
              "How many elements are read from shared memory for each output.");
  value_row(pixels ? "Stores per pixel" : "Stores per value", format_number(cost.global_stores_per_output, 3),
            "How many elements are stored to global memory for each output, intermediates included.");
  value_row("Arithmetic", format_si(cost.flop, "FLOP"), "The multiplies and adds for one frame.");
  value_row("DRAM traffic", format_si(cost.dram_bytes, "B"),
            "How much DRAM must move for one frame if the caches are perfect.");
  value_row("Intensity", format_number(cost.intensity(), 3) + " FLOP/B",
            "FLOP per byte from DRAM. If it is high, arithmetic is the limit; if it is low, memory is.");
}

void draw_tile_table(const Cost& cost, const Problem& problem) {
  const Filter& f = problem.filter;
  if (f.is_bank() || f.depth != 1 || f.width < 2) return;
  const bool row = f.height == 1;
  if (!row && f.width != f.height) return;
  const int own_width = cost.tile_width - 2 * f.rx(), own_height = cost.tile_height - 2 * f.ry();
  const int own = cost.tile_width > 0 && (row || own_width == own_height) ? own_width : 0;
  std::vector<int> sides(tiles_of_table.begin(), tiles_of_table.end());
  if (row) sides.assign(blocks_of_table.begin(), blocks_of_table.end());
  if (own > 0 && std::ranges::find(sides, own) == sides.end()) sides.push_back(own);
  std::ranges::sort(sides);
  heading(row ? "BLOCKS OF B OUTPUTS  ·  how many times fewer loads" : "TILES OF T × T  ·  how many times fewer loads");
  const Theme& t = theme();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 from = ImGui::GetCursorScreenPos();
  const float room = ImGui::GetContentRegionAvail().x, line = font_size(Font::small) + px(5);
  const float cell = std::floor(room / static_cast<float>(sides.size() + 1));
  for (std::size_t i = 0; i <= sides.size(); ++i) {
    const bool limit = i == sides.size();
    const double value = limit ? largest_load_reduction(f) : tile_load_reduction(f, sides[i]);
    const ImVec2 at{from.x + cell * static_cast<float>(i), from.y};
    const bool lit = !limit && sides[i] == own;
    if (lit) list.AddRectFilled({at.x - px(4), at.y}, {at.x + cell - px(6), at.y + 2 * line}, t.accent_soft, px(3));
    draw_clipped(list, Font::small, {at.x, at.y + px(2)}, t.faint,
                 limit ? "limit" : (row ? "B = " : "T = ") + std::to_string(sides[i]), cell - px(4));
    draw_clipped(list, Font::small, {at.x, at.y + line + px(1)}, lit ? t.text : t.dim,
                 limit ? format_count(static_cast<long long>(value)) : format_number(value, 4), cell - px(4));
  }
  ImGui::Dummy({room, 2 * line});
  mark_area("tile-table", from, {from.x + room, from.y + 2 * line});
  tooltip(
      row ? "B (2n + 1) / (B + 2n) of an inner block; n is the radius. However large the block, it is less than "
            "2n + 1."
          : "M² T² / (T + M − 1)² of an inner tile; M is the filter's width. However large the tile, it is less than "
            "M².");
}

}  // namespace convoscope::ui
