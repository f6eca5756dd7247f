#include "app/cli/commands/one_output.h"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "kernels/contract/kind.h"
#include "kernels/contract/theory/model.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t most_terms_said = 32;

std::string number(double value) { return rounded_text(value, 6); }
std::string count(double value) { return with_commas(number_text(value)); }

class Terms {
 public:
  Terms(const Problem& problem, const std::vector<std::vector<float>>& inputs, const OutputIndex& at)
      : problem_(problem), inputs_(inputs), at_(at) {}

  std::vector<OutputTerm> of(const std::vector<float>& weights) const {
    return problem_.filter.is_bank() ? of_map(weights) : of_window(weights);
  }

 private:
  // Frame after frame, row after row; of a signal a channel is a row, over which no filter reaches.
  std::vector<OutputTerm> of_window(const std::vector<float>& weights) const {
    const Filter& filter = problem_.filter;
    std::vector<OutputTerm> terms;
    for (int i = 0; i < filter.taps(); ++i) {
      const int dx = i % filter.width - filter.rx(), dy = i / filter.width % filter.height - filter.ry(),
                plane = i / (filter.width * filter.height);
      terms.push_back(term(weights[static_cast<std::size_t>(i)], inputs_[static_cast<std::size_t>(plane)].data(), plane,
                           at_.x + dx, at_.y + dy, problem_.border));
    }
    return terms;
  }
  std::vector<OutputTerm> of_map(const std::vector<float>& weights) const {
    const LayerExtents e = layer_extents(problem_);
    const Layer& layer = problem_.layer;
    const auto plane_size = static_cast<std::size_t>(e.height) * static_cast<std::size_t>(e.width);
    std::vector<OutputTerm> terms;
    const float* weight =
        weights.data() + static_cast<std::ptrdiff_t>(at_.channel) * e.group_channels() * e.filter * e.filter;
    for (int c = 0; c < e.group_channels(); ++c) {
      const int plane = at_.sample * e.channels + e.first_channel(at_.channel) + c;
      for (int i = 0; i < e.filter * e.filter; ++i, ++weight)
        terms.push_back(term(*weight, inputs_[0].data() + static_cast<std::size_t>(plane) * plane_size, plane,
                             at_.x * layer.stride - layer.padding + i % e.filter * layer.dilation,
                             at_.y * layer.stride - layer.padding + i / e.filter * layer.dilation, Border::zero));
    }
    return terms;
  }
  OutputTerm term(float weight, const float* plane, int number, int x, int y, Border border) const {
    OutputTerm made{.plane = number, .x = x, .y = y, .weight = weight};
    made.ghost = x < 0 || x >= problem_.width || y < 0 || y >= problem_.height;
    const int from_x = border_index(x, problem_.width, border), from_y = border_index(y, problem_.height, border);
    if (from_x >= 0 && from_y >= 0) made.input = plane[static_cast<std::ptrdiff_t>(from_y) * problem_.width + from_x];
    return made;
  }

  const Problem& problem_;
  const std::vector<std::vector<float>>& inputs_;
  const OutputIndex& at_;
};

// Of the input under the output's centre, or of a layer under its first tap, where that lies within the input.
void count_uses(OneOutput& made, const Problem& problem) {
  const InputUses uses = input_uses(problem);
  const Layer& layer = problem.layer;
  const bool bank = problem.filter.is_bank();
  made.input_x = bank ? made.at.x * layer.stride - layer.padding : made.at.x;
  made.input_y = bank ? made.at.y * layer.stride - layer.padding : made.at.y;
  const bool there =
      made.input_x >= 0 && made.input_x < problem.width && made.input_y >= 0 && made.input_y < problem.height;
  made.uses = there ? uses.at(made.input_x, made.input_y) : 0;
}

std::string terms_text(const std::vector<OutputTerm>& terms) {
  std::string text;
  std::size_t said = 0;
  double sum = 0;
  for (const OutputTerm& term : terms) {
    sum += term.weight * term.input;
    if (term.ghost || said++ >= most_terms_said) continue;
    text += (text.empty() ? "" : " + ") + number(term.weight) + "·" + number(term.input);
  }
  if (said > most_terms_said) text += " + … (" + count(static_cast<double>(said)) + " terms)";
  return (text.empty() ? "0" : text) + " = " + number(sum);
}

ordered_json terms_json(const std::vector<OutputTerm>& terms) {
  ordered_json rows = ordered_json::array();
  for (const OutputTerm& term : terms)
    rows.push_back({{"plane", term.plane},
                    {"x", term.x},
                    {"y", term.y},
                    {"ghost", term.ghost},
                    {"weight", term.weight},
                    {"input", term.input}});
  return rows;
}

double ghosts(const OneOutput& made) {
  return static_cast<double>(std::ranges::count(made.terms, true, &OutputTerm::ghost));
}

std::string triple(const std::array<int, 3>& index) {
  return "(" + std::to_string(index[0]) + ", " + std::to_string(index[1]) + ", " + std::to_string(index[2]) + ")";
}

}  // namespace

OneOutput explain_output(const Problem& problem, const std::vector<std::vector<float>>& inputs, double value,
                         const Strategy& strategy, const Device& device, const Tuning& tuning, const OutputIndex& at) {
  if (problem.filter.is_bank() && problem.layer.pass != Pass::forward)
    throw Error("--at is for what goes forward; a gradient's sums run over all outputs.");
  const Shape out = problem.kind->outputs(problem)[0];
  if (at.x < 0 || at.x >= out.width() || at.y < 0 || at.y >= out.height() || at.channel < 0 ||
      at.channel >= out.channels())
    throw Error("--at " + std::to_string(at.x) + "," + std::to_string(at.y) + "," + std::to_string(at.channel) +
                " is no output: there are " + std::to_string(out.width()) + " columns, " +
                counted(out.height(), "row") + " and " + counted(out.channels(), "map") + ", counted from 0.");
  OneOutput made{.at = at, .value = value, .strategy = std::string(strategy.id)};
  const Terms terms(problem, inputs, at);
  made.terms = terms.of(problem.filter.weights);
  if (problem.filter.is_magnitude()) made.terms_y = terms.of(problem.filter.weights_y);
  made.outputs = outputs(problem);
  made.index = (static_cast<std::int64_t>(at.channel) * out.height() + at.y) * out.width() + at.x;
  if (problem.filter.is_bank()) made.expansion = unrolled_expansion(problem);
  if (strategy.explains) made.explanation = strategy.explain(problem, device, tuning, at);
  made.block = count_block(problem, made.explanation);
  made.skipped = skipped_products(problem);
  if (const KernelStep* const step = step_of_input(made.explanation)) made.blocks = block_grid(problem, *step);
  count_uses(made, problem);
  return made;
}

std::string one_output_text(const OneOutput& made) {
  std::string text = "Output (" + std::to_string(made.at.x) + ", " + std::to_string(made.at.y) + ")" +
                     (made.expansion > 0 ? " of map " + std::to_string(made.at.channel) : "") + " is " +
                     number(made.value) + ", one of " + count(made.outputs) + ".\n";
  text += "  " + terms_text(made.terms) + "\n";
  if (!made.terms_y.empty()) text += "  " + terms_text(made.terms_y) + "\n";
  text += "  " + count(ghosts(made)) + " of its " + count(static_cast<double>(made.terms.size())) +
          " inputs are ghost cells.\n";
  if (made.expansion > 0) text += "  Unrolled, the input is " + number(made.expansion) + " times as large.\n";
  if (const auto& product = made.explanation.product)
    text += "  As a product: " + std::to_string(product->rows) + " × " + std::to_string(product->depth) + " times " +
            std::to_string(product->depth) + " × " + std::to_string(product->columns) + "; row " +
            std::to_string(product->row) + " meets column " + std::to_string(product->column) + ".\n";
  for (const KernelStep& step : made.explanation.steps)
    text += "  " + step.kernel + ": block " + triple(step.block) + ", thread " + triple(step.thread) + " of " +
            triple(step.block_size) + ". " + step.words + "\n";
  if (made.uses > 0)
    text += "  The input at (" + std::to_string(made.input_x) + ", " + std::to_string(made.input_y) + ") goes into " +
            count(made.uses) + (made.expansion > 0 ? " outputs of each map.\n" : " outputs.\n");
  const BlockCounts& block = made.block;
  if (block.loads > 0)
    text += "  The block makes " + count(block.outputs) + " outputs and loads " + count(block.loads) + " inputs, " +
            count(block.ghosts) + " of them ghost cells; by the definition " + count(block.by_definition) +
            " are read: " + number(block.by_definition / block.loads) + " times as many.\n";
  if (block.shared > 0) text += "  " + count(block.shared) + " of these inputs are loaded by another block, too.\n";
  if (made.skipped.skipped > 0)
    text += "  Of all outputs together, " + count(made.skipped.skipped) + " of " + count(made.skipped.all) +
            " products fall on ghost cells and are skipped.\n";
  if (!made.explanation.words.empty()) text += "  " + made.explanation.words + "\n";
  return text;
}

ordered_json one_output_json(const OneOutput& made) {
  ordered_json out{{"x", made.at.x},
                   {"y", made.at.y},
                   {"map", made.at.channel},
                   {"value", made.value},
                   {"index", made.index},
                   {"outputs", made.outputs},
                   {"ghost_cells", ghosts(made)},
                   {"terms", terms_json(made.terms)}};
  if (!made.terms_y.empty()) out["terms_y"] = terms_json(made.terms_y);
  if (made.expansion > 0) out["unrolled_expansion"] = made.expansion;
  if (const auto& product = made.explanation.product)
    out["product"] = {{"rows", product->rows},
                      {"depth", product->depth},
                      {"columns", product->columns},
                      {"row", product->row},
                      {"column", product->column}};
  ordered_json steps = ordered_json::array();
  for (const KernelStep& step : made.explanation.steps)
    steps.push_back({{"kernel", step.kernel},
                     {"block", step.block},
                     {"thread", step.thread},
                     {"block_size", step.block_size},
                     {"words", step.words}});
  out["kernels"] = steps;
  if (made.uses > 0) out["input"] = {{"x", made.input_x}, {"y", made.input_y}, {"uses", made.uses}};
  if (const BlockCounts& block = made.block; block.loads > 0)
    out["block"] = {{"outputs", block.outputs},
                    {"loads", block.loads},
                    {"ghost_cells", block.ghosts},
                    {"elements", block.loads - block.ghosts},
                    {"loads_by_definition", block.by_definition},
                    {"loaded_by_others_too", block.shared}};
  if (!made.blocks.empty()) out["blocks"] = {{"columns", made.blocks.columns}, {"rows", made.blocks.rows}};
  if (made.skipped.skipped > 0) out["skipped_products"] = {{"skipped", made.skipped.skipped}, {"of", made.skipped.all}};
  if (!made.explanation.words.empty()) out["words"] = made.explanation.words;
  return out;
}

}  // namespace convoscope
