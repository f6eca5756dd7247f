// The layer as a matrix product on every core. Idea: what each output needs becomes a column of an unrolled matrix,
// C/g·K² high; the bank times that matrix is the output. A worker unrolls a piece that stays in its cache, multiplies
// it and forgets it. To the input the columns are of dY and the bank is turned about; to the weights dY times the
// unrolled matrix is the gradient. Traffic: every input is copied K² times, from cache to cache; the product then loads
// each copy once for four maps. Limits: arithmetic, and the copies where there are few maps to use them.
#include <algorithm>

#include "kernels/contract/theory/model.h"
#include "kernels/contract/theory/tolerance.h"
#include "kernels/cpu/cpu_gemm.h"
#include "kernels/cpu/cpu_strips.h"
#include "kernels/kinds/layer.h"

namespace convoscope::cpu::layer::cpu_gemm {

namespace {

constexpr int most_columns = 256, most_terms = 256;  // of a piece of the unrolled matrix
constexpr int pitch = most_columns + gemm::slack;

int piece_count(const Shape& plane) { return (plane.height() * plane.width() + most_columns - 1) / most_columns; }

// The product's rows for every column, and the terms of each sum, in one group.
struct Sides {
  int rows, terms;
};
Sides sides_of(const LayerExtents& e, Pass pass) {
  const int taps = e.filter * e.filter;
  if (pass == Pass::to_input) return {e.group_channels(), e.group_maps() * taps};
  return {e.group_maps(), e.group_channels() * taps};
}

// A run of places of a plane, numbered along its rows.
struct Run {
  int first, count;
};

// Copies to to[0 … count-1] what column(x) finds in the row for x, x + 1, …: neighbours, with zeros before and after.
template <class Column>
void copy_neighbours(int x, int count, const float* row, Column column, float* to) {
  int first = 0, end = count;
  while (first < end && column(x + first) < 0) ++first;
  while (first < end && column(x + end - 1) < 0) --end;
  std::fill_n(to, first, 0.0f);
  if (first < end) std::copy_n(row + column(x + first), end - first, to + first);
  std::fill_n(to + end, count - end, 0.0f);
}

// Copies to to[0 … count-1] what source(y) and column(x) find for the places of the run; zeros where either finds none.
template <class Source, class Column>
void unroll(Run run, int width, bool neighbours_stay, Source source, Column column, float* to) {
  while (run.count > 0) {
    const int y = run.first / width, x = run.first % width, count = std::min(width - x, run.count);
    const float* row = source(y);
    if (!row)
      std::fill_n(to, count, 0.0f);
    else if (neighbours_stay)
      copy_neighbours(x, count, row, column, to);
    else
      for (int k = 0; k < count; ++k) to[k] = column(x + k) < 0 ? 0.0f : row[column(x + k)];
    run = {run.first + count, run.count - count};
    to += count;
  }
}

class GemmPlan final : public Plan {
 public:
  GemmPlan(const Problem& problem, const Tuned& tuning)
      : pass_(problem.layer.pass),
        e_(layer_extents(problem)),
        sides_(sides_of(e_, pass_)),
        workers_(worker_count(tuning)) {
    const std::size_t bank = static_cast<std::size_t>(e_.maps) * static_cast<std::size_t>(e_.group_channels()) *
                             static_cast<std::size_t>(e_.filter * e_.filter);
    const Shape out = layer_kind.outputs(problem)[0], dy = layer_kind.inputs(problem).back();
    pieces_ = piece_count(pass_ == Pass::to_weights ? dy : out);
    const int all = e_.samples * pieces_;
    slices_ = std::clamp((4 * workers_ + e_.channels - 1) / e_.channels, 1, all);
    if (pass_ == Pass::to_weights) partial_.assign(bank * static_cast<std::size_t>(slices_), 0.0f);
    for (int i = 0; i < workers_; ++i) {
      Scratch& scratch = scratch_.emplace_back();
      scratch.unrolled.resize(static_cast<std::size_t>(std::min(sides_.terms, most_terms)) * pitch);
      scratch.sums.resize(static_cast<std::size_t>(sides_.rows) * pitch);
    }
    set_filter(problem.filter);
  }

  void set_filter(const Filter& filter) override {
    biases_ = filter.biases;
    relu_ = filter.relu;
    bank_ = filter.weights;
    if (pass_ != Pass::to_input) return;
    const int taps = e_.filter * e_.filter;  // to [channel][map of its group][tap]
    float* to = bank_.data();
    for (int c = 0; c < e_.channels; ++c)
      for (int m = e_.first_map(c); m < e_.first_map(c) + e_.group_maps(); ++m)
        to = std::copy_n(filter.weights.data() + e_.weight_index(m, c, 0, 0), taps, to);
  }
  void prepare(Stream) override {}
  void enqueue(std::span<const Tensor> in, std::span<const Tensor> out, Stream) override {
    if (pass_ == Pass::to_weights) {
      parallel_for(e_.channels * slices_, workers_,
                   [&](int i, int worker) { add_gradient(i / slices_, i % slices_, scratch_[worker], in); });
      return add_slices(out[0]);
    }
    parallel_for(e_.samples * e_.groups * pieces_, workers_, [&](int i, int worker) {
      multiply(i / pieces_ / e_.groups, i / pieces_ % e_.groups, i % pieces_, scratch_[worker], in[0], out[0]);
    });
  }

 private:
  struct Scratch {
    std::vector<float> unrolled, sums;  // terms and the product's rows, each `pitch` floats
  };

  static Run run_of(int piece, int places) {
    const int first = piece * most_columns;
    return {first, std::min(most_columns, places - first)};
  }

  // What the tap (i, j) meets in channel c of X for a run of outputs.
  void unroll_outputs(const Tensor& x, int n, int c, int i, int j, Run run, float* to) const {
    unroll(
        run, e_.out_width, e_.stride == 1,
        [&](int ho) {
          const int hi = e_.input_index(ho, i);
          return hi < 0 || hi >= e_.height ? nullptr : row_of<const float>(x, n, c, hi);
        },
        [&](int wo) {
          const int wi = e_.input_index(wo, j);
          return wi < e_.width ? wi : -1;
        },
        to);
  }
  // Which output of map m a run of inputs met by the tap (i, j).
  void unroll_inputs(const Tensor& dy, int n, int m, int i, int j, Run run, float* to) const {
    unroll(
        run, e_.width, e_.stride == 1,
        [&](int hi) {
          const int ho = e_.output_index(hi, i, e_.out_height);
          return ho < 0 ? nullptr : row_of<const float>(dy, n, m, ho);
        },
        [&](int wi) { return e_.output_index(wi, j, e_.out_width); }, to);
  }
  void unroll_term(const Tensor& in, int n, int group, int term, Run run, float* to) const {
    const int taps = e_.filter * e_.filter, plane = term / taps, i = term % taps / e_.filter, j = term % e_.filter;
    if (pass_ == Pass::to_input)
      unroll_inputs(in, n, group * e_.group_maps() + plane, i, j, run, to);
    else
      unroll_outputs(in, n, group * e_.group_channels() + plane, i, j, run, to);
  }

  void multiply(int n, int group, int piece, Scratch& scratch, const Tensor& in, const Tensor& out) const {
    const Run run = run_of(piece, out.shape.height() * out.shape.width());
    const gemm::Matrix unrolled{scratch.unrolled.data(), pitch}, sums{scratch.sums.data(), pitch};
    std::ranges::fill(scratch.sums, 0.0f);
    const float* bank = bank_.data() + static_cast<std::size_t>(group) * sides_.rows * sides_.terms;
    for (int first = 0; first < sides_.terms && !stop_requested(); first += most_terms) {
      const int terms = std::min(most_terms, sides_.terms - first);
      for (int t = 0; t < terms; ++t) unroll_term(in, n, group, first + t, run, unrolled.row(t));
      gemm::add_product(bank + first, sides_.terms, sides_.rows, terms, unrolled, sums, run.count);
    }
    for (int r = 0; r < sides_.rows; ++r) store(out, n, group * sides_.rows + r, run, sums.row(r));
  }
  void store(const Tensor& out, int n, int plane, Run run, float* sums) const {
    if (pass_ == Pass::forward) {
      const float bias = biases_.empty() ? 0.0f : biases_[static_cast<std::size_t>(plane)];
      for (int k = 0; k < run.count; ++k) sums[k] = relu_ ? std::max(sums[k] + bias, 0.0f) : sums[k] + bias;
    }
    const int width = out.shape.width();
    while (run.count > 0) {
      const int y = run.first / width, x = run.first % width, count = std::min(width - x, run.count);
      std::copy_n(sums, count, row_of<float>(out, n, plane, y) + x);
      run = {run.first + count, run.count - count};
      sums += count;
    }
  }

  // A slice of all samples' outputs, for the weights that channel c has in the maps of its group.
  void add_gradient(int c, int slice, Scratch& scratch, std::span<const Tensor> in) {
    const int taps = e_.filter * e_.filter, first_map = e_.first_map(c), all = e_.samples * pieces_;
    const auto bank = partial_.size() / static_cast<std::size_t>(slices_);
    float* const sums = partial_.data() + static_cast<std::size_t>(slice) * bank;
    const auto row_of_map = [&](int m) { return sums + e_.weight_index(m, c, 0, 0); };
    for (int m = first_map; m < first_map + e_.group_maps(); ++m) std::fill_n(row_of_map(m), taps, 0.0f);
    const auto begin = [&](int s) { return static_cast<int>(static_cast<long>(all) * s / slices_); };
    for (int piece = begin(slice); piece < begin(slice + 1) && !stop_requested(); ++piece) {
      const int n = piece / pieces_;
      const Run run = run_of(piece % pieces_, e_.out_height * e_.out_width);
      const gemm::Matrix gradients{scratch.sums.data(), pitch}, unrolled{scratch.unrolled.data(), pitch};
      for (int r = 0; r < e_.group_maps(); ++r) {
        unroll(
            run, e_.out_width, true, [&](int ho) { return row_of<const float>(in[1], n, first_map + r, ho); },
            [](int wo) { return wo; }, gradients.row(r));
        std::fill_n(gradients.row(r) + run.count, gemm::slack, 0.0f);
      }
      for (int first = 0; first < taps; first += most_terms) {
        const int terms = std::min(most_terms, taps - first);
        for (int t = 0; t < terms; ++t) {
          unroll_outputs(in[0], n, c, (first + t) / e_.filter, (first + t) % e_.filter, run, unrolled.row(t));
          std::fill_n(unrolled.row(t) + run.count, gemm::slack, 0.0f);
        }
        gemm::add_product_of_rows(gradients, e_.group_maps(), unrolled, terms, run.count, row_of_map(first_map) + first,
                                  sides_.terms);
      }
    }
  }
  void add_slices(const Tensor& df) const {
    const auto bank = partial_.size() / static_cast<std::size_t>(slices_);
    std::size_t weight = 0;
    for (int m = 0; m < e_.maps; ++m)
      for (int c = 0; c < e_.group_channels(); ++c)
        for (int i = 0; i < e_.filter; ++i)
          for (int j = 0; j < e_.filter; ++j, ++weight) {
            float sum = 0;
            for (int s = 0; s < slices_; ++s) sum += partial_[static_cast<std::size_t>(s) * bank + weight];
            row_of<float>(df, m, c, i)[j] = sum;
          }
  }

  const Pass pass_;
  const LayerExtents e_;
  const Sides sides_;
  const int workers_;
  int pieces_ = 0;  // of a plane
  int slices_ =
      1;  // to the weights: into which the pieces are dealt out, where channels alone are too few for all cores
  std::vector<float> bank_, biases_, partial_;
  bool relu_ = false;
  std::vector<Scratch> scratch_;  // one for each worker
};

// To the weights a product passes those of its piece, then the pieces of its slice, then the slices.
int roundings(const Problem& p) {
  if (p.layer.pass != Pass::to_weights) return layer_roundings(p);
  const Shape dy = layer_kind.inputs(p)[1];
  return std::min(most_columns, dy.height() * dy.width()) + dy.samples() * piece_count(dy) + 1;
}

constexpr Tunable tunables[] = {threads_tunable};

Explanation explain(const Problem& p, const Device&, const Tuned& t, const OutputIndex& at) {
  const LayerExtents e = layer_extents(p);
  const Sides sides = sides_of(e, p.layer.pass);
  const std::string workers = std::to_string(worker_count(t)) + " threads";
  if (p.layer.pass == Pass::to_weights)
    return {.steps = {}, .words = "The outputs' products are dealt out to " + workers + ", whose sums are then added."};
  const Shape out = layer_kind.outputs(p)[0];
  const int column = at.y * out.width() + at.x, piece = column / most_columns;
  const MatrixProduct product{.rows = sides.rows,
                              .depth = sides.terms,
                              .columns = out.height() * out.width(),
                              .row = at.channel % sides.rows,
                              .column = column,
                              .tile = {piece * most_columns, 0, most_columns, sides.rows}};
  return {.steps = {},
          .words = "The output is in column " + std::to_string(column) + " of the unrolled matrix, which is in piece " +
                   std::to_string(piece + 1) + " of " + std::to_string(piece_count(out)) + ", and row " +
                   std::to_string(product.row) + " of the bank meets it there: " + std::to_string(sides.terms) +
                   " products. Which one of " + workers + " unrolls and multiplies a piece is left to chance.",
          .launches_before = 0,
          .product = product};
}

}  // namespace

extern const Strategy strategy{
    .id = "cpu-gemm",
    .title = "A matrix product on all cores",
    .idea =
        "What each output needs becomes a column of an unrolled matrix; the bank times the matrix is the output. It is "
        "unrolled and multiplied piece by piece, so that no piece leaves the core's own cache.",
    .reading = "PMPP 4th ed., ch. 16.4; Chellapilla 2006",
    .backend = Backend::cpu,
    .tunables = tunables,
    .tolerance = [](const Problem& p) { return float32_sum_bound(p, roundings(p)); },
    .refuses = [](const Problem& p, const Device&, const Tuned&) { return float_planes_reason(p); },
    .plans = plan_of<GemmPlan>,
    .costs =
        [](const Problem& p, const Tuned&) {
          Cost cost = direct_cost(p);  // each load fills the unrolled matrix once for all rows of the product
          cost.global_loads_per_output /= sides_of(layer_extents(p), p.layer.pass).rows;
          return cost;
        },
    .explains = explain,
    .kind = &layer_kind,
};

}  // namespace convoscope::cpu::layer::cpu_gemm
