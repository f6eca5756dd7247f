// The product of matrices that an explained output is an element of, as a strip.
#include <algorithm>
#include <cmath>

#include "app/ui/explain/parts.h"
#include "app/ui/explain/window.h"
#include "app/ui/parts/format.h"
#include "app/ui/parts/widgets.h"
#include "kernels/contract/data/layer.h"

namespace convoscope::ui {
namespace {

constexpr float cell_side = 8, lowest = 16, narrowest = 64, longest_rows = 72, longest_depth = 108;

// One of the three matrices on screen.
struct Matrix {
  const char* name;
  int rows, columns;
  ImVec2 at, size;

  ImVec2 corner(int row, int column) const {
    return {std::round(at.x + size.x * static_cast<float>(column) / static_cast<float>(columns)),
            std::round(at.y + size.y * static_cast<float>(row) / static_cast<float>(rows))};
  }
  // At least two pixels of it are seen. `area`: x counts columns.
  void fill(ImDrawList& list, const PixelArea& area, ImU32 ink) const {
    const PixelArea inside = clipped(area, columns, rows);
    if (inside.empty()) return;
    ImVec2 from = corner(inside.y, inside.x), to = corner(inside.y + inside.height, inside.x + inside.width);
    to = {std::max(to.x, from.x + 2), std::max(to.y, from.y + 2)};
    const ImVec2 over{std::max(to.x - at.x - size.x, 0.0f), std::max(to.y - at.y - size.y, 0.0f)};
    list.AddRectFilled({from.x - over.x, from.y - over.y}, {to.x - over.x, to.y - over.y}, ink);
  }
  void draw(ImDrawList& list) const {
    const Theme& t = theme();
    if (size.x / static_cast<float>(columns) >= px(4))
      for (int i = 1; i < columns; ++i) list.AddLine(corner(0, i), corner(rows, i), with_alpha(t.panel, 0.8f));
    if (size.y / static_cast<float>(rows) >= px(4))
      for (int i = 1; i < rows; ++i) list.AddLine(corner(i, 0), corner(i, columns), with_alpha(t.panel, 0.8f));
    list.AddRect(at, {at.x + size.x, at.y + size.y}, t.line);
  }
};

// Of so many cells, on screen; whatever they are, the names below have room.
float length(int count, float least, float most) {
  return std::clamp(static_cast<float>(count) * px(cell_side), px(least), std::max(px(least), most));
}

// The row of F by its weights and the column of U by its inputs, where each has a cell of its own.
void shade_terms(ImDrawList& list, const Matrix& f, const Matrix& u, const MatrixProduct& product,
                 const std::vector<ExplainedTerm>& terms) {
  const Theme& t = theme();
  if (static_cast<int>(terms.size()) != product.depth || product.depth > 1024) return;
  double weight = 1e-30, input = 1e-30;
  for (const ExplainedTerm& term : terms) {
    weight = std::max(weight, std::abs(term.weight));
    if (std::isfinite(term.input)) input = std::max(input, std::abs(term.input));
  }
  const auto ink = [&](double value, double largest) {
    const auto share = static_cast<float>(std::isfinite(value) ? std::abs(value) / largest : 0);
    return mix(t.field, value < 0 ? t.negative : t.accent, 0.25f + 0.75f * share);
  };
  for (int k = 0; k < product.depth; ++k) {
    const ExplainedTerm& term = terms[static_cast<std::size_t>(k)];
    f.fill(list, {k, product.row, 1, 1}, ink(term.weight, weight));
    u.fill(list, {product.column, k, 1, 1}, ink(term.input, input));
  }
}

}  // namespace

void draw_explained_product(const PixelExplanation& explained, const ExplainedSum& sum) {
  if (!explained.explanation.product) return;
  const Theme& t = theme();
  const MatrixProduct& product = *explained.explanation.product;
  const auto& [rows, depth, columns, row, column, tile] = product;
  if (rows < 1 || depth < 1 || columns < 1) return;
  heading("F · U = Y");
  const float room = ImGui::GetContentRegionAvail().x, sign = px(18), line = px(17);
  const float down = length(rows, lowest, px(longest_rows)), deep = length(depth, narrowest, px(longest_depth));
  const float across = length(columns, narrowest, (room - deep - 2 * sign) / 2);
  const float height = std::max(down, deep);
  const ImVec2 from = ImGui::GetCursorScreenPos();
  const float u_from = from.x + deep + sign, y_from = u_from + across + sign;
  const Matrix f{"F", rows, depth, {from.x, from.y + std::floor((height - down) / 2)}, {deep, down}};
  const Matrix u{"U", depth, columns, {u_from, from.y + std::floor((height - deep) / 2)}, {across, deep}};
  const Matrix y{"Y", rows, columns, {y_from, f.at.y}, {across, down}};

  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ExplainInks inks = explain_inks();
  for (const Matrix* const matrix : {&f, &u, &y}) {
    const ImVec2 to{matrix->at.x + matrix->size.x, matrix->at.y + matrix->size.y};
    list.AddRectFilled(matrix->at, to, t.field);
  }
  const ImU32 of_block = mix(t.field, inks.halo, 0.40f);
  f.fill(list, {0, tile.y, depth, tile.height}, of_block);
  u.fill(list, {tile.x, 0, tile.width, depth}, of_block);
  y.fill(list, tile, of_block);
  f.fill(list, {0, row, depth, 1}, inks.block);
  u.fill(list, {column, 0, 1, depth}, inks.block);
  shade_terms(list, f, u, product, sum.terms);
  y.fill(list, {column, row, 1, 1}, inks.block);
  for (const Matrix* const matrix : {&f, &u, &y}) {
    matrix->draw(list);
    draw_clipped(list, Font::small, {matrix->at.x, from.y + height + px(2)}, t.dim,
                 matrix->name + (" " + std::to_string(matrix->rows) + " × " + format_count(matrix->columns)),
                 matrix->size.x + sign - px(2));
  }
  const float middle = from.y + height / 2 - px(8);
  draw_text(list, Font::body, {from.x + deep + px(6), middle}, t.dim, "·");
  draw_text(list, Font::body, {u_from + across + px(5), middle}, t.dim, "=");
  const ImVec2 size{y_from + across - from.x, height + line};
  mark_area("story-product", from, {from.x + size.x, from.y + size.y});
  ImGui::Dummy(size);

  value_row("Row and column", std::to_string(row) + " of F, " + std::to_string(column) + " of U",
            "Their products, one for each channel and tap, add up to the output where they meet in Y. Shaded: the rows "
            "and columns that are multiplied at the same time.");
  const Problem& p = *explained.problem;
  const LayerExtents e = layer_extents(p);
  const std::int64_t input = std::int64_t{e.channels} * e.height * e.width,
                     unrolled = std::int64_t{e.channels} * e.filter * e.filter * e.out_height * e.out_width;
  value_row(
      "Expansion",
      format_count(unrolled) + " / " + format_count(input) + " = " + format_number(unrolled_expansion(p), 3) + " ×",
      "The unrolled input U has a column of C · K² elements for each place of a feature map; the input has C for "
      "each of its own. Where U is stored, it takes so many times the input's memory.");
}

}  // namespace convoscope::ui
