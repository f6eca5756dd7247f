#pragma once
// Parts of the sheet of an explained output.
#include "app/state/settings.h"
#include "app/state/stats.h"
#include "app/ui/explain/sum.h"

namespace convoscope::ui {

// Of each plane of the inputs a small grid: what the block reads, and lit in it what goes into the output. Mark
// "story-planes", and "story-plane/0" and so on for each.
void draw_explained_planes(const PixelExplanation&, const ExplainedSum&);
// F · U = Y with the row and the column that meet, and how much larger U is than the input. Mark "story-product".
void draw_explained_product(const PixelExplanation&, const ExplainedSum&);
// Ghost cells, loads of the block, uses of an input: counted, for any output. Two switches draw them on the picture.
void draw_explained_counts(const PixelExplanation&, InspectSettings&);
// The same U written out, where every input is at hand and all numbers have room. Mark "story-unrolled".
void draw_unrolled_matrix(const PixelExplanation&);
// Weight × input = product: all terms, or the largest.
struct DrawnTerms {
  float labels = 0;      // so wide that the values of rows below are flush with its own; 0: it has no such rows
  bool rounded = false;  // some of the products: added up as they are read, they are not the sum
};
DrawnTerms draw_explained_terms(const PixelExplanation&, const std::vector<ExplainedTerm>&);

std::string explained_number(double, int figures = 4);

}  // namespace convoscope::ui
