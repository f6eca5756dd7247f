#include "kernels/own/hypotheses.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "kernels/contract/theory/tolerance.h"

namespace convoscope::own {
namespace {

// The input again, in rows of `pitch` bytes, with what else lies in them.
struct Input {
  Input(const Asked& asked, std::size_t pitch)
      : bytes(pitch * static_cast<std::size_t>(asked.problem.height) + 64, 0xFF),
        image{bytes.data(), asked.problem.width, asked.problem.height, pitch, asked.problem.format} {
    fill_input(image, asked.seed);
    for (std::size_t i = 0; i < asked.input.size(); ++i)
      row_of<float>(image, static_cast<int>(i) / image.width)[static_cast<int>(i) % image.width] = asked.input[i];
  }
  std::vector<unsigned char> bytes;
  Image image;
};

class Trials {
 public:
  Trials(const Asked& asked, const Outputs& outputs)
      : asked_(asked), problem_(asked.problem), outputs_(outputs), input_(asked, row_pitch(asked)) {}

  std::string story() {
    if (const std::string story = of_alpha(); !story.empty() || outputs_match(outputs_.expected)) return story;
    if (const std::string story = of_values(); !story.empty()) return story;
    if (const std::string story = of_filter(); !story.empty()) return story;
    if (const std::string story = of_border(); !story.empty()) return story;
    if (const std::string story = of_input(); !story.empty()) return story;
    return of_precision();
  }

 private:
  static std::size_t row_pitch(const Asked& asked) {
    return static_cast<std::size_t>(asked.problem.width) * 4 + 4 * static_cast<std::size_t>(1 + asked.seed % 5);
  }
  bool rounds() const { return problem_.format == PixelFormat::rgba8; }

  // Nearly all, so that a fault which is not alone is found as well; but more than would by chance.
  bool outputs_match(const std::vector<double>& expected, double slack = 0) const {
    std::size_t same = 0;
    const double allowed = outputs_.tolerance + (rounds() ? 0.5 : 0) + slack;
    for (std::size_t i = 0; i < expected.size(); ++i) same += std::abs(outputs_.seen[i] - expected[i]) <= allowed;
    return same >= expected.size() - expected.size() / 100;
  }
  std::vector<double> result(const Problem& problem, const Image& image) const {
    const Tensor in = tensor_of_rows(image.data, problem.kind->inputs(problem)[0], image.pitch);
    return problem.kind->reference(problem, {&in, 1});
  }
  bool with(const std::function<void(Problem&)>& change) const {
    Problem problem = problem_;
    change(problem);
    return outputs_match(result(problem, input_.image));
  }
  bool with_filter(const std::function<void(Filter&)>& change) const {
    return with([&](Problem& p) {
      change(p.filter);
      if (p.filter == problem_.filter) p.filter.bias += 1e6f;  // it says nothing: no match
    });
  }

  std::string of_alpha() const {
    const auto& seen = outputs_.alpha_seen;
    if (seen == outputs_.alpha_expected) return {};
    if (!outputs_match(outputs_.expected)) return {};
    const bool one_value = std::ranges::all_of(seen, [&](int alpha) { return alpha == seen[0]; });
    return "Alpha is forgotten: the colours are right, but alpha is " +
           (one_value && seen.size() > 1 ? "always " + std::to_string(seen[0]) : std::string("something else")) +
           " instead of that of the pixel in the middle.";
  }

  std::string of_values() const {
    const std::vector<double>& seen = outputs_.seen;
    if (std::ranges::all_of(seen, [&](double v) { return v == seen[0]; }) && seen.size() > 3)
      return "Every output is the same, whatever the input is.";
    std::vector<double> copy;
    for (int y = 0; y < input_.image.height; ++y)
      for (int x = 0; x < input_.image.width; ++x)
        for (int c = 0; c < channels(problem_.format); ++c)
          copy.push_back(rounds() ? row_of<unsigned char>(input_.image, y)[4 * x + c]
                                  : row_of<float>(input_.image, y)[x]);
    if (outputs_match(copy)) return "The output is a copy of the input: nothing is filtered.";
    if (!rounds()) return {};
    std::vector<double> cut;
    for (const double value : outputs_.expected) cut.push_back(std::floor(value));
    const bool is_cut = std::ranges::equal(cut, seen, [&](double a, double b) { return std::abs(a - b) < 0.01; });
    if (is_cut) return "The rounding is wrong: results are cut off instead of rounded to the nearest code value.";
    bool wraps = true;
    for (std::size_t i = 0; i < seen.size(); ++i) {
      const bool inside = outputs_.expected[i] > 0 && outputs_.expected[i] < 255;
      wraps &= !inside || std::abs(seen[i] - outputs_.expected[i]) <= outputs_.tolerance + 0.5;
    }
    if (wraps) return "Values below 0 or above 255 are not clamped: only outputs there are wrong.";
    return {};
  }

  std::string of_filter() const {
    const auto both = [](Filter& f, auto change) {
      change(f.weights);
      if (f.is_magnitude()) change(f.weights_y);
    };
    if (with_filter([&](Filter& f) { both(f, [](auto& w) { std::ranges::reverse(w); }); }))
      return "The weights are flipped: filtering here is correlation, so the first weight meets the first pixel.";
    if (with_filter([](Filter& f) { f.bias = 0; })) return "The bias is missing.";
    if (with_filter([this](Filter& f) { f.bias /= white_level(problem_.format); }))
      return "The bias is wrong: it is in the unit of pixels, 255 for white in rgba8, as the epilogue has it.";
    if (with_filter([](Filter& f) { f.bias *= f.gain; })) return "The bias is wrong: it is added before the gain.";
    if (with_filter([](Filter& f) { f.bias = -f.bias; })) return "The bias is wrong: it has the opposite sign.";
    if (with_filter([](Filter& f) { f.gain = 1; })) return "The gain is missing.";
    if (with_filter([](Filter& f) { f.absolute = !f.absolute; })) return "The absolute value is missing.";
    if (with_filter([](Filter& f) { f.gain = 1, f.bias = 0, f.absolute = false; }))
      return "The epilogue is missing: gain, bias and absolute value.";
    if (with_filter([](Filter& f) { f.weights_y.clear(); }))
      return "Of an edge magnitude only the first set of weights is summed.";
    if (with_filter([&](Filter& f) { both(f, [&](auto& w) { w = swapped(w, f); }); }))
      return "Rows and columns of the weights are swapped.";
    for (const auto& [words, first, column] :
         {std::tuple{"first", true, true}, {"last", false, true}, {"first", true, false}, {"last", false, false}})
      if (with_filter([&](Filter& f) { both(f, [&](auto& w) { leave_out(w, f, first, column); }); }))
        return std::string("The ") + words + (column ? " column" : " row") +
               " of the filter is left out: a loop over the taps ends one too early or begins one too late.";
    return {};
  }
  static std::vector<float> swapped(const std::vector<float>& w, const Filter& f) {
    std::vector<float> made = w;
    for (int y = 0; y < f.height; ++y)
      for (int x = 0; x < f.width; ++x) {
        const auto from = static_cast<std::size_t>(x * f.height + y);
        if (from < w.size()) made[static_cast<std::size_t>(y * f.width + x)] = w[from];
      }
    return made;
  }
  static void leave_out(std::vector<float>& w, const Filter& f, bool first, bool column) {
    for (int y = 0; y < f.height; ++y)
      for (int x = 0; x < f.width; ++x) {
        const int place = column ? x : y, last = (column ? f.width : f.height) - 1;
        if (place == (first ? 0 : last) && last > 0) w[static_cast<std::size_t>(y * f.width + x)] = 0;
      }
  }

  std::string of_border() const {
    for (const Border border : problem_.kind->borders)
      if (border != problem_.border && with([&](Problem& p) { p.border = border; }))
        return "The border is wrong: it does what " + std::string(to_string(border)) + " says, and " +
               std::string(to_string(problem_.border)) + " was asked for.";
    return {};
  }

  std::string of_input() const {
    // As if rows were as far apart as they are wide.
    Image dense = input_.image;
    dense.pitch = static_cast<std::size_t>(dense.width) * 4;
    if (dense.height > 1 && outputs_match(result(problem_, dense)))
      return "The width is taken for the pitch: rows of the input are further apart than they are wide.";
    for (const auto& [dx, dy] : {std::pair{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, -1}})
      if (outputs_match(moved(dx, dy)))
        return "Everything is shifted by (" + std::to_string(dx) + ", " + std::to_string(dy) +
               "): the filter's centre is not where the output is.";
    return {};
  }
  // Outputs of the neighbours; at the edge, where there is none, the seen ones.
  std::vector<double> moved(int dx, int dy) const {
    std::vector<double> made = outputs_.seen;
    const int depth = channels(problem_.format);
    for (int y = 0; y < problem_.height; ++y)
      for (int x = 0; x < problem_.width; ++x) {
        const int fx = x + dx, fy = y + dy;
        if (fx < 0 || fy < 0 || fx >= problem_.width || fy >= problem_.height) continue;
        for (int c = 0; c < depth; ++c)
          made[static_cast<std::size_t>((y * problem_.width + x) * depth + c)] =
              outputs_.expected[static_cast<std::size_t>((fy * problem_.width + fx) * depth + c)];
      }
    if (problem_.width < 8 || problem_.height < 4) made.assign(made.size(), 1e9);
    return made;
  }

  // Sums of pixels or weights that have 11 bits are off by up to 2^-11 of each term.
  std::string of_precision() const {
    if (rounds()) return {};
    double sum = 0;
    for (const float w : problem_.filter.weights) sum += std::abs(static_cast<double>(w));
    const double half = 4 * 0x1p-11 *
                        (sum * std::abs(static_cast<double>(problem_.filter.gain)) +
                         std::abs(static_cast<double>(problem_.filter.bias)));
    double worst = 0;
    for (std::size_t i = 0; i < outputs_.seen.size(); ++i) {
      if (!std::isfinite(outputs_.seen[i])) return {};
      worst = std::max(worst, std::abs(outputs_.seen[i] - outputs_.expected[i]));
    }
    if (!(worst <= half)) return {};
    return "Every output is nearly right, but further off than float32 rounds: it computes in lower precision.";
  }

  const Asked& asked_;
  const Problem& problem_;
  const Outputs& outputs_;
  Input input_;
};

}  // namespace

std::string story_of_hypotheses(const Asked& asked, const Outputs& outputs) { return Trials(asked, outputs).story(); }

}  // namespace convoscope::own
