// Weight × input = product, cell by cell or the largest of them.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

#include "app/ui/explain/parts.h"
#include "app/ui/explain/window.h"
#include "app/ui/parts/format.h"
#include "app/ui/parts/widgets.h"

namespace convoscope::ui {
namespace {

constexpr int widest_grid = 7;          // filters up to this are shown cell by cell
constexpr std::size_t most_grids = 9;   // of so many planes
constexpr std::size_t most_terms = 12;  // else the largest ones

bool is_exact(const std::string& text, double value) { return text == explained_number(value, 12); }

// Returns whether a product is rounded.
bool draw_grid(std::span<const ExplainedTerm> terms, int columns, int rows) {
  bool rounded = false;
  const Theme& t = theme();
  const float width = std::min(std::floor(ImGui::GetContentRegionAvail().x / static_cast<float>(columns)), px(64));
  const float height = px(46);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  double largest = 1e-30;
  for (const ExplainedTerm& term : terms) largest = std::max(largest, std::abs(term.product()));
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const ExplainedTerm& term = terms[i];
    const float x = at.x + width * static_cast<float>(i % static_cast<std::size_t>(columns));
    const float y = at.y + height * static_cast<float>(i / static_cast<std::size_t>(columns));
    const ImVec2 from{x + 1, y + 1}, to{x + width - 1, y + height - 1};
    const float strength = static_cast<float>(std::abs(term.product()) / largest);
    list.AddRectFilled(from, to, t.field, px(3));
    list.AddRectFilled(from, to, with_alpha(term.product() < 0 ? t.negative : t.accent, 0.30f * strength), px(3));
    if (term.outside) list.AddRect(from, to, with_alpha(explain_inks().ghost, 0.8f), px(3));
    list.PushClipRect(from, to, true);
    const auto centred = [&](Font face, float down, ImU32 ink, const std::string& text) {
      draw_text(list, face, {std::round((from.x + to.x - text_size(face, text).x) / 2), y + px(down)}, ink, text);
    };
    centred(Font::small, 3, t.dim, format_weight(term.weight, 4));
    // With as many figures as the tile has room for.
    const auto fitting = [&](Font face, const char* before, double value) {
      std::string text;
      for (int figures = 4; figures > 0; --figures) {
        text = before + explained_number(value, figures);
        if (text_size(face, text).x <= to.x - from.x - px(4)) break;
      }
      return text;
    };
    centred(Font::small, 15, t.dim, fitting(Font::small, "× ", term.input));
    const std::string product = fitting(Font::body, "", term.product());
    rounded |= !is_exact(product, term.product());
    centred(Font::body, 27, t.text, product);
    list.PopClipRect();
  }
  ImGui::Dummy({width * static_cast<float>(columns), height * static_cast<float>(rows)});
  return rounded;
}

DrawnTerms draw_largest(const PixelExplanation& explained, const std::vector<ExplainedTerm>& terms) {
  std::vector<std::size_t> order(terms.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::size_t shown = std::min(most_terms, terms.size());
  // Of equal ones those above first, then those on the left, then frame by frame; of zeros, which on black all are,
  // those of the largest weights.
  std::ranges::partial_sort(order, order.begin() + static_cast<std::ptrdiff_t>(shown), {}, [&](std::size_t i) {
    const ExplainedTerm& term = terms[i];
    const double weight = term.product() == 0 ? std::abs(term.weight) : 0;
    return std::tuple(-std::abs(term.product()), -weight, term.dy, term.dx, term.plane);
  });
  double rest = 0;
  for (std::size_t i = shown; i < order.size(); ++i) rest += terms[order[i]].product();
  heading("THE LARGEST TERMS");
  std::vector<std::string> labels;
  float widest = 0;
  for (std::size_t i = 0; i < shown; ++i) {
    const ExplainedTerm& term = terms[order[i]];
    const std::string plane = plane_name(explained, term.plane);
    labels.push_back(format_offset(term.dx, term.dy) + (plane.empty() ? "" : "  " + plane));
    widest = std::max(widest, ImGui::CalcTextSize(labels.back().c_str()).x);
  }
  widest += px(6);  // a product is not taken for a part of its place
  bool rounded = order.size() > shown && !is_exact(explained_number(rest), rest);
  for (std::size_t i = 0; i < shown; ++i) {
    const ExplainedTerm& term = terms[order[i]];
    const std::string product = explained_number(term.product());
    rounded |= !is_exact(product, term.product());
    value_row(labels[i].c_str(),
              format_weight(term.weight, 5) + " × " + explained_number(term.input) + " = " + product +
                  (term.outside ? "   ghost cell" : ""),
              {}, widest);
  }
  if (order.size() > shown)
    value_row("all others",
              format_count(static_cast<std::int64_t>(order.size() - shown)) + " terms: " + explained_number(rest), {},
              widest);
  return {widest, rounded};
}

}  // namespace

std::string explained_number(double value, int figures) {
  std::string text = format_number(value, figures);
  if (const std::size_t exponent = text.find("e-0"); exponent != std::string::npos) text.erase(exponent + 2, 1);
  return with_minus(std::move(text));  // "3e−5", as weights have it
}

DrawnTerms draw_explained_terms(const PixelExplanation& explained, const std::vector<ExplainedTerm>& terms) {
  const Filter& filter = explained.problem->filter;
  const std::size_t taps = static_cast<std::size_t>(filter.width) * static_cast<std::size_t>(filter.height);
  if (filter.width > widest_grid || filter.height > widest_grid || terms.size() > most_grids * taps)
    return draw_largest(explained, terms);
  DrawnTerms drawn;
  for (std::size_t first = 0; first + taps <= terms.size(); first += taps) {
    if (const std::string plane = plane_name(explained, terms[first].plane); !plane.empty()) {
      push_font(Font::small);
      text_coloured(theme().dim, plane);
      pop_font();
    }
    drawn.rounded |= draw_grid(std::span(terms).subspan(first, taps), filter.width, filter.height);
  }
  return drawn;
}

}  // namespace convoscope::ui
